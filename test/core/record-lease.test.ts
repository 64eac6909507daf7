import { beforeEach, describe, expect, it } from 'vitest';
import { bench, bidFor, lease, renewUnder, take, type Bench } from './record-lease-bench.ts';
import { patient } from './scripted-records.ts';

let under: Bench;

beforeEach(() => {
  under = bench();
});

describe('acquire', () => {
  it('creates an absent record for one of many', async () => {
    const bids = ['a', 'b', 'c'].map((holder) => bidFor({ state: 'absent' }, { holder }));
    const results = await Promise.all(bids.map((bid) => under.store.acquire(lease, bid, patient)));
    expect(results.map(({ acquired }) => acquired)).toEqual([true, false, false]);
    const look = await under.store.look(lease, patient);
    expect(look).toMatchObject({ state: 'held', record: { holder: 'a', fencingToken: 33 } });
    expect(results[1]).toEqual({ acquired: false, found: look });
  });

  it('replaces only the version that it has seen', async () => {
    await take(under);
    const seen = await under.store.look(lease, patient);
    await take(under, { holder: 'b', fencingToken: 34 });
    const late = bidFor(seen, { holder: 'c', fencingToken: 34 });
    expect(await under.store.acquire(lease, late, patient)).toMatchObject({
      acquired: false,
      found: { state: 'held', record: { holder: 'b', fencingToken: 34 } },
    });
  });

  it('gives the same result when the same bid is sent again', async () => {
    const bid = bidFor();
    under.records.script('lose-reply');
    const lost = under.store.acquire(lease, bid, patient);
    await expect(lost).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const before = await under.records.stored(lease);
    expect(await under.store.acquire(lease, bid, patient)).toMatchObject({ acquired: true });
    expect(await under.records.stored(lease)).toEqual(before);
  });

  it('keeps the progress of the term before', async () => {
    const { held } = await take(under);
    await held.renew({ progress: '{"n":1}' }, patient);
    await take(under, { holder: 'b', fencingToken: 34 });
    expect((await under.records.stored(lease))?.record.progress).toBe('{"n":1}');
  });

  it('changes nothing when a bid arrives once more, late', async () => {
    const { held, bid } = await take(under);
    await held.renew({ progress: '{"n":1}' }, patient);
    const before = await under.records.stored(lease);
    expect(await under.store.acquire(lease, bid, patient)).toMatchObject({ acquired: false });
    await held.release({ progress: undefined, history: [] }, patient);
    expect(await under.store.acquire(lease, bid, patient)).toMatchObject({ acquired: false });
    expect(await under.records.stored(lease)).toMatchObject({ released: true });
    expect(before).toMatchObject({ released: false, record: { progress: '{"n":1}' } });
  });
});

describe('renew', () => {
  it('shows a new version each time, which is one of the marks', async () => {
    const { held } = await take(under);
    const versions = new Set<string>();
    for (let renewal = 0; renewal < 5; renewal += 1) {
      expect(await held.renew({}, patient)).toEqual({ renewed: true });
      const look = await under.store.look(lease, patient);
      expect(look).toMatchObject({ state: 'held', mark: expect.any(String) });
      expect(held.marks).toContain(look.state === 'absent' ? '' : look.mark);
      versions.add((await under.records.stored(lease))?.version ?? '');
    }
    expect(versions.size).toBe(5);
  });

  it.each([
    ['by another', () => take(under, { holder: 'b', fencingToken: 34 })],
    ['by the same process, with a new token', () => take(under, { fencingToken: 34 })],
  ])('is refused once the lease was taken over %s', async (_, takeOver) => {
    const { held } = await take(under);
    await takeOver();
    const found = await under.store.look(lease, patient);
    const before = await under.records.stored(lease);
    expect(await held.renew({ progress: '{"n":1}' }, patient)).toEqual({ renewed: false, found });
    expect(await under.records.stored(lease)).toEqual(before);
  });

  it('is refused once the record was freed', async () => {
    const { held, bid } = await take(under);
    await under.store.abandon(lease, bid, patient);
    expect(await held.renew({ progress: '{"n":1}' }, patient)).toMatchObject({
      renewed: false,
      found: { state: 'free' },
    });
    expect(await under.records.stored(lease)).toMatchObject({ released: true });
  });

  it('is refused where there is no record any more', async () => {
    const { held } = await take(under);
    const elsewhere = bench();
    const write = elsewhere.records.write.bind(elsewhere.records);
    under.records.write = write;
    expect(await held.renew({ progress: '{"n":1}' }, patient)).toEqual({
      renewed: false,
      found: { state: 'absent' },
    });
    expect(await elsewhere.records.stored(lease)).toBeUndefined();
  });

  it('names each version that an unanswered renewal may have written', async () => {
    const { held, bid } = await take(under);
    for (const fault of ['lose-request', 'lose-reply', 'late-request', 'late-reply'] as const) {
      expect(await renewUnder(under, held, fault)).toBe('no answer');
    }
    const sent = under.records.writes.map(({ version }) => version);
    expect(await renewUnder(under, held, 'pass')).toBe(true);
    expect(under.records.writes.at(-1)?.replaces).toEqual(sent);
    expect(sent[0]).toBe(bid.attemptId);
  });

  it('names its holder and token in each write, and the release too', async () => {
    const { held } = await take(under);
    await held.renew({}, patient);
    await held.release({ progress: undefined, history: [] }, patient);
    const within = { holder: 'a', fencingToken: 33 };
    expect(under.records.writes).toMatchObject([
      { ...within, released: false, leaseDurationMs: 15_000 },
      { ...within, released: false, leaseDurationMs: 15_000, within },
      { ...within, released: true, leaseDurationMs: 15_000, within },
    ]);
  });

  it('forgets a version that was never sent', async () => {
    const { held, bid } = await take(under);
    expect(await renewUnder(under, held, 'unavailable')).toBe('no answer');
    await held.renew({}, patient);
    expect(under.records.writes.at(-1)?.replaces).toEqual([bid.attemptId]);
  });

  it('forgets what a renewal has replaced', async () => {
    const { held } = await take(under);
    await renewUnder(under, held, 'lose-reply');
    await held.renew({}, patient);
    const stored = await under.records.stored(lease);
    await held.renew({}, patient);
    expect(under.records.writes.at(-1)?.replaces).toEqual([stored?.version]);
  });
});

