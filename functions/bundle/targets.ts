/** One cloud's deployable package. */
export interface Target {
  readonly name: 'aws' | 'azure';
  /** The composition root, from the root of the project. */
  readonly entry: string;
  /** Imports of the bare SDK client, against which the bundle is measured. */
  readonly bare: string;
  /** Files that go into the package as they are, beside the customers: name there, path from the root. */
  readonly files: Readonly<Record<string, string>>;
  /** Text files of the package that are made here. */
  readonly texts: Readonly<Record<string, string>>;
  /** A store of this cloud, for measuring. */
  readonly exampleStore: string;
  /** A package that only the other cloud needs, and that must not be loaded for this one. */
  readonly foreign: RegExp;
}

const dynamoDb = [
  `export { DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';`,
  `export { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';`,
].join('\n');
const azureBlob = [
  `export { app } from '@azure/functions';`,
  `export { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';`,
  `export { ClientSecretCredential, ManagedIdentityCredential } from '@azure/identity';`,
].join('\n');

/** What `npm run bundle` makes. */
export const targets: readonly Target[] = [
  {
    name: 'aws',
    entry: 'functions/aws/billing.ts',
    bare: dynamoDb,
    exampleStore: 'dynamodb://leases/charges?region=eu-central-1',
    files: {},
    texts: { 'package.json': json({ type: 'module' }) },
    foreign: /node_modules\/@azure\//,
  },
  {
    name: 'azure',
    entry: 'functions/azure/billing.ts',
    bare: azureBlob,
    exampleStore: 'azure-blob://account/container',
    files: { 'host.json': 'functions/azure/host.json' },
    texts: { 'package.json': json({ name: 'billing', type: 'module', main: 'index.mjs' }) },
    foreign: /node_modules\/@(?:aws-sdk|smithy)\//,
  },
];

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
