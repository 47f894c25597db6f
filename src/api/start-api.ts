/**
 * Starts the HTTP server: Fastify for its life cycle and hooks, with every default changed that lets
 * something through (borders.md 3). Routing, bodies and answers belong to the pipeline: it runs completely in
 * the first hook, so Fastify's own routing, parsing and error answers are never reached.
 */
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, isIPv4, type Server, type Socket } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';
import { clientAddress } from '../access/address.ts';
import { Authenticator } from '../access/authenticate.ts';
import type { ApiDesk } from '../desk/api/api-port.ts';
import type { Tier } from '../domain/actor.ts';
import type { Clock } from '../domain/clock.ts';
import { HTTP_STATUS, type Outcome } from '../domain/errors.ts';
import { compileServiceLimits, type ServiceLimits } from '../domain/limits.ts';
import { closeTwin, listenAtSix } from './both-loopbacks.ts';
import { COMMON_HEADERS, Connections } from './connections.ts';
import { FailedLogins } from './failed-logins.ts';
import { hardenedServer } from './http-server.ts';
import { type ApiLimits, type CompiledApiLimits, compileApiLimits } from './limits.ts';
import { type HttpAnswer, Pipeline } from './pipeline.ts';
import { RateLimits } from './rate-limits.ts';
import { framingProblem } from './request-form.ts';
import { ROUTES } from './routes/index.ts';
import { SocketPlaces } from './socket-places.ts';
import { ApiStartError } from './start-error.ts';
import { loadTls, type TlsFiles } from './tls.ts';
import { serveStream } from './ws/serve-stream.ts';
import { Stream } from './ws/stream.ts';

export interface ApiOptions {
  /**
   * A loopback address, or `localhost` (127.0.0.1 and ::1); anything else needs TLS or a trusted proxy (D46).
   */
  readonly host: string;
  /** The port to listen on; 0 = any free port. */
  readonly port: number;
  readonly limits: ApiLimits;
  /** Certificate and key files; null or left out: plain HTTP. */
  readonly tls?: TlsFiles | null;
  /** Values that replace the specification's limits (S49). */
  readonly serviceLimits?: ServiceLimits;
  /** Addresses and CIDR ranges whose forwarded headers are trusted (D43). Default none. */
  readonly trustedProxies?: readonly string[];
  /** Origins from which a browser may open the WebSocket (D24). Default none. */
  readonly allowedOrigins?: readonly string[];
  readonly clock: Clock;
}

export interface RunningApi {
  /** REST root, `http://127.0.0.1:7420/api`; https with TLS. */
  readonly url: string;
  /** The stream's address, `ws://127.0.0.1:7420/api/v2/ws`; wss with TLS. */
  readonly wsUrl: string;
  readonly port: number;
  /** Stops listening, ends idle connections, waits for running requests up to `closeGraceMs`. Idempotent. */
  close(): Promise<void>;
  /** Closes the WebSockets of a revoked key and returns how many there were. */
  closeSocketsOf(keyId: string): number;
  /**
   * Finds the route of a method and a path as received (`/api/v2/orders`), and the tier it needs; null:
   * public.
   */
  routeOf(method: string, path: string): Outcome<{ readonly name: string; readonly tier: Tier | null }>;
}

export { ApiStartError };

