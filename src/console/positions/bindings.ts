/** The keys of positions. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const POSITION_KEYS = {
  screens: ['positions'],
  parts: [{ title: 'Positions', scopes: ['positions'] }],
  bindings: [
    {
      command: 'position.close',
      keys: ['x'],
      label: 'close at market',
      scope: 'positions',
      dangerous: true,
      footer: 1,
    },
    {
      command: 'position.close-limit',
      keys: ['c'],
      label: 'close by limit',
      scope: 'positions',
      dangerous: true,
      footer: 3,
    },
    {
      command: 'position.stop',
      keys: ['s'],
      label: 'protective stop',
      scope: 'positions',
      dangerous: true,
      footer: 2,
    },
    {
      command: 'position.leverage',
      keys: ['v'],
      label: 'leverage',
      scope: 'positions',
      dangerous: true,
      footer: 5,
    },
    {
      command: 'position.margin-type',
      keys: ['m'],
      label: 'margin type',
      scope: 'positions',
      dangerous: true,
      footer: 6,
    },
    {
      command: 'position.hedge-mode',
      keys: ['e'],
      label: 'hedge mode',
      scope: 'positions',
      dangerous: true,
      footer: 7,
    },
    {
      command: 'position.margin-mode',
      keys: ['M'],
      label: 'margin mode',
      scope: 'positions',
      dangerous: true,
      footer: 8,
    },
    { command: 'ticket.open', keys: ['n'], label: 'new order', scope: 'positions', footer: 4 },
    { command: 'ticket.buy', keys: ['B'], label: 'buy', scope: 'positions' },
    { command: 'ticket.sell', keys: ['S'], label: 'sell', scope: 'positions' },
    {
      command: 'position.part',
      keys: ['p'],
      label: 'close a part',
      scope: 'positions',
      dangerous: true,
      footer: 11,
    },
    {
      command: 'position.exits',
      keys: ['t'],
      label: 'take-profit and stop',
      scope: 'positions',
      dangerous: true,
    },
    { command: 'position.trail', keys: ['T'], label: 'trailing stop', scope: 'positions', dangerous: true },
    { command: 'position.reverse', keys: ['R'], label: 'reverse', scope: 'positions', dangerous: true },
    { command: 'positions.filter', keys: ['/'], label: 'filter', scope: 'positions', footer: 9 },
    { command: 'positions.sort', keys: ['o'], label: 'sort', scope: 'positions', footer: 10 },
    { command: 'positions.mark', keys: ['space'], label: 'mark', scope: 'positions', footer: 12 },
    { command: 'positions.mark-all', keys: ['ctrl-a'], label: 'mark all shown', scope: 'positions' },
    { command: 'positions.unmark', keys: ['u'], label: 'take the marks off', scope: 'positions' },
    { command: 'positions.reverse', keys: ['O'], label: 'reverse the sort', scope: 'positions' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly positions: typeof POSITION_KEYS;
  }
}
