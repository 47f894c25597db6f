/** The keys of the Overview. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const OVERVIEW_KEYS = {
  screens: ['overview'],
  parts: [{ title: 'Overview', scopes: ['overview'] }],
  bindings: [
    { command: 'ticket.open', keys: ['n'], label: 'new order', scope: 'overview', footer: 1 },
    { command: 'ticket.buy', keys: ['b'], label: 'buy', scope: 'overview', footer: 6 },
    { command: 'ticket.sell', keys: ['s'], label: 'sell', scope: 'overview', footer: 7 },
    {
      command: 'feed.toggle',
      needs: 'owner',
      keys: ['p'],
      label: 'play or pause',
      scope: 'overview',
      footer: 2,
      acts: true,
    },
    {
      command: 'feed.step',
      needs: 'owner',
      keys: ['.'],
      label: 'step',
      scope: 'overview',
      footer: 3,
      acts: true,
    },
    { command: 'pane.next', keys: ['tab'], label: 'next part', scope: 'overview', footer: 5 },
    { command: 'watchlist.next', keys: ['w'], label: 'next watchlist', scope: 'overview', footer: 8 },
    { command: 'watchlist.remove', keys: ['u'], label: 'take it off the list', scope: 'overview' },
    { command: 'watchlist.raise', keys: ['K'], label: 'up in the list', scope: 'overview' },
    { command: 'watchlist.lower', keys: ['J'], label: 'down in the list', scope: 'overview' },
    { command: 'pane.previous', keys: ['shift-tab'], label: 'part before', scope: 'overview' },
    { command: 'panic.open', keys: ['P'], label: 'panic', scope: 'overview', dangerous: true, footer: 4 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly overview: typeof OVERVIEW_KEYS;
  }
}
