/**
 * An exchange for the benches that trade on one: the emulator of Binance in a process of its own with limits out of the way, the built
 * program connected to it, and a plain TCP door between the two that says when the first byte of a request has come.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Desk, type Emulator, Program, startEmulator } from '../../test/emulators/soak/programs.ts';
import { SOAK_VENUES, type SoakMarket, type SoakVenue } from '../../test/emulators/soak/venues.ts';

const VENUE = SOAK_VENUES.binance as SoakVenue;

import { temporaryFolder } from './children.ts';
import type { BenchKey } from './signed-requests.ts';

/** Clock ticks of `/proc` a second: so on every Linux that Node runs on. */
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

  /** Requests that begin so are listened for. */
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

  /** When the first byte of the next such request comes, ms of `performance.now`. */
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

/** `through`: the addresses that are another one than the emulator's, by their names. */
export async function connected(
  emulator: Emulator,
  folder: string,
  markets: readonly SoakMarket[],
  through: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const program = new Program(VENUE, folder);
  const desk = await program.start();
  const pem = await program.prepare(emulator, markets, 'trade', through);
  const der = createPublicKey(createPrivateKey(pem)).export({ format: 'der', type: 'spki' });
  return { emulator, program, desk, key: { id: der.subarray(-32).toString('base64url'), pem } };
}

export function emulatorOfBench(): Promise<{ readonly emulator: Emulator; readonly folder: string }> {
  const folder = temporaryFolder();
  return startEmulator(VENUE, folder, true, 1).then((emulator) => ({ emulator, folder }));
}

/** Processor time of a process until now, ms. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}
