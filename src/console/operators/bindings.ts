/** The keys of operators and sessions. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const PEOPLE_KEYS = {
  screens: ['operators', 'sessions'],
  parts: [
    { title: 'Operators', scopes: ['operators'] },
    { title: 'Sessions', scopes: ['sessions'] },
  ],
  bindings: [
    {
      command: 'operators.open',
      needs: 'owner',
      keys: ['P'],
      label: 'operators',
      scope: 'accounts',
      footer: 13,
    },
    { command: 'operators.open', needs: 'owner', keys: [], label: 'operators', scope: 'global' },
    {
      command: 'sessions.open',
      needs: 'owner',
      keys: ['S'],
      label: 'sessions',
      scope: 'accounts',
      footer: 14,
    },
    { command: 'sessions.open', needs: 'owner', keys: [], label: 'sessions', scope: 'global' },

    {
      command: 'operator.add',
      needs: 'owner',
      keys: ['n'],
      label: 'add',
      scope: 'operators',
      dangerous: true,
      footer: 1,
    },
    {
      command: 'operator.change',
      needs: 'owner',
      keys: ['e'],
      label: 'change',
      scope: 'operators',
      dangerous: true,
      footer: 2,
    },
    {
      command: 'operator.remove',
      needs: 'owner',
      keys: ['x'],
      label: 'remove',
      scope: 'operators',
      dangerous: true,
      footer: 3,
    },
    {
      command: 'operator.login',
      needs: 'owner',
      keys: ['v'],
      label: 'how to log in',
      scope: 'operators',
      footer: 4,
    },
    {
      command: 'sessions.open',
      needs: 'owner',
      keys: ['S'],
      label: 'sessions',
      scope: 'operators',
      footer: 5,
    },
    { command: 'people.close', keys: ['P'], label: 'accounts', scope: 'operators', footer: 6 },
    { command: 'people.reload', keys: ['r'], label: 'read again', scope: 'operators' },
    { command: 'operators.filter', keys: ['/'], label: 'filter', scope: 'operators', footer: 7 },
    { command: 'operators.sort', keys: ['o'], label: 'sort', scope: 'operators', footer: 8 },
    { command: 'operators.reverse', keys: ['O'], label: 'reverse the sort', scope: 'operators' },

    {
      command: 'session.end',
      needs: 'owner',
      keys: ['x'],
      label: 'end',
      scope: 'sessions',
      dangerous: true,
      footer: 1,
    },
    {
      command: 'session.end-why',
      needs: 'owner',
      keys: ['X'],
      label: 'end with a reason',
      scope: 'sessions',
      dangerous: true,
      footer: 2,
    },
    {
      command: 'operators.open',
      needs: 'owner',
      keys: ['P'],
      label: 'operators',
      scope: 'sessions',
      footer: 3,
    },
    { command: 'people.close', keys: ['S'], label: 'accounts', scope: 'sessions', footer: 4 },
    { command: 'people.reload', keys: ['r'], label: 'read again', scope: 'sessions' },
    { command: 'sessions.filter', keys: ['/'], label: 'filter', scope: 'sessions', footer: 5 },
    { command: 'sessions.sort', keys: ['o'], label: 'sort', scope: 'sessions', footer: 6 },
    { command: 'sessions.reverse', keys: ['O'], label: 'reverse the sort', scope: 'sessions' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly operators: typeof PEOPLE_KEYS;
  }
}
