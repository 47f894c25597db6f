/**
 * `localhost` is two addresses: a program that resolves it may try ::1 first. A second listener there passes
 * its connections to the server of 127.0.0.1, which sees no difference. Clients of both count as one address.
 */
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

const SIX = '::1';
/** Error codes for a machine without IPv6, or without it on its loopback. */
const WITHOUT_IT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/** Listens on ::1. Null: the machine has no such address. Rejects when another program has the port there. */
export function listenAtSix(server: HttpServer, port: number): Promise<Server | null> {
  const options = { allowHalfOpen: true, noDelay: true };
  const twin = createServer(options, (socket) => void server.emit('connection', socket));
  return new Promise((listening, fail) => {
    twin.once('error', (error: NodeJS.ErrnoException) => {
      if (WITHOUT_IT.has(error.code ?? '')) listening(null);
      else fail(error);
    });
    twin.listen({ host: SIX, port }, () => listening(twin));
  });
}

export function closeTwin(twin: Server | null): Promise<void> {
  return new Promise((done) => (twin === null ? done() : twin.close(() => done())));
}