describe('release', () => {
  it('frees the record and keeps token, holder and progress', async () => {
    const { held } = await take(under);
    await held.renew({ progress: '{"n":1}' }, patient);
    const history = [{ fencingToken: 33, holder: 'a', end: 'released' as const }];
    const result = await held.release({ progress: undefined, history }, patient);
    expect(result).toMatchObject({ released: true });
    expect(await under.records.stored(lease)).toMatchObject({
      released: true,
      record: { holder: 'a', fencingToken: 33, progress: '{"n":1}', history },
    });
  });

  it('recognises what its first request did when it is repeated', async () => {
    const { held } = await take(under);
    const final = { progress: '{"n":1}', history: [] };
    under.records.script('lose-reply');
    const lost = held.release(final, patient);
    await expect(lost).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const before = await under.records.stored(lease);
    const result = await held.release(final, patient);
    expect(result).toEqual({ released: true, look: await under.store.look(lease, patient) });
    expect(await under.records.stored(lease)).toEqual(before);
  });

  it('changes nothing once the lease was taken over', async () => {
    const { held } = await take(under);
    await take(under, { holder: 'b', fencingToken: 34 });
    const before = await under.records.stored(lease);
    const result = await held.release({ progress: '{"n":1}', history: [] }, patient);
    expect(result).toEqual({ released: false, found: await under.store.look(lease, patient) });
    expect(await under.records.stored(lease)).toEqual(before);
  });

  it('ends candidates that saw the record before it', async () => {
    const { held } = await take(under);
    const seen = await under.store.look(lease, patient);
    await held.release({ progress: undefined, history: [] }, patient);
    const late = bidFor(seen, { holder: 'b', fencingToken: 34 });
    expect(await under.store.acquire(lease, late, patient)).toMatchObject({
      acquired: false,
      found: { state: 'free' },
    });
  });
});

describe('abandon', () => {
  it('frees what the bid won', async () => {
    const { bid } = await take(under);
    await under.store.abandon(lease, bid, patient);
    expect(await under.records.stored(lease)).toMatchObject({
      released: true,
      record: { holder: 'a', fencingToken: 33 },
    });
  });

  it('keeps the progress of the term before', async () => {
    const { held } = await take(under);
    await held.renew({ progress: '{"n":1}' }, patient);
    const { bid } = await take(under, { holder: 'b', fencingToken: 34 });
    await under.store.abandon(lease, bid, patient);
    expect((await under.records.stored(lease))?.record.progress).toBe('{"n":1}');
  });

  it('changes nothing where the bid did not win', async () => {
    await take(under);
    const before = await under.records.stored(lease);
    const bid = bidFor({ state: 'absent' }, { holder: 'b', fencingToken: 34 });
    await under.store.abandon(lease, bid, patient);
    expect(await under.records.stored(lease)).toEqual(before);
  });

  it('creates nothing where there is no record', async () => {
    await under.store.abandon(lease, bidFor(), patient);
    expect(await under.records.stored(lease)).toBeUndefined();
  });

  it('ends the bid: sent again, it wins nothing', async () => {
    const { bid } = await take(under);
    await under.store.abandon(lease, bid, patient);
    expect(await under.store.acquire(lease, bid, patient)).toMatchObject({ acquired: false });
    expect(await under.records.stored(lease)).toMatchObject({ released: true });
  });

  it('leaves a mark by which its own process knows a bid that arrives later still', async () => {
    const bid = bidFor();
    under.records.script('lose-request');
    const sent = under.store.acquire(lease, bid, patient);
    await expect(sent).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await under.store.abandon(lease, bid, patient);
    await under.records.deliverAll();
    expect(await under.store.look(lease, patient)).toMatchObject({
      state: 'held',
      mark: bid.attemptId,
    });
  });
});
