import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenOnLoopback } from '../../../functions/local/listen.ts';
import { openAzureBlobStores } from '../../../functions/stores/azure-blob-stores.ts';
import { StoresBench, timedRejection } from './bench.ts';

/** The service of the platform that gives tokens to the function app's identities. */
const platform = createServer((request, response) => {
  asked.push(new URL(request.url ?? '', 'http://platform'));
  answer(response);
});
let asked: URL[] = [];
let answer: (response: ServerResponse) => void;
let bench: StoresBench;

// One address for all tests: the SDK reads it once in a process, and keeps the tokens.
beforeAll(async () => {
  vi.stubEnv('IDENTITY_ENDPOINT', `${await listenOnLoopback(platform)}/msi/token`);
  vi.stubEnv('IDENTITY_HEADER', 'header');
  bench = await StoresBench.start();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  platform.closeAllConnections();
  platform.close();
  await bench.close();
});
beforeEach(() => {
  asked = [];
});

function giveToken(response: ServerResponse): void {
  const expires = String(Math.floor(Date.now() / 1_000) + 86_400);
  const token = { access_token: 'token', expires_on: expires, token_type: 'Bearer' };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
}

/** Runs the job on an account that cannot be reached, which is tried only with a token. */
function run(clientId: string | undefined): Promise<unknown> {
  const place = {
    kind: 'azure-blob',
    account: 'ledger1',
    container: 'billing',
    endpoint: 'https://127.0.0.1:1',
  } as const;
  return bench.run(openAzureBlobStores(place, { kind: 'managed-identity', clientId }));
}

describe('the managed identity of a function app', () => {
  it.each([
    ["the app's own one", undefined, null],
    ['the one with the client id that is set', 'client-1', 'client-1'],
  ])('is %s, and is asked for a token for storage', async (_what, clientId, sent) => {
    answer = giveToken;
    await expect(run(clientId)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(asked[0]?.searchParams.get('resource')).toMatch(/^https:\/\/storage\.azure\.com\/?$/);
    expect(asked[0]?.searchParams.get('client_id')).toBe(sent);
  });

  it('does not hold the run up when the platform does not answer', async () => {
    answer = () => {};
    const { error, ms } = await timedRejection(() => run('client-2'));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(asked).toHaveLength(1);
    expect(ms).toBeLessThan(4_000);
  });
});
