/** Public facade of the SQLite store. */
export { openSqliteStore } from './open.ts';
export type { RetentionOptions } from './retention.ts';
export type { SqliteStoreOptions } from './sqlite-store.ts';
