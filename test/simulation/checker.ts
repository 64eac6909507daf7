import {
  beliefsAreDisjoint,
  callsSettleAsPromised,
  deadLeaderIsReplaced,
  guardIsMonotonic,
  lossIsProved,
  nothingIsLeftRunning,
  oneEffectiveWriter,
  overStaysOver,
} from './leader-properties.ts';
import {
  deadTermsStayDead,
  lostRepliesAreSettled,
  releaseIsOwned,
  renewalKeepsTerm,
  takeoverWaits,
  tokensAreUnique,
  tokensRise,
} from './store-properties.ts';
import type { Evidence, Property, Violation } from './verdict.ts';

/** Every promise that a history is held to. */
const properties: Readonly<Record<string, Property>> = {
  'S1 tokens are unique': tokensAreUnique,
  'S2 tokens rise': tokensRise,
  'S3 renewal keeps the term': renewalKeepsTerm,
  'S4 takeover waits': takeoverWaits,
  'S5 guard is monotonic': guardIsMonotonic,
  'S6 one effective writer': oneEffectiveWriter,
  'S8 beliefs are disjoint': beliefsAreDisjoint,
  'S11 release is owned': releaseIsOwned,
  'S12 dead terms stay dead': deadTermsStayDead,
  'S12 over stays over': overStaysOver,
  'S13 lost replies are settled': lostRepliesAreSettled,
  'S16 loss is proved': lossIsProved,
  'L1 dead leader is replaced': deadLeaderIsReplaced,
  'calls settle as promised': callsSettleAsPromised,
  'nothing is left running': nothingIsLeftRunning,
};

/** How often something occurred, by property and case. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  add(property: string, what: string, times: number): void {
    const key = keyOf(property, what);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
  }

  /** How often a case of a property occurred. */
  times(property: string, what: string): number {
    return this.#counts.get(keyOf(property, what)) ?? 0;
  }

  get table(): string {
    const rows = [...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return rows.map(([key, times]) => `${String(times).padStart(8)}  ${key}`).join('\n');
  }
}

function keyOf(property: string, what: string): string {
  return `${property.padEnd(29)}${what}`;
}

/** Holds a history to every promise. The first violation comes first. */
export function check(evidence: Evidence, coverage: Coverage): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [property, judge] of Object.entries(properties)) {
    const verdict = judge(evidence);
    violations.push(...verdict.violations.map((violation) => ({ property, ...violation })));
    for (const [what, times] of Object.entries(verdict.exercised)) {
      coverage.add(property, what, times);
    }
  }
  for (const [fault, times] of evidence.history.faultCounts) {
    coverage.add('faults', fault, times);
  }
  return violations.toSorted((one, other) => one.atMs - other.atMs);
}
