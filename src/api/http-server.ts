/**
 * The HTTP server, plain or TLS; every default that lets something through is changed (borders.md 3). Bounds
 * time and size of everything before the pipeline; answers nothing itself.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Connections } from './connections.ts';
import type { CompiledApiLimits } from './limits.ts';
import { connectionsWithin, openFileLimit } from './open-files.ts';
import type { SocketPlaces } from './socket-places.ts';
import { wantsStream } from './ws/upgrade.ts';

export interface ServerParts {
  readonly limits: CompiledApiLimits;
  readonly connections: Connections;
  readonly places: SocketPlaces;
  /** Certificate and key; null: plain HTTP. */
  readonly tls: SecureContextOptions | null;
}

export function hardenedServer(
  { limits, connections, places, tls }: ServerParts,
  handler: Parameters<typeof createServer>[1] & object,
): Server {
  const options = {
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: 16_384,
    // The pipeline requires a Host header: node's own refusal has no envelope.
    requireHostHeader: false,
    insecureHTTPParser: false,
    joinDuplicateHeaders: false,
    // Any other request for an upgrade is answered as an ordinary request.
    shouldUpgradeCallback: wantsStream,
  };
  const server =
    tls === null
      ? createServer(options, handler)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.handshakeTimeoutMs }, handler);
  // One more than allowed, so that the pipeline sees the excess instead of node dropping it silently.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxConnections = connectionsWithin(openFileLimit(), limits.connections);
  server.timeout = limits.silentSocketMs;
  // A client that has ended its sending still gets its answer. Node has had the property since 0.3, its types
  // not.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (_req, socket) =>
    connections.refuse(socket, { status: 404, code: 'NOT_FOUND', message: 'CONNECT is not served here' }),
  );
  // A body that will be refused is not invited; the pipeline refuses other expectations.
  server.on('checkContinue', (req: IncomingMessage, res) => {
    if (Number(req.headers['content-length'] ?? 0) <= limits.bodyBytes) res.writeContinue();
    server.emit('request', req, res);
  });
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('connection', (socket: Socket) => places.connected(socket));
  if (tls !== null) boundHandshakes(server);
  return server;
}

/** Forbids renegotiation, and ends open handshakes with the server. A failed one is a client error. */
function boundHandshakes(server: Server): void {
  const shaking = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = peerName(socket);
    shaking.set(name, socket);
    socket.once('close', () => shaking.delete(name));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    shaking.delete(peerName(socket));
    socket.disableRenegotiation();
  });
  const close = server.close.bind(server);
  server.close = (done) => {
    for (const socket of shaking.values()) socket.destroy();
    return close(done);
  };
}

function peerName({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
