import { afterEach, beforeEach, inject } from 'vitest';
import {
  startFunctionsHost,
  type FunctionsHost,
} from '../../support/azure-functions/functions-host.ts';
import type { NodeMajor } from '../../support/runtimes.ts';
import { onAzureBlob, type Deployment } from './deployment.ts';

/** A deployment for each test, and hosts of the app on it. */
export interface AzureBench {
  readonly deployment: Deployment;
  host(env?: Readonly<Record<string, string>>): Promise<FunctionsHost>;
}

/** Starts and ends a deployment around each test of the suite that it is called in. */
export function azureBench(nodeMajor: NodeMajor | undefined): AzureBench {
  const { azure: appRoot } = inject('packages');
  const hosts: FunctionsHost[] = [];
  let deployment: Deployment;
  beforeEach(async () => {
    deployment = await onAzureBlob.start();
  });
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
    await deployment.close();
  });
  return {
    get deployment() {
      return deployment;
    },
    host: async (env = {}) => {
      const host = await startFunctionsHost({
        appRoot,
        nodeMajor,
        env: { ...deployment.settings, ...env },
      });
      hosts.push(host);
      return host;
    },
  };
}
