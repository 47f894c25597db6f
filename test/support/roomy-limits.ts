/**
 * The specification's limits multiplied so far that tests and benches of other things never reach them. None
 * is off.
 */
import type { ServiceLimits } from '../../src/domain/limits.ts';

const ROOM = 1_000_000;

export const ROOMY_LIMITS: ServiceLimits = {
  addressRequests: ROOM,
  addressSockets: ROOM,
  // Multiplies every route's budget, also those of the table.
  tierFactors: { read: ROOM, trade: ROOM, full: ROOM },
};

/** The same with more WebSockets for one address, which this machine is. */
export const ROOMY_STREAM_LIMITS: ServiceLimits = { ...ROOMY_LIMITS, stream: { perAddress: ROOM } };

/** The same as the `config.toml` of a desk that is started as a process. */
export const ROOMY_CONFIG = `[limits]
address_requests = 1_000_000
address_sockets = 1_000_000

[limits.tiers]
read = 1_000
trade = 1_000
full = 1_000
`;
