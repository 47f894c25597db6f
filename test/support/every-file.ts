/** Runs before every test file: sets the hook for the steps that support modules take after each test. */
import { afterEach } from 'vitest';
import { takeSteps } from './after-each.ts';

afterEach(takeSteps);
