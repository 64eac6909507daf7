/**
 * `npm run benchmark`: what this library costs over the bare SDK, as ratios measured in one run.
 *
 * @module
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createElection, type Leadership } from 'tenure';
import { createLeaseTable, dynamoDbLeaseStore } from 'tenure/dynamodb';
import { startDynalite } from '../../functions/local/dynamodb-server.ts';
import { bundleSizes } from './bundle-sizes.ts';
import { medians } from './medians.ts';

const tableName = 'benchmark';
const server = await startDynalite({ returnItemOnFailedCondition: true });
const client = new DynamoDBClient({
  endpoint: server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
});
await createLeaseTable({ client, tableName, deletionProtection: false });

/** What a renewal sends, written by hand: one conditional UpdateItem with the same attributes. */
async function bareUpdate(version: number): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { key: { S: 'bare' } },
      ConditionExpression:
        'attribute_not_exists(#v) OR (#v IN (:new, :old) AND #o = :o AND #t = :t AND attribute_not_exists(#r))',
      UpdateExpression: 'SET #o = :o, #d = :d, #v = :new, #t = :t, #p = :p REMOVE #r',
      ExpressionAttributeNames: {
        '#v': 'recordVersionNumber',
        '#o': 'ownerName',
        '#d': 'leaseDuration',
        '#t': 'fencingToken',
        '#p': 'data',
        '#r': 'isReleased',
      },
      ExpressionAttributeValues: {
        ':new': { S: String(version + 1) },
        ':old': { S: String(version) },
        ':o': { S: 'benchmark' },
        ':d': { S: '15000' },
        ':t': { N: '1' },
        ':p': { B: new TextEncoder().encode('{"done":1}') },
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
}

const store = dynamoDbLeaseStore({ client, tableName });
const always = createElection({ store, lease: 'renewed', timing: { renewIntervalMs: 0.001 } });
const rarely = createElection({ store, lease: 'led' });

/** Runs `measure` as the work of one leader. */
async function leading<T>(measure: (leadership: Leadership) => Promise<T>): Promise<T> {
  const outcome = await always.lead(measure);
  if (outcome.status !== 'led' || outcome.end !== 'completed') {
    throw new Error(`the benchmark ended as ${outcome.status}`);
  }
  return outcome.value;
}

let version = 0;
const writes = await leading((leadership) =>
  medians(600, {
    'bare UpdateItem': () => bareUpdate(version++),
    'checkpoint that renews': () => leadership.checkpoint({ done: version }),
  }),
);
const terms = await medians(300, {
  'bare UpdateItem': () => bareUpdate(version++),
  'warm term (acquire, work, release)': async () => {
    await rarely.lead(() => {});
  },
});
const idle = await rarely.lead((leadership) =>
  medians(20_000, { 'checkpoint not due': () => leadership.checkpoint() }),
);

const bare = writes['bare UpdateItem'];
const lines: readonly (readonly [string, string])[] = [
  ['checkpoint that renews / bare UpdateItem', ratio(writes['checkpoint that renews'], bare)],
  [
    'warm term / two bare UpdateItems',
    ratio(terms['warm term (acquire, work, release)'], 2 * terms['bare UpdateItem']),
  ],
  [
    'checkpoint not due / bare UpdateItem',
    idle.status === 'led' && idle.value ? ratio(idle.value['checkpoint not due'], bare, 5) : '-',
  ],
  ...Object.entries(await bundleSizes()),
];
for (const [name, value] of lines) {
  process.stdout.write(`${name.padEnd(64)}${value}\n`);
}
client.destroy();
await server.close();

function ratio(measured: number, reference: number, digits = 2): string {
  return (measured / reference).toFixed(digits);
}
