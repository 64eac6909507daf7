import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleApp, type BundledApp } from '../../support/bundled-app.ts';

/** Invokes the handler twice, as a runtime would that ends when nothing is left to do. */
const source = `
  import { defineJob, monthly } from 'tenure/jobs';
  import { lambdaHandler } from 'tenure/aws-lambda';
  import { memoryLeaseStore } from 'tenure/memory';

  const job = defineJob({
    name: 'billing',
    periods: monthly({ timeZone: 'UTC' }),
    startFrom: '2020-01',
    run: () => Promise.resolve({ unfinished: 0, unknown: 0 }),
  });
  const handler = lambdaHandler(job, { store: memoryLeaseStore() });
  const context = {
    awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
    functionName: 'billing-prod',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:billing-prod',
    getRemainingTimeInMillis: () => 60_000,
  };
  for (let i = 0; i < 2; i += 1) {
    await handler({ scheduledTime: '2020-02-01T00:00:00Z' }, context);
  }
`;

describe('a bundled handler', () => {
  let app: BundledApp;

  beforeAll(async () => {
    app = await bundleApp(source);
  });

  afterAll(async () => {
    await app.remove();
  });

  it('writes one line for each invocation and leaves nothing that keeps the process alive', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(app.folder, 'index.mjs')],
      { timeout: 5_000 },
    );
    expect(stderr).toBe('');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        event: 'tenure.job.outcome',
        identity: 'aws:eu-central-1:billing-prod:$LATEST/8476a536-e9f4-11e8-9739-2dfe598c3fcd',
        status: 'led',
        reason: 'completed',
        coldStart: true,
      },
      { status: 'idle', reason: 'nothing-due', coldStart: false },
    ]);
  });
});
