/** The kinds of exchanges that are built in, beside the paper exchange, which needs no connection. */
import type { VenueKind } from './venue-kind.ts';

export const VENUE_KINDS: readonly VenueKind[] = [];
