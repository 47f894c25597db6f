/** The keys of a panic. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const PANIC_KEYS = {
  parts: [{ title: 'Panic', scopes: ['panic-failed', 'panic'] }],
  bindings: [
    {
      command: 'panic.again',
      keys: ['r'],
      label: 'failed again',
      scope: 'panic-failed',
      dangerous: true,
      footer: 1,
    },

    { command: 'panic.new', keys: ['n'], label: 'new', scope: 'panic', dangerous: true, footer: 2 },
    { command: 'panic.down', keys: ['j', 'down'], label: 'scroll down', scope: 'panic' },
    { command: 'panic.up', keys: ['k', 'up'], label: 'scroll up', scope: 'panic' },
    { command: 'panic.top', keys: ['g', 'home'], label: 'to the top', scope: 'panic' },
    { command: 'panic.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'panic' },
    { command: 'panic.page-down', keys: ['ctrl-d', 'pagedown'], label: 'half a page down', scope: 'panic' },
    { command: 'panic.page-up', keys: ['ctrl-u', 'pageup'], label: 'half a page up', scope: 'panic' },
    { command: 'dialog.close', keys: ['esc', 'enter', 'q'], label: 'close', scope: 'panic', footer: 3 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly panic: typeof PANIC_KEYS;
  }
}
