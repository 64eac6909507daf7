import type { Effect, LedgerStore } from '../../src/ledger/index.ts';
import { hooked } from './bench.ts';

/** Where a process can stop while it makes one effect, in order. */
export const crashSteps = [
  'before the first look',
  'pending not sent',
  'pending applied, reply on its way',
  'checks passed, effect not sent',
  'effect took place, reply on its way',
  'reply seen, outcome not sent',
  'outcome applied, reply on its way',
  'leadership over, attempt not taken back',
  'attempt taken back, reply on its way',
] as const;

export type CrashStep = (typeof crashSteps)[number];

/** Whether leadership ends between the first write and the checks. */
export function losesLeadership(step: CrashStep): boolean {
  return step.startsWith('leadership over') || step.startsWith('attempt taken back');
}

/** The store and the effect of a process that calls `stop` at `step` and goes on once it resolves. */
export function stoppingAt(
  step: CrashStep,
  stop: () => Promise<void>,
  parts: { readonly store: LedgerStore; readonly effect: Effect },
): { readonly store: LedgerStore; readonly effect: Effect } {
  const at = (...steps: readonly CrashStep[]) => (steps.includes(step) ? stop() : undefined);
  const store = hooked(parts.store, {
    before: (operation, count) => {
      switch (`${operation} ${count}`) {
        case 'read 1':
          return at('before the first look');
        case 'write 1':
          return at('pending not sent');
        case 'write 2':
          return at('reply seen, outcome not sent', 'leadership over, attempt not taken back');
        default:
          return undefined;
      }
    },
    after: (operation, count) => {
      switch (`${operation} ${count}`) {
        case 'write 1':
          return at('pending applied, reply on its way');
        case 'write 2':
          return at('outcome applied, reply on its way', 'attempt taken back, reply on its way');
        default:
          return undefined;
      }
    },
  });
  const effect: Effect = async (context) => {
    await at('checks passed, effect not sent');
    const outcome = await parts.effect(context);
    await at('effect took place, reply on its way');
    return outcome;
  };
  return { store, effect };
}
