import { expect, it } from 'vitest';
import { routeLimit } from '../../src/api/rate-limits.ts';
import { parseConfig } from '../../src/cli/config.ts';
import { compileServiceLimits } from '../../src/domain/limits.ts';
import { ROOMY_CONFIG, ROOMY_LIMITS } from './roomy-limits.ts';

it('gives room by options and by configuration file, every figure of it as the file takes it', () => {
  const { options, warnings } = parseConfig('config.toml', ROOMY_CONFIG);
  expect(warnings).toEqual([]);
  for (const given of [ROOMY_LIMITS, options.limits]) {
    const limits = compileServiceLimits(given);
    expect(limits.addressRequests).toBe(1_000_000);
    for (const tier of ['read', 'trade', 'full'] as const) {
      expect(routeLimit(limits, tier, 'POST /orders')).toBeGreaterThanOrEqual(10_000);
      expect(routeLimit(limits, tier, 'POST /portfolio/margin-mode')).toBeGreaterThanOrEqual(2_000);
    }
  }
});
