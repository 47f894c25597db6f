/** The keys that all features share: what holds everywhere, in lists, in forms, questions and notices. Data only. */
import type { KeyTable } from './binding.ts';

export const SHARED_KEYS = {
  screens: ['global'],
  texts: ['filter', 'form', 'word', 'bulk'],
  parts: [
    { title: 'Everywhere', scopes: ['global', 'always'] },
    { title: 'Lists', scopes: ['list'] },
    { title: 'Details', scopes: ['detail'] },
    { title: 'Forms', scopes: ['form', 'choice'] },
    { title: 'Confirmations', scopes: ['confirm', 'bulk'] },
  ],
  bindings: [
    { command: 'screen.overview', keys: ['1'], label: 'Overview', scope: 'global' },
    { command: 'screen.orders', keys: ['2'], label: 'Orders', scope: 'global' },
    { command: 'screen.bots', keys: ['3'], label: 'Bots', scope: 'global' },
    { command: 'screen.portfolio', keys: ['4'], label: 'Portfolio', scope: 'global' },
    { command: 'screen.positions', keys: ['5'], label: 'Positions', scope: 'global' },
    { command: 'screen.keys', keys: ['6'], label: 'Keys', scope: 'global' },
    { command: 'screen.accounts', keys: ['7'], label: 'Accounts', scope: 'global' },
    { command: 'screen.alerts', keys: ['8'], label: 'Alerts', scope: 'global' },
    { command: 'screen.log', keys: ['9'], label: 'Log', scope: 'global' },
    { command: 'screen.back', keys: ['['], label: 'screen before', scope: 'global' },
    { command: 'screen.forward', keys: [']'], label: 'screen after', scope: 'global' },
    { command: 'screen.last', keys: ['-'], label: 'last screen, and back', scope: 'global' },
    { command: 'pane.next', keys: ['tab', 'shift-tab'], label: 'next pane', scope: 'global' },
    { command: 'unresolved.show', keys: ['!'], label: 'show unresolved orders', scope: 'global' },
    { command: 'palette.open', keys: [':'], label: 'command', scope: 'global', footer: 90 },
    { command: 'help.open', keys: ['?'], label: 'help', scope: 'global', footer: 91 },
    { command: 'quit.open', keys: ['q'], label: 'quit', scope: 'global', footer: 92 },
    { command: 'panic.open', keys: [], label: 'panic', scope: 'global', dangerous: true },
    { command: 'problems.show', keys: [], label: 'problems of the configuration', scope: 'global' },
    {
      command: 'maintenance.switch',
      needs: 'owner',
      keys: [],
      label: 'maintenance on/off',
      scope: 'global',
      dangerous: true,
    },
    {
      command: 'vault.open',
      needs: 'owner',
      keys: [],
      label: 'vault: make or unlock',
      scope: 'global',
      dangerous: true,
    },
    {
      command: 'vault.lock',
      needs: 'owner',
      keys: [],
      label: 'vault: lock',
      scope: 'global',
      dangerous: true,
    },
    {
      command: 'vault.change',
      needs: 'owner',
      keys: [],
      label: 'vault: another passphrase',
      scope: 'global',
      dangerous: true,
    },
    {
      command: 'desk.stop',
      needs: 'owner',
      keys: [],
      label: 'stop the desk',
      scope: 'global',
      dangerous: true,
    },

    { command: 'quit.now', keys: ['ctrl-c'], label: 'quit', scope: 'always' },
    { command: 'screen.redraw', keys: ['ctrl-l'], label: 'redraw', scope: 'always' },

    { command: 'list.down', keys: ['j', 'down'], label: 'down', scope: 'list' },
    { command: 'list.up', keys: ['k', 'up'], label: 'up', scope: 'list' },
    { command: 'list.top', keys: ['g', 'home'], label: 'to the top', scope: 'list' },
    { command: 'list.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'list' },
    { command: 'list.page-down', keys: ['ctrl-d', 'pagedown'], label: 'half a page down', scope: 'list' },
    { command: 'list.page-up', keys: ['ctrl-u', 'pageup'], label: 'half a page up', scope: 'list' },
    { command: 'list.full-down', keys: ['ctrl-f'], label: 'a page down', scope: 'list' },
    { command: 'list.full-up', keys: ['ctrl-b'], label: 'a page up', scope: 'list' },
    { command: 'list.open', keys: ['enter'], label: 'open', scope: 'list' },
    { command: 'list.back', keys: ['esc'], label: 'back', scope: 'list' },
    { command: 'list.copy', keys: ['Y'], label: 'copy the row or a value', scope: 'list' },

    { command: 'detail.down', keys: ['j', 'down'], label: 'scroll down', scope: 'detail' },
    { command: 'detail.up', keys: ['k', 'up'], label: 'scroll up', scope: 'detail' },
    { command: 'detail.top', keys: ['g', 'home'], label: 'to the top', scope: 'detail' },
    { command: 'detail.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'detail' },
    { command: 'detail.page-down', keys: ['ctrl-d', 'pagedown'], label: 'half a page down', scope: 'detail' },
    { command: 'detail.page-up', keys: ['ctrl-u', 'pageup'], label: 'half a page up', scope: 'detail' },

    {
      command: 'filter.done',
      keys: ['enter', 'down', 'tab'],
      label: 'keep the filter',
      scope: 'filter',
      footer: 1,
    },
    { command: 'filter.clear', keys: ['esc'], label: 'clear the filter', scope: 'filter', footer: 2 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'filter' },

    { command: 'form.next', keys: ['tab', 'down'], label: 'next field', scope: 'form', footer: 1 },
    { command: 'form.previous', keys: ['shift-tab', 'up'], label: 'previous field', scope: 'form' },
    { command: 'form.enter', keys: ['enter'], label: 'next field', scope: 'form' },
    { command: 'form.review', keys: ['ctrl-r'], label: 'review', scope: 'form', footer: 3 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'form' },
    { command: 'dialog.close', keys: ['esc'], label: 'close', scope: 'form', footer: 4 },

    {
      command: 'choice.next',
      keys: ['right', 'space', 'l'],
      label: 'next choice',
      scope: 'choice',
      footer: 2,
    },
    { command: 'choice.previous', keys: ['left', 'h'], label: 'previous choice', scope: 'choice' },
    { command: 'form.next', keys: ['j'], label: 'next field', scope: 'choice' },
    { command: 'form.previous', keys: ['k'], label: 'previous field', scope: 'choice' },

    {
      command: 'confirm.yes',
      keys: ['y'],
      label: 'do it',
      scope: 'confirm',
      dangerous: true,
      acts: true,
      footer: 1,
    },
    { command: 'dialog.close', keys: ['esc', 'enter', 'n'], label: 'go back', scope: 'confirm', footer: 2 },

    { command: 'dialog.close', keys: ['esc'], label: 'go back', scope: 'word', footer: 1 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'word' },

    {
      command: 'confirm.yes',
      keys: ['y'],
      label: 'do it',
      scope: 'worded',
      dangerous: true,
      acts: true,
      footer: 1,
    },
    { command: 'dialog.close', keys: ['esc', 'n'], label: 'go back', scope: 'worded', footer: 2 },

    {
      command: 'cancel-all.stops',
      keys: ['ctrl-p'],
      label: 'protective stops too',
      scope: 'bulk',
      footer: 3,
    },
    { command: 'cancel-all.bots', keys: ['ctrl-o'], label: 'bots’ orders too', scope: 'bulk', footer: 4 },

    { command: 'form.enter', keys: ['enter'], label: 'copy it', scope: 'copy', footer: 1 },
    { command: 'form.next', keys: ['j', 'down', 'tab'], label: 'down', scope: 'copy' },
    { command: 'form.previous', keys: ['k', 'up', 'shift-tab'], label: 'up', scope: 'copy' },
    { command: 'dialog.close', keys: ['esc', 'q'], label: 'close', scope: 'copy', footer: 2 },

    {
      command: 'notice.down',
      keys: ['j', 'down', 'ctrl-d', 'pagedown'],
      label: 'scroll down',
      scope: 'notice',
    },
    { command: 'notice.up', keys: ['k', 'up', 'ctrl-u', 'pageup'], label: 'scroll up', scope: 'notice' },
    { command: 'dialog.close', keys: ['esc', 'enter', 'q'], label: 'close', scope: 'notice', footer: 1 },
  ],
} as const satisfies KeyTable;

declare module './binding.ts' {
  interface KeyTables {
    readonly shared: typeof SHARED_KEYS;
  }
}
