/**
 * Reads the vault's documents back: null unless they have the form that was written. Also gives the text that
 * each seal is bound to.
 */
import type { SealedSecret, SecretUse, StoredSecret, VaultKey } from '../../domain/vault.ts';
import { type Cost, isBearable } from './derive.ts';

export const FORMAT = 1;
/** Most characters of a name or an address, and most addresses of one connection. */
const MOST_CHARACTERS = 256;
const MOST_ORIGINS = 64;

type Fields = Readonly<Record<string, unknown>>;

export function readKey(doc: unknown): VaultKey | null {
  if (!isObject(doc) || doc.format !== FORMAT) return null;
  const { memory, passes, lanes, salt, nonce, wrapped } = doc;
  if (!isNumber(memory) || !isNumber(passes) || !isNumber(lanes)) return null;
  if (!isText(salt) || !isText(nonce) || !isText(wrapped)) return null;
  if (!isBearable({ memory, passes, lanes })) return null;
  return { format: FORMAT, salt, memory, passes, lanes, nonce, wrapped };
}

/** Reads a sealed secret. Connection and field must be those of its row. */
export function readSecret({ connection, field, doc }: StoredSecret): SealedSecret | null {
  if (!isObject(doc) || doc.format !== FORMAT || !isObject(doc.use)) return null;
  const { nonce, sealed } = doc;
  const { venue, environment, origins } = doc.use;
  if (!isText(nonce) || typeof sealed !== 'string' || !isText(venue) || !isText(environment)) return null;
  if (!Array.isArray(origins) || !origins.every(isText)) return null;
  const use = { connection, venue, environment, field, origins };
  return isUse(use) ? { format: FORMAT, use, nonce, sealed } : null;
}

/** Whether all names and addresses are short enough to be stored. */
export function isUse({ connection, venue, environment, field, origins }: SecretUse): boolean {
  const names = [connection, venue, environment, field];
  return (
    names.every((name) => isText(name) && name !== '') &&
    origins.length <= MOST_ORIGINS &&
    origins.every(isText)
  );
}

/** The use as a text: each field in its place and quoted, so that no two uses give the same text. */
export function boundToUse({ connection, venue, environment, field, origins }: SecretUse): string {
  return JSON.stringify([
    'outcry vault secret',
    FORMAT,
    connection,
    venue,
    environment,
    field,
    [...origins].sort(),
  ]);
}

export function boundToCost({ memory, passes, lanes }: Cost, salt: string): string {
  return JSON.stringify(['outcry vault key', FORMAT, memory, passes, lanes, salt]);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MOST_CHARACTERS;
}
