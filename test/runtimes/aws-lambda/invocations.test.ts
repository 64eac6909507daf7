import { describe, expect, it } from 'vitest';
import { createElection } from 'tenure';
import type { JobLeadership } from 'tenure/jobs';
import { bench, nothingLeft, scheduled, type Bench } from './lambda-bench.ts';

/** A leader that died: it holds the lease and never writes again. */
async function deadLeader({ store, clock }: Bench): Promise<void> {
  const election = createElection({ store, lease: 'billing', identity: 'dead', clock });
  await new Promise<void>((resolve) => {
    void election.lead(() => {
      resolve();
      return new Promise(() => {});
    });
  });
}

describe('invocations of one process', () => {
  it('say where they ran', async () => {
    const { handler, context, store } = bench();
    const { identity } = await handler(scheduled, context({ awsRequestId: 'one' }));
    expect(identity).toBe('aws:eu-central-1:billing-prod:7/one');
    const [term] = await createElection({ store, lease: 'billing' }).history();
    expect(term?.holder).toMatch(/^aws:eu-central-1:billing-prod:7\/one/);
  });

  it('have an identity that fits, whatever the context says', async () => {
    const { handler, context } = bench();
    const long = '🦊'.repeat(300);
    const odd = context({
      awsRequestId: long,
      functionName: long,
      functionVersion: `\ud800${long}`,
      invokedFunctionArn: `arn:aws:lambda:${long}:123456789012:function:billing-prod`,
    });
    const { identity, status } = await handler(scheduled, odd);
    expect(status).toBe('led');
    expect(Buffer.byteLength(identity)).toBeLessThanOrEqual(256);
    expect(identity.isWellFormed()).toBe(true);
    expect(identity.split(/[:/]/)).toHaveLength(5);
  });

  it('have names of 64 characters in full in their identity, as long as a function may have', async () => {
    const { handler, context } = bench();
    const functionName = 'x'.repeat(64);
    const { identity } = await handler(scheduled, context({ functionName, awsRequestId: 'one' }));
    expect(identity).toBe(`aws:eu-central-1:${functionName}:7/one`);
  });

  it('say where they ran after one with a context that did not', async () => {
    const { handler, context, outcomes } = bench();
    await expect(handler(scheduled, {} as never)).rejects.toThrow(TypeError);
    await handler(scheduled, context({ awsRequestId: 'two' }));
    expect(outcomes.map(({ identity }) => identity)).toEqual([
      'aws:-:-:-',
      'aws:eu-central-1:billing-prod:7/two',
    ]);
  });

  it('do without the parts of a context that are missing', async () => {
    const { handler } = bench();
    const bare = { getRemainingTimeInMillis: () => 60_000 };
    const outcome = await handler(scheduled, bare as never);
    expect(outcome).toMatchObject({ status: 'led', identity: 'aws:-:-:-', attempt: {} });
  });

  it('are cold once', async () => {
    const { handler, context, lines } = bench();
    await handler(scheduled, context());
    await handler(scheduled, context());
    expect(lines.map((line) => JSON.parse(line).coldStart)).toEqual([true, false]);
  });

  it('add up what they saw of a leader that died', async () => {
    const made = bench();
    const { handler, context, clock } = made;
    await deadLeader(made);
    // Of 14 s, 5 s are reserved: 9 s of the 15 s that the record must stay unchanged.
    const first = handler(scheduled, briefContext(made, 14_000));
    await clock.advance(9_000);
    expect(await first).toMatchObject({ status: 'followed', reason: 'cannot-age', leader: 'dead' });
    const second = handler(scheduled, context());
    await clock.advance(6_000);
    expect(await second).toMatchObject({ status: 'led', reason: 'completed', durationMs: 6_000 });
  });

  it('do not take another process for one that saw the leader die', async () => {
    const made = bench();
    const { clock, store } = made;
    await deadLeader(made);
    const first = made.handler(scheduled, briefContext(made, 14_000));
    await clock.advance(9_000);
    await first;
    const other = bench({ store, clock });
    const second = other.handler(scheduled, briefContext(made, 14_000));
    await clock.advance(9_000);
    expect(await second).toMatchObject({ status: 'followed', reason: 'cannot-age' });
  });

  it('run one at a time: another at the same moment follows', async () => {
    const { handler, context, lines } = bench({
      run: async () => {
        const meanwhile = await handler(scheduled, context({ awsRequestId: 'two' }));
        expect(meanwhile).toMatchObject({ status: 'followed', reason: 'busy' });
        return nothingLeft;
      },
    });
    const outcome = await handler(scheduled, context({ awsRequestId: 'one' }));
    expect(outcome).toMatchObject({ status: 'led', reason: 'completed' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: 'followed', coldStart: false, attempt: { awsRequestId: 'two' } },
      { status: 'led', coldStart: true, attempt: { awsRequestId: 'one' } },
    ]);
  });

  it('leave no leadership that a later one could use', async () => {
    const kept: JobLeadership[] = [];
    const { handler, context, clock } = bench({
      run: ({ leadership }) => {
        kept.push(leadership);
        return Promise.resolve({ unfinished: 1, unknown: 0 });
      },
    });
    await handler(scheduled, context());
    expect(clock.pendingSleeps).toBe(0);
    await handler(scheduled, context());
    expect(clock.pendingSleeps).toBe(0);
    expect(kept).toHaveLength(2);
    for (const leadership of kept) {
      const settled = { code: 'LEASE_LOST', reason: 'settled' };
      const late = leadership.during(() => Promise.resolve(), { atMostMs: 1_000 });
      await expect(late).rejects.toMatchObject(settled);
      expect(() => leadership.assertLeader()).toThrow(expect.objectContaining(settled));
      expect(leadership.signal.reason).toMatchObject(settled);
      expect(leadership.remainingMs()).toBe(0);
    }
  });

  it('do not revive the leadership of an earlier one while they lead', async () => {
    const kept: JobLeadership[] = [];
    const seen: unknown[] = [];
    const { handler, context } = bench({
      run: async ({ leadership }) => {
        kept.push(leadership);
        const probes = kept.map((each) => each.during(() => Promise.resolve(), { atMostMs: 1 }));
        seen.push((await Promise.allSettled(probes)).map(({ status }) => status));
        return { unfinished: 1, unknown: 0 };
      },
    });
    await handler(scheduled, context());
    await handler(scheduled, context());
    expect(seen).toEqual([['fulfilled'], ['rejected', 'fulfilled']]);
  });

  it('leave nothing running after an error either', async () => {
    const { handler, context, clock } = bench({ run: () => Promise.reject(new Error('down')) });
    await expect(handler(scheduled, context())).rejects.toThrow('down');
    expect(clock.pendingSleeps).toBe(0);
  });

  it.each<[string, (error: Error) => unknown]>([
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
    ['rejects', (error) => Promise.reject(error)],
  ])('go on where who watches them %s, and tell each of it', async (_, fail) => {
    const told: string[] = [];
    const { handler, context } = bench({
      write: (line) => {
        told.push(JSON.parse(line).status);
        return fail(new Error('no disk')) as void;
      },
      onOutcome: ({ status }) => {
        told.push(status);
        return fail(new Error('no network')) as void;
      },
    });
    expect(await handler(scheduled, context())).toMatchObject({ status: 'led' });
    await expect(handler({}, context())).rejects.toThrow('the nominal time of the run');
    expect(told).toEqual(['led', 'led', 'failed', 'failed']);
    // A rejection that nobody handles would end this test run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('tell the observer what the election does, and write nothing of it', async () => {
    const events: string[] = [];
    const { handler, context, lines } = bench({ observer: ({ type }) => events.push(type) });
    await handler(scheduled, context());
    expect(events).toContain('acquired');
    expect(events).toContain('released');
    expect(lines).toHaveLength(1);
  });
});

/** A context of an invocation that ends after so long, by the clock. */
function briefContext({ clock, context }: Bench, limitMs: number): ReturnType<Bench['context']> {
  const endMs = clock.monotonicMs() + limitMs;
  return context({ getRemainingTimeInMillis: () => endMs - clock.monotonicMs() });
}
