/** The keys that choose the one account to be shown. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const ONE_ACCOUNT_KEYS = {
  parts: [{ title: 'One account', scopes: ['one-account'] }],
  bindings: [
    { command: 'account.only', keys: ['@'], label: 'one account, or all', scope: 'global' },

    { command: 'form.enter', keys: ['enter'], label: 'look at it alone', scope: 'one-account', footer: 1 },
    { command: 'form.next', keys: ['j', 'down', 'tab', '@'], label: 'down', scope: 'one-account', footer: 2 },
    { command: 'form.previous', keys: ['k', 'up', 'shift-tab'], label: 'up', scope: 'one-account' },
    { command: 'dialog.close', keys: ['esc', 'q'], label: 'close', scope: 'one-account', footer: 3 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly 'one-account': typeof ONE_ACCOUNT_KEYS;
  }
}
