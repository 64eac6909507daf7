import type { OutcomeEvent, OutcomeFigures } from '../../../src/jobs/outcome-event.ts';

/**
 * The settings that the billing function reads and the template hands over, in no order.
 * A variable that the function reads and that is not here keeps its default.
 */
export const functionSettings: readonly string[] = [
  'BILLING_CATCH_UP',
  'BILLING_MAX_PERIODS_PER_RUN',
  'BILLING_SCHEDULE',
  'BILLING_START_FROM',
  'BILLING_TIME_ZONE',
  'CUSTOMERS_FILE',
  'ENVIRONMENT',
  'GATEWAY_KEY_HONOURED_MS',
  'GATEWAY_TIMEOUT_MS',
  'GATEWAY_URL',
  'LEASE_DURATION_MS',
  'LEASE_NAME',
  'STORE',
];

/** Settings added where the store is in the other cloud and its credentials are in a vault. */
export const otherCloudSettings: readonly string[] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** Settings of the Functions host. The function reads the last one for its budget. */
export const hostSettings: readonly string[] = [
  'APPLICATIONINSIGHTS_CONNECTION_STRING',
  'AzureWebJobsStorage__accountName',
  'AzureFunctionsJobHost__functionTimeout',
];

/**
 * Settings that Flex Consumption refuses or ignores.
 *
 * @see https://learn.microsoft.com/azure/azure-functions/functions-app-settings#flex-consumption-plan-deprecations
 */
export const settingsNotForFlex: readonly string[] = [
  'ENABLE_ORYX_BUILD',
  'FUNCTIONS_EXTENSION_VERSION',
  'FUNCTIONS_WORKER_RUNTIME',
  'FUNCTIONS_WORKER_RUNTIME_VERSION',
  'SCM_DO_BUILD_DURING_DEPLOYMENT',
  'TZ',
  'WEBSITE_CONTENTAZUREFILECONNECTIONSTRING',
  'WEBSITE_CONTENTSHARE',
  'WEBSITE_NODE_DEFAULT_VERSION',
  'WEBSITE_RUN_FROM_PACKAGE',
  'WEBSITE_TIME_ZONE',
];

/** By which the outcome event is known among the lines of the log. */
export const eventName: OutcomeEvent['event'] = 'tenure.job.outcome';

/** The figures of the outcome event, which are all that alerts may ask for. */
export const figures: readonly string[] = Object.keys({
  durationMs: true,
  failures: true,
  flapping: true,
  leaseHeadroomMs: true,
  periodLagSeconds: true,
  periodsCompleted: true,
  unfinishedItems: true,
  unknownItems: true,
} satisfies Record<keyof OutcomeFigures, true>);

/** Figures that must have an alert. */
export const alertedFigures: readonly (keyof OutcomeFigures)[] = [
  'failures',
  'flapping',
  'periodLagSeconds',
  'unknownItems',
];
