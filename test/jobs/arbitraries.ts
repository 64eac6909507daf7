import fc from 'fast-check';
import { customPeriods, daily, monthly, type CatchUp, type Periods } from 'tenure/jobs';

const hourMs = 3_600_000;

/** Hours since the epoch under names made by `spell`. */
function hours(spell: (hour: number) => string): Periods {
  const hourOf = (name: string): number => Number(/\d+$/.exec(name)?.[0]);
  return customPeriods({
    next: (name) => spell(hourOf(name) + 1),
    dueFromMs: (name) => hourOf(name) * hourMs,
  });
}

const calendar = (name: string): number => Date.parse(name.length === 7 ? `${name}-01` : name);
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Periods of one kind, and how to name the one that is `index` after the first. */
export interface PeriodsKind {
  readonly periods: Periods;
  readonly nameOf: (index: number) => string;
}

const kinds: readonly PeriodsKind[] = [
  {
    periods: monthly(),
    nameOf: (index) => day(Date.UTC(2026, index, 1)).slice(0, 7),
  },
  { periods: daily(), nameOf: (index) => day(calendar('2026-01-01') + index * 24 * hourMs) },
  // As long as a name may be.
  ...[hours((hour) => `long-${String(hour).padStart(11, '0')}`)].map((periods) => ({
    periods,
    nameOf: (index: number) => `long-${String(490_000 + index).padStart(11, '0')}`,
  })),
  // Names that grow from one to the next: 9, 10, ... 99, 100.
  ...[hours(String)].map((periods) => ({ periods, nameOf: (index: number) => String(9 + index) })),
];

export const periodsKind: fc.Arbitrary<PeriodsKind> = fc.constantFrom(...kinds);
export const catchUp: fc.Arbitrary<CatchUp> = fc.constantFrom('all', 'latest', 'none');

/** How a run of one period ends in the model. */
export type End = 'completed' | 'unfinished' | 'unknown' | 'both' | 'interrupted';
const end: fc.Arbitrary<End> = fc.constantFrom(
  'completed',
  'unfinished',
  'unknown',
  'both',
  'interrupted',
);

/** One invocation in the model. */
export interface ModelTick {
  /** How many periods later than the invocation before it. */
  readonly later: number;
  /** For a period asked for by name: how many before the newest due one. */
  readonly asked: number | undefined;
  /** Minutes by which somebody sets the wall clock. */
  readonly clockStepMinutes: number;
  readonly ends: readonly End[];
}

export const modelTick: fc.Arbitrary<ModelTick> = fc.record({
  later: fc.nat(4),
  asked: fc.option(fc.nat(60), { nil: undefined, freq: 2 }),
  clockStepMinutes: fc.constantFrom(0, 0, 0, 61, -61, 1_000_000),
  ends: fc.array(end, { minLength: 3, maxLength: 8 }),
});
