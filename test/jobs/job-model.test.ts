import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catchUp, modelTick, periodsKind, type ModelTick } from './arbitraries.ts';
import { JobModel } from './job-model.ts';

const history = fc.array(modelTick, { maxLength: 50, size: 'max' });
const allGoesWell: ModelTick = {
  later: 0,
  asked: undefined,
  // Long enough for what is stuck to be swept again.
  clockStepMinutes: 61,
  ends: ['completed'],
};

describe('a job over any history', () => {
  it('keeps a state that fits and reads back, and settles what a sweep found done or it passed over', () => {
    let longestText = 0;
    fc.assert(
      fc.property(periodsKind, catchUp, history, (kind, how, ticks) => {
        const model = new JobModel(kind, { catchUp: how });
        for (const tick of ticks) {
          model.tick(tick);
        }
        model.requireHonest();
        longestText = Math.max(longestText, model.longestText);
      }),
      { numRuns: 50 },
    );
    // Else nothing was learnt about the limit.
    expect(longestText).toBeGreaterThan(900);
  });

  it('completes everything that is due once runs succeed, whatever was left open before', () => {
    fc.assert(
      fc.property(
        periodsKind,
        catchUp,
        fc.constantFrom(1, 2, 7),
        history,
        (kind, how, max, ticks) => {
          const model = new JobModel(kind, { catchUp: how, max });
          for (const tick of ticks) {
            model.tick(tick);
          }
          for (let left = 300; model.plan().idle !== 'nothing-due'; left -= 1) {
            expect(left).toBeGreaterThan(0);
            model.tick(allGoesWell);
          }
          expect(model.plan().incomplete).toEqual([]);
          model.requireHonest();
        },
      ),
      { numRuns: 50 },
    );
  });

  it('works for a new period at the next tick, however many are unfinished or stuck', () => {
    fc.assert(
      fc.property(periodsKind, history, (kind, ticks) => {
        const model = new JobModel(kind, { catchUp: 'all', max: 1 });
        const never = ticks.map((tick) => ({
          ...tick,
          ends: tick.ends.map((end) => (end === 'completed' ? 'unfinished' : end)),
        }));
        for (const tick of never) {
          model.tick(tick);
          const { periods, incomplete } = model.plan();
          const isOpen = (period: string): boolean =>
            model.state.open.some((open) => open.period === period);
          const isNewFirst =
            incomplete.every(isOpen) || periods.slice(0, 1).every((p) => !isOpen(p));
          // Only the lack of room keeps a new one waiting.
          expect(isNewFirst || model.state.open.length >= 10).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});
