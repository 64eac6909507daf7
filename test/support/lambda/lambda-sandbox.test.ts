import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleApp, type BundledApp } from '../bundled-app.ts';
import { lambdaRuntimes, runtimeTitle } from '../runtimes.ts';
import {
  startLambdaSandbox,
  type LambdaSandbox,
  type LambdaSandboxOptions,
} from './lambda-sandbox.ts';

/** Does what each event asks for. */
const handler = `
  import { appendFileSync } from 'node:fs';
  let count = 0;
  let ticks = 0;
  let timer;
  if (process.env.FAILS_AT_START) throw new RangeError('no STORE is set');
  if (process.env.EXITS_AT_START) process.exit(3);
  export const handler = async (event, context) => {
    count += 1;
    switch (event.act) {
      case 'fail': throw Object.assign(new Error('no gateway'), { name: 'GatewayError' });
      case 'log':
        console.log('one'); console.error('two\\nlines'); process.stdout.write('{"raw":1}\\n');
        process.stderr.write('half a line');
        return 'x'.repeat(event.length ?? 0);
      case 'flood': for (let line = 0; line < 2000; line += 1) console.log('y'.repeat(200)); return;
      case 'hang': console.log('hanging'); return new Promise(() => { setInterval(() => {}, 1000); });
      case 'exit': console.log('leaving'); process.exit(event.code);
      case 'tick': timer ??= setInterval(() => appendFileSync(event.file, 't'), 10); return;
      case 'remaining': {
        const before = context.getRemainingTimeInMillis();
        await new Promise((resolve) => setTimeout(resolve, 100));
        return [before, context.getRemainingTimeInMillis()];
      }
      case 'context': return {
        requestId: context.awsRequestId, arn: context.invokedFunctionArn, name: context.functionName,
        version: context.functionVersion, memory: context.memoryLimitInMB, node: process.versions.node,
        region: process.env.AWS_REGION, setting: process.env.SETTING, cwd: process.cwd(),
        inherited: process.env.VITEST, trace: process.env._X_AMZN_TRACE_ID,
      };
      default: return { count, event };
    }
  };
`;

