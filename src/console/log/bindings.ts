/** The keys of the log. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const LOG_KEYS = {
  screens: ['log'],
  parts: [{ title: 'Log', scopes: ['log'] }],
  bindings: [
    { command: 'log.follow', keys: ['f'], label: 'follow', scope: 'log', footer: 1 },
    { command: 'log.search', keys: ['/'], label: 'search', scope: 'log', footer: 2 },
    { command: 'log.older', keys: ['n'], label: 'match before', scope: 'log', footer: 3 },
    { command: 'log.newer', keys: ['N'], label: 'match after', scope: 'log' },
    { command: 'log.level', keys: ['v'], label: 'level', scope: 'log', footer: 4 },
    { command: 'log.source', keys: ['s'], label: 'source', scope: 'log', footer: 5 },
    { command: 'log.order', keys: ['o'], label: 'its order', scope: 'log', footer: 6 },
    { command: 'log.bot', keys: ['b'], label: 'its bot', scope: 'log', footer: 7 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly log: typeof LOG_KEYS;
  }
}
