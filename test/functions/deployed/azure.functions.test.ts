/**
 * The package for Azure Functions, on the real `@azure/functions` in a process of its own, on Azurite:
 * the host and its worker around it are a stand-in.
 */
import { describe, expect, it } from 'vitest';
import { functionsRuntimes, runtimeTitle } from '../../support/runtimes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { azureBench } from './azure-bench.ts';
import { tick } from './azure-ticks.ts';
import {
  chargesOf,
  everybodyOnce,
  firstTick,
  outcomesIn,
  period,
  refusingEndpoint,
  secondTick,
} from './deployment.ts';

describe.each(functionsRuntimes)('$name', (runtime) => {
  describe.skipIf(runtime.skipReason)(runtimeTitle(runtime), () => {
    const bench = azureBench(runtime.nodeMajor);

    it('bills the month that is over, and then has nothing to do', async () => {
      const app = await bench.host();
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
          identity: `azure:Germany West Central:app-under-test:billing:${packageJson.version}/${first.invocationId}`,
          periods: [{ period, end: 'completed' }],
          completedThrough: period,
        },
      ]);
      const { requests } = bench.deployment.gateway.records();
      const second = await app.invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(second.logs)).toMatchObject([{ status: 'idle', reason: 'nothing-due' }]);
      expect(bench.deployment.gateway.records().requests).toBe(requests);
      expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
    });

    it('bills what a missed tick was for when the host calls it past due', async () => {
      const app = await bench.host();
      const late = await app.invokeTimer('billing', { ...tick(firstTick), isPastDue: true });
      expect(outcomesIn(late.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
    });

    it('takes no future tick for the present one', async () => {
      // As a run by hand or `runOnStartup` has it: the next tick lies after the end of a month.
      const future = new Date(Date.now() + 400 * 86_400_000).toISOString();
      const app = await bench.host({ BILLING_START_FROM: future.slice(0, 7) });
      const result = await app.invokeTimer('billing', tick(future));
      expect(outcomesIn(result.logs)).toMatchObject([{ status: 'idle', reason: 'nothing-due' }]);
      expect(bench.deployment.gateway.records().requests).toBe(0);
    });

    it('fails when the gateway is down, charges nobody, and recovers at the next tick', async () => {
      const app = await bench.host({ GATEWAY_URL: await refusingEndpoint() });
      const failed = await app.invokeTimer('billing', tick(firstTick));
      expect(failed).toMatchObject({ ok: false, error: { name: 'BillingStoppedError' } });
      expect(outcomesIn(failed.logs)).toMatchObject([{ status: 'failed', reason: 'work' }]);
      const next = await (await bench.host()).invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ reason: 'completed' }]);
      expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
    });

    it('pauses and gives the lease up when the host ends the app', async () => {
      const held = bench.deployment.holdReplyTo('c-011', period);
      const leader = await bench.host();
      const leading = leader.invokeTimer('billing', tick(firstTick));
      await held.reached;
      const ended = leader.terminate();
      held.release();
      expect(outcomesIn((await leading).logs)).toMatchObject([{ status: 'led', reason: 'paused' }]);
      expect(await ended).toMatchObject({ exitCode: 0 });
      expect(await bench.deployment.leader()).toBeUndefined();
      const next = await (await bench.host()).invokeTimer('billing', tick(secondTick));
      expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
      expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
    });

    it('fails to start with a list of all that is missing', async () => {
      const starting = bench.host({ STORE: '', BILLING_START_FROM: '2026-99' });
      await expect(starting).rejects.toThrow(/STORE[^]*BILLING_START_FROM/);
    });
  });
});
