/**
 * A TCP link to a port of this machine that carries a limited number of bytes a second towards the client,
 * like a bad mobile link, and buffers little itself.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const SLICE_MS = 50;
/** At most this is read ahead from the server: the rest waits in the server's own buffers. */
const HELD_BYTES = 8_192;

export interface SlowLink {
  readonly port: number;
  close(): void;
}

export async function openSlowLink(port: number, bytesPerSecond: number): Promise<SlowLink> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const slice = Math.max(1, Math.round((bytesPerSecond * SLICE_MS) / 1_000));
  const server = createServer((client) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [client, far]) {
      socket.setNoDelay(true);
      sockets.add(socket);
    }
    let held = Buffer.alloc(0);
    far.on('data', (data) => {
      held = Buffer.concat([held, data]);
      if (held.length > HELD_BYTES) far.pause();
    });
    const timer = setInterval(() => {
      if (held.length === 0) return;
      client.write(held.subarray(0, slice));
      held = held.subarray(slice);
      if (held.length <= HELD_BYTES) far.resume();
    }, SLICE_MS);
    timers.add(timer);
    const end = () => {
      clearInterval(timer);
      timers.delete(timer);
      for (const socket of [client, far]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    client.on('data', (data) => far.write(data));
    for (const socket of [client, far]) {
      socket.on('error', end);
      socket.on('close', end);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
