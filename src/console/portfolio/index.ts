/** Portfolio: balances of all accounts, and the conversion of small ones. */
import type { Feature } from '../app/feature.ts';
import { performAccount } from '../commands/account-actions.ts';
import { listCommands } from '../commands/lists.ts';
import { openBalance, openDust, toggleSmall } from '../commands/portfolio.ts';
import { FIRST_PORTFOLIO, PORTFOLIO_SORTS, shownBalances } from '../model/portfolio-list.ts';
import { PortfolioScreen } from '../screens/PortfolioScreen.tsx';
import { exportFile } from '../trading/export-file.ts';
import { DUST_FORM } from './forms.ts';

export const PORTFOLIO = {
  state: { portfolio: FIRST_PORTFOLIO },
  forms: { 'dust-form': DUST_FORM },
  actions: { dust: performAccount },
  commands: {
    ...listCommands('portfolio'),
    'portfolio.dust': (s) => void openDust(s),
    'portfolio.small': toggleSmall,
    'portfolio.export': (s) => void exportFile(s, 'portfolio.export'),
  },
  places: {
    portfolio: {
      id: 'portfolio',
      digit: '4',
      title: 'Portfolio',
      View: PortfolioScreen,
      list: { sorts: PORTFOLIO_SORTS, rows: (state, { portfolio }) => shownBalances(state, portfolio) },
      open: openBalance,
    },
  },
} satisfies Feature;
