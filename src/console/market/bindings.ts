/** The keys of the market screen, and the one that opens it from elsewhere. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const MARKET_KEYS = {
  screens: ['market'],
  parts: [{ title: 'Market', scopes: ['market'] }],
  bindings: [
    { command: 'market.trade', keys: ['n', 'enter'], label: 'new order', scope: 'market', footer: 1 },
    { command: 'ticket.buy', keys: ['b'], label: 'buy', scope: 'market', footer: 1 },
    { command: 'ticket.sell', keys: ['s'], label: 'sell', scope: 'market', footer: 1 },
    { command: 'ticket.again', keys: ['R'], label: 'the last order once more', scope: 'market' },
    {
      command: 'market.amend',
      keys: ['m'],
      label: 'change the nearest order',
      scope: 'market',
      dangerous: true,
    },
    { command: 'market.shorter', keys: ['<'], label: 'shorter', scope: 'market', footer: 2 },
    { command: 'market.longer', keys: ['>'], label: 'longer candles', scope: 'market', footer: 3 },
    { command: 'market.left', keys: ['left', 'h'], label: 'crosshair', scope: 'market', footer: 4 },
    { command: 'market.right', keys: ['right', 'l'], label: 'crosshair right', scope: 'market' },
    { command: 'list.down', keys: ['j', 'down'], label: 'crosshair down', scope: 'market' },
    { command: 'list.up', keys: ['k', 'up'], label: 'crosshair up', scope: 'market' },
    { command: 'market.ema', keys: ['e'], label: 'averages', scope: 'market', footer: 5 },
    { command: 'market.vwap', keys: ['w'], label: 'VWAP', scope: 'market', footer: 6 },
    { command: 'market.rsi', keys: ['i'], label: 'RSI', scope: 'market', footer: 7 },
    { command: 'market.volume', keys: ['v'], label: 'volume', scope: 'market', footer: 8 },
    { command: 'market.depth', keys: ['d'], label: 'depth and trades', scope: 'market', footer: 9 },
    { command: 'pane.next', keys: ['tab'], label: 'next account', scope: 'market' },
    { command: 'list.back', keys: ['esc'], label: 'back', scope: 'market', footer: 0 },

    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'overview' },
    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'orders' },
    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'trades' },
    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'bots' },
    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'portfolio' },
    { command: 'market.open', keys: ['C'], label: 'chart', scope: 'positions' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly market: typeof MARKET_KEYS;
  }
}
