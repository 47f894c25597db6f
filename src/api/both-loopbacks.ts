/**
 * `localhost` is two addresses: a program that looks it up may try ::1 first. A second listener there hands its connections
 * to the server of 127.0.0.1, which then knows no difference. Its clients are one address, with the places of one.
 */
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

const SIX = '::1';
/** The machine has no IPv6, or not on its loopback. */
const WITHOUT_IT = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/** Null where the machine has no such address. Rejects when another program has the port there. */
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
