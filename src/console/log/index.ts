/** The log of the desk: levels, sources, search. */
import type { Feature } from '../app/feature.ts';
import {
  endSearch,
  leaveLog,
  moveLog,
  nextLevel,
  nextMatch,
  nextSource,
  openLog,
  searchHere,
  showLogBot,
  showLogOrder,
  startSearch,
} from './commands.ts';
import { LogScreen } from './LogScreen.tsx';
import { NEW_LOG_VIEW } from './log-view.ts';

export const LOG = {
  state: { log: NEW_LOG_VIEW },
  commands: {
    'log.follow': (s) => moveLog(s, Number.POSITIVE_INFINITY),
    'log.search': startSearch,
    'log.older': (s) => nextMatch(s, -1),
    'log.newer': (s) => nextMatch(s, 1),
    'log.level': nextLevel,
    'log.source': nextSource,
    'log.order': showLogOrder,
    'log.bot': showLogBot,
  },
  places: {
    log: {
      id: 'log',
      digit: '9',
      title: 'Log',
      View: LogScreen,
      field: {
        active: ({ log }) => (log.searching ? { id: 'log.search', value: log.search } : null),
        with: (ui, search) => ({ ...ui, log: { ...ui.log, search } }),
        changed: searchHere,
        done: endSearch,
      },
      move: moveLog,
      open: openLog,
      back(session) {
        leaveLog(session);
        return true;
      },
    },
  },
} satisfies Feature;
