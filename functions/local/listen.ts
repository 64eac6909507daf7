import type { Server } from 'node:http';

/**
 * Makes `server` listen on a free port of 127.0.0.1.
 *
 * @returns its address as `http://127.0.0.1:<port>`, without a slash at the end.
 */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new TypeError('a server on a TCP port has an address with a port');
  }
  return `http://127.0.0.1:${address.port}`;
}
