/**
 * The package for Azure Functions, on the real `@azure/functions` in a process of its own, on Azurite:
 * the host and its worker around it are a stand-in.
 */
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  startFunctionsHost,
  type FunctionsHost,
} from '../../support/azure-functions/functions-host.ts';
import { functionsRuntimes, runtimeTitle } from '../../support/runtimes.ts';
import { tick } from './azure-ticks.ts';
import {
  chargesOf,
  everybodyOnce,
  firstTick,
  onAzureBlob,
  outcomesIn,
  period,
  secondTick,
  type Deployment,
} from './deployment.ts';

const packages = inject('packages');

describe.each(functionsRuntimes)('$name', (runtime) => {
  describe.skipIf(runtime.skipReason)(runtimeTitle(runtime), () => {
    let deployment: Deployment;
    const hosts: FunctionsHost[] = [];

    beforeEach(async () => {
      deployment = await onAzureBlob.start();
    });
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((started) => started.close()));
      await deployment.close();
    });

    async function host(env: Record<string, string> = {}): Promise<FunctionsHost> {
      const started = await startFunctionsHost({
        appRoot: packages.azure,
        nodeMajor: runtime.nodeMajor,
        env: { ...deployment.settings, ...env },
      });
      hosts.push(started);
      return started;
    }

    it('bills the month that is over, and then has nothing to do', async () => {
      const app = await host();
      expect(app.functions).toMatchObject([
        { name: 'billing', schedule: '0 */5 * * * *' },
        { name: 'billing-manual' },
      ]);
      const first = await app.invokeTimer('billing', tick(firstTick));
      expect(first).toMatchObject({ ok: true });
      expect(outcomesIn(first.logs)).toMatchObject([
        {
          status: 'led',
          reason: 'completed',
          periods: [{ period, end: 'completed' }],
          completedThrough: period,
        },
      ]);
      const { requests } = deployment.gateway.records();
      const second = await app.invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(second.logs)).toMatchObject([{ status: 'idle', reason: 'nothing-due' }]);
      expect(deployment.gateway.records().requests).toBe(requests);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('bills what a missed tick was for when the host calls it past due', async () => {
      const app = await host();
      const late = await app.invokeTimer('billing', { ...tick(firstTick), isPastDue: true });
      expect(outcomesIn(late.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('takes no future tick for the present one', async () => {
      // As a run by hand or `runOnStartup` has it: the next tick lies after the end of a month.
      const future = new Date(Date.now() + 400 * 86_400_000).toISOString();
      const app = await host({ BILLING_START_FROM: future.slice(0, 7) });
      const result = await app.invokeTimer('billing', tick(future));
      expect(outcomesIn(result.logs)).toMatchObject([{ status: 'idle', reason: 'nothing-due' }]);
      expect(deployment.gateway.records().requests).toBe(0);
    });

    it('fails when the gateway is down, charges nobody, and recovers at the next tick', async () => {
      const app = await host({ GATEWAY_URL: 'http://127.0.0.1:9' });
      const failed = await app.invokeTimer('billing', tick(firstTick));
      expect(failed).toMatchObject({ ok: false, error: { name: 'BillingStoppedError' } });
      expect(outcomesIn(failed.logs)).toMatchObject([{ status: 'failed', reason: 'work' }]);
      const next = await (await host()).invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ reason: 'completed' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('is gone on with after the host killed its worker in mid-run', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await host();
      const leading = leader.invokeTimer('billing', tick(firstTick));
      await held.reached;
      await leader.kill();
      expect(await leading).toMatchObject({ ok: false, error: { name: 'WorkerExit' } });
      held.release();
      const next = await (await host()).invokeTimer('billing', tick(firstTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
      expect(deployment.gateway.records().repeatedRequests).toBe(1);
    });

    it('is rejected when it wakes from a freeze that outlasted its lease', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await host();
      const leading = leader.invokeTimer('billing', tick(firstTick));
      await held.reached;
      await leader.freeze();
      const next = await (await host()).invokeTimer('billing', tick(firstTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      held.release();
      leader.thaw();
      expect(outcomesIn((await leading).logs)).toMatchObject([{ status: 'lost' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('pauses and gives the lease up when the host ends the app', async () => {
      const held = deployment.holdReplyTo('c-011', period);
      const leader = await host();
      const leading = leader.invokeTimer('billing', tick(firstTick));
      await held.reached;
      const ended = leader.terminate();
      held.release();
      expect(outcomesIn((await leading).logs)).toMatchObject([{ status: 'led', reason: 'paused' }]);
      expect(await ended).toMatchObject({ exitCode: 0 });
      expect(await deployment.leader()).toBeUndefined();
      const next = await (await host()).invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      expect(chargesOf(deployment)).toEqual(everybodyOnce(deployment));
    });

    it('fails to start with a list of all that is missing', async () => {
      const starting = host({ STORE: '', BILLING_START_FROM: '2026-99' });
      await expect(starting).rejects.toThrow(/STORE[^]*BILLING_START_FROM/);
    });
  });
});
