/** The PnL book: the results of trading, by group and by closed trade. It takes the place of the balances. */
import type { Feature } from '../app/feature.ts';
import { listCommands } from '../lists/list-commands.ts';
import {
  askDays,
  closePnl,
  exportPnl,
  nextAccount,
  nextGroups,
  nextRange,
  openClosed,
  openGroup,
  readBook,
  showPnl,
  toggleClosed,
  toggleCurve,
} from './commands.ts';
import { PNL_RANGE } from './forms.ts';
import { shownGroups } from './pnl-groups.ts';
import { FIRST_PNL, FIRST_PNL_TRADES, PNL_SORTS, PNL_TRADE_SORTS } from './pnl-page.ts';
import { shownClosed } from './pnl-trades.ts';

export const PNL = {
  state: { pnl: FIRST_PNL, 'pnl-trades': FIRST_PNL_TRADES },
  forms: { 'pnl-range': PNL_RANGE },
  commands: {
    ...listCommands('pnl'),
    ...listCommands('pnl-trades'),
    'pnl.open': (s) => showPnl(s, false),
    'pnl.close': closePnl,
    'pnl.trades': toggleClosed,
    'pnl.range-after': (s) => nextRange(s, 1),
    'pnl.range-before': (s) => nextRange(s, -1),
    'pnl.by': (s) => nextGroups(s, 1),
    'pnl.by-before': (s) => nextGroups(s, -1),
    'pnl.account': nextAccount,
    'pnl.days': askDays,
    'pnl.curve': toggleCurve,
    'pnl.export': (s) => void exportPnl(s, 'groups'),
    'pnl.export-trades': (s) => void exportPnl(s, 'trades'),
    'pnl.reload': readBook,
  },
  places: {
    pnl: {
      id: 'pnl',
      of: 'portfolio',
      title: 'PnL',
      show: (session) => showPnl(session, false),
      list: { sorts: PNL_SORTS, rows: (_, { pnl }) => shownGroups(pnl) },
      open: openGroup,
      leave: closePnl,
    },
    'pnl-trades': {
      id: 'pnl-trades',
      of: 'portfolio',
      title: 'Closed trades',
      show: (session) => showPnl(session, true),
      list: { sorts: PNL_TRADE_SORTS, rows: (_, { pnl, 'pnl-trades': view }) => shownClosed(pnl, view) },
      open: openClosed,
      leave: toggleClosed,
    },
  },
} satisfies Feature;
