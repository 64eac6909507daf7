import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import tsconfig from '../tsconfig.json' with { type: 'json' };

// Tests see the public names as users do, but over the sources: nothing needs to be built first.
const alias = Object.entries(tsconfig.compilerOptions.paths).map(([name, [source = '']]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(`../${source}`, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    // Most tests wait for servers, processes and clocks rather than for the processor.
    maxWorkers: 2,
    reporters: ['default', './test/plain-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts', '**/*.functions.test.ts', '**/node_modules/**'],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'functions',
          include: ['test/**/*.functions.test.ts'],
          globalSetup: 'test/functions/deployed/bundled-once.ts',
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
