/**
 * An exchange for the benches that trade on one: the emulator of Binance in a process of its own with raised
 * limits, the built program connected to it, and between them a plain TCP proxy (the door) that reports the
 * arrival of a request's first byte.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Desk, type Emulator, Program, startEmulator } from '../../test/emulators/soak/programs.ts';
import { SOAK_VENUES, type SoakMarket, type SoakVenue } from '../../test/emulators/soak/venues.ts';

const VENUE = SOAK_VENUES.binance as SoakVenue;

import { temporaryFolder } from './children.ts';
import type { BenchKey } from './signed-requests.ts';

/** Clock ticks of `/proc` per second, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #heard: ((at: number) => void) | null = null;
  #begin: string;

  private constructor(server: Server, begin: string) {
    this.#server = server;
    this.#begin = begin;
  }

  /** Opens a door; it waits for requests with this beginning. */
  static open(url: string, begin: string): Promise<Door> {
    const { hostname, port } = new URL(url);
    const server = createServer((socket) => {
      const onward = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.setNoDelay(true);
      door.#sockets.add(socket).add(onward);
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1', 0, door.#begin.length) === door.#begin) door.#heard?.(performance.now());
      });
      socket.pipe(onward).pipe(socket);
      for (const end of [socket, onward]) end.on('error', () => end.destroy());
    });
    const door = new Door(server, begin);
    return new Promise((done) => server.listen(0, '127.0.0.1', () => done(door)));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Time at which the first byte of the next such request arrives, ms of `performance.now`. */
  next(): Promise<number> {
    return new Promise((done) => {
      this.#heard = done;
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

export interface Connected {
  readonly emulator: Emulator;
  readonly program: Program;
  readonly desk: Desk;
  readonly key: BenchKey;
}

/** Connects the program. `through`: replacements for some of the emulator's addresses, by name. */
export async function connected(
  emulator: Emulator,
  folder: string,
  markets: readonly SoakMarket[],
  through: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const program = new Program(VENUE, folder);
  const desk = await program.start();
  const pem = await program.prepare(emulator, markets, 'trade', through).catch(async (error: unknown) => {
    await program.stop();
    await emulator.stop();
    throw error;
  });
  const der = createPublicKey(createPrivateKey(pem)).export({ format: 'der', type: 'spki' });
  return { emulator, program, desk, key: { id: der.subarray(-32).toString('base64url'), pem } };
}

export function emulatorOfBench(): Promise<{ readonly emulator: Emulator; readonly folder: string }> {
  const folder = temporaryFolder();
  return startEmulator(VENUE, folder, true, 1).then((emulator) => ({ emulator, folder }));
}

/** Processor time that a process has used, ms. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}
