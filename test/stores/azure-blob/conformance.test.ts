import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseStoreSuite } from 'tenure/testing';
import { Bench, rawLeaseOf } from './bench.ts';

describe('azureBlobLeaseStore on Azurite', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await Bench.start();
  });

  afterAll(async () => {
    await bench.close();
  });

  leaseStoreSuite(
    { describe, it, expect },
    {
      createStore: () => bench.store(),
      readRaw: async (lease) => rawLeaseOf(await bench.raw(lease)),
      passLease: (ms) => bench.pass(ms),
    },
  );
});
