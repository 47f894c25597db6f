/** The keys of accounts. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const ACCOUNT_KEYS = {
  screens: ['accounts'],
  parts: [{ title: 'Accounts', scopes: ['accounts'] }],
  bindings: [
    {
      command: 'account.connect',
      keys: ['n'],
      label: 'connect',
      scope: 'accounts',
      dangerous: true,
      footer: 12,
    },
    { command: 'account.test', keys: ['t'], label: 'test', scope: 'accounts', acts: true },
    { command: 'account.disconnect', keys: ['x'], label: 'disconnect', scope: 'accounts', dangerous: true },
    {
      command: 'account.settings',
      keys: ['e'],
      label: 'settings',
      scope: 'accounts',
      dangerous: true,
      footer: 1,
    },
    {
      command: 'account.balance',
      keys: ['b'],
      label: 'balance',
      scope: 'accounts',
      dangerous: true,
      footer: 2,
    },
    {
      command: 'account.faults',
      keys: ['f'],
      label: 'faults',
      scope: 'accounts',
      dangerous: true,
      footer: 3,
    },
    {
      command: 'account.guards',
      keys: ['m'],
      label: 'guards',
      scope: 'accounts',
      dangerous: true,
      footer: 4,
    },
    {
      command: 'account.compare',
      keys: ['r'],
      label: 'compare now',
      scope: 'accounts',
      acts: true,
      footer: 5,
    },
    { command: 'feed.speed', keys: ['s'], label: 'speed', scope: 'accounts', dangerous: true, footer: 6 },
    { command: 'account.reset', keys: ['R'], label: 'reset', scope: 'accounts', dangerous: true, footer: 7 },
    {
      command: 'account.lift',
      keys: ['L'],
      label: 'lift its loss limit',
      scope: 'accounts',
      dangerous: true,
    },
    {
      command: 'account.rights',
      keys: ['a'],
      label: 'accept, take over',
      scope: 'accounts',
      dangerous: true,
    },
    { command: 'vault.open', keys: ['u'], label: 'vault', scope: 'accounts', dangerous: true },
    { command: 'feed.toggle', keys: ['p'], label: 'play or pause', scope: 'accounts', acts: true, footer: 8 },
    { command: 'feed.step', keys: ['.'], label: 'step', scope: 'accounts', acts: true, footer: 9 },
    { command: 'accounts.filter', keys: ['/'], label: 'filter', scope: 'accounts', footer: 10 },
    { command: 'accounts.sort', keys: ['o'], label: 'sort', scope: 'accounts', footer: 11 },
    { command: 'accounts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'accounts' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly accounts: typeof ACCOUNT_KEYS;
  }
}
