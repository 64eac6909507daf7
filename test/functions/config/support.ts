import type { Environment } from '../../../functions/config/settings.ts';
import { SettingsError } from '../../../functions/config/settings.ts';

/** The settings that have no default, on either cloud. */
export const leastSettings = {
  STORE: 'dynamodb://leases/charges?region=eu-central-1',
  BILLING_START_FROM: '2026-11',
  GATEWAY_URL: 'https://gateway.example',
  BILLING_SCHEDULE: '0 */5 * * * *',
} as const satisfies Environment;

/** The problems that reading settings ends with; fails if there are none. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) {
      return error.problems;
    }
    throw error;
  }
  throw new Error('no problem was found');
}
