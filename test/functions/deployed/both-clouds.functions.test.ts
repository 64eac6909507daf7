/**
 * Functions of both clouds on one store: AWS's package under the real runtime interface client, Azure's
 * on the real `@azure/functions`.
 */
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  startFunctionsHost,
  type FunctionsHost,
} from '../../support/azure-functions/functions-host.ts';
import { startLambdaSandbox, type LambdaSandbox } from '../../support/lambda/lambda-sandbox.ts';
import { lambdaRuntimes } from '../../support/runtimes.ts';
import { scheduled } from './aws-events.ts';
import { tick } from './azure-ticks.ts';
import {
  chargesOf,
  everybodyOnce,
  firstTick,
  onAzureBlob,
  onDynamoDb,
  outcomesIn,
  period,
  replacedWithinMs,
  type Deployment,
  type OutcomeLine,
} from './deployment.ts';

const skipReason = lambdaRuntimes.find(({ nodeMajor }) => nodeMajor === 24)?.skipReason;
const title = skipReason === undefined ? '' : ` (skipped: ${skipReason})`;

const packages = inject('packages');

/** One cloud's function: what it makes of a tick, and how it dies. */
interface CloudFunction {
  run(): Promise<OutcomeLine | undefined>;
  kill(): Promise<void>;
}

/** Ticks again and again, as a schedule does: a holder seen alive a moment ago is not taken for dead. */
async function untilItLeads(candidate: CloudFunction): Promise<OutcomeLine | undefined> {
  const endsAtMs = performance.now() + replacedWithinMs;
  for (;;) {
    const outcome = await candidate.run();
    if (outcome?.status !== 'followed' || performance.now() > endsAtMs) {
      return outcome;
    }
  }
}

describe.each([onDynamoDb, onAzureBlob])('on one store of kind $kind', (kind) => {
  describe.skipIf(skipReason)(`functions of both clouds${title}`, () => {
    let deployment: Deployment;
    const running: (LambdaSandbox | FunctionsHost)[] = [];

    beforeEach(async () => {
      deployment = await kind.start();
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((one) => one.close()));
      await deployment.close();
    });

    async function onAws(): Promise<CloudFunction> {
      const sandbox = await startLambdaSandbox({
        nodeMajor: 24,
        taskRoot: packages.aws,
        handler: 'index.handler',
        functionName: 'billing',
        timeoutMs: 60_000,
        env: {
          AZURE_TENANT_ID: 'unused',
          AZURE_CLIENT_ID: 'unused',
          AZURE_CLIENT_SECRET: 'unused',
          ...deployment.settings,
        },
      });
      running.push(sandbox);
      return {
        run: async () => outcomesIn((await sandbox.invoke(scheduled(firstTick))).lines)[0],
        kill: () => sandbox.kill(),
      };
    }

    async function onAzure(): Promise<CloudFunction> {
      const host = await startFunctionsHost({
        appRoot: packages.azure,
        nodeMajor: 24,
        env: { ...deployment.settings },
      });
      running.push(host);
      return {
        run: async () => outcomesIn((await host.invokeTimer('billing', tick(firstTick))).logs)[0],
        kill: () => host.kill(),
      };
    }

    it.each([
      ['AWS', 'Azure', onAws, onAzure],
      ['Azure', 'AWS', onAzure, onAws],
    ] as const)(
      'let one lead at a time, and when the leader on %s dies, the one on %s finishes',
      async (_leader, _follower, startLeader, startFollower) => {
        const [leader, follower] = [await startLeader(), await startFollower()];
        const held = deployment.holdReplyTo('c-011', period);
        const leading = leader.run();
        await held.reached;
        const leaderView = await deployment.leader();

        expect(await follower.run()).toMatchObject({ status: 'followed', reason: 'held' });

        await leader.kill();
        expect(await leading).toBeUndefined();
        held.release();
        const outcome = await untilItLeads(follower);
        expect(outcome).toMatchObject({
          status: 'led',
          reason: 'completed',
          periods: [{ period, end: 'completed' }],
        });
        expect(outcome?.fencingToken).toBeGreaterThan(leaderView?.fencingToken ?? Infinity);
        expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
        // The charge that was under way is asked for again under its key, which the dead leader left
        // in the ledger, and nothing else is.
        expect(deployment.gateway.records().repeatedRequests).toBe(1);

        const again = await (await startLeader()).run();
        expect(again).toMatchObject({ status: 'idle', reason: 'nothing-due' });
      },
    );
  });
});
