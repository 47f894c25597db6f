/**
 * Where a store lies: on which machine, in which file. A copied or moved data folder is told by it. Reads two facts of the system,
 * gives neither away: the machine's id is hashed, as machine-id(5) asks of those who use it.
 */
import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Place } from '../domain/desk-id.ts';

const MACHINE_ID = '/etc/machine-id';
/** What is stored is of no use to anybody else who knows the machine. */
const HASH_KEY = 'outcry desk';
const HASH_LENGTH = 32;
/** Characters of a machine's id at most. */
const MACHINE_ID_MAX = 256;

/** `machineIdFile`: of tests. */
export function placeOf(storeFile: string, machineIdFile: string = MACHINE_ID): Place {
  return { machine: machineOf(machineIdFile), file: fileOf(storeFile) };
}

/** Null where the system has none. */
function machineOf(file: string): string | null {
  try {
    const id = readFileSync(file, 'utf8').slice(0, MACHINE_ID_MAX).trim();
    return id === '' ? null : createHmac('sha256', HASH_KEY).update(id).digest('hex').slice(0, HASH_LENGTH);
  } catch {
    return null;
  }
}

/** The number that the file system has given the file; a copy has another. Null where it cannot be read. */
function fileOf(file: string): string | null {
  try {
    return String(statSync(file, { bigint: true }).ino);
  } catch {
    return null;
  }
}
