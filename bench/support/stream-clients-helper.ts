/**
 * A thousand readers in a process of their own, from many loopback addresses. One of them, the witness, keeps
 * its messages; the others must have the same bytes. Commands: `open`, `round`, `stall`, `stalled`, `close`.
 */
import { setTimeout } from 'node:timers/promises';
import { answerCommands } from './answering.ts';
import type { BenchKey } from './signed-requests.ts';
import { StreamReader } from './stream-reader.ts';

/** The first address is 127.0.0.2. */
const FIRST_ADDRESS = 2;
/** Readers that connect at the same time. */
const AT_ONCE = 50;
const ROUND_LIMIT_MS = 55_000;

/** What the readers have received in a round. */
export interface Round {
  /** Order ids of the witness' messages, in order. */
  readonly ids: readonly string[];
  /** Its whole messages; only on request. */
  readonly payloads: readonly string[];
  /** Readers whose bytes differ from those of the witness. */
  readonly different: number;
  /** Time from the first message of the witness to the last one of the last reader. */
  readonly elapsedMs: number;
  /** From the time in a message to its arrival at the witness, ms. */
  readonly lagsMs: readonly number[];
}

let readers: StreamReader[] = [];
let slow: StreamReader | null = null;

answerCommands({
  open: async ({
    port,
    sockets,
    addresses,
    key,
  }: {
    port: number;
    sockets: number;
    addresses: number;
    key: BenchKey | null;
  }) => {
    readers = [];
    while (readers.length < sockets) {
      const batch = Array.from({ length: Math.min(AT_ONCE, sockets - readers.length) }, (_, i) => {
        const address = FIRST_ADDRESS + ((readers.length + i) % addresses);
        return new StreamReader(port, `127.0.0.${address}`, key);
      });
      await Promise.all(batch.map(({ ready }) => ready));
      readers.push(...batch);
    }
  },
  /** Resets the counters, for a new round. */
  begin: () => {
    for (const reader of readers) reader.reset();
    witness = { ids: [], payloads: [], lagsMs: [], firstAt: 0 };
    const [first] = readers;
    if (first) first.onFrame = watch;
  },
  round: async ({ messages, whole }: { messages: number; whole: boolean }): Promise<Round> => {
    const limit = performance.now() + ROUND_LIMIT_MS;
    while (readers.some(({ count }) => count < messages)) {
      const ended = readers.filter((reader) => reader.ended !== null).length;
      if (ended > 0) throw new Error(`${ended} readers were cut off`);
      if (performance.now() > limit) {
        const counts = readers.map(({ count }) => count);
        throw new Error(`the slowest reader has ${Math.min(...counts)} of ${messages} messages`);
      }
      await setTimeout(2);
    }
    const elapsedMs = performance.now() - witness.firstAt;
    // No further message may follow.
    await setTimeout(20);
    const [first] = readers;
    const same = ({ count, checksum, bytes }: StreamReader) =>
      count === first?.count && checksum === first.checksum && bytes === first.bytes;
    return {
      ids: witness.ids,
      payloads: whole ? witness.payloads : [],
      lagsMs: witness.lagsMs,
      different: readers.filter((reader) => !same(reader)).length,
      elapsedMs,
    };
  },
  /** Adds a reader that stops reading once it has subscribed. */
  stall: async ({ port, address, key }: { port: number; address: string; key: BenchKey }) => {
    slow = new StreamReader(port, address, key);
    await slow.ready;
    slow.pause();
  },
  /** Lets it read again, to the end; returns whether it was cut off, and how much it still received. */
  stalled: async () => {
    if (!slow) throw new Error('no reader has stalled');
    slow.resume();
    for (let i = 0; i < 500 && slow.ended === null; i++) await setTimeout(10);
    return { ended: slow.ended, bytes: slow.bytes };
  },
  close: () => {
    for (const reader of [...readers, ...(slow ? [slow] : [])]) reader.close();
    readers = [];
    slow = null;
  },
});

let witness: { ids: string[]; payloads: string[]; lagsMs: number[]; firstAt: number } = {
  ids: [],
  payloads: [],
  lagsMs: [],
  firstAt: 0,
};

function watch(payload: Buffer): void {
  if (witness.ids.length === 0) witness.firstAt = performance.now();
  const text = payload.toString();
  const message = JSON.parse(text) as { ts: number; data: { order: { id: string } } };
  witness.ids.push(message.data.order.id);
  witness.payloads.push(text);
  witness.lagsMs.push(Date.now() - message.ts);
}
