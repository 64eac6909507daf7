/**
 * What becomes of a run whose process on Azure Functions dies or stands still, on Azurite with its shortest
 * lease. On one Node: what is waited for is the same on each.
 */
import { describe, expect, it } from 'vitest';
import { functionsRuntimes, runtimeTitle } from '../../support/runtimes.ts';
import { azureBench } from './azure-bench.ts';
import { tick } from './azure-ticks.ts';
import { chargesOf, everybodyOnce, firstTick, outcomesIn, period } from './deployment.ts';

const [runtime] = functionsRuntimes.filter(({ nodeMajor }) => nodeMajor === 24);

describe.skipIf(runtime?.skipReason)(`a run on ${runtime && runtimeTitle(runtime)}`, () => {
  const bench = azureBench(24);

  it('is gone on with after the host killed its worker in mid-run', async () => {
    const held = bench.deployment.holdReplyTo('c-011', period);
    const leader = await bench.host();
    const leading = leader.invokeTimer('billing', tick(firstTick));
    await held.reached;
    await leader.kill();
    expect(await leading).toMatchObject({ ok: false, error: { name: 'WorkerExit' } });
    held.release();
    const next = await (await bench.host()).invokeTimer('billing', tick(firstTick));
    expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
    expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
    expect(bench.deployment.gateway.records().repeatedRequests).toBe(1);
  });

  it('is rejected when it wakes from a freeze that outlasted its lease', async () => {
    const held = bench.deployment.holdReplyTo('c-011', period);
    const leader = await bench.host();
    const leading = leader.invokeTimer('billing', tick(firstTick));
    await held.reached;
    await leader.freeze();
    const next = await (await bench.host()).invokeTimer('billing', tick(firstTick));
    expect(outcomesIn(next.logs)).toMatchObject([{ status: 'led', reason: 'completed' }]);
    held.release();
    leader.thaw();
    expect(outcomesIn((await leading).logs)).toMatchObject([{ status: 'lost' }]);
    expect(chargesOf(bench.deployment)).toEqual(everybodyOnce(bench.deployment));
  });
});
