/**
 * Derives the key that wraps the data key from a passphrase: Argon2id, off the desk's thread. Its cost is
 * bounded, since the figures are read back from a store that somebody may have changed.
 */
import { type Argon2Parameters, argon2 } from 'node:crypto';
import { KEY_BYTES } from './sealing.ts';

export interface Cost {
  /** Memory, KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

export type Derive = (passphrase: Buffer, salt: Buffer, cost: Cost) => Promise<Buffer>;

/** The cost for every passphrase set now; an older one keeps its own cost until it is changed. */
export const COST: Cost = { memory: 64 * 1024, passes: 3, lanes: 4 };
const MOST: Cost = { memory: 256 * 1024, passes: 10, lanes: 16 };
/** Least memory for each lane that Argon2 accepts, KiB. */
const LEAST_LANE_MEMORY = 8;
export const SALT_BYTES = 16;

/** Whether Argon2 accepts the figures and this machine can bear them. */
export function isBearable({ memory, passes, lanes }: Cost): boolean {
  const isCount = (count: number, most: number) => Number.isInteger(count) && count >= 1 && count <= most;
  return (
    isCount(memory, MOST.memory) &&
    isCount(passes, MOST.passes) &&
    isCount(lanes, MOST.lanes) &&
    memory >= LEAST_LANE_MEMORY * lanes
  );
}

/** Derives a key; does not clear `passphrase`, which belongs to the caller. */
export const deriveKey: Derive = (passphrase, salt, { memory, passes, lanes }) => {
  const parameters: Argon2Parameters = {
    message: passphrase,
    nonce: salt,
    memory,
    passes,
    parallelism: lanes,
    tagLength: KEY_BYTES,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => {
      // The error's message is about memory or figures, never about the passphrase; still none of it is
      // passed on.
      if (error) reject(new Error('a key could not be derived from the passphrase'));
      else resolve(key);
    });
  });
};
