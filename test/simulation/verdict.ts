import type { Commit, GuardedWrite, History, HistoryEntry, OperationKind } from './history.ts';
import type { Plan } from './plan.ts';

/** One broken promise. */
export interface Violation {
  readonly property: string;
  readonly atMs: number;
  readonly message: string;
}

/** What a property says about one history. */
export interface Verdict {
  /** How often the history put the property to the test, by what did. */
  readonly exercised: Readonly<Record<string, number>>;
  readonly violations: readonly Omit<Violation, 'property'>[];
}

/** What a property is judged on. */
export interface Evidence {
  readonly plan: Plan;
  readonly history: History;
}

/** One named promise over a whole history. */
export type Property = (evidence: Evidence) => Verdict;

/** Collects a verdict. */
export class Judge {
  readonly #exercised: Record<string, number> = {};
  readonly #violations: Omit<Violation, 'property'>[] = [];

  get verdict(): Verdict {
    return { exercised: this.#exercised, violations: this.#violations };
  }

  /** Counts a case, also with no occurrence, so that a case that never occurs is seen. */
  count(what: string, times = 1): void {
    this.#exercised[what] = (this.#exercised[what] ?? 0) + times;
  }

  /** Records a violation unless `holds`. */
  expect(holds: boolean, atMs: number, message: string): void {
    if (!holds) {
      this.#violations.push({ atMs, message });
    }
  }
}

export function commitsOf({ history }: Evidence): readonly Commit[] {
  return history.entries.filter((entry): entry is Commit => entry.type === 'commit');
}

export function guardedWritesOf({ history }: Evidence): readonly GuardedWrite[] {
  return history.entries.filter((entry): entry is GuardedWrite => entry.type === 'guarded');
}

export function entriesOf<Type extends HistoryEntry['type']>(
  { history }: Evidence,
  type: Type,
): readonly Extract<HistoryEntry, { type: Type }>[] {
  return history.entries.filter(
    (entry): entry is Extract<HistoryEntry, { type: Type }> => entry.type === type,
  );
}

/** The requests whose answer came while the sender still waited for it. */
export function answeredRequests(evidence: Evidence): ReadonlySet<number> {
  return new Set(entriesOf(evidence, 'answered').map(({ request }) => request.id));
}

export function kindOf({ request }: Commit): OperationKind {
  return request.operation.kind;
}

/** Whether a request changed the record. */
export function isApplied({ before, after }: Commit): boolean {
  return versionOf(before) !== versionOf(after);
}

/** Commits that began a term, in the store's order. */
export function grantsOf(evidence: Evidence): readonly Commit[] {
  return commitsOf(evidence).filter((commit) => kindOf(commit) === 'acquire' && isApplied(commit));
}

export function tokenOf({ request }: { readonly request: Commit['request'] }): number {
  return request.operation.fencingToken ?? 0;
}

export function storedToken(look: Commit['after']): number | undefined {
  return look.state === 'absent' ? undefined : look.record.fencingToken;
}

export function storedHolder(look: Commit['after']): string | undefined {
  return look.state === 'absent' ? undefined : look.record.holder;
}

function versionOf(look: Commit['after']): string | undefined {
  return look.state === 'absent' ? undefined : look.version;
}
