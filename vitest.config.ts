/**
 * Tests: `unit` is everything in memory; `e2e` starts the built program, after the rest. Files of `unit` share a process
 * with its loaded modules, since starting one and loading the program into it again costs more than most files' tests do:
 * what a module keeps, and what a test replaces, must not outlive the test (test/architecture/shared-process.test.ts).
 * Files of `e2e` mostly wait for processes of their own, each with its own folder and any free port.
 */
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  define: { __OUTCRY_VERSION__: '"0.0.0-test"' },
  test: {
    environment: 'node',
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/chance.ts', 'test/support/every-file.ts'],
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
          isolate: false,
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
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
