/**
 * From a passphrase to the key that wraps the data key: Argon2id, off the desk's thread. What it may cost is bounded, since the
 * figures are read back from a store that somebody may have changed.
 */
import { type Argon2Parameters, argon2 } from 'node:crypto';
import { KEY_BYTES } from './sealing.ts';

export interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

export type Derive = (passphrase: Buffer, salt: Buffer, cost: Cost) => Promise<Buffer>;

/** Of every passphrase that is set now; an older one keeps its own until it is changed. */
export const COST: Cost = { memory: 64 * 1024, passes: 3, lanes: 4 };
const MOST: Cost = { memory: 256 * 1024, passes: 10, lanes: 16 };
/** Argon2 takes no less memory for each lane. */
const LEAST_LANE_MEMORY = 8;
export const SALT_BYTES = 16;

/** Figures that Argon2 takes and this machine can bear. */
export function isBearable({ memory, passes, lanes }: Cost): boolean {
  const isCount = (count: number, most: number) => Number.isInteger(count) && count >= 1 && count <= most;
  return (
    isCount(memory, MOST.memory) &&
    isCount(passes, MOST.passes) &&
    isCount(lanes, MOST.lanes) &&
    memory >= LEAST_LANE_MEMORY * lanes
  );
}

/** Reads `passphrase` and leaves it to its owner. */
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
      // Its message is about memory or figures, never about the passphrase; still nothing of it is told.
      if (error) reject(new Error('a key could not be derived from the passphrase'));
      else resolve(key);
    });
  });
};
