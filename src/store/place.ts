/**
 * The place of a store: the machine and the file, by which a copied or moved data folder is recognised. Reads
 * two facts of the system and reveals neither: the machine's id is hashed, as machine-id(5) asks of its
 * users.
 */
import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Place } from '../domain/desk-id.ts';

const MACHINE_ID = '/etc/machine-id';
/** Key of the hash, so that the stored value means nothing to others who know the machine. */
const HASH_KEY = 'outcry desk';
const HASH_LENGTH = 32;
/** Most characters that are read of a machine's id. */
const MACHINE_ID_MAX = 256;

/** Returns the place of a store file. `machineIdFile`: for tests. */
export function placeOf(storeFile: string, machineIdFile: string = MACHINE_ID): Place {
  return { machine: machineOf(machineIdFile), file: fileOf(storeFile) };
}

/** Returns the hashed id of the machine; null where the system has none. */
function machineOf(file: string): string | null {
  try {
    const id = readFileSync(file, 'utf8').slice(0, MACHINE_ID_MAX).trim();
    return id === '' ? null : createHmac('sha256', HASH_KEY).update(id).digest('hex').slice(0, HASH_LENGTH);
  } catch {
    return null;
  }
}

/**
 * Returns the number that the file system has given the file; a copy has another. Null where it cannot be
 * read.
 */
function fileOf(file: string): string | null {
  try {
    return String(statSync(file, { bigint: true }).ino);
  } catch {
    return null;
  }
}
