/** The keys of a locked terminal, and those that lock it. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const LOCK_KEYS = {
  texts: ['lock'],
  parts: [{ title: 'Locked', scopes: ['lock'] }],
  bindings: [
    { command: 'lock.now', keys: [], label: 'lock this terminal', scope: 'global' },
    {
      command: 'lock.pin',
      needs: 'local',
      keys: [],
      label: 'PIN of local terminals',
      scope: 'global',
    },

    { command: 'form.next', keys: ['tab', 'down'], label: 'next', scope: 'lock', footer: 1 },
    { command: 'form.previous', keys: ['shift-tab', 'up'], label: 'before', scope: 'lock' },
    { command: 'form.enter', keys: ['enter'], label: 'do it', scope: 'lock', footer: 2 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'lock' },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly lock: typeof LOCK_KEYS;
  }
}
