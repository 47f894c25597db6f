import { it } from 'vitest';
import { fuzz } from './fuzz-run.ts';

it('tmp', { timeout: 1_500_000 }, () => fuzz(20_260_302));
