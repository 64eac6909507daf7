import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleApp, type BundledApp } from '../bundled-app.ts';
import { functionsRuntimes, runtimeTitle } from '../runtimes.ts';
import {
  startFunctionsHost,
  type FunctionsHost,
  type FunctionsHostOptions,
  type TimerTick,
} from './functions-host.ts';

/** Its timer does what the setting ACT asks for, or answers with what it was given. */
const source = `
  import { appendFileSync } from 'node:fs';
  import { app } from '@azure/functions';
  let count = 0;
  if (process.env.FAILS_AT_START) throw new Error('no STORE is set');
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  app.hook.appStart((context) => { context.hookData.started = 'yes'; });
  app.hook.appTerminate(async (context) => {
    await later(1);
    console.log('terminating, started: ' + context.hookData.started);
  });
  app.hook.preInvocation((context) => { context.hookData.before = 'seen'; });
  app.hook.postInvocation((context) => {
    context.invocationContext.log('after', context.hookData.before, String(context.error ?? 'no error'));
  });
  app.timer('billing', {
    schedule: '%BILLING_SCHEDULE%',
    retry: { strategy: 'fixedDelay', maxRetryCount: 3, delayInterval: { seconds: 5 } },
    handler: async (timer, context) => {
      count += 1;
      switch (process.env.ACT) {
        case 'fail': throw Object.assign(new RangeError('no gateway'));
        case 'throw text': throw 'a text';
        case 'log':
          context.trace('t'); context.debug('d'); context.log('an', { object: 1 });
          context.warn('w'); context.error('e'); console.log('on stdout'); console.error('on stderr');
          return;
        case 'late log': setTimeout(() => context.log('too late'), 20); return;
        case 'hang': context.log('hanging'); return new Promise(() => {});
        case 'exit': process.exit(7);
        case 'tick':
          setInterval(() => appendFileSync(process.env.FILE, 't'), 10);
          await later(150);
          return;
        case 'register': app.timer('late', { schedule: '* * * * * *', handler: () => {} }); return;
        default: return {
          count, timer, name: context.functionName, id: context.invocationId,
          retry: context.retryContext, trace: context.traceContext.traceParent,
          node: process.versions.node, site: process.env.WEBSITE_SITE_NAME,
          inherited: process.env.VITEST, cwd: process.cwd(),
        };
      }
    },
  });
  app.http('health', { handler: () => ({ body: 'ok' }) });
`;

const manifest = JSON.stringify({ type: 'module', main: 'index.mjs' });

const status = {
  last: '2026-11-30T02:55:00.0042871+00:00',
  next: '2026-11-30T03:00:00.0000000+00:00',
  lastUpdated: '2026-11-30T02:55:00.0042871+00:00',
};
const tick: TimerTick = { scheduleStatus: status };

