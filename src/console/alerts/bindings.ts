/** The keys of alerts. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const ALERT_KEYS = {
  screens: ['alerts'],
  parts: [{ title: 'Alerts', scopes: ['alerts'] }],
  bindings: [
    { command: 'alert.seen', needs: 'operator', keys: ['s'], label: 'mark seen', scope: 'alerts', footer: 1 },
    {
      command: 'alerts.seen',
      needs: 'operator',
      keys: ['S'],
      label: 'mark all seen',
      scope: 'alerts',
      footer: 2,
    },
    { command: 'alert.bot', keys: ['b'], label: 'show its bot', scope: 'alerts', footer: 3 },
    { command: 'alerts.mute', keys: ['m'], label: 'bell on/off', scope: 'alerts', footer: 4 },
    {
      command: 'alerts.mute-some',
      needs: 'operator',
      keys: ['M'],
      label: 'mute bots, targets',
      scope: 'alerts',
      footer: 5,
    },
    { command: 'alerts.filter', keys: ['/'], label: 'filter', scope: 'alerts', footer: 6 },
    { command: 'alerts.sort', keys: ['o'], label: 'sort', scope: 'alerts', footer: 7 },
    { command: 'alerts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'alerts' },

    { command: 'choice.next', keys: ['space', 'right', 'l'], label: 'mute or not', scope: 'mute', footer: 1 },
    { command: 'choice.previous', keys: ['left', 'h'], label: 'mute or not', scope: 'mute' },
    { command: 'form.next', keys: ['j', 'down', 'tab'], label: 'down', scope: 'mute', footer: 2 },
    { command: 'form.previous', keys: ['k', 'up', 'shift-tab'], label: 'up', scope: 'mute' },
    { command: 'dialog.close', keys: ['esc', 'enter', 'q'], label: 'close', scope: 'mute', footer: 3 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly alerts: typeof ALERT_KEYS;
  }
}