for (const runtime of lambdaRuntimes) {
  describe.skipIf(runtime.skipReason)(`startLambdaSandbox on ${runtimeTitle(runtime)}`, () => {
    let app: BundledApp;
    const sandboxes: LambdaSandbox[] = [];

    beforeAll(async () => {
      app = await bundleApp(handler);
    });

    afterEach(async () => {
      await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.close()));
    });

    afterAll(() => app.remove());

    const start = async (options: Partial<LambdaSandboxOptions> = {}): Promise<LambdaSandbox> => {
      const sandbox = await startLambdaSandbox({
        nodeMajor: runtime.nodeMajor,
        taskRoot: app.folder,
        handler: 'index.handler',
        ...options,
      });
      sandboxes.push(sandbox);
      return sandbox;
    };

    it('answers with what the handler returns, and keeps its module between invocations', async () => {
      const sandbox = await start();
      const first = await sandbox.invoke({ name: 'first' });
      expect(first).toMatchObject({ ok: true, payload: { count: 1, event: { name: 'first' } } });
      expect(await sandbox.invoke({})).toMatchObject({ ok: true, payload: { count: 2 } });
    });

    it('tells the handler who it is', async () => {
      const sandbox = await start({
        functionName: 'billing-prod',
        functionVersion: '7',
        region: 'eu-west-1',
        accountId: '000011112222',
        memoryMb: 256,
        env: { SETTING: 'of the test' },
      });
      const { requestId, ...result } = await sandbox.invoke(
        { act: 'context' },
        { requestId: '0a1b2c3d-0000-4000-8000-000000000001' },
      );
      expect(requestId).toBe('0a1b2c3d-0000-4000-8000-000000000001');
      expect(result).toMatchObject({
        ok: true,
        payload: {
          requestId,
          arn: 'arn:aws:lambda:eu-west-1:000011112222:function:billing-prod:7',
          name: 'billing-prod',
          version: '7',
          memory: '256',
          node: expect.stringMatching(new RegExp(`^${runtime.nodeMajor}\\.`)),
          region: 'eu-west-1',
          setting: 'of the test',
          cwd: app.folder,
          trace: expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Sampled=0$/),
        },
      });
      expect(result).not.toHaveProperty('payload.inherited');
    });

    it('answers with the error that the handler throws, and lives on', async () => {
      const sandbox = await start();
      expect(await sandbox.invoke({ act: 'fail' })).toMatchObject({
        ok: false,
        error: { errorType: 'GatewayError', errorMessage: 'no gateway', trace: expect.any(Array) },
      });
      expect(await sandbox.invoke({})).toMatchObject({ ok: true, payload: { count: 2 } });
    });

    it('counts the remaining time down from the limit', async () => {
      const sandbox = await start({ timeoutMs: 20_000 });
      const result = await sandbox.invoke({ act: 'remaining' });
      const [before = 0, after = 0] = (result as unknown as { payload: number[] }).payload;
      expect(before).toBeGreaterThan(15_000);
      expect(before).toBeLessThanOrEqual(20_000);
      expect(before - after).toBeGreaterThanOrEqual(99);
      expect(result.durationMs).toBeGreaterThanOrEqual(99);
    });

    it('gives each invocation its own lines', async () => {
      const sandbox = await start();
      const { requestId, lines } = await sandbox.invoke({ act: 'log' });
      expect(lines.filter(({ source }) => source === 'log')).toEqual([
        {
          source: 'log',
          raw: expect.stringContaining(`Z\t${requestId}\tINFO\tone`),
          invocationId: requestId,
          level: 'INFO',
          text: 'one',
        },
        expect.objectContaining({ invocationId: requestId, level: 'ERROR', text: 'two\nlines' }),
      ]);
      expect(lines.filter(({ source }) => source === 'stdout')).toEqual([
        { source: 'stdout', raw: '{"raw":1}', text: '{"raw":1}' },
      ]);
      const restless = await start({ freezesBetweenInvocations: false });
      for (const busy of [sandbox, restless]) {
        expect((await busy.invoke({ act: 'flood' })).lines.length).toBe(2000);
      }
      expect((await sandbox.invoke({})).lines).toEqual([]);
      await sandbox.kill();
      expect(sandbox.lines.at(-1)).toMatchObject({ source: 'stderr', text: 'half a line' });
    });

    it('reports code that does not load, at each invocation', async () => {
      const failing = await start({ env: { FAILS_AT_START: 'yes' } });
      expect(failing.initError).toMatchObject({
        errorType: 'RangeError',
        errorMessage: 'no STORE is set',
      });
      expect(await failing.invoke({})).toMatchObject({ ok: false, error: failing.initError });
      const missing = await start({ handler: 'absent.handler' });
      expect(missing.initError).toMatchObject({ errorType: 'Runtime.ImportModuleError' });
      const exiting = await start({ env: { EXITS_AT_START: 'yes' } });
      expect(exiting.initError).toEqual({
        errorType: 'Runtime.ExitError',
        errorMessage: 'RequestId: INIT Error: Runtime exited with error: exit status 3',
      });
    });

    it('ends the process at the time limit', async () => {
      const sandbox = await start({ timeoutMs: 250 });
      const { requestId, ...result } = await sandbox.invoke({ act: 'hang' });
      expect(result).toMatchObject({
        ok: false,
        error: {
          errorType: 'Sandbox.Timedout',
          errorMessage: `RequestId: ${requestId} Error: Task timed out after 0.25 seconds`,
        },
        lines: [{ text: 'hanging' }],
      });
      expect(result.durationMs).toBeGreaterThanOrEqual(249);
      expect(isRunning(sandbox.pid)).toBe(false);
      await expect(sandbox.invoke({})).rejects.toThrow('this sandbox has ended: start another one');
    });

    it('answers with the end of a process that exits or is killed in mid-run', async () => {
      const exiting = await start();
      const exited = await exiting.invoke({ act: 'exit', code: 1 });
      expect(exited).toMatchObject({
        ok: false,
        error: {
          errorType: 'Runtime.ExitError',
          errorMessage: `RequestId: ${exited.requestId} Error: Runtime exited with error: exit status 1`,
        },
        lines: [{ text: 'leaving' }],
      });
      const quiet = await (await start()).invoke({ act: 'exit', code: 0 });
      expect(quiet).toHaveProperty(
        'error.errorMessage',
        expect.stringMatching(/without providing a reason$/),
      );

      const hanging = await start();
      const running = hanging.invoke({ act: 'hang' });
      await hanging.waitForLine(({ text }) => text === 'hanging');
      await expect(hanging.invoke({})).rejects.toThrow('runs another invocation');
      await hanging.kill();
      expect(await running).toMatchObject({
        ok: false,
        error: {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringMatching(/signal: killed$/),
        },
      });
      await expect(hanging.waitForLine(() => false)).rejects.toThrow(
        /ended without the line.*hanging/s,
      );
    });

    it('stands still between invocations', async () => {
      const file = `${app.folder}/ticks`;
      const sandbox = await start();
      await sandbox.invoke({ act: 'tick', file });
      const frozenAt = await ticksIn(file);
      await sleep(100);
      expect(await ticksIn(file)).toBe(frozenAt);
      // Not before, but with the next invocation.
      expect((await sandbox.invoke({ act: 'remaining' })).ok).toBe(true);
      expect(await ticksIn(file)).toBeGreaterThan(frozenAt);
    });

    it('runs on between invocations where that is asked for', async () => {
      const file = `${app.folder}/more-ticks`;
      const sandbox = await start({ freezesBetweenInvocations: false });
      await sandbox.invoke({ act: 'tick', file });
      while ((await ticksIn(file)) < 3) {
        await sleep(5);
      }
    });

    it('freezes and thaws in mid-run, while the time limit goes on', async () => {
      const sandbox = await start({ timeoutMs: 5000 });
      const running = sandbox.invoke({ act: 'remaining' });
      await sandbox.freeze();
      await sleep(200);
      sandbox.thaw();
      const result = await running;
      expect(result.ok).toBe(true);
      expect(result.durationMs).toBeGreaterThanOrEqual(199);
      const [, after = 0] = (result as unknown as { payload: number[] }).payload;
      expect(after).toBeLessThanOrEqual(4801);

      const hurried = await start({ timeoutMs: 300 });
      const late = hurried.invoke({ act: 'remaining' });
      await hurried.freeze();
      expect(await late).toMatchObject({ ok: false, error: { errorType: 'Sandbox.Timedout' } });
    });

    it('leaves no process behind, frozen or dead', async () => {
      const sandbox = await start();
      await sandbox.invoke({});
      expect(isRunning(sandbox.pid)).toBe(true);
      await sandbox.close();
      expect(isRunning(sandbox.pid)).toBe(false);
      await sandbox.kill();
      await sandbox.freeze();
      sandbox.thaw();
      await sandbox.close();
    });
  });
}

async function ticksIn(file: string): Promise<number> {
  return (await readFile(file, 'utf8').catch(() => '')).length;
}

function isRunning(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? Number.NaN, 0);
  } catch {
    return false;
  }
}
