/**
 * A line that delivers typed keys in batches, like a mobile or VPN link with jitter: keys enter at a steady
 * pace, and at intervals all that have gathered arrive together at the other end.
 */
import { keyBytes } from './keys.ts';
import type { Terminal } from './terminal.ts';

/** Interval of the batches. */
const BATCH_MS = 250;
/** Keys per batch: ten a second make two and a half, so three and two by turns. */
const KEYS_PER_BATCH = [3, 2] as const;

/** Groups keys into the batches in which they arrive. */
export function batches(keys: readonly string[]): string[] {
  const out: string[] = [];
  let at = 0;
  while (at < keys.length) {
    const count = KEYS_PER_BATCH[out.length % 2] as number;
    out.push(
      keys
        .slice(at, at + count)
        .map(keyBytes)
        .join(''),
    );
    at += count;
  }
  return out;
}

/** Delivers the keys, a batch every 250 ms; resolves with the number of batches once the last is sent. */
export async function typeInBatches(terminal: Terminal, keys: readonly string[]): Promise<number> {
  const parts = batches(keys);
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
    terminal.type(part);
  }
  return parts.length;
}
