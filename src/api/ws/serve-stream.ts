/**
 * Upgrades on the HTTP server: each is counted like any request of its address, checked, and then refused in
 * the usual envelope or passed to the stream. Nothing becomes a WebSocket before it has a place.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { clientAddress } from '../../access/address.ts';
import { checkTarget } from '../../access/target.ts';
import type { ApiDesk } from '../../desk/api/api-port.ts';
import { HTTP_STATUS, type ServiceError } from '../../domain/errors.ts';
import type { Connections } from '../connections.ts';
import type { RateLimits } from '../rate-limits.ts';
import { checkHeaders } from '../request-form.ts';
import { senderOf } from '../sender.ts';
import type { SocketPlaces } from '../socket-places.ts';
import type { Stream } from './stream.ts';
import { HANDSHAKE_VERSION, handshakeProblem, originProblem, RETRY_LATER } from './upgrade.ts';

export interface ServeStreamOptions {
  readonly stream: Stream;
  readonly desk: Pick<ApiDesk, 'maintenance'>;
  readonly connections: Connections;
  readonly rates: RateLimits;
  readonly places: SocketPlaces;
  /** CIDR ranges whose forwarded headers are trusted (D43). */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may connect (D24). */
  readonly allowedOrigins: readonly string[];
  /** Most headers of one request. */
  readonly headerCount: number;
}

interface Refusal {
  readonly error: ServiceError;
  readonly headers?: Readonly<Record<string, string>>;
}

export function serveStream(server: Server, options: ServeStreamOptions): void {
  server.on('upgrade', (req, socket, head) => {
    // Node's own listeners are gone; an error of the connection now needs no handling.
    socket.on('error', () => {});
    upgrade(options, req, socket, head);
  });
}

function upgrade(o: ServeStreamOptions, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const busy = o.connections.isBusy(req.socket);
  const client = clientAddress(req.socket.remoteAddress, req.rawHeaders, o.trustedProxies);
  const { address } = client;
  const { headers, refusal: over } = o.rates.takeAddress(address, senderOf(req.rawHeaders, o.allowedOrigins));
  const problem =
    (over && { error: over }) ??
    ('problem' in client ? invalid(client.problem) : null) ??
    (busy ? invalid('a WebSocket handshake must wait for the answers before it') : null) ??
    requestProblem(o, req);
  const place = problem ?? enter(o, req, address);
  if (typeof place === 'function') {
    socket.once('close', place);
    o.stream.accept({ req, socket, head, address, headers });
    return;
  }
  const { error, headers: more } = 'error' in place ? place : noPlace(place);
  o.connections.begin(req, { ...headers, ...more });
  o.connections.refuseRequest(req, { ...error, status: HTTP_STATUS[error.code] });
}

/** Takes a place among the connections of its address, and one among the WebSockets. */
function enter(o: ServeStreamOptions, req: IncomingMessage, address: string): (() => void) | ServiceError {
  const connection = o.places.began(req.socket, address);
  if ('code' in connection) return connection;
  const place = o.stream.enter(address);
  if ('leave' in place)
    return () => {
      connection();
      place.leave();
    };
  connection();
  return place;
}

/**
 * Makes the refusal for lack of room. Retry-After belongs to 429 alone (specification, "Rules" of the rate
 * limits).
 */
function noPlace(error: ServiceError): Refusal {
  return error.code === 'RATE_LIMITED' ? { error, headers: RETRY_LATER } : { error };
}

function requestProblem(o: ServeStreamOptions, req: IncomingMessage): Refusal | null {
  const target = checkTarget(req.url ?? '');
  if (target !== null) return invalid(target);
  const form = checkHeaders(req.rawHeaders, req.httpVersion, o.headerCount);
  if (form !== null) return { error: form };
  const handshake = handshakeProblem(req.rawHeaders, req.httpVersion);
  if (handshake !== null) {
    return { ...invalid(handshake), headers: { 'sec-websocket-version': HANDSHAKE_VERSION } };
  }
  const origin = originProblem(req.rawHeaders, o.allowedOrigins);
  if (origin !== null) return { error: { code: 'FORBIDDEN', message: origin } };
  const maintenance = o.desk.maintenance();
  if (maintenance !== null) return { error: { code: 'SERVICE_UNAVAILABLE', message: maintenance } };
  return null;
}

function invalid(message: string): Refusal {
  return { error: { code: 'INVALID_REQUEST', message } };
}
