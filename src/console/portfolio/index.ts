/** Portfolio: balances of all accounts, and the conversion of small ones. */

import { performAccount } from '../accounts/account-actions.ts';
import type { Feature } from '../app/feature.ts';
import { fieldsOf } from '../app/memory.ts';
import { listCommands } from '../lists/list-commands.ts';
import { exportFile } from '../trading/export-file.ts';
import { openBalance, openDust, toggleSmall } from './commands.ts';
import { DUST_FORM } from './forms.ts';
import { pairHolding, sellPart } from './holding.ts';
import { PortfolioScreen } from './PortfolioScreen.tsx';
import { FIRST_PORTFOLIO, marketOfBalance, PORTFOLIO_SORTS, shownBalances } from './portfolio-list.ts';

export const PORTFOLIO = {
  state: { portfolio: FIRST_PORTFOLIO },
  forms: { 'dust-form': DUST_FORM },
  actions: { dust: performAccount },
  commands: {
    ...listCommands('portfolio'),
    'portfolio.dust': (s) => void openDust(s),
    'portfolio.part': sellPart,
    'portfolio.exits': pairHolding,
    'portfolio.small': toggleSmall,
    'portfolio.export': (s) => void exportFile(s, 'portfolio.export'),
  },
  memory: [
    {
      name: 'portfolio',
      differs: (ui, before) => ui.portfolio.hideSmall !== before.portfolio.hideSmall,
      kept: ({ portfolio: { hideSmall } }) => ({ hideSmall }),
      restored: ({ portfolio }, kept) => ({
        portfolio: { ...portfolio, hideSmall: fieldsOf(kept).hideSmall === true },
      }),
    },
  ],
  places: {
    portfolio: {
      id: 'portfolio',
      digit: '4',
      title: 'Portfolio',
      View: PortfolioScreen,
      view: ({ pnl, 'pnl-trades': trades }) => (pnl.open ? (trades.open ? 'pnl-trades' : 'pnl') : null),
      list: { sorts: PORTFOLIO_SORTS, rows: (state, { portfolio }) => shownBalances(state, portfolio) },
      market: (state, { portfolio }) => marketOfBalance(state, portfolio),
      open: openBalance,
    },
  },
} satisfies Feature;
