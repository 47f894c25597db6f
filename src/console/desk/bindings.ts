/** The key bindings for leaving the desk. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const DESK_KEYS = {
  apart: ['opening', 'lost', 'small'],
  parts: [{ title: 'Leaving', scopes: ['quit'] }],
  bindings: [
    { command: 'quit.detach', keys: ['d'], label: 'detach: the desk goes on', scope: 'quit', footer: 1 },
    {
      command: 'quit.stop',
      needs: 'owner',
      keys: ['s'],
      label: 'stop the desk',
      scope: 'quit',
      dangerous: true,
      acts: true,
      footer: 2,
    },
    { command: 'dialog.close', keys: ['esc', 'enter', 'c', 'n'], label: 'stay', scope: 'quit', footer: 3 },

    { command: 'quit.give-up', keys: ['q', 'esc', 'ctrl-c'], label: 'leave', scope: 'opening', footer: 1 },

    { command: 'quit.leave', keys: ['q', 'esc', 'ctrl-c'], label: 'leave', scope: 'lost', footer: 1 },

    { command: 'quit.leave', keys: ['q', 'ctrl-c'], label: 'leave', scope: 'small', footer: 1 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly desk: typeof DESK_KEYS;
  }
}
