/** The keys of the PnL book. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const PNL_KEYS = {
  screens: ['pnl', 'pnl-trades'],
  parts: [
    { title: 'PnL', scopes: ['pnl'] },
    { title: 'Closed trades', scopes: ['pnl-trades'] },
  ],
  bindings: [
    { command: 'pnl.open', keys: ['w'], label: 'PnL', scope: 'portfolio', footer: 2 },
    { command: 'pnl.open', keys: [], label: 'PnL', scope: 'global' },

    { command: 'pnl.close', keys: ['w'], label: 'balances', scope: 'pnl', footer: 1 },
    { command: 'pnl.trades', keys: ['t'], label: 'closed trades', scope: 'pnl', footer: 2 },
    { command: 'pnl.range-after', keys: ['>'], label: 'range', scope: 'pnl', footer: 3 },
    { command: 'pnl.range-before', keys: ['<'], label: 'range before', scope: 'pnl' },
    { command: 'pnl.by', keys: ['b'], label: 'by', scope: 'pnl', footer: 4 },
    { command: 'pnl.by-before', keys: ['B'], label: 'by, the other way', scope: 'pnl' },
    { command: 'pnl.days', keys: ['d'], label: 'from-to', scope: 'pnl', footer: 5 },
    { command: 'pnl.account', keys: ['a'], label: 'of one account', scope: 'pnl' },
    { command: 'pnl.curve', keys: ['c'], label: 'curve of equity or net', scope: 'pnl' },
    { command: 'pnl.filter', keys: ['/'], label: 'filter', scope: 'pnl', footer: 7 },
    { command: 'pnl.sort', keys: ['o'], label: 'sort', scope: 'pnl' },
    { command: 'pnl.reverse', keys: ['O'], label: 'reverse the sort', scope: 'pnl' },
    {
      command: 'pnl.export',
      needs: 'local',
      keys: ['e'],
      label: 'write CSV',
      scope: 'pnl',
      acts: true,
      footer: 6,
    },
    { command: 'pnl.reload', keys: ['r'], label: 'read again', scope: 'pnl' },

    { command: 'pnl.close', keys: ['w'], label: 'balances', scope: 'pnl-trades' },
    { command: 'pnl.trades', keys: ['t'], label: 'groups', scope: 'pnl-trades', footer: 1 },
    { command: 'pnl.range-after', keys: ['>'], label: 'range', scope: 'pnl-trades', footer: 2 },
    { command: 'pnl.range-before', keys: ['<'], label: 'range before', scope: 'pnl-trades' },
    { command: 'pnl.days', keys: ['d'], label: 'from-to', scope: 'pnl-trades', footer: 3 },
    { command: 'pnl.account', keys: ['a'], label: 'of one account', scope: 'pnl-trades' },
    { command: 'pnl.curve', keys: ['c'], label: 'curve of equity or net', scope: 'pnl-trades' },
    { command: 'pnl-trades.filter', keys: ['/'], label: 'filter', scope: 'pnl-trades', footer: 5 },
    { command: 'pnl-trades.sort', keys: ['o'], label: 'sort', scope: 'pnl-trades', footer: 6 },
    { command: 'pnl-trades.reverse', keys: ['O'], label: 'reverse the sort', scope: 'pnl-trades' },
    {
      command: 'pnl.export-trades',
      needs: 'local',
      keys: ['e'],
      label: 'write CSV of all',
      scope: 'pnl-trades',
      acts: true,
      footer: 4,
    },
    { command: 'pnl.reload', keys: ['r'], label: 'read again', scope: 'pnl-trades' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly pnl: typeof PNL_KEYS;
  }
}
