/** Market: the chart of one symbol with depth and trades, from which a ticket can be opened. */
import type { Feature } from '../app/feature.ts';
import {
  amendHere,
  leaveMarket,
  moveAcross,
  moveAlong,
  nextAccount,
  nextEma,
  openShownMarket,
  stepFrame,
  toggle,
  tradeHere,
} from './commands.ts';
import { followMarketScreen } from './look.ts';
import { MarketScreen } from './MarketScreen.tsx';
import { FIRST_MARKET, readChart } from './market-view.ts';

/** From this terminal width on the ticket is docked beside the chart; its width follows, both in cells. */
const DOCK_FROM = 120;
const DOCK = 64;

export const MARKET = {
  state: { market: FIRST_MARKET },
  commands: {
    'market.open': openShownMarket,
    'market.trade': tradeHere,
    'market.amend': amendHere,
    'market.shorter': (s) => stepFrame(s, -1),
    'market.longer': (s) => stepFrame(s, 1),
    'market.left': (s) => moveAlong(s, -1),
    'market.right': (s) => moveAlong(s, 1),
    'market.ema': nextEma,
    'market.vwap': (s) => toggle(s, 'vwap'),
    'market.rsi': (s) => toggle(s, 'rsi'),
    'market.volume': (s) => toggle(s, 'volume'),
    'market.depth': (s) => toggle(s, 'depth'),
  },
  places: {
    market: {
      id: 'market',
      title: 'Market',
      View: MarketScreen,
      dock: ({ columns, dialogs }) =>
        columns >= DOCK_FROM && dialogs.some(({ kind }) => kind === 'ticket') ? DOCK : 0,
      market: (_, { market }) =>
        market.at && { ...market.at, ...(market.across === null ? {} : { crosshair: market.across }) },
      move: moveAcross,
      back(session) {
        leaveMarket(session);
        return true;
      },
      nextPane: nextAccount,
    },
  },
  memory: [
    {
      name: 'chart',
      differs: (ui, before) =>
        ui.market.frameMs !== before.market.frameMs || ui.market.shows !== before.market.shows,
      kept: ({ market: { frameMs, shows } }) => ({ frameMs, shows }),
      restored: ({ market }, kept) => ({ market: { ...market, ...readChart(kept) } }),
    },
  ],
  start: followMarketScreen,
} satisfies Feature;
