/**
 * What the template and the code have to agree on.
 *
 * @module
 */
import { awsVariables } from '../../../functions/config/billing-settings.ts';

export { scheduleInput } from '../../../src/runtimes/aws-lambda/lambda-event.ts';

/** The settings that the function reads on AWS, but for the credentials of another cloud. */
export const variables: readonly string[] = awsVariables;

/** The credentials that the function reads where its store is in Azure. */
export const azureCredentials = [
  'AZURE_TENANT_ID',
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
] as const;

/** The dimensions of the function's metrics in an environment; the job is called `billing`. */
export function dimensionsIn(environment: string): Readonly<Record<string, string>> {
  return { Job: 'billing', Environment: environment };
}
