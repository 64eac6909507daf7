/**
 * The package for AWS Lambda, under the real runtime interface client, on dynalite: what happens to its
 * process is real, the service around it is a stand-in.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { startLambdaSandbox, type LambdaSandbox } from '../../support/lambda/lambda-sandbox.ts';
import { lambdaRuntimes, runtimeTitle } from '../../support/runtimes.ts';
import { scheduled } from './aws-events.ts';
import {
  chargesOf,
  everybodyOnce,
  firstTick,
  onDynamoDb,
  outcomesIn,
  period,
  refusingEndpoint,
  replacedWithinMs,
  secondTick,
  type Deployment,
  type OutcomeLine,
} from './deployment.ts';

/** With this the reserve of an invocation is 6 s, the gateway's time limit and 5 s. */
const quickGateway = { GATEWAY_TIMEOUT_MS: '1000' };

const packages = inject('packages');

describe.each(lambdaRuntimes)('$name', (runtime) => {
  describe.skipIf(runtime.skipReason)(runtimeTitle(runtime), () => {
    let deployment: Deployment;
    const sandboxes: LambdaSandbox[] = [];

    beforeEach(async () => {
      deployment = await onDynamoDb.start();
    });
    afterEach(async () => {
      await Promise.all(sandboxes.splice(0).map((started) => started.close()));
      await deployment.close();
    });

    async function sandbox(
      options: { readonly timeoutMs?: number; readonly env?: Record<string, string> } = {},
    ): Promise<LambdaSandbox> {
      const started = await startLambdaSandbox({
        nodeMajor: runtime.nodeMajor,
        taskRoot: packages.aws,
        handler: 'index.handler',
        functionName: 'billing',
        timeoutMs: options.timeoutMs ?? 30_000,
        env: { ...deployment.settings, ...options.env },
      });
      sandboxes.push(started);
      return started;
    }

    it('bills the month that is over, and then has nothing to do', async () => {
      const lambda = await sandbox();
      const first = await lambda.invoke(scheduled(firstTick));
      expect(first).toMatchObject({ ok: true, payload: { status: 'led', reason: 'completed' } });
      expect(outcomesIn(first.lines)).toMatchObject([
        {
          status: 'led',
          identity: `aws:eu-central-1:billing:$LATEST/${first.requestId}`,
          periods: [{ period, end: 'completed' }],
          completedThrough: period,
        },
      ]);
      const { requests } = deployment.gateway.records();
      const second = await lambda.invoke(scheduled(secondTick));
      expect(second).toMatchObject({
        ok: true,
        payload: { status: 'idle', reason: 'nothing-due' },
      });
      expect(outcomesIn(second.lines)).toHaveLength(1);
      expect(deployment.gateway.records().requests).toBe(requests);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('stands still between two invocations, and holds no lease meanwhile', async () => {
      const lambda = await sandbox();
      await lambda.invoke(scheduled(firstTick));
      expect(await stateOf(lambda.pid)).toBe('T');
      expect(await deployment.leader()).toBeUndefined();
      const { requests } = deployment.gateway.records();
      expect(await lambda.invoke(scheduled(secondTick))).toMatchObject({
        payload: { status: 'idle' },
      });
      expect(deployment.gateway.records().requests).toBe(requests);
    });

    it('bills a period that a person asks for, and refuses one that there cannot be', async () => {
      const lambda = await sandbox();
      const done = await lambda.invoke({ period });
      expect(done).toMatchObject({ ok: true, payload: { status: 'led', reason: 'completed' } });
      expect(await lambda.invoke({ period })).toMatchObject({
        payload: { status: 'idle', reason: 'already-complete' },
      });
      const refused = await lambda.invoke({ period: '2026-13' });
      expect(refused).toMatchObject({ ok: false, error: { errorType: 'RangeError' } });
      expect(outcomesIn(refused.lines)).toMatchObject([
        { status: 'failed', reason: 'configuration' },
      ]);
    });

    it('names the input to paste when the schedule has no nominal time', async () => {
      const lambda = await sandbox();
      const result = await lambda.invoke({ hello: 'world' });
      expect(result).toMatchObject({
        ok: false,
        error: { errorMessage: expect.stringContaining('<aws.scheduler.scheduled-time>') },
      });
    });

    it('fails when the gateway is down, charges nobody, and recovers at the next tick', async () => {
      const lambda = await sandbox({ env: { GATEWAY_URL: await refusingEndpoint() } });
      const failed = await lambda.invoke(scheduled(firstTick));
      expect(failed).toMatchObject({ ok: false, error: { errorType: 'BillingStoppedError' } });
      expect(outcomesIn(failed.lines)).toMatchObject([{ status: 'failed', reason: 'work' }]);
      const next = await (await sandbox()).invoke(scheduled(secondTick));
      expect(next).toMatchObject({ ok: true, payload: { reason: 'completed' } });
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('is gone on with after its time limit killed it in mid-run', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await sandbox({ timeoutMs: 12_000, env: quickGateway });
      const leading = leader.invoke(scheduled(firstTick));
      await held.reached;
      // Work that does not come to its senses before the time limit.
      await leader.freeze();
      expect(await leading).toMatchObject({ ok: false, error: { errorType: 'Sandbox.Timedout' } });
      held.release();
      const next = await (await sandbox()).invoke(scheduled(firstTick));
      expect(next).toMatchObject({ ok: true, payload: { status: 'led', reason: 'completed' } });
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
      expect(deployment.gateway.records().repeatedRequests).toBe(1);
    });

    it('pauses before its time limit when there is more to do than time', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      // Half a second more than the reserve.
      const leader = await sandbox({ timeoutMs: 6_500, env: quickGateway });
      const leading = leader.invoke(scheduled(firstTick));
      await Promise.race([held.reached, leading]);
      await sleep(700);
      held.release();
      expect(await leading).toMatchObject({
        ok: true,
        payload: { status: 'led', reason: 'paused' },
      });
      const next = await (await sandbox()).invoke(scheduled(secondTick));
      expect(next).toMatchObject({ ok: true, payload: { reason: 'completed' } });
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('is replaced when it is killed, by one that has followed it', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await sandbox();
      const candidate = await sandbox();
      const leading = leader.invoke(scheduled(firstTick));
      await held.reached;
      const alive = await candidate.invoke(scheduled(firstTick));
      expect(alive).toMatchObject({ ok: true, payload: { status: 'followed' } });
      await leader.kill();
      expect(await leading).toMatchObject({ ok: false });
      held.release();
      const outcome = await untilItLeads(candidate);
      expect(outcome).toMatchObject({ status: 'led', reason: 'completed' });
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('is rejected when it wakes from a freeze that outlasted its lease', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await sandbox();
      const leading = leader.invoke(scheduled(firstTick));
      await held.reached;
      await leader.freeze();
      const next = await (await sandbox()).invoke(scheduled(firstTick));
      expect(next).toMatchObject({ ok: true, payload: { status: 'led', reason: 'completed' } });
      held.release();
      leader.thaw();
      const woken = await leading;
      expect(outcomesIn(woken.lines)).toMatchObject([{ status: 'lost' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('adds up over invocations for how long it has seen the holder silent', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await sandbox({ env: quickGateway });
      const leading = leader.invoke(scheduled(firstTick));
      await held.reached;
      await leader.kill();
      await leading;
      held.release();
      // 10.5 s less the reserve of 6 s is less than the lease: one invocation alone could never tell.
      const candidate = await sandbox({ timeoutMs: 10_500, env: quickGateway });
      const first = await candidate.invoke(scheduled(firstTick));
      expect(first).toMatchObject({ payload: { status: 'followed', reason: 'cannot-age' } });
      const second = await candidate.invoke(scheduled(firstTick));
      // On a busy machine it may have to leave the rest to the next one.
      expect(second).toMatchObject({ payload: { status: 'led' } });
      await (await sandbox()).invoke(scheduled(secondTick));
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('fails to start with a list of all that is missing', async () => {
      const { initError } = await sandbox({ env: { STORE: '', BILLING_START_FROM: '2026-99' } });
      expect(initError?.errorMessage).toContain('STORE');
      expect(initError?.errorMessage).toContain('BILLING_START_FROM');
    });
  });
});

/** State of a process as Linux has it: `T` is stopped. */
async function stateOf(pid: number | undefined): Promise<string | undefined> {
  return /\) (.)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

/** Ticks again and again, as a schedule does: a holder seen alive a moment ago is not taken for dead. */
async function untilItLeads(sandbox: LambdaSandbox): Promise<OutcomeLine | undefined> {
  const endsAtMs = performance.now() + replacedWithinMs;
  for (;;) {
    const [outcome] = outcomesIn((await sandbox.invoke(scheduled(firstTick))).lines);
    if (outcome?.status !== 'followed' || performance.now() > endsAtMs) {
      return outcome;
    }
  }
}
