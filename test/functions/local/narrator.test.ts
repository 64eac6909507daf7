import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../functions/local/events.ts';
import { Narrator } from '../../../functions/local/narrator.ts';

/** What is told of these events, without the times. */
function told(...events: readonly RunEvent[]): readonly string[] {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line.replace(/^ *1\.50 s  /, ''));
  const narrator = new Narrator({ customers: 4, leaseMs: 3_000, nowMs: () => 1_500, print });
  for (const event of events) {
    narrator.tell(event);
  }
  return lines;
}

const row = {
  type: 'row',
  scheduler: 'A',
  fencingToken: 33,
  accepted: true,
  stale: false,
  late: false,
} as const;
const stale = { ...row, customerId: 'c-1', highestToken: 34, stale: true } as const;
const acquired = (scheduler: string, fencingToken: number) =>
  ({ type: 'acquired', scheduler, fencingToken }) as const;
const released = (scheduler: string, fencingToken: number) =>
  ({ type: 'released', scheduler, fencingToken }) as const;

describe('Narrator', () => {
  it('tells that a scheduler leads before it tells where that scheduler begins', () => {
    expect(
      told(
        { type: 'began', scheduler: 'A', fencingToken: 33, settledThrough: 'c-7' },
        acquired('A', 33),
      ),
    ).toEqual([
      'A        leads with fencing token 33',
      'A        resumes after c-7: so far the progress saved in the lease goes',
    ]);
  });

  it('tells why a lease could be taken', () => {
    const [, lost] = told(acquired('A', 33), acquired('B', 34));
    expect(lost).toBe(
      'B        leads with fencing token 34: nothing was heard of A for the 3000 ms of the lease',
    );
    const [, own] = told(acquired('A', 33), acquired('A', 34));
    expect(own).toMatch(/nobody else has taken the lease that it lost$/);
    const [, , free] = told(acquired('A', 33), released('A', 33), acquired('B', 34));
    expect(free).toBe('B        leads with fencing token 34');
  });

  it('tells each quarter of the customers, counting nobody twice', () => {
    const rows = ['a', 'a', 'b', 'c', 'd'].map((id) => ({
      ...row,
      customerId: id,
      highestToken: 33,
    }));
    expect(told(...rows)).toEqual(
      [1, 2, 3, 4].map((done) => `A        bills: ${done} of 4 customers are done`),
    );
  });

  it('tells what became of a stale write', () => {
    expect(told({ ...stale, accepted: false })).toEqual([
      "store    rejects A's write of c-1 under 33: the row has seen 34",
    ]);
    expect(told(stale)).toEqual([
      "store    ACCEPTS A's stale write of c-1 under 33; the row has seen 34",
    ]);
  });

  it('tells a late write for what it is, and counts its customer', () => {
    const late = { ...row, customerId: 'c-1', highestToken: 0, late: true } as const;
    const next = { ...row, scheduler: 'B', fencingToken: 34, customerId: 'c-2', highestToken: 0 };
    const [, takes, bills] = told(acquired('B', 34), late, next);
    expect(takes).toMatch(
      /^store +takes A's late write of c-1 under 33, while B leads with 34: no newer leader has touched that row\. Harmless /,
    );
    expect(bills).toBe('B        bills: 2 of 4 customers are done');
  });

  it('tells whom a scheduler follows only when that is news', () => {
    const followed = { type: 'followed', scheduler: 'C', holder: 'A', fencingToken: 33 } as const;
    expect(told(followed, followed)).toEqual(['C        follows A, who leads with 33']);
  });

  it('tells of an end that nobody asked for', () => {
    const exited = { type: 'exited', scheduler: 'A', exitCode: 1, killedBy: undefined } as const;
    expect(told({ ...exited, expected: true })).toEqual([]);
    expect(told({ ...exited, expected: false })).toEqual([
      'A        has ended by itself: exit status 1',
    ]);
  });
});
