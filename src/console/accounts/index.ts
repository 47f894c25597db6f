/** The Accounts feature: accounts with state and guards, connections, settings of paper accounts and feed. */
import type { Feature } from '../app/feature.ts';
import { wholeDesk } from '../app/session.ts';
import { listCommands } from '../lists/list-commands.ts';
import { AccountsScreen } from './AccountsScreen.tsx';
import { performAccount } from './account-actions.ts';
import { ACCOUNT_SORTS, accountLines, FIRST_ACCOUNTS, shownAccounts } from './account-list.ts';
import { askAccount, askLift, askOwner, compareNow, resetAccount } from './commands.ts';
import { askDisconnect, openConnect, testConnected } from './connect.ts';
import { ACCOUNT_FORM } from './forms.ts';
import { selectedAccount } from './selected.ts';

export const ACCOUNTS = {
  state: { accounts: FIRST_ACCOUNTS },
  forms: { 'account-form': ACCOUNT_FORM },
  actions: {
    connect: performAccount,
    'make-key': performAccount,
    disconnect: performAccount,
    'new-addresses': performAccount,
    guards: performAccount,
    'paper-settings': performAccount,
    'paper-balance': performAccount,
    'paper-reset': performAccount,
    'key-rights': performAccount,
    'loss-lift': performAccount,
    'take-over': performAccount,
    'paper-fault': performAccount,
    'paper-faults': performAccount,
    'feed-speed': performAccount,
  },
  commands: {
    ...listCommands('accounts'),
    'account.connect': (s) => void openConnect(s),
    'account.test': (s) => void testConnected(s),
    'account.disconnect': askDisconnect,
    'account.settings': (s) => askAccount(s, 'settings'),
    'account.balance': (s) => askAccount(s, 'balance'),
    'account.faults': (s) => askAccount(s, 'faults'),
    'account.guards': (s) => askAccount(s, 'guards'),
    'account.compare': (s) => void compareNow(s),
    'account.reset': resetAccount,
    'account.lift': askLift,
    'account.rights': askOwner,
    'feed.speed': (s) => askAccount(s, 'speed'),
  },
  places: {
    accounts: {
      id: 'accounts',
      whole: true,
      digit: '7',
      title: 'Accounts',
      View: AccountsScreen,
      view: ({ operators, sessions }) => (operators.open ? 'operators' : sessions.open ? 'sessions' : null),
      list: { sorts: ACCOUNT_SORTS, rows: (state, { accounts }) => shownAccounts(state, accounts) },
      open: (session) =>
        session.ui.setState(({ accounts }) => ({ accounts: { ...accounts, pane: 'detail' } })),
      lastOffset(session) {
        const state = wholeDesk(session);
        const account = selectedAccount(session);
        const { columns } = session.ui.getState();
        return state && account ? accountLines(account, state, session.wall(), columns).length - 1 : 0;
      },
    },
  },
} satisfies Feature;
