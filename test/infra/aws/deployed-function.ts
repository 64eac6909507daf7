import { lambdaHandler } from 'tenure/aws-lambda';
import { ManualClock } from 'tenure/testing';
import { awsBillingSettings } from '../../../functions/config/billing-settings.ts';
import { openBilling } from '../../../functions/config/open-billing.ts';
import { startPaymentGateway } from '../../../functions/local/payment-gateway.ts';
import { openDynamoDbStores } from '../../../functions/stores/dynamodb-stores.ts';
import { textOf, valueAt, type Stack } from './stack.ts';
import { place } from './physical.ts';

/** The line of log that an invocation wrote. */
export type Line = Readonly<Record<string, unknown>>;

/** The environment variables that a stack gives its function. */
export function environmentOf(stack: Stack): Readonly<Record<string, string>> {
  const variables = valueAt(stack.resource('Function').Properties, 'Environment.Variables') ?? {};
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, textOf(value)]),
  );
}

/**
 * Invokes the billing function with the settings of a stack and with what its schedule sends, as AWS
 * fills it in, on the tables behind an endpoint.
 */
export async function invokeByOneTick(
  stack: Stack,
  endpoint: string,
  tickTime: string,
): Promise<Line> {
  const gateway = await startPaymentGateway();
  const environment = environmentOf(stack);
  const settings = awsBillingSettings({
    ...environment,
    STORE: `${environment['STORE']}&endpoint=${endpoint}`,
    GATEWAY_URL: gateway.endpoint,
    // The package has the list as JSON, made of this one.
    CUSTOMERS_FILE: 'customers.csv',
  });
  if (settings.STORE.kind !== 'dynamodb') {
    throw new Error('the stack has no tables');
  }
  const stores = openDynamoDbStores(settings.STORE);
  const code = new URL('../../../functions/billing/', import.meta.url).href;
  const lines: string[] = [];
  const handler = lambdaHandler(await openBilling(settings, stores, code), {
    store: stores.leases,
    timing: { leaseDurationMs: settings.LEASE_DURATION_MS },
    environment: settings.ENVIRONMENT,
    metricsNamespace: settings.METRICS_NAMESPACE,
    clock: new ManualClock({ wallMs: Date.parse(tickTime) }),
    write: (line) => lines.push(line),
  });
  await handler(tickOf(stack, tickTime), contextOf(stack));
  await gateway.close();
  return JSON.parse(lines.join('\n')) as Line;
}

/** What the schedule's input becomes for one tick. */
function tickOf(stack: Stack, tickTime: string): unknown {
  const input = textOf(valueAt(stack.resource('Schedule').Properties, 'Target.Input'));
  const attributes: Readonly<Record<string, string>> = {
    'scheduled-time': tickTime,
    'execution-id': 'd32c5kddcf5bb8c3',
    'attempt-number': '1',
    'schedule-arn': `arn:aws:scheduler:${place.region}:${place.accountId}:schedule/billing/billing`,
  };
  return JSON.parse(
    input.replaceAll(
      /<aws\.scheduler\.([a-z-]+)>/gu,
      (text, name: string) => attributes[name] ?? text,
    ),
  );
}

function contextOf(stack: Stack): Parameters<ReturnType<typeof lambdaHandler>>[1] {
  const { Properties } = stack.resource('Function');
  const { ref, attributes } = stack.namesOf('Function');
  return {
    awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
    functionName: ref,
    functionVersion: '$LATEST',
    invokedFunctionArn: attributes['Arn'] ?? '',
    getRemainingTimeInMillis: () => Number(Properties['Timeout']) * 1_000,
  };
}
