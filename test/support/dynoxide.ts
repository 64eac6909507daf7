import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(
  new URL('../servers/node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url),
);

/** Why dynoxide cannot be started here; `undefined` if it can. */
export const dynoxideSkipReason: string | undefined = existsSync(binary)
  ? undefined
  : 'dynoxide is not installed: run npm ci in test/servers, on Linux x64';

/** Starts an empty dynoxide in a process of its own. */
export async function startDynoxide(): Promise<{ endpoint: string; close(): Promise<void> }> {
  const port = await freePort();
  const server = spawn(binary, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  server.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const exited = once(server, 'exit');
  const stopWithUs = (): boolean => server.kill('SIGKILL');
  process.once('exit', stopWithUs);
  while (!(await accepts(port))) {
    if (server.exitCode !== null) {
      throw new Error(`dynoxide exited with ${server.exitCode}: ${complaints}`);
    }
    await sleep(5);
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.kill('SIGKILL');
      await exited;
      process.removeListener('exit', stopWithUs);
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
