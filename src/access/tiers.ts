/**
 * The tier that each route needs (specification, "Keys and permissions"): read for reads, trade for writes.
 * Pure data.
 */
import type { Tier } from '../domain/actor.ts';

const RANK: Readonly<Record<Tier, number>> = { read: 0, trade: 1, full: 2 };

/** Whether a tier is enough: `full` includes `trade`, which includes `read`. */
export function tierAllows(tier: Tier, needed: Tier): boolean {
  return RANK[tier] >= RANK[needed];
}

/**
 * Needed tiers, by method and template below /v2 (the document: below /api). `null`: public, no signature. A
 * route that is missing here must not be served.
 */
export const ROUTE_TIERS = {
  'GET /openapi.json': null,
  'GET /server/time': null,
  'GET /server/status': null,
  'GET /server/version': null,
  'GET /ping': 'read',
  'GET /exchange/supported': 'read',
  'GET /exchange/hedge-mode': 'read',
  'POST /exchange/hedge-mode': 'trade',
  'GET /orders': 'read',
  'POST /orders': 'trade',
  'DELETE /orders': 'trade',
  'DELETE /orders/{id}': 'trade',
  'POST /orders/{id}/split': 'trade',
  'GET /orders/trades': 'read',
  'GET /portfolio': 'read',
  'GET /portfolio/positions': 'read',
  'GET /portfolio/position/leverage': 'read',
  'POST /portfolio/position/leverage': 'trade',
  'GET /portfolio/margin-mode': 'read',
  'POST /portfolio/margin-mode': 'trade',
  'POST /portfolio/position/margin-type': 'trade',
  'GET /portfolio/leverage-brackets': 'read',
  'GET /portfolio/dust': 'read',
  'POST /portfolio/dust/convert': 'trade',
  'GET /bots': 'read',
  'POST /bots': 'trade',
  'GET /bots/{id}': 'read',
  'PATCH /bots/{id}': 'trade',
  'DELETE /bots/{id}': 'trade',
  'POST /bots/{id}/runs': 'trade',
  'DELETE /bots/{id}/runs/{runId}': 'trade',
  'POST /bots/{id}/runs/{runId}/message': 'trade',
  'POST /bots/batch/runs': 'trade',
  'DELETE /bots/batch/runs': 'trade',
  'DELETE /bots/batch': 'trade',
} as const satisfies Readonly<Record<string, Tier | null>>;

export type RouteName = keyof typeof ROUTE_TIERS;

/** The text of a 403 FORBIDDEN; null when the tier is enough. */
export function tierProblem(tier: Tier, needed: Tier): string | null {
  if (tierAllows(tier, needed)) return null;
  return `this key's tier is ${tier}; the endpoint needs ${needed}`;
}
