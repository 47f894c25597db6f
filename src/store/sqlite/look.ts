/**
 * Reads facts from a database in a program that is not its desk, whether a desk runs on it or not: is it an
 * Outcry database, of which format, is it sound, and some counts. Never writes, not even the index of the
 * WAL, and takes no lock that a desk would wait for.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreError } from '../store.ts';
import { damaged, toStoreError } from './errors.ts';
import { CHECK_LIMIT_BYTES, inspectHeader } from './inspect.ts';
import { MIGRATIONS } from './migrations.ts';
import { readPragma } from './pragmas.ts';

/** The format that this program writes. */
export const LATEST = MIGRATIONS.at(-1)?.version ?? 0;

export interface StoreFacts {
  readonly operators: number;
  /** Whether there is a vault. */
  readonly vault: boolean;
  /** Connections with a secret in the vault. */
  readonly sealed: readonly string[];
  /** Addresses of exchanges that have banned this machine, and until when, Unix ms. */
  readonly bans: ReadonlyMap<string, number>;
  /** Number of open orders that wait at this desk, not at their exchange. */
  readonly held: number;
}

export type StoreLook =
  | { readonly state: 'none' }
  | { readonly state: 'problem'; readonly code: StoreError['code']; readonly text: string }
  /** `why`: the reason why it was not read as a whole; null: it was, and is sound. */
  | {
      readonly state: 'there';
      readonly version: number;
      readonly bytes: number;
      readonly why: string | null;
      readonly facts: StoreFacts | null;
    };

const NAMES_MAX = 1_000;
const BAN = 'ban ';

export function lookAtStore(file: string): StoreLook {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    const wal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (!stat) return { state: 'none' };
    if (!stat.isFile()) throw new StoreError('FOREIGN', `${file} is not a file; move it away`);
    if (stat.size === 0 && wal === 0) return { state: 'none' };
    const format = inspectHeader(file, LATEST);
    return read(file, { format, bytes: stat.size, hasWal: wal > 0 });
  } catch (error) {
    const { code, message } = toStoreError(error, file, 'read');
    return { state: 'problem', code, text: message };
  }
}

interface Header {
  readonly format: number;
  readonly bytes: number;
  readonly hasWal: boolean;
}

function read(file: string, { format, bytes, hasWal }: Header): StoreLook {
  const unread = (why: string): StoreLook => ({ state: 'there', version: format, bytes, why, facts: null });
  // Without the index SQLite would create one.
  if (hasWal && !statSync(`${file}-shm`, { throwIfNoEntry: false }))
    return unread('it was not stopped in order, and its next start looks at it');
  const url = pathToFileURL(file);
  url.search = hasWal ? 'readonly_shm=1' : 'immutable=1';
  const db = new DatabaseSync(url, { readOnly: true, timeout: 0 });
  try {
    const version = Number(readPragma(db, 'user_version'));
    const large = bytes > CHECK_LIMIT_BYTES;
    if (!large) check(db, file);
    const why = large
      ? `it has ${Math.round(bytes / 1_048_576)} MiB, too much to be read within a moment`
      : null;
    return { state: 'there', version, bytes, why, facts: factsOf(db) };
  } catch (error) {
    const problem = toStoreError(error, file, 'read');
    if (problem.code === 'BUSY') return unread('another program has it locked');
    throw problem;
  } finally {
    db.close();
  }
}

function check(db: DatabaseSync, file: string): void {
  const verdict = readPragma(db, 'quick_check(1)');
  if (verdict !== 'ok') throw damaged(file, String(verdict).replaceAll('\n', ' '));
}

/** Reads the facts; a table that an older format does not have counts as empty. */
function factsOf(db: DatabaseSync): StoreFacts {
  const has = (table: string) =>
    db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !==
    undefined;
  const count = (table: string, where = '1') =>
    has(table) ? Number(db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get()?.n ?? 0) : 0;
  const names = has('vault_secrets')
    ? db.prepare(`SELECT DISTINCT connection FROM vault_secrets ORDER BY 1 LIMIT ${NAMES_MAX}`).all()
    : [];
  const bans = has('meta')
    ? db
        .prepare(`SELECT name, doc FROM meta WHERE name >= ?1 AND name < ?1 || '~' LIMIT ${NAMES_MAX}`)
        .all(BAN)
    : [];
  return {
    operators: count('operators'),
    vault: count('vault_key') > 0,
    sealed: names.map(({ connection }) => String(connection)),
    bans: new Map(
      bans.flatMap(({ name, doc }) => {
        const until = Number(doc);
        return Number.isFinite(until) ? [[String(name).slice(BAN.length), until] as const] : [];
      }),
    ),
    held: count('orders', "terminal = 0 AND doc ->> 'phase' = 'held'"),
  };
}
