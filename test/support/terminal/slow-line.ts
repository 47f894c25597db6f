/**
 * A line that hands over in batches what is typed, as a jittery mobile or VPN link does: keys come at a steady pace at
 * one end, and every so often all that has gathered arrives at the other in one piece.
 */
import { keyBytes } from './keys.ts';
import type { Terminal } from './terminal.ts';

/** Between two batches. */
const BATCH_MS = 250;
/** Keys typed in that time: ten a second make two and a half, so three and two by turns. */
const KEYS_PER_BATCH = [3, 2] as const;

/** The batches in which keys arrive. */
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

/** Hands the keys over, a batch every 250 ms; resolves with how many there were once the last is on its way. */
export async function typeInBatches(terminal: Terminal, keys: readonly string[]): Promise<number> {
  const parts = batches(keys);
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
    terminal.type(part);
  }
  return parts.length;
}
