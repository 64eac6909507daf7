import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import { startHttpProxy, type Interception } from '../../../functions/local/http-proxy.ts';
import { listenOnLoopback } from '../../../functions/local/listen.ts';
import { bundleProgram, haveEnded, nothingWrong, reportIn, type Program } from './run-program.ts';

const customers = 8;
let program: Program;
let small: readonly string[];

beforeAll(async () => {
  program = await bundleProgram('ended');
  const file = await program.customersFile(customers);
  small = ['--period', '2026-10', '--lease-ms', '3000', '--customers', file];
});
afterAll(() => program.remove());

describe('the local run, ended early', () => {
  it('takes a frozen scheduler and the others with it when interrupted', async () => {
    const [child, schedulers] = await program.startUntil(' freezes ', small);
    expect(schedulers).toHaveLength(3);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await haveEnded(schedulers);
  }, 60_000);

  it('leaves no scheduler running when killed', async () => {
    const [child, schedulers] = await program.startUntil('leads with fencing token 33', small);
    expect(schedulers).toHaveLength(3);
    child.kill('SIGKILL');
    await haveEnded(schedulers);
  }, 60_000);

  it('ends quietly, with its schedulers, when nobody reads its output any more', async () => {
    const [child, schedulers] = await program.startUntil('leads with fencing token 33', small);
    const said = text(child.stderr);
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([1, null]);
    await haveEnded(schedulers);
    expect(await said).toBe('');
  }, 60_000);
});

describe('the local run, stopped and continued as a whole', () => {
  it('succeeds although every process stood still for longer than the lease', async () => {
    const args = [...small, '--json', '--fault', 'none'];
    const [child] = await program.startUntil(' bills: 2 of 8 ', args);
    const printed = text(child.stdout);
    process.kill(-(child.pid ?? 0), 'SIGSTOP');
    await sleep(3_500);
    process.kill(-(child.pid ?? 0), 'SIGCONT');
    const [exitCode] = await once(child, 'exit');
    const report = reportIn({ stdout: await printed });
    expect(report).toMatchObject({ ...nothingWrong(customers), problems: [] });
    expect(exitCode).toBe(0);
  }, 60_000);
});

describe('the local run, on a server that does not answer', () => {
  /** A server that takes every request and answers none. */
  async function startSilentServer() {
    const server = createServer();
    const endpoint = await listenOnLoopback(server);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, endpoint };
  }

  it.each([
    ['dynamodb', '', 'cannot create the table of leases'],
    ['azure-blob', '/account', 'cannot create a container'],
  ])(
    'says what %s did not do, and ends',
    async (store, path, operation) => {
      const { endpoint } = await startSilentServer();
      const args = ['--store', store, '--endpoint', `${endpoint}${path}?sig=secret`];
      const { exitCode, stdout, stderr } = await program.run(args);
      expect(stderr).toContain(`the store at ${endpoint}${path} did not answer within 5000 ms`);
      expect(stderr).toContain(operation);
      expect(stdout + stderr).not.toContain('secret');
      expect(exitCode).toBe(1);
    },
    60_000,
  );

  it('gives up its set-up when interrupted', async () => {
    const { server, endpoint } = await startSilentServer();
    const asked = once(server, 'request');
    const [child] = await program.startUntil('The billing of', [...small, '--endpoint', endpoint]);
    const said = text(child.stderr);
    await asked;
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await said).toBe('stopped by SIGTERM\n');
  }, 60_000);

  it('ends with its schedulers when interrupted after the server fell silent', async () => {
    const server = await startDynalite();
    let interception: Interception = { action: 'pass' };
    const proxy = await startHttpProxy({
      target: server.endpoint,
      intercept: () => interception,
    });
    const args = [...small, '--endpoint', proxy.endpoint];
    const [child, schedulers] = await program.startUntil(' bills: 2 of 8 ', args);
    const said = text(child.stderr);
    interception = { action: 'hang-request' };
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await haveEnded(schedulers);
    expect(await said).toBe('stopped by SIGINT\n');
    await proxy.close();
    await server.close();
  }, 60_000);
});
