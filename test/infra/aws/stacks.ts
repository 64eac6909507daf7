import { Stack, type ParameterValues } from './stack.ts';
import { parseTemplate } from './template-source.ts';

/** The parameters without a default. */
const required: ParameterValues = {
  CodeBucket: 'code-bucket',
  CodeKey: 'tenure/aws.zip',
  StartFrom: '2026-11',
  GatewayUrl: 'https://gateway.example/charges',
};

/** The parameters of a function whose store is in Azure. */
export const inAzure: ParameterValues = {
  StoreUrl: 'azure-blob://account1/billing',
  AzureCredentials: 'billing/azure',
};

/** A topic for alarms. */
export const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';

/** The stack of a template's text, with the parameters that have no default and these. */
export function stackOf(text: string, parameters: ParameterValues = {}): Stack {
  return new Stack(parseTemplate(text), { ...required, ...parameters });
}