export async function startApi(desk: ApiDesk, options: ApiOptions): Promise<RunningApi> {
  const host = listenAddress(options);
  const tls = options.tls ? loadTls(options.tls, desk.now()) : null;
  for (const warning of tls?.warnings ?? []) desk.log('warn', warning);
  const limits = compileApiLimits(options.limits);
  const serviceLimits = compileServiceLimits(options.serviceLimits);
  const { clock, trustedProxies = [], allowedOrigins = [] } = options;
  const report = (text: string) => desk.log('warn', text);
  const rates = new RateLimits({ limits: serviceLimits, clock, report });
  const places = new SocketPlaces({
    perAddress: serviceLimits.addressSockets,
    firstByteMs: limits.firstByteMs,
    trustedProxies,
    clock,
    report,
  });
  const connections = new Connections(
    (socket) => rates.takeAddress(peerAddress(socket as Socket)),
    limits.requestsPerSocket,
  );
  const authenticator = new Authenticator({
    activeKey: (id) => desk.activeKey(id),
    startedAt: desk.startedAt,
    replayMarks: desk.replayMarks,
  });
  const failedLogins = new FailedLogins(clock, (text) => desk.log('info', text));
  const pipeline = new Pipeline({
    desk,
    authenticator,
    routes: ROUTES,
    limits,
    rates,
    trustedProxies,
    allowedOrigins,
    failedLogins,
  });
  let closing = false;

  const app = fastify({
    serverFactory: (handler) =>
      hardenedServer({ limits, connections, places, tls: tls?.context ?? null }, handler),
    clientErrorHandler: (error, socket) => connections.clientError(error, socket),
    // The raw target stays in originalUrl; Fastify's router never sees, decodes or normalises it.
    rewriteUrl: () => '/',
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    logger: false,
  });
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw;
    if (connections.isClosing(socket) || connections.isFull(socket)) return reply.hijack();
    let last = false;
    const framing = framingProblem(request.raw.rawHeaders, request.raw.httpVersion);
    const answer = await pipeline.handle(request.raw, request.originalUrl, ({ headers, refusal }, from) => {
      reply.raw.once('close', connections.begin(request.raw, headers));
      last = connections.isFull(socket);
      if (framing !== null) {
        // At once, before the bytes after it are read.
        const error = refusal ?? framing;
        connections.refuseRequest(request.raw, { ...error, status: HTTP_STATUS[error.code] });
        return framing;
      }
      const place = places.began(socket, from);
      if ('code' in place) return place;
      reply.raw.once('close', place);
      return null;
    });
    if (answer === 'gone' || framing !== null) return reply.hijack();
    if (answer === 'too-large') return tooLarge(connections, request.raw, reply, limits);
    return send(reply, answer, closing || last);
  });

  const stream = new Stream({
    desk,
    clock,
    limits: serviceLimits.stream,
    failedLogins,
    onVerified: (keyId, address) => rates.verified(keyId, address),
  });
  const { headerCount } = limits;
  serveStream(app.server, {
    stream,
    desk,
    connections,
    rates,
    places,
    trustedProxies,
    allowedOrigins,
    headerCount,
  });

  const twin = await listen(app, options.host, host, options.port);
  const { port } = app.server.address() as AddressInfo;
  const origin = `${urlHost(host)}:${port}`;
  const secure = tls === null ? '' : 's';
  let closed: Promise<void> | null = null;
  return {
    url: `http${secure}://${origin}/api`,
    wsUrl: `ws${secure}://${origin}/api/v2/ws`,
    port,
    close() {
      closing = true;
      closed ??= Promise.all([stream.close(), closeWithin(app, twin, limits.closeGraceMs)]).then(() =>
        failedLogins.close(),
      );
      return closed;
    },
    closeSocketsOf(keyId) {
      rates.forgetKey(keyId);
      return stream.closeSocketsOf(keyId);
    },
    routeOf(method, path) {
      const match = ROUTES.match(method, path);
      if (!match.ok) return match;
      const { name, tier } = match.data.route;
      return { ok: true, data: { name, tier } };
    },
  };
}

type App = ReturnType<typeof fastify>;

/** The peer's address, for bytes that are no request: they have no headers to trust, whoever sent them. */
function peerAddress({ remoteAddress }: Socket): string {
  return clientAddress(remoteAddress, [], []).address;
}

/** Returns the address to listen on, if it is allowed (D46). */
function listenAddress({ host, tls, trustedProxies = [] }: ApiOptions): string {
  if (host === 'localhost') return '127.0.0.1';
  if (isLoopback(host) || tls || trustedProxies.length > 0) return host;
  throw new ApiStartError(
    'HOST',
    `the API does not listen on ${host} without TLS: give a certificate (--tls-cert, --tls-key), or name the proxy in front that has one (--trusted-proxy), or listen on a loopback address such as 127.0.0.1`,
  );
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The host in a URL; an address that means all addresses is reached by the loopback one. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function send(reply: FastifyReply, answer: HttpAnswer, closing: boolean): FastifyReply {
  reply.code(answer.status).headers(COMMON_HEADERS).headers(answer.headers);
  if (answer.replayed === true) reply.header('x-idempotent-replayed', 'true');
  if (closing) reply.header('connection', 'close');
  return reply.send(answer.body);
}

function tooLarge(
  connections: Connections,
  req: IncomingMessage,
  reply: FastifyReply,
  limits: CompiledApiLimits,
): FastifyReply {
  const message = `the body is larger than ${limits.bodyBytes} bytes`;
  connections.refuseRequest(req, { status: 413, code: 'PAYLOAD_TOO_LARGE', message });
  return reply.hijack();
}

/** Starts to listen; returns the second listener that `localhost` has. */
async function listen(app: App, name: string, host: string, port: number): Promise<Server | null> {
  let at = host;
  try {
    await app.listen({ host, port });
    if (name !== 'localhost') return null;
    at = '::1';
    return await listenAtSix(app.server, (app.server.address() as AddressInfo).port);
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new ApiStartError(
        'PORT_IN_USE',
        `port ${port} on ${at} is already in use; choose another with --port`,
        { cause: error },
      );
    }
    throw new ApiStartError('LISTEN', `the API cannot listen on ${at} port ${port}: ${code ?? error}`, {
      cause: error,
    });
  }
}

async function closeWithin(app: App, twin: Server | null, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await Promise.all([app.close(), closeTwin(twin)]);
  } finally {
    clearTimeout(timer);
  }
}
