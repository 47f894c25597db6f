/** The specification's limits with so much room that a test or bench about something else never meets them. None is off. */
import type { ServiceLimits } from '../../src/domain/limits.ts';

const ROOM = 1_000_000;

export const ROOMY_LIMITS: ServiceLimits = {
  addressRequests: ROOM,
  addressSockets: ROOM,
  // Multiplies every route's budget, those of the table too.
  tierFactors: { read: ROOM, trade: ROOM, full: ROOM },
};

/** The like where more WebSockets of this machine, which is one address, are wanted than one address may have. */
export const ROOMY_STREAM_LIMITS: ServiceLimits = { ...ROOMY_LIMITS, stream: { perAddress: ROOM } };

/** The like for a desk that is started as a process: its `config.toml`. */
export const ROOMY_CONFIG = `[limits]
address_requests = 1_000_000
address_sockets = 1_000_000

[limits.tiers]
read = 1_000
trade = 1_000
full = 1_000
`;
