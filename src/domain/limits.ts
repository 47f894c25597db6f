/**
 * The specification's runtime limits in one place (its section "Limits"; S17, S49). Each can be set through
 * the desk options: benches and load tests raise them, nothing switches one off. Limits on the form of a
 * request (split levels, trades limit, leverage) are in the schemas. Pure.
 */
import type { Tier } from './actor.ts';
import { MAX_BOTS } from './bot-bounds.ts';

/** The limits that can be set from outside; fields that are left out take their defaults. */
export interface ServiceLimits {
  /** Length of the sliding window of all request budgets. Default 5,000 ms. */
  readonly windowMs?: number;
  /** Requests per window from one address (IPv6: one /64), before authentication. Default 100. */
  readonly addressRequests?: number;
  /** Connections open at once from one address (IPv6: one /64). Default 200. */
  readonly addressSockets?: number;
  /** Requests per window, account and route, by `METHOD /template`; merged over the specification's table. */
  readonly routeRequests?: Readonly<Record<string, number>>;
  /** The same for every route that is missing in the table. Default 5. */
  readonly otherRouteRequests?: number;
  /**
   * Factor for a route's budget by the key's tier (S17); the result is rounded down, at least 1. Default 1
   * each.
   */
  readonly tierFactors?: Partial<Readonly<Record<Tier, number>>>;
  /** Most bots of one account. Default MAX_BOTS. */
  readonly bots?: number;
  readonly stream?: StreamLimits;
}

/** Limits of the WebSocket (specification, "WebSocket limits"). */
export interface StreamLimits {
  /** Sockets, half-open ones too, per address (IPv6: /64). Default 50. */
  readonly perAddress?: number;
  /** Sockets in all. Default 10,000. */
  readonly total?: number;
  /** Largest frame from a client. Default 65,536 bytes. */
  readonly frameBytes?: number;
  /** Messages from one socket per `messageWindowMs`. Default 200. */
  readonly messages?: number;
  /** Length of the message window. Default 10,000 ms. */
  readonly messageWindowMs?: number;
  /** Attempts to authenticate on one socket. Default 5. */
  readonly authAttempts?: number;
  /** Time from connecting to a successful auth. Default 5,000 ms. */
  readonly authMs?: number;
  /** Unsent bytes at which a socket is terminated. Default 4 MiB. */
  readonly backlogBytes?: number;
  /** Subscriptions of one socket (D39). Default 200. */
  readonly subscriptions?: number;
  /**
   * Time between two control pings; a socket that missed one is terminated at the next. Default 20,000 ms.
   */
  readonly heartbeatMs?: number;
}

export interface CompiledServiceLimits extends Required<Omit<ServiceLimits, 'stream' | 'tierFactors'>> {
  readonly tierFactors: Readonly<Record<Tier, number>>;
  readonly stream: Required<StreamLimits>;
}

/** Frames of one WebSocket per message window (specification, "WebSocket limits"). */
export const STREAM_MESSAGES = 200;
/** Requests of one address per window, before authentication (specification, "Per-route rate limits"). */
export const ADDRESS_REQUESTS = 100;
/**
 * Connections that one address may have open: far more than a person's programs need, far fewer than a desk
 * can hold.
 */
export const ADDRESS_SOCKETS = 200;

/** Requests per window by route (specification, "Per-route rate limits"). */
const ROUTE_REQUESTS: Readonly<Record<string, number>> = {
  'POST /orders': 10,
  'DELETE /orders/{id}': 50,
  'GET /orders': 5,
  'GET /orders/trades': 5,
  'GET /portfolio': 5,
  'GET /portfolio/positions': 5,
  'POST /portfolio/position/leverage': 2,
  'GET /portfolio/margin-mode': 5,
  'POST /portfolio/margin-mode': 2,
  'POST /portfolio/position/margin-type': 2,
  'GET /exchange/hedge-mode': 5,
  'POST /exchange/hedge-mode': 2,
  'GET /ping': 10,
};

export function compileServiceLimits(limits: ServiceLimits = {}): CompiledServiceLimits {
  const { stream = {}, tierFactors = {} } = limits;
  return {
    windowMs: limits.windowMs ?? 5_000,
    addressRequests: limits.addressRequests ?? ADDRESS_REQUESTS,
    addressSockets: limits.addressSockets ?? ADDRESS_SOCKETS,
    routeRequests: { ...ROUTE_REQUESTS, ...limits.routeRequests },
    otherRouteRequests: limits.otherRouteRequests ?? 5,
    bots: limits.bots ?? MAX_BOTS,
    tierFactors: { read: 1, trade: 1, full: 1, ...tierFactors },
    stream: {
      perAddress: stream.perAddress ?? 50,
      total: stream.total ?? 10_000,
      frameBytes: stream.frameBytes ?? 65_536,
      messages: stream.messages ?? STREAM_MESSAGES,
      messageWindowMs: stream.messageWindowMs ?? 10_000,
      authAttempts: stream.authAttempts ?? 5,
      authMs: stream.authMs ?? 5_000,
      backlogBytes: stream.backlogBytes ?? 4 * 1_024 * 1_024,
      subscriptions: stream.subscriptions ?? 200,
      heartbeatMs: stream.heartbeatMs ?? 20_000,
    },
  };
}
