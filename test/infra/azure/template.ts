import { readFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from './json.ts';

/** A parameter of a template. */
export interface ParameterDefinition {
  readonly type: string;
  readonly defaultValue?: Json;
  readonly allowedValues?: readonly Json[];
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly metadata?: { readonly description?: string };
}

/** A resource as the template has it, or as it is once its expressions are resolved. */
export interface Resource extends JsonObject {
  readonly type: string;
  readonly apiVersion: string;
  readonly name: string;
}

/** The parts of an ARM template. */
export interface Template {
  readonly $schema: string;
  readonly parameters: Readonly<Record<string, ParameterDefinition>>;
  readonly variables: Readonly<Record<string, Json>>;
  readonly resources: readonly Resource[];
  readonly outputs: Readonly<Record<string, { readonly type: string; readonly value: Json }>>;
}

const folder = new URL('../../../infra/azure/', import.meta.url);

/** The template that is deployed. */
export const template = JSON.parse(
  readFileSync(new URL('azuredeploy.json', folder), 'utf8'),
) as Template;

/** The values of the example of a parameters file. */
export const exampleParameters = parameterValues(
  JSON.parse(
    readFileSync(new URL('azuredeploy.parameters.example.json', folder), 'utf8'),
  ) as JsonObject,
);

/** The same deployment with lease and ledger in the other cloud. */
export const otherCloudParameters: JsonObject = {
  ...exampleParameters,
  storeUrl: 'dynamodb://leases/charges?region=eu-central-1',
  awsAccessKeyIdSecretUri: 'https://team.vault.azure.net/secrets/aws-access-key-id',
  awsSecretAccessKeySecretUri: 'https://team.vault.azure.net/secrets/aws-secret-access-key',
};

function parameterValues(file: JsonObject): JsonObject {
  const parameters = file['parameters'];
  return Object.fromEntries(
    Object.entries(isObject(parameters) ? parameters : {}).map(([name, given]) => [
      name,
      (isObject(given) ? given['value'] : undefined) ?? null,
    ]),
  );
}
