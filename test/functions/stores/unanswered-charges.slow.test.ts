import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { azuriteAccount } from '../../../functions/local/azurite-server.ts';
import { listenOnLoopback } from '../../../functions/local/listen.ts';
import { openAzureBlobStores } from '../../../functions/stores/azure-blob-stores.ts';
import type { BillingStores } from '../../../functions/stores/billing-stores.ts';
import { openDynamoDbStores } from '../../../functions/stores/dynamodb-stores.ts';
import { timedRejection } from './bench.ts';

let server: Server;
let endpoint: string;
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  server = createServer(() => {});
  endpoint = await listenOnLoopback(server);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const openings: readonly (readonly [name: string, open: () => BillingStores])[] = [
  [
    'DynamoDB',
    () =>
      openDynamoDbStores({
        kind: 'dynamodb',
        leaseTable: 'leases',
        chargesTable: 'charges',
        region: 'eu-central-1',
        endpoint,
      }),
  ],
  [
    'Azure Blob Storage',
    () => {
      const { name, key } = azuriteAccount;
      const account = { account: name, endpoint: `${endpoint}/${name}` };
      const place = { kind: 'azure-blob', container: 'billing', ...account } as const;
      return openAzureBlobStores(place, { kind: 'account-key', key });
    },
  ],
];

it.each(openings)(
  'a charge that %s does not answer is given up while the lease can still be kept',
  async (_name, open) => {
    const { charges } = open();
    const row = { customerId: 'a', period: '2026-01', amountMinor: 1, currency: 'EUR' };
    const { error, ms } = await timedRejection(() =>
      charges.record({ ...row, chargeId: 'ch-1' }, 33),
    );
    expect(error).toMatchObject({ name: expect.stringMatching(/^(?:Timeout|Abort)Error$/) });
    // The deadline of a lease of 15 s is 10 s after its last renewal.
    expect(ms).toBeLessThan(8_000);
  },
);