for (const runtime of functionsRuntimes) {
  describe.skipIf(runtime.skipReason)(`startFunctionsHost on ${runtimeTitle(runtime)}`, () => {
    let app: BundledApp;
    const opened: { close(): Promise<void> }[] = [];

    beforeAll(async () => {
      app = await bundleApp(source, { 'package.json': manifest });
    });

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((host) => host.close()));
    });

    afterAll(() => app.remove());

    const start = async (
      env: Record<string, string> = {},
      options: Partial<FunctionsHostOptions> = {},
    ): Promise<FunctionsHost> => {
      const host = await startFunctionsHost({
        nodeMajor: runtime.nodeMajor,
        appRoot: app.folder,
        env: { BILLING_SCHEDULE: '0 */5 * * * *', ...env },
        ...options,
      });
      opened.push(host);
      return host;
    };

    it('lists what the app registered, with its schedule filled in', async () => {
      const host = await start();
      expect(host.functions).toMatchObject([
        {
          name: 'billing',
          schedule: '0 */5 * * * *',
          retryOptions: { maxRetryCount: 3, delayInterval: { seconds: 5 } },
        },
        { name: 'health', schedule: undefined },
      ]);
      expect(Object.values(host.functions[0]?.bindings ?? {})).toMatchObject([
        { type: 'timerTrigger', direction: 'in', schedule: '%BILLING_SCHEDULE%' },
      ]);
    });

    it('runs a tick, gives the function what the host knows, and keeps its module', async () => {
      const host = await start({ WEBSITE_SITE_NAME: 'billing-prod' });
      const { invocationId, ...result } = await host.invokeTimer('billing', {
        scheduleStatus: status,
        isPastDue: true,
        retryContext: { retryCount: 1, maxRetryCount: 3, exception: { message: 'no gateway' } },
      });
      expect(result).toMatchObject({ ok: true, returnValue: { json: expect.any(String) } });
      const given = JSON.parse((result as { returnValue: { json: string } }).returnValue.json);
      expect(given).toEqual({
        count: 1,
        timer: { schedule: { adjustForDST: true }, scheduleStatus: status, isPastDue: true },
        name: 'billing',
        id: invocationId,
        retry: { retryCount: 1, maxRetryCount: 3, exception: { message: 'no gateway' } },
        trace: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
        node: expect.stringMatching(
          new RegExp(`^${runtime.nodeMajor ?? process.versions.node.split('.')[0]}\\.`),
        ),
        site: 'billing-prod',
        cwd: app.folder,
      });
      const unmonitored = await host.invokeTimer('billing', { scheduleStatus: null });
      expect(unmonitored).toHaveProperty(
        'returnValue.json',
        expect.stringContaining('"scheduleStatus":null,"isPastDue":false}'),
      );
      expect(unmonitored).toHaveProperty('returnValue.json', expect.stringMatching(/^{"count":2,/));
      expect(unmonitored).not.toHaveProperty('returnValue.json', expect.stringMatching(/"retry"/));
    });

    it('collects the log of an invocation with its levels, and the streams beside it', async () => {
      const host = await start({ ACT: 'log' });
      const { logs, invocationId } = await host.invokeTimer('billing', tick);
      expect(logs.map(({ level, text }) => `${level}: ${text}`)).toEqual([
        'trace: t',
        'debug: d',
        'information: an { object: 1 }',
        'warning: w',
        'error: e',
        'information: after seen no error',
      ]);
      expect(logs[0]).toMatchObject({ source: 'log', category: 'user', invocationId });
      expect(await host.waitForLine(({ text }) => text === 'on stderr')).toMatchObject({
        source: 'stderr',
      });
      expect(await host.waitForLine(({ text }) => text === 'on stdout')).toMatchObject({
        source: 'stdout',
      });
    });

    it('shows what is said after the end of an invocation, and that it was', async () => {
      const host = await start({ ACT: 'late log' });
      const { logs } = await host.invokeTimer('billing', tick);
      expect(logs.map(({ text }) => text)).toEqual(['after seen no error']);
      await host.waitForLine(
        ({ level, category, text }) =>
          level === 'warning' && category === 'system' && text.includes("Unexpected call to 'log'"),
      );
    });

    it('answers with the error that the function throws, and lives on', async () => {
      const host = await start({ ACT: 'fail' });
      const failed = await host.invokeTimer('billing', tick);
      expect(failed).toMatchObject({
        ok: false,
        error: { name: 'RangeError', message: 'no gateway', stack: expect.any(String) },
        logs: [{ text: 'after seen RangeError: no gateway' }],
      });
      expect(await host.invokeTimer('billing', tick)).toMatchObject({ ok: false });
      const odd = await start({ ACT: 'throw text' });
      expect(await odd.invokeTimer('billing', tick)).toMatchObject({
        ok: false,
        error: { name: 'Error', message: 'a text' },
      });
    });

    it('refuses registrations after the start, and ticks of what is no timer', async () => {
      const host = await start({ ACT: 'register' });
      expect(await host.invokeTimer('billing', tick)).toMatchObject({
        ok: false,
        error: { message: 'A function can only be registered during app startup.' },
      });
      await expect(host.invokeTimer('bills', tick)).rejects.toThrow(
        'there is no function bills, only: billing, health',
      );
      await expect(host.invokeTimer('health', tick)).rejects.toThrow('has no timer trigger');
    });

    it('rejects an app that fails to start, and says why', async () => {
      await expect(start({ FAILS_AT_START: 'yes' })).rejects.toThrow(
        'Worker was unable to load entry point "index.mjs": no STORE is set',
      );
      await expect(start({}, { env: {} })).rejects.toThrow(
        "The 'billing' function is in error: '%BILLING_SCHEDULE%' does not resolve to a value.",
      );
      const startBundle = async (code: string, files: Record<string, string>): Promise<unknown> => {
        const other = await bundleApp(code, files);
        opened.push({ close: () => other.remove() });
        return start({}, { appRoot: other.folder });
      };
      const silent = startBundle('export {};', { 'package.json': manifest });
      await expect(silent).rejects.toThrow('"index.mjs" registered no function');
      await expect(startBundle('', { 'package.json': '{}' })).rejects.toThrow('set "main"');
      const absent = startBundle('', { 'package.json': '{"main":"absent.js"}' });
      await expect(absent).rejects.toThrow('entry point "absent.js": File does not exist');
      const exiting = startBundle('process.exit(9);', { 'package.json': manifest });
      await expect(exiting).rejects.toThrow('the worker exited with code 9');
    });

    it('rejects a bundle in which the injected module cannot be required', async () => {
      const broken = await bundleApp(source, { 'package.json': manifest }, { banner: '' });
      opened.push({ close: () => broken.remove() });
      await expect(start({}, { appRoot: broken.folder })).rejects.toThrow(
        /entry point "index.mjs": Dynamic require of .* is not supported/,
      );
      const swallowed = await bundleApp(
        source,
        { 'package.json': manifest },
        {
          banner:
            'const require = (id) => { if (id.startsWith("@")) throw new Error("swallowed"); return process.getBuiltinModule(id); };',
        },
      );
      opened.push({ close: () => swallowed.remove() });
      await expect(start({}, { appRoot: swallowed.folder })).rejects.toThrow(
        '"index.mjs" registered no function',
      );
    });

    it('runs the hooks of the end, then exits with 0', async () => {
      const host = await start();
      expect(await host.terminate()).toEqual({ exitCode: 0, signal: null });
      expect(host.lines.filter(({ source: from }) => from === 'stdout')).toMatchObject([
        { text: 'terminating, started: yes' },
      ]);
      await expect(host.invokeTimer('billing', tick)).rejects.toThrow('this host has ended');
    });

    it('answers with the end of a process that exits, is ended or is killed in mid-run', async () => {
      const exiting = await start({ ACT: 'exit' });
      expect(await exiting.invokeTimer('billing', tick)).toMatchObject({
        ok: false,
        error: { name: 'WorkerExit', message: 'the worker exited with code 7' },
      });
      for (const [end, message] of [
        ['terminate', 'code 0'],
        ['kill', 'SIGKILL'],
      ] as const) {
        const host = await start({ ACT: 'hang' });
        const running = host.invokeTimer('billing', tick);
        await host.waitForLine(({ text }) => text === 'hanging');
        await host[end]();
        expect(await running).toMatchObject({
          ok: false,
          error: { name: 'WorkerExit', message: `the worker exited with ${message}` },
          logs: [{ text: 'hanging' }],
        });
      }
    });

    it('freezes and thaws in mid-run', async () => {
      const file = `${app.folder}/ticks`;
      const ticks = async (): Promise<number> =>
        (await readFile(file, 'utf8').catch(() => '')).length;
      const host = await start({ ACT: 'tick', FILE: file });
      const running = host.invokeTimer('billing', tick);
      while ((await ticks()) === 0) {
        await sleep(2);
      }
      await host.freeze();
      const frozenAt = await ticks();
      await sleep(200);
      expect(await ticks()).toBe(frozenAt);
      host.thaw();
      expect(await running).toMatchObject({ ok: true });
      expect(await ticks()).toBeGreaterThan(frozenAt);
    });

    it('leaves no process behind, frozen or dead', async () => {
      const host = await start();
      await host.freeze();
      await host.close();
      expect(() => process.kill(host.pid ?? Number.NaN, 0)).toThrow('ESRCH');
      await host.kill();
      await host.freeze();
      host.thaw();
      await host.close();
    });
  });
}
