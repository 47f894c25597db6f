/**
 * A line over the Unix socket of the data folder: consoles of other processes attach to a running desk here.
 * Whoever can open the socket controls the desk; it is 0600 in a folder that is 0700.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '../../../domain/clock.ts';
import type { DeskClient, FromDesk, ToDesk } from '../../console/protocol.ts';
import { type ClientOptions, openClient } from './client.ts';
import { encodeFrame, FrameReader, MAX_CALL_BYTES, MAX_FRAME_BYTES } from './frames.ts';
import { CLOSE_LIMIT_MS, type DeskLine, LINE_CLOSED, LINE_LOST, type Line } from './line.ts';
import {
  fits,
  forgetShortSocketPath,
  makeShortSocketPath,
  socketPaths,
  usualSocketPath,
} from './socket-path.ts';

/**
 * A terminal that leaves this many bytes unread is disconnected: state messages wait for acknowledgements,
 * but results of its calls do not.
 */
export const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** Errors of bind on file systems without sockets. */
const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENAMETOOLONG']);
/** Errors that mean that nobody listens there. */
const NOBODY_THERE = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

export interface SocketListener {
  readonly path: string;
  /** Ends every line and removes the socket. */
  close(): Promise<void>;
}

export interface SocketListenerOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly accept: (line: DeskLine) => void;
}

/**
 * Listens for terminals of other processes. Rejects with a sentence when another desk listens there already.
 */
export async function listenUnixSocket(options: SocketListenerOptions): Promise<SocketListener> {
  const { dataDir, clock, accept } = options;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(socketLine<FromDesk, unknown>(socket, clock, MAX_CALL_BYTES));
  });
  const path = await listenSomewhere(server, dataDir);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        const limit = clock.after(CLOSE_LIMIT_MS, () => {
          for (const socket of sockets) socket.destroy();
        });
        server.close(() => {
          limit.cancel();
          forgetShortSocketPath(dataDir);
          resolve();
        });
        for (const socket of sockets) socket.end();
      }),
  };
}

/**
 * Connects to the desk that runs on `dataDir`; null when none listens there. Rejects when one does but
 * communication fails.
 */
export async function connectUnixSocket(
  dataDir: string,
  clock: Clock,
  options: ClientOptions = {},
): Promise<DeskClient | null> {
  for (const path of socketPaths(dataDir)) {
    const socket = await reach(path);
    if (socket)
      return openClient(socketLine<ToDesk, FromDesk>(socket, clock, MAX_FRAME_BYTES), clock, options);
  }
  return null;
}

async function listenSomewhere(server: Server, dataDir: string): Promise<string> {
  const usual = usualSocketPath(dataDir);
  if (fits(usual)) {
    try {
      await listenAt(server, usual);
      forgetShortSocketPath(dataDir);
      return usual;
    } catch (error) {
      if (!NO_SOCKETS_HERE.has(codeOf(error))) throw error;
    }
  }
  const path = makeShortSocketPath(dataDir);
  await listenAt(server, path);
  return path;
}

/** Listens at a path. Takes it over from a desk that is dead, never from one that answers. */
async function listenAt(server: Server, path: string): Promise<void> {
  try {
    await bind(server, path);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    const running = await reach(path);
    running?.destroy();
    if (running || process.platform === 'win32' || !lstatSync(path).isSocket())
      throw new Error(`Something else is at ${path}: stop the desk that runs there, or remove the file`);
    rmSync(path);
    await bind(server, path);
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // A failed accept (no file descriptors left) must not end the desk.
      server.on('error', () => {});
      resolve();
    });
    // The file is there as soon as listen() returns; a worker cannot set the umask, so the mode is set here.
    try {
      // Only a socket of ours: another file may be there, or a link that leads elsewhere. The error event
      // says why.
      if (process.platform !== 'win32' && server.listening && lstatSync(path).isSocket())
        chmodSync(path, 0o600);
    } catch {
      // The file is gone again: nobody can connect to it.
    }
  });
}

/** Returns a connected socket, or null when nobody listens at `path`. */
function reach(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error) => {
      if (NOBODY_THERE.has(codeOf(error))) resolve(null);
      else reject(new Error(unreachable(path, codeOf(error), error.message), { cause: error }));
    });
  });
}

/** Returns why no desk can be reached at this socket, for a person who has named a folder. */
function unreachable(path: string, code: string, message: string): string {
  const folder = dirname(path);
  if (code === 'ENOTDIR')
    return `The data folder ${folder} is a file, or lies below one; choose another with --data-dir`;
  if (code === 'EACCES' || code === 'EPERM')
    return `The data folder ${folder} is not yours: you have no permission there; choose another with --data-dir`;
  return `The desk's socket ${path} cannot be reached: ${message}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function socketLine<Out, In>(socket: Socket, clock: Clock, maxIncomingBytes: number): Line<Out, In> {
  const reader = new FrameReader(maxIncomingBytes);
  let reason = LINE_LOST;
  socket.on('error', () => {}); // 'close' follows with the reason.
  return {
    get sentBytes() {
      return socket.bytesWritten;
    },
    send(message) {
      if (socket.destroyed || !socket.writable) return;
      const frame = encodeFrame(message);
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
      else socket.write(frame);
    },
    onMessage(listener) {
      socket.on('data', (chunk: Buffer) => {
        let messages: unknown[];
        try {
          messages = reader.push(chunk);
        } catch {
          socket.destroy();
          return;
        }
        for (const message of messages) if (!socket.destroyed) listener(message as In);
      });
    },
    onClosed(listener) {
      socket.once('close', () => listener(reason));
    },
    close() {
      if (reason === LINE_CLOSED) return;
      reason = LINE_CLOSED;
      socket.end();
      const limit = clock.after(CLOSE_LIMIT_MS, () => socket.destroy());
      socket.once('close', () => limit.cancel());
    },
  };
}
