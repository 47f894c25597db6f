/** The key bindings of bots, of their editor and of a bot's text. Data only. */
import type { KeyTable } from '../input/binding.ts';

export const BOT_KEYS = {
  screens: ['bots'],
  texts: ['new-bot', 'editor'],
  parts: [
    { title: 'Bots', scopes: ['bots'] },
    { title: 'Chart of a bot', scopes: ['chart'] },
    { title: 'Bot editor', scopes: ['editor', 'editor-choice'] },
    { title: 'Its results', scopes: ['editor-live'] },
    { title: 'A bot’s text', scopes: ['area', 'new-bot'] },
  ],
  bindings: [
    { command: 'bot.new', keys: ['n'], label: 'new', scope: 'bots', footer: 1 },
    { command: 'bot.start', keys: ['s'], label: 'start', scope: 'bots', dangerous: true, footer: 2 },
    { command: 'bot.stop', keys: ['x'], label: 'stop', scope: 'bots', dangerous: true, footer: 3 },
    { command: 'bot.delete', keys: ['d'], label: 'delete', scope: 'bots', dangerous: true, footer: 4 },
    { command: 'bots.mark', keys: ['space'], label: 'mark', scope: 'bots', footer: 5 },
    { command: 'bot.page', keys: ['v'], label: 'next page', scope: 'bots', footer: 7 },
    { command: 'bot.rule', keys: ['r'], label: 'stop rules', scope: 'bots', dangerous: true, footer: 6 },
    { command: 'bot.tag', needs: 'operator', keys: ['t'], label: 'tag', scope: 'bots', footer: 8 },
    { command: 'bot.edit', keys: ['e'], label: 'edit', scope: 'bots', footer: 9 },
    { command: 'bot.clone', keys: ['c'], label: 'clone', scope: 'bots', footer: 9 },
    { command: 'bot.new-json', keys: ['N'], label: 'new, from JSON', scope: 'bots' },
    { command: 'bots.filter', keys: ['/'], label: 'filter', scope: 'bots', footer: 10 },
    { command: 'bots.sort', keys: ['o'], label: 'sort', scope: 'bots', footer: 11 },
    { command: 'bots.reverse', keys: ['O'], label: 'reverse the sort', scope: 'bots' },
    { command: 'bots.mark-all', keys: ['A'], label: 'mark all shown', scope: 'bots' },
    { command: 'bots.unmark', keys: ['u'], label: 'take the marks off', scope: 'bots' },
    { command: 'bot.copy-id', keys: ['y'], label: 'copy the id', scope: 'bots' },

    { command: 'chart.left', keys: ['left', 'h'], label: 'crosshair', scope: 'chart', footer: 0 },
    { command: 'chart.right', keys: ['right', 'l'], label: 'crosshair right', scope: 'chart' },

    { command: 'new-bot.leave', keys: ['esc'], label: 'close', scope: 'new-bot', footer: 4 },

    { command: 'bot-type.down', keys: ['j', 'down', 'tab'], label: 'down', scope: 'bot-type' },
    { command: 'bot-type.up', keys: ['k', 'up', 'shift-tab'], label: 'up', scope: 'bot-type' },
    { command: 'bot-type.take', keys: ['enter'], label: 'write one', scope: 'bot-type', footer: 1 },
    { command: 'dialog.close', keys: ['esc', 'q'], label: 'close', scope: 'bot-type', footer: 2 },

    { command: 'editor.enter', keys: ['enter'], label: 'next field', scope: 'editor', footer: 1 },
    { command: 'editor.down', keys: ['down'], label: 'down', scope: 'editor' },
    { command: 'editor.up', keys: ['up'], label: 'up', scope: 'editor' },
    { command: 'editor.previous', keys: ['shift-tab'], label: 'previous field', scope: 'editor' },
    { command: 'editor.section', keys: ['pagedown'], label: 'next part', scope: 'editor' },
    { command: 'editor.section-back', keys: ['pageup'], label: 'previous part', scope: 'editor' },
    { command: 'editor.pane', keys: ['tab'], label: 'results', scope: 'editor', footer: 2 },
    { command: 'editor.add', keys: ['ctrl-n'], label: 'add a row', scope: 'editor', footer: 6 },
    { command: 'editor.remove', keys: ['ctrl-d'], label: 'take it away', scope: 'editor', footer: 7 },
    { command: 'editor.raise', keys: ['ctrl-p'], label: 'row up', scope: 'editor' },
    { command: 'editor.lower', keys: ['ctrl-f'], label: 'row down', scope: 'editor' },
    { command: 'editor.problem', keys: ['ctrl-g'], label: 'next problem', scope: 'editor', footer: 5 },
    {
      command: 'editor.json',
      needs: 'local',
      keys: ['ctrl-e'],
      label: 'in $EDITOR',
      scope: 'editor',
      footer: 4,
    },
    {
      command: 'editor.review',
      needs: 'operator',
      keys: ['ctrl-r'],
      label: 'save',
      scope: 'editor',
      footer: 3,
    },
    { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'editor' },
    { command: 'editor.leave', keys: ['esc'], label: 'leave', scope: 'editor', footer: 8 },

    { command: 'editor.right', keys: ['right', 'space', 'l'], label: 'next choice', scope: 'editor-choice' },
    { command: 'editor.left', keys: ['left', 'h'], label: 'previous choice', scope: 'editor-choice' },
    { command: 'editor.down', keys: ['j'], label: 'down', scope: 'editor-choice' },
    { command: 'editor.up', keys: ['k'], label: 'up', scope: 'editor-choice' },
    { command: 'editor.top', keys: ['g', 'home'], label: 'to the top', scope: 'editor-choice' },
    { command: 'editor.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'editor-choice' },
    { command: 'editor.json', needs: 'local', keys: ['e'], label: 'in $EDITOR', scope: 'editor-choice' },

    {
      command: 'editor.scroll-down',
      keys: ['j', 'down'],
      label: 'scroll down',
      scope: 'editor-live',
      footer: 1,
    },
    { command: 'editor.scroll-up', keys: ['k', 'up'], label: 'scroll up', scope: 'editor-live' },
    { command: 'editor.scroll-top', keys: ['g', 'home'], label: 'to the top', scope: 'editor-live' },
    {
      command: 'editor.scroll-page',
      keys: ['ctrl-d', 'pagedown'],
      label: 'half a page down',
      scope: 'editor-live',
    },
    {
      command: 'editor.scroll-page-up',
      keys: ['ctrl-u', 'pageup'],
      label: 'half a page up',
      scope: 'editor-live',
    },
    {
      command: 'editor.pane',
      keys: ['tab', 'shift-tab', 'enter'],
      label: 'form',
      scope: 'editor-live',
      footer: 2,
    },
    {
      command: 'editor.review',
      needs: 'operator',
      keys: ['ctrl-r'],
      label: 'save',
      scope: 'editor-live',
      footer: 3,
    },
    { command: 'editor.leave', keys: ['esc'], label: 'form', scope: 'editor-live' },

    { command: 'area.line', keys: ['enter'], label: 'new line', scope: 'area' },
    { command: 'area.left', keys: ['left'], label: 'left', scope: 'area' },
    { command: 'area.right', keys: ['right'], label: 'right', scope: 'area' },
    { command: 'area.up', keys: ['up'], label: 'up', scope: 'area' },
    { command: 'area.down', keys: ['down'], label: 'down', scope: 'area' },
    { command: 'area.start', keys: ['home', 'ctrl-a'], label: 'start of the line', scope: 'area' },
    { command: 'area.end', keys: ['end', 'ctrl-e'], label: 'end of the line', scope: 'area' },
    { command: 'area.page-up', keys: ['pageup'], label: 'a page up', scope: 'area' },
    { command: 'area.page-down', keys: ['pagedown'], label: 'a page down', scope: 'area' },
    { command: 'area.erase', keys: ['backspace'], label: 'erase before', scope: 'area' },
    { command: 'area.delete', keys: ['delete', 'ctrl-d'], label: 'erase after', scope: 'area' },
    { command: 'area.problem', keys: ['ctrl-n'], label: 'next problem', scope: 'area', footer: 2 },
    { command: 'area.undo', keys: ['ctrl-z'], label: 'undo', scope: 'area', footer: 3 },
    { command: 'area.clear', keys: ['ctrl-u'], label: 'empty the text', scope: 'area' },

    { command: 'notice.bot', keys: ['b'], label: 'show its bot', scope: 'about-bot', footer: 0 },
  ],
} as const satisfies KeyTable;

declare module '../input/binding.ts' {
  interface KeyTables {
    readonly bots: typeof BOT_KEYS;
  }
}
