/** Before every test file: the hook for what support modules do after each test. */
import { afterEach } from 'vitest';
import { takeSteps } from './after-each.ts';

afterEach(takeSteps);
