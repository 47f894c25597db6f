/** The keys of the palette. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const PALETTE_KEYS = {
  texts: ['palette'],
  parts: [],
  bindings: [
    { command: 'palette.down', keys: ['down', 'tab'], label: 'down', scope: 'palette' },
    { command: 'palette.up', keys: ['up', 'shift-tab'], label: 'up', scope: 'palette' },
    { command: 'palette.run', keys: ['enter'], label: 'choose', scope: 'palette', footer: 1 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'palette' },
    { command: 'dialog.close', keys: ['esc'], label: 'close', scope: 'palette', footer: 2 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly palette: typeof PALETTE_KEYS;
  }
}
