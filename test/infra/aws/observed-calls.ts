import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import { operationOf, startHttpProxy } from '../../../functions/local/http-proxy.ts';
import { clientFor } from '../../support/dynamodb.ts';
import { inWords, type Call } from './permissions.ts';
import type { Stack, StackResource } from './stack.ts';

/** Names of the tables of a stack. */
export interface Tables {
  readonly leases: string;
  readonly charges: string;
}

/** Where runs are observed. */
export interface Observatory {
  /** Address of an emulator with the tables of the stack. */
  readonly endpoint: string;
  readonly tables: Tables;
  /** The DynamoDB requests so far, each once, as calls to be allowed. */
  readonly calls: () => readonly Call[];
  close(): Promise<void>;
}

/**
 * Starts an emulator with the tables that a stack declares, and reads off the wire what is asked of
 * them.
 *
 * @param emulator - `returnItemOnFailedCondition`: whether a failed condition carries the item, as it
 *   does in DynamoDB itself and not in every emulator.
 */
export async function startObservatory(
  stack: Stack,
  emulator: { readonly returnItemOnFailedCondition: boolean },
): Promise<Observatory> {
  const server = await startDynalite(emulator);
  const tables = stack.ofType('AWS::DynamoDB::Table');
  await createTables(server.endpoint, tables);
  const calls = new Map<string, Call>();
  const proxy = await startHttpProxy({
    target: server.endpoint,
    observe: ({ request }) => {
      const { TableName } = JSON.parse(request.body) as { readonly TableName: string };
      const table = tables.find(({ Properties }) => Properties['TableName'] === TableName);
      const resource = table && stack.namesOf(table.id).attributes['Arn'];
      const call = { action: `dynamodb:${operationOf(request)}`, resource: resource ?? TableName };
      calls.set(inWords(call), call);
    },
  });
  return {
    endpoint: proxy.endpoint,
    tables: {
      leases: stack.namesOf('LeaseTable').ref,
      charges: stack.namesOf('ChargesTable').ref,
    },
    calls: () => [...calls.values()],
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}

async function createTables(endpoint: string, tables: readonly StackResource[]): Promise<void> {
  const client = clientFor({ endpoint });
  for (const { Properties } of tables) {
    const { TableName, KeySchema, AttributeDefinitions, BillingMode } = Properties;
    const input = { TableName, KeySchema, AttributeDefinitions, BillingMode };
    await client.send(new CreateTableCommand(input as CreateTableCommandInput));
  }
  client.destroy();
}
