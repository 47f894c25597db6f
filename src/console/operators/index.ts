/**
 * Operators and sessions: who may log in to the desk in which role, and who is logged in. For owners only;
 * shown in place of the accounts.
 */
import type { Feature } from '../app/feature.ts';
import { listCommands } from '../lists/list-commands.ts';
import {
  addOperator,
  changeOperator,
  closePeople,
  endSession,
  openOperators,
  openSessions,
  readPeople,
  removeOperator,
  showLogin,
} from './commands.ts';
import { OPERATOR, SESSION_END } from './forms.ts';
import { shownOperators } from './operator-list.ts';
import { performPeople } from './people-actions.ts';
import { FIRST_OPERATORS, FIRST_SESSIONS, OPERATOR_SORTS, SESSION_SORTS } from './people-page.ts';
import { shownSessions } from './session-list.ts';

export const PEOPLE = {
  state: { operators: FIRST_OPERATORS, sessions: FIRST_SESSIONS },
  forms: { operator: OPERATOR, 'session-end': SESSION_END },
  actions: {
    'operator-set': performPeople,
    'operator-remove': performPeople,
    'session-end': performPeople,
  },
  commands: {
    ...listCommands('operators'),
    ...listCommands('sessions'),
    'operators.open': openOperators,
    'sessions.open': openSessions,
    'people.close': closePeople,
    'people.reload': (s) => void readPeople(s),
    'operator.add': addOperator,
    'operator.change': changeOperator,
    'operator.remove': removeOperator,
    'operator.login': showLogin,
    'session.end': (s) => endSession(s, false),
    'session.end-why': (s) => endSession(s, true),
  },
  places: {
    operators: {
      id: 'operators',
      whole: true,
      of: 'accounts',
      title: 'Operators',
      show: openOperators,
      list: { sorts: OPERATOR_SORTS, rows: (_, { operators }) => shownOperators(operators) },
      open: showLogin,
      leave: closePeople,
    },
    sessions: {
      id: 'sessions',
      whole: true,
      of: 'accounts',
      title: 'Sessions',
      show: openSessions,
      list: { sorts: SESSION_SORTS, rows: (_, { sessions }) => shownSessions(sessions) },
      leave: closePeople,
    },
  },
} satisfies Feature;
