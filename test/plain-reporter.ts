import type { Reporter, TestModule, TestSuite } from 'vitest/node';

/**
 * Ends a run with one line for machines: `N passed, N failed, N skipped`.
 *
 * A file that does not load, a hook that throws and an error outside any test count as one failure
 * each: they have no test of their own, and a run with them must not look clean.
 */
export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += failuresOutsideTests(module);
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        passed += state === 'passed' ? 1 : 0;
        skipped += state === 'skipped' ? 1 : 0;
        // A pending test was never run to its end, for instance because its worker died.
        failed += state === 'failed' || state === 'pending' ? 1 : 0;
      }
    }
    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}

function failuresOutsideTests(module: TestModule): number {
  const groups: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
  return groups.filter((group) => group.errors().length > 0).length;
}
