/** The key bindings of the API keys screen. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const API_KEY_KEYS = {
  screens: ['keys'],
  parts: [{ title: 'Keys', scopes: ['keys'] }],
  bindings: [
    { command: 'key.generate', needs: 'local', keys: ['n'], label: 'new key', scope: 'keys', footer: 1 },
    {
      command: 'key.paste',
      needs: 'owner',
      keys: ['p'],
      label: 'paste a public key',
      scope: 'keys',
      footer: 2,
    },
    {
      command: 'key.revoke',
      needs: 'owner',
      keys: ['x'],
      label: 'revoke',
      scope: 'keys',
      dangerous: true,
      footer: 3,
    },
    { command: 'key.lab', needs: 'owner', keys: ['t'], label: 'lab', scope: 'keys', footer: 4 },
    { command: 'key.copy-id', needs: 'owner', keys: ['y'], label: 'copy the id', scope: 'keys', footer: 5 },
    { command: 'keys.filter', keys: ['/'], label: 'filter', scope: 'keys', footer: 6 },
    { command: 'keys.sort', keys: ['o'], label: 'sort', scope: 'keys', footer: 7 },
    { command: 'keys.mark', keys: ['space'], label: 'mark', scope: 'keys', footer: 8 },
    { command: 'keys.mark-all', keys: ['ctrl-a'], label: 'mark all shown', scope: 'keys' },
    { command: 'keys.unmark', keys: ['u'], label: 'take the marks off', scope: 'keys' },
    { command: 'keys.reverse', keys: ['O'], label: 'reverse the sort', scope: 'keys' },

    {
      command: 'key.reveal',
      needs: 'local',
      keys: ['v'],
      label: 'show the private key, once',
      scope: 'about-key',
      footer: 0,
    },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly 'api-keys': typeof API_KEY_KEYS;
  }
}
