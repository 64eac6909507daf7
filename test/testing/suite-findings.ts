import { isDeepStrictEqual } from 'node:util';
import type { TestApi } from 'tenure/testing';

/** What a suite found on one store. */
export interface Findings {
  readonly all: readonly string[];
  readonly failed: readonly string[];
}

/** Runs a suite as a runner of its own would, with the strictest idea of equality. */
export async function findingsOf(register: (api: TestApi) => void): Promise<Findings> {
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];
  register({
    describe: (_, body) => body(),
    it: (name, body) => tests.push({ name, body }),
    expect: (actual) => ({
      toEqual: (expected) => {
        if (!isDeepStrictEqual(actual, expected)) {
          throw new Error('not equal');
        }
      },
    }),
  });
  const failed: string[] = [];
  for (const { name, body } of tests) {
    await body().catch(() => failed.push(name));
  }
  return { all: tests.map(({ name }) => name), failed };
}
