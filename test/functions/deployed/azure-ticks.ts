import type { TimerTick } from '../../support/azure-functions/functions-host.ts';

/** What the host tells a timer of the tick at `next`, five minutes after the one before. */
export function tick(next: string): TimerTick {
  const last = new Date(Date.parse(next) - 300_000).toISOString();
  return { scheduleStatus: { last, next, lastUpdated: last } };
}
