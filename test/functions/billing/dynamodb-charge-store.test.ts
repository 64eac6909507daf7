import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChargeRow, ChargeStore } from '../../../functions/billing/charge-store.ts';
import { dynamoDbChargeStore } from '../../../functions/billing/dynamodb-charge-store.ts';
import type { DemoStore } from '../../../functions/local/demo-store.ts';
import { openDynamoDbDemo } from '../../../functions/local/dynamodb-demo-store.ts';
import { clientFor } from '../../support/dynamodb.ts';

let demo: DemoStore;
let documents: DynamoDBDocumentClient;
let charges: ChargeStore;
let tableName: string;
beforeAll(async () => {
  demo = await openDynamoDbDemo(undefined);
  const access = demo.accessBy(demo.target);
  tableName = access.charges;
  documents = DynamoDBDocumentClient.from(clientFor(access));
  charges = dynamoDbChargeStore({ documentClient: documents, tableName });
});
afterAll(async () => {
  documents.destroy();
  await demo.close();
});

const rowOf = (customerId: string): ChargeRow => ({
  customerId,
  period: '2026-10',
  amountMinor: 4900,
  currency: 'EUR',
  chargeId: 'ch-1',
});

async function stored(customerId: string): Promise<unknown> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: tableName, Key: { customerId, period: '2026-10' } }),
  );
  return Item;
}

describe('dynamoDbChargeStore', () => {
  it('writes the row with its token', async () => {
    await charges.record(rowOf('new'), 33);
    expect(await stored('new')).toEqual({ ...rowOf('new'), fencingToken: 33 });
  });

  it('writes again under the same token and under a higher one', async () => {
    await charges.record(rowOf('again'), 33);
    await charges.record({ ...rowOf('again'), chargeId: 'ch-2' }, 33);
    await charges.record({ ...rowOf('again'), chargeId: 'ch-3' }, 34);
    expect(await stored('again')).toMatchObject({ chargeId: 'ch-3', fencingToken: 34 });
  });

  it('refuses a lower token and leaves the row as it was', async () => {
    await charges.record(rowOf('late'), 34);
    await expect(charges.record({ ...rowOf('late'), chargeId: 'ch-2' }, 33)).rejects.toMatchObject({
      code: 'STALE_TOKEN',
      fencingToken: 33,
      highestToken: 34,
    });
    expect(await stored('late')).toEqual({ ...rowOf('late'), fencingToken: 34 });
  });
});
