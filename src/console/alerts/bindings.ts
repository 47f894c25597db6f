/** The key bindings of alerts. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const ALERT_KEYS = {
  screens: ['alerts', 'price-alerts'],
  texts: ['price-alert'],
  parts: [
    { title: 'Alerts', scopes: ['alerts'] },
    { title: 'Price alerts', scopes: ['price-alerts'] },
  ],
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
    { command: 'alerts.mute', keys: ['m'], label: 'bell on/off', scope: 'alerts', footer: 5 },
    {
      command: 'alerts.mute-some',
      needs: 'operator',
      keys: ['M'],
      label: 'mute bots, targets',
      scope: 'alerts',
      footer: 6,
    },
    { command: 'alerts.filter', keys: ['/'], label: 'filter', scope: 'alerts', footer: 7 },
    { command: 'alerts.sort', keys: ['o'], label: 'sort', scope: 'alerts', footer: 8 },
    { command: 'alerts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'alerts' },

    { command: 'alerts.prices', keys: ['p'], label: 'price alerts', scope: 'alerts', footer: 4 },
    { command: 'alerts.mark', keys: ['space'], label: 'mark', scope: 'alerts', footer: 9 },
    { command: 'alerts.mark-all', keys: ['ctrl-a'], label: 'mark all shown that are new', scope: 'alerts' },
    { command: 'alerts.unmark', keys: ['u'], label: 'take the marks off', scope: 'alerts' },

    {
      command: 'alert.new',
      needs: 'operator',
      keys: ['A'],
      label: 'price alert',
      scope: 'overview',
      footer: 8,
    },
    {
      command: 'alert.new',
      needs: 'operator',
      keys: ['A'],
      label: 'price alert',
      scope: 'orders',
      footer: 10,
    },
    { command: 'alert.new', needs: 'operator', keys: ['A'], label: 'price alert', scope: 'positions' },
    { command: 'alert.new', needs: 'operator', keys: ['A'], label: 'price alert', scope: 'market' },

    { command: 'alerts.prices', keys: ['p'], label: 'alerts', scope: 'price-alerts', footer: 1 },
    {
      command: 'price-alert.remove',
      keys: ['x'],
      label: 'remove',
      scope: 'price-alerts',
      dangerous: true,
      footer: 2,
    },
    {
      command: 'alert.new',
      needs: 'operator',
      keys: ['A'],
      label: 'another',
      scope: 'price-alerts',
      footer: 3,
    },
    { command: 'price-alerts.mark', keys: ['space'], label: 'mark', scope: 'price-alerts', footer: 4 },
    { command: 'price-alerts.mark-all', keys: ['ctrl-a'], label: 'mark all shown', scope: 'price-alerts' },
    { command: 'price-alerts.unmark', keys: ['u'], label: 'take the marks off', scope: 'price-alerts' },
    { command: 'price-alerts.filter', keys: ['/'], label: 'filter', scope: 'price-alerts', footer: 5 },
    { command: 'price-alerts.sort', keys: ['o'], label: 'sort', scope: 'price-alerts', footer: 6 },
    { command: 'price-alerts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'price-alerts' },
    { command: 'price-alert.copy', keys: ['y'], label: 'copy the price', scope: 'price-alerts' },

    { command: 'form.enter', keys: ['enter'], label: 'set the alert', scope: 'price-alert', footer: 1 },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'price-alert' },
    { command: 'dialog.close', keys: ['esc'], label: 'close', scope: 'price-alert', footer: 2 },

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
