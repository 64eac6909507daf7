import { build } from 'esbuild';

const programs = {
  bare: `export { DynamoDBClient, UpdateItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';`,
  core: `export { createElection } from 'tenure';`,
  election: `export { createElection } from 'tenure'; export { dynamoDbLeaseStore } from 'tenure/dynamodb'; export { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
};

/** Sizes of minified bundles, for people. */
export async function bundleSizes(): Promise<Record<string, string>> {
  const [bare, core, election] = await Promise.all([
    sizeOf(programs.bare),
    sizeOf(programs.core),
    sizeOf(programs.election),
  ]);
  return {
    'bundle: createElection alone, KiB': kib(core),
    'bundle: DynamoDB election over the bare client, added KiB': kib(election - bare),
    'bundle: DynamoDB election / the bare client': (election / bare).toFixed(3),
  };
}

async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    tsconfig: 'tsconfig.json',
  });
  return outputFiles[0]?.contents.length ?? 0;
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
