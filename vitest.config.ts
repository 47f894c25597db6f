/** Tests: `unit` is everything in memory; `e2e` starts the built program, after the rest and one file at a time. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __OUTCRY_VERSION__: '"0.0.0-test"' },
  test: {
    environment: 'node',
    reporters: ['default'],
    setupFiles: ['test/support/chance.ts'],
    // Against what hangs, not for measuring: a busy machine must not change what a test says.
    testTimeout: 120_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/e2e/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.{ts,tsx}'],
          globalSetup: 'test/support/build-once.ts',
          hookTimeout: 60_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
