/**
 * Starts the HTTP border: Fastify for the server's life cycle and hooks, with every default that lets something through
 * changed (reliability-security.md 2.7). Routing, bodies and answers are the pipeline's: it runs whole in the first hook,
 * so Fastify's own routing, parsing and error answers are never reached.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';
import { Authenticator } from '../access/authenticate.ts';
import type { ApiDesk } from '../desk/api-port.ts';
import { COMMON_HEADERS, Connections } from './connections.ts';
import { type ApiLimits, type CompiledApiLimits, compileApiLimits } from './limits.ts';
import { type HttpAnswer, Pipeline } from './pipeline.ts';
import { ROUTES } from './routes/index.ts';

export interface ApiOptions {
  /** A loopback address, or `localhost` (= 127.0.0.1); anything else needs TLS (D46), which comes with a later issue. */
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly limits: ApiLimits;
}

export interface RunningApi {
  /** `http://127.0.0.1:7420/api`. */
  readonly url: string;
  /** `ws://127.0.0.1:7420/api/v2/ws`. */
  readonly wsUrl: string;
  readonly port: number;
  /** Stops listening, ends idle connections, waits for running requests up to `closeGraceMs`. Idempotent. */
  close(): Promise<void>;
  /** Closes the WebSockets of a revoked key and says how many there were: none yet, the stream is a later issue. */
  closeSocketsOf(keyId: string): number;
}

/** The API could not start; the message is one sentence for the person who started it. */
export class ApiStartError extends Error {
  readonly code: 'HOST' | 'PORT_IN_USE' | 'LISTEN';
  readonly retryable = false;

  constructor(code: ApiStartError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ApiStartError';
    this.code = code;
  }
}

export async function startApi(desk: ApiDesk, options: ApiOptions): Promise<RunningApi> {
  const host = loopback(options.host);
  const limits = compileApiLimits(options.limits);
  const connections = new Connections();
  const authenticator = new Authenticator({
    activeKey: (id) => desk.activeKey(id),
    startedAt: desk.startedAt,
  });
  const pipeline = new Pipeline({ desk, authenticator, routes: ROUTES, limits });
  let closing = false;

  const app = fastify({
    serverFactory: (handler) => hardenedServer(limits, connections, handler),
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
    if (connections.isClosing(socket)) return reply.hijack();
    const answer = await pipeline.handle(request.raw, request.originalUrl, () => {
      reply.raw.once('close', connections.begin(socket));
    });
    if (answer === 'gone') return reply.hijack();
    if (answer === 'too-large') return tooLarge(connections, request.raw, reply, limits);
    return send(reply, answer, closing);
  });

  await listen(app, host, options.port);
  const { port } = app.server.address() as AddressInfo;
  const origin = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let closed: Promise<void> | null = null;
  return {
    url: `http://${origin}/api`,
    wsUrl: `ws://${origin}/api/v2/ws`,
    port,
    close() {
      closing = true;
      closed ??= closeWithin(app, limits.closeGraceMs);
      return closed;
    },
    closeSocketsOf: () => 0,
  };
}

type App = ReturnType<typeof fastify>;

/** D46. Returns the address to listen on. */
function loopback(host: string): string {
  if (host === 'localhost') return '127.0.0.1';
  if (host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)) return host;
  throw new ApiStartError(
    'HOST',
    `the API does not listen on ${host}: without TLS only a loopback address such as 127.0.0.1 is allowed`,
  );
}

function hardenedServer(
  limits: CompiledApiLimits,
  connections: Connections,
  handler: Parameters<typeof createServer>[1] & object,
): Server {
  const server = createServer(
    {
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: 16_384,
      // The pipeline asks for it: node's own refusal has no envelope.
      requireHostHeader: false,
      insecureHTTPParser: false,
      joinDuplicateHeaders: false,
    },
    handler,
  );
  // One more than allowed, so that the pipeline sees an excess instead of node dropping it unsaid.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxRequestsPerSocket = limits.requestsPerSocket;
  server.maxConnections = limits.connections;
  server.timeout = limits.silentSocketMs;
  server.on('connect', (_req, socket) =>
    connections.refuse(socket, { status: 404, code: 'NOT_FOUND', message: 'CONNECT is not served here' }),
  );
  // A body that will be refused is not invited first; other expectations are refused by the pipeline.
  server.on('checkContinue', (req: IncomingMessage, res) => {
    if (Number(req.headers['content-length'] ?? 0) <= limits.bodyBytes) res.writeContinue();
    server.emit('request', req, res);
  });
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

function send(reply: FastifyReply, answer: HttpAnswer, closing: boolean): FastifyReply {
  reply.code(answer.status).headers(COMMON_HEADERS);
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
  connections.refuse(req.socket, { status: 413, code: 'PAYLOAD_TOO_LARGE', message }, req);
  return reply.hijack();
}

async function listen(app: App, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new ApiStartError(
        'PORT_IN_USE',
        `port ${port} on ${host} is already in use; choose another with --port`,
        { cause: error },
      );
    }
    throw new ApiStartError('LISTEN', `the API cannot listen on ${host} port ${port}: ${code ?? error}`, {
      cause: error,
    });
  }
}

async function closeWithin(app: App, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
