/** The keys of the help. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const HELP_KEYS = {
  parts: [],
  bindings: [
    { command: 'help.down', keys: ['j', 'down'], label: 'scroll down', scope: 'help', footer: 2 },
    { command: 'help.up', keys: ['k', 'up'], label: 'scroll up', scope: 'help' },
    {
      command: 'help.page-down',
      keys: ['ctrl-d', 'pagedown', 'space'],
      label: 'half a page down',
      scope: 'help',
    },
    { command: 'help.page-up', keys: ['ctrl-u', 'pageup'], label: 'half a page up', scope: 'help' },
    { command: 'dialog.close', keys: ['esc', 'enter', 'q', '?'], label: 'close', scope: 'help', footer: 1 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly help: typeof HELP_KEYS;
  }
}
