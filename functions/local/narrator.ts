import type { EventOf, RunEvent } from './events.ts';

/** What the story is about. */
export interface NarratorOptions {
  readonly customers: number;
  readonly leaseMs: number;
  /** Milliseconds since the run began. */
  readonly nowMs: () => number;
  readonly print: (line: string) => void;
}

/** Who does something, and what. */
type Line = readonly [who: string, text: string] | undefined;

type Teller<Type extends RunEvent['type']> = (event: EventOf<Type>) => Line;

/** Tells the events of a run as they happen, one line each, to somebody who knows nothing yet. */
export class Narrator {
  readonly #options: NarratorOptions;
  readonly #billed = new Set<string>();
  readonly #leaderOf = new Map<string, number>();
  #term: EventOf<'acquired'> | undefined;
  #released = false;
  #held: string | undefined;
  #early: Line;

  constructor(options: NarratorOptions) {
    this.#options = options;
  }

  /** Tells one event, if it is worth a line. */
  tell(event: RunEvent): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key takes its own events
    const teller = this.#tellers[event.type] as Teller<RunEvent['type']>;
    this.#sayLine(teller(event));
    if (event.type === 'acquired') {
      this.#sayLine(this.#early);
      this.#early = undefined;
    }
  }

  /** Prints one line under the current time. */
  say(who: string, text: string): void {
    const seconds = (this.#options.nowMs() / 1_000).toFixed(2).padStart(7);
    this.#options.print(`${seconds} s  ${who.padEnd(8)} ${text}`);
  }

  #sayLine(line: Line): void {
    if (line !== undefined) {
      this.say(...line);
    }
  }

  readonly #tellers: { readonly [Type in RunEvent['type']]: Teller<Type> } = {
    acquired: (term) => this.#tellAcquired(term),
    began: (beginning) => this.#tellBegan(beginning),
    followed: ({ scheduler, holder, fencingToken }) => {
      const isNews = this.#leaderOf.get(scheduler) !== fencingToken;
      this.#leaderOf.set(scheduler, fencingToken);
      return isNews ? [scheduler, `follows ${holder}, who leads with ${fencingToken}`] : undefined;
    },
    row: (row) => this.#tellRow(row),
    held: ({ customerId }) => {
      this.#held = customerId;
      return ['gateway', `has charged ${customerId}, and is slow to say so`];
    },
    repeated: ({ customerId, chargedAgain }) =>
      customerId === this.#held
        ? [
            'gateway',
            `is asked to charge ${customerId} again, under the same key: ${chargedAgain ? 'CHARGES AGAIN' : 'does not'}`,
          ]
        : undefined,
    staged: ({ text }) => ['runner', text],
    'stopped-leading': ({ scheduler, fencingToken, reason }) => [
      scheduler,
      reason === 'expired'
        ? `finds that it has not renewed its term ${fencingToken} by the deadline, and stops leading`
        : `finds that another has taken over from its term ${fencingToken}, and stops leading`,
    ],
    lost: ({ scheduler, fencingToken, reason, workError }) => [
      scheduler,
      `reports that it lost its term ${fencingToken} (${reason})` +
        (workError === undefined ? '' : `; its work ended with ${workError}`),
    ],
    finished: ({ scheduler, charged, skipped }) => [
      scheduler,
      `has billed everybody: ${charged} itself, ${skipped} were done before`,
    ],
    'gave-up': ({ scheduler, because }) => [
      scheduler,
      `gives up this attempt and stands again: ${because}`,
    ],
    released: ({ scheduler }) => {
      this.#released = true;
      return [scheduler, 'releases the lease, so that the next leader need not wait'];
    },
    exited: ({ scheduler, exitCode, killedBy, expected }) =>
      expected
        ? undefined
        : [scheduler, `has ended by itself: ${killedBy ?? `exit status ${exitCode}`}`],
  };

  #tellAcquired(term: EventOf<'acquired'>): Line {
    const before = this.#term;
    const wasReleased = this.#released;
    this.#term = term;
    this.#released = false;
    const { scheduler, fencingToken } = term;
    const leads = `leads with fencing token ${fencingToken}`;
    if (before === undefined || wasReleased) {
      return [scheduler, leads];
    }
    return before.scheduler === scheduler
      ? [scheduler, `${leads}: nobody else has taken the lease that it lost`]
      : [
          scheduler,
          `${leads}: nothing was heard of ${before.scheduler} for the ${this.#options.leaseMs} ms of the lease`,
        ];
  }

  #tellBegan({ scheduler, fencingToken, settledThrough }: EventOf<'began'>): Line {
    if (fencingToken === undefined) {
      return [scheduler, 'begins to bill, without asking who else does'];
    }
    const text =
      settledThrough === undefined
        ? 'begins to bill with the first customer'
        : `resumes after ${settledThrough}: so far the progress saved in the lease goes`;
    if (fencingToken !== this.#term?.fencingToken) {
      // It heard of its acquisition before the row was read back.
      this.#early = [scheduler, text];
      return undefined;
    }
    return [scheduler, text];
  }

  #tellRow({ scheduler, ...row }: EventOf<'row'>): Line {
    const { customerId, fencingToken, accepted, stale, late, highestToken } = row;
    if (stale) {
      return accepted
        ? [
            'store',
            `ACCEPTS ${scheduler}'s stale write of ${customerId} under ${fencingToken}; the row has seen ${highestToken}`,
          ]
        : [
            'store',
            `rejects ${scheduler}'s write of ${customerId} under ${fencingToken}: the row has seen ${highestToken}`,
          ];
    }
    const before = this.#billed.size;
    this.#billed.add(customerId);
    if (late) {
      const { scheduler: leader, fencingToken: token } = this.#term ?? {};
      return [
        'store',
        `takes ${scheduler}'s late write of ${customerId} under ${fencingToken}, while ${leader} leads with ${token}: no newer ` +
          "leader has touched that row. Harmless where the gateway honours the ledger's key, and so charges once",
      ];
    }
    const quarter = (count: number): number => Math.floor((count * 4) / this.#options.customers);
    return quarter(this.#billed.size) > quarter(before)
      ? [scheduler, `bills: ${this.#billed.size} of ${this.#options.customers} customers are done`]
      : undefined;
  }
}
