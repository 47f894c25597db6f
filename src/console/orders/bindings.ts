/** The keys of orders and trades. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const ORDER_KEYS = {
  screens: ['orders', 'trades'],
  parts: [
    { title: 'Orders', scopes: ['orders'] },
    { title: 'Trades', scopes: ['trades'] },
    { title: 'Prices of a ticket', scopes: ['stepped'] },
  ],
  texts: ['stepped'],
  bindings: [
    { command: 'ticket.open', keys: ['n'], label: 'new', scope: 'orders', footer: 1 },
    { command: 'ticket.buy', keys: ['B'], label: 'buy', scope: 'orders' },
    { command: 'ticket.sell', keys: ['S'], label: 'sell', scope: 'orders' },
    { command: 'ticket.again', keys: ['R'], label: 'the last order once more', scope: 'orders' },
    { command: 'order.amend', keys: ['m'], label: 'change', scope: 'orders', dangerous: true, footer: 3 },
    { command: 'order.cancel', keys: ['x'], label: 'cancel', scope: 'orders', dangerous: true, footer: 2 },
    { command: 'order.split', keys: ['s'], label: 'split', scope: 'orders', dangerous: true, footer: 4 },
    {
      command: 'orders.cancel-all',
      keys: ['X'],
      label: 'cancel all shown',
      scope: 'orders',
      dangerous: true,
    },
    { command: 'order.exits', keys: ['v'], label: 'open or fold its exits', scope: 'orders' },
    { command: 'orders.filter', keys: ['/'], label: 'filter', scope: 'orders', footer: 5 },
    { command: 'orders.sort', keys: ['o'], label: 'sort', scope: 'orders', footer: 6 },
    { command: 'orders.reverse', keys: ['O'], label: 'reverse the sort', scope: 'orders' },
    { command: 'orders.all', keys: ['a'], label: 'all ever', scope: 'orders', footer: 7 },
    { command: 'orders.trades', keys: ['t'], label: 'trades', scope: 'orders', footer: 8 },
    {
      command: 'orders.export',
      needs: 'local',
      keys: ['e'],
      label: 'write CSV of all ever',
      scope: 'orders',
      acts: true,
    },
    {
      command: 'order.again',
      keys: ['U'],
      label: 'cancelled order again',
      scope: 'orders',
      dangerous: true,
    },
    { command: 'orders.mark', keys: ['space'], label: 'mark', scope: 'orders', footer: 9 },
    { command: 'orders.mark-all', keys: ['ctrl-a'], label: 'mark all shown', scope: 'orders' },
    { command: 'orders.unmark', keys: ['u'], label: 'take the marks off', scope: 'orders' },
    { command: 'order.copy-id', keys: ['y'], label: 'copy the id', scope: 'orders' },

    { command: 'orders.trades', keys: ['t'], label: 'orders', scope: 'trades', footer: 1 },
    { command: 'trades.filter', keys: ['/'], label: 'filter', scope: 'trades', footer: 2 },
    { command: 'trades.sort', keys: ['o'], label: 'sort', scope: 'trades', footer: 3 },
    { command: 'trades.reverse', keys: ['O'], label: 'reverse the sort', scope: 'trades' },
    {
      command: 'trades.export',
      needs: 'local',
      keys: ['e'],
      label: 'write CSV',
      scope: 'trades',
      acts: true,
      footer: 4,
    },
    { command: 'trades.reload', keys: ['r'], label: 'read again', scope: 'trades', footer: 5 },
    { command: 'trade.copy-order', keys: ['y'], label: 'copy the order’s id', scope: 'trades' },

    { command: 'ticket.tick-up', keys: ['up'], label: 'a tick up', scope: 'stepped', footer: 1 },
    { command: 'ticket.tick-down', keys: ['down'], label: 'a tick down', scope: 'stepped' },

    { command: 'notice.order', keys: ['o'], label: 'show its order', scope: 'about', footer: 0 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly orders: typeof ORDER_KEYS;
  }
}
