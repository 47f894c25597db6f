/**
 * The one table of the console's keys: footer, help, palette and docs/keys.md are generated from it, and the key pipeline
 * matches against it. Data only. `h j k l g G` never name a command. Enter never places, cancels, revokes or starts.
 */

export type Scope =
  | 'always'
  | 'global'
  | 'list'
  | 'overview'
  | 'orders'
  | 'trades'
  | 'bots'
  | 'portfolio'
  | 'positions'
  | 'detail'
  | 'chart'
  | 'keys'
  | 'accounts'
  | 'alerts'
  | 'log'
  | 'filter'
  | 'form'
  | 'choice'
  | 'new-bot'
  | 'bot-type'
  | 'editor'
  | 'editor-choice'
  | 'editor-live'
  | 'area'
  | 'confirm'
  | 'word'
  | 'worded'
  | 'bulk'
  | 'notice'
  | 'about'
  | 'about-bot'
  | 'about-key'
  | 'panic'
  | 'panic-failed'
  | 'mute'
  | 'palette'
  | 'help'
  | 'quit'
  | 'opening'
  | 'lost'
  | 'small';

export interface Binding {
  /** Stable id; users bind by it (`[keys]` in config.toml). */
  readonly command: string;
  /** None: only the palette has it. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly scope: Scope;
  /** Opens a way to lose money or access: always through a dialog. */
  readonly dangerous?: boolean;
  /** Changes the desk at once, so the palette's Enter must not run it. */
  readonly acts?: boolean;
  /** Shown in the footer, smaller first. */
  readonly footer?: number;
}

export const BINDINGS = [
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
  { command: 'maintenance.switch', keys: [], label: 'maintenance on/off', scope: 'global', dangerous: true },
  { command: 'desk.stop', keys: [], label: 'stop the desk', scope: 'global', dangerous: true },
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

  { command: 'ticket.open', keys: ['n'], label: 'new order', scope: 'overview', footer: 1 },
  { command: 'feed.toggle', keys: ['p'], label: 'play or pause', scope: 'overview', footer: 2, acts: true },
  { command: 'feed.step', keys: ['.'], label: 'step', scope: 'overview', footer: 3, acts: true },

  { command: 'pane.next', keys: ['tab'], label: 'next part', scope: 'overview', footer: 5 },
  { command: 'pane.previous', keys: ['shift-tab'], label: 'part before', scope: 'overview' },
  { command: 'panic.open', keys: ['P'], label: 'panic', scope: 'overview', dangerous: true, footer: 4 },

  { command: 'ticket.open', keys: ['n'], label: 'new', scope: 'orders', footer: 1 },
  { command: 'order.cancel', keys: ['x'], label: 'cancel', scope: 'orders', dangerous: true, footer: 2 },
  { command: 'order.split', keys: ['s'], label: 'split', scope: 'orders', dangerous: true, footer: 3 },
  { command: 'orders.cancel-all', keys: ['X'], label: 'cancel all shown', scope: 'orders', dangerous: true },
  { command: 'orders.filter', keys: ['/'], label: 'filter', scope: 'orders', footer: 4 },
  { command: 'orders.sort', keys: ['o'], label: 'sort', scope: 'orders', footer: 5 },
  { command: 'orders.reverse', keys: ['O'], label: 'reverse the sort', scope: 'orders' },
  { command: 'orders.all', keys: ['a'], label: 'all ever', scope: 'orders', footer: 6 },
  { command: 'orders.trades', keys: ['t'], label: 'trades', scope: 'orders', footer: 7 },
  { command: 'orders.export', keys: ['e'], label: 'write CSV of all ever', scope: 'orders', acts: true },
  { command: 'order.copy-id', keys: ['y'], label: 'copy the id', scope: 'orders' },

  { command: 'orders.trades', keys: ['t'], label: 'orders', scope: 'trades', footer: 1 },
  { command: 'trades.filter', keys: ['/'], label: 'filter', scope: 'trades', footer: 2 },
  { command: 'trades.sort', keys: ['o'], label: 'sort', scope: 'trades', footer: 3 },
  { command: 'trades.reverse', keys: ['O'], label: 'reverse the sort', scope: 'trades' },
  { command: 'trades.export', keys: ['e'], label: 'write CSV', scope: 'trades', acts: true, footer: 4 },
  { command: 'trades.reload', keys: ['r'], label: 'read again', scope: 'trades', footer: 5 },
  { command: 'trade.copy-order', keys: ['y'], label: 'copy the order’s id', scope: 'trades' },

  { command: 'bot.new', keys: ['n'], label: 'new', scope: 'bots', footer: 1 },
  { command: 'bot.start', keys: ['s'], label: 'start', scope: 'bots', dangerous: true, footer: 2 },
  { command: 'bot.stop', keys: ['x'], label: 'stop', scope: 'bots', dangerous: true, footer: 3 },
  { command: 'bot.delete', keys: ['d'], label: 'delete', scope: 'bots', dangerous: true, footer: 4 },
  { command: 'bots.mark', keys: ['space'], label: 'mark', scope: 'bots', footer: 5 },
  { command: 'bot.page', keys: ['v'], label: 'next page', scope: 'bots', footer: 7 },
  { command: 'bot.rule', keys: ['r'], label: 'stop rules', scope: 'bots', dangerous: true, footer: 6 },
  { command: 'bot.tag', keys: ['t'], label: 'tag', scope: 'bots', footer: 8 },
  { command: 'bot.edit', keys: ['e'], label: 'edit', scope: 'bots', footer: 9 },
  { command: 'bot.clone', keys: ['c'], label: 'clone', scope: 'bots', footer: 9 },
  { command: 'bot.new-json', keys: ['N'], label: 'new, from JSON', scope: 'bots' },
  { command: 'bots.filter', keys: ['/'], label: 'filter', scope: 'bots', footer: 10 },
  { command: 'bots.sort', keys: ['o'], label: 'sort', scope: 'bots', footer: 11 },
  { command: 'bots.reverse', keys: ['O'], label: 'reverse the sort', scope: 'bots' },
  { command: 'bots.mark-all', keys: ['A'], label: 'mark all shown', scope: 'bots' },
  { command: 'bots.unmark', keys: ['u'], label: 'take the marks off', scope: 'bots' },
  { command: 'bot.copy-id', keys: ['y'], label: 'copy the id', scope: 'bots' },

  {
    command: 'portfolio.dust',
    keys: ['d'],
    label: 'convert dust',
    scope: 'portfolio',
    dangerous: true,
    footer: 1,
  },
  { command: 'portfolio.small', keys: ['s'], label: 'small on/off', scope: 'portfolio', footer: 2 },
  { command: 'portfolio.filter', keys: ['/'], label: 'filter', scope: 'portfolio', footer: 3 },
  { command: 'portfolio.sort', keys: ['o'], label: 'sort', scope: 'portfolio', footer: 4 },
  { command: 'portfolio.reverse', keys: ['O'], label: 'reverse the sort', scope: 'portfolio' },
  { command: 'portfolio.export', keys: ['e'], label: 'write CSV', scope: 'portfolio', acts: true, footer: 5 },

  {
    command: 'position.close',
    keys: ['x'],
    label: 'close at market',
    scope: 'positions',
    dangerous: true,
    footer: 1,
  },
  {
    command: 'position.close-limit',
    keys: ['c'],
    label: 'close by limit',
    scope: 'positions',
    dangerous: true,
    footer: 3,
  },
  {
    command: 'position.stop',
    keys: ['s'],
    label: 'protective stop',
    scope: 'positions',
    dangerous: true,
    footer: 2,
  },
  {
    command: 'position.leverage',
    keys: ['v'],
    label: 'leverage',
    scope: 'positions',
    dangerous: true,
    footer: 5,
  },
  {
    command: 'position.margin-type',
    keys: ['m'],
    label: 'margin type',
    scope: 'positions',
    dangerous: true,
    footer: 6,
  },
  {
    command: 'position.hedge-mode',
    keys: ['e'],
    label: 'hedge mode',
    scope: 'positions',
    dangerous: true,
    footer: 7,
  },
  {
    command: 'position.margin-mode',
    keys: ['M'],
    label: 'margin mode',
    scope: 'positions',
    dangerous: true,
    footer: 8,
  },
  { command: 'ticket.open', keys: ['n'], label: 'new order', scope: 'positions', footer: 4 },
  { command: 'positions.filter', keys: ['/'], label: 'filter', scope: 'positions', footer: 9 },
  { command: 'positions.sort', keys: ['o'], label: 'sort', scope: 'positions', footer: 10 },
  { command: 'positions.reverse', keys: ['O'], label: 'reverse the sort', scope: 'positions' },

  { command: 'detail.down', keys: ['j', 'down'], label: 'scroll down', scope: 'detail' },
  { command: 'detail.up', keys: ['k', 'up'], label: 'scroll up', scope: 'detail' },
  { command: 'detail.top', keys: ['g', 'home'], label: 'to the top', scope: 'detail' },
  { command: 'detail.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'detail' },
  { command: 'detail.page-down', keys: ['ctrl-d', 'pagedown'], label: 'half a page down', scope: 'detail' },
  { command: 'detail.page-up', keys: ['ctrl-u', 'pageup'], label: 'half a page up', scope: 'detail' },

  { command: 'chart.left', keys: ['left', 'h'], label: 'crosshair', scope: 'chart', footer: 0 },
  { command: 'chart.right', keys: ['right', 'l'], label: 'crosshair right', scope: 'chart' },

  { command: 'key.generate', keys: ['n'], label: 'new key', scope: 'keys', footer: 1 },
  { command: 'key.paste', keys: ['p'], label: 'paste a public key', scope: 'keys', footer: 2 },
  { command: 'key.revoke', keys: ['x'], label: 'revoke', scope: 'keys', dangerous: true, footer: 3 },
  { command: 'key.lab', keys: ['t'], label: 'lab', scope: 'keys', footer: 4 },
  { command: 'key.copy-id', keys: ['y'], label: 'copy the id', scope: 'keys', footer: 5 },
  { command: 'keys.filter', keys: ['/'], label: 'filter', scope: 'keys', footer: 6 },
  { command: 'keys.sort', keys: ['o'], label: 'sort', scope: 'keys', footer: 7 },
  { command: 'keys.reverse', keys: ['O'], label: 'reverse the sort', scope: 'keys' },

  {
    command: 'account.settings',
    keys: ['e'],
    label: 'settings',
    scope: 'accounts',
    dangerous: true,
    footer: 1,
  },
  {
    command: 'account.balance',
    keys: ['b'],
    label: 'balance',
    scope: 'accounts',
    dangerous: true,
    footer: 2,
  },
  { command: 'account.faults', keys: ['f'], label: 'faults', scope: 'accounts', dangerous: true, footer: 3 },
  { command: 'account.guards', keys: ['m'], label: 'guards', scope: 'accounts', dangerous: true, footer: 4 },
  { command: 'account.compare', keys: ['r'], label: 'compare now', scope: 'accounts', acts: true, footer: 5 },
  { command: 'feed.speed', keys: ['s'], label: 'speed', scope: 'accounts', dangerous: true, footer: 6 },
  { command: 'account.reset', keys: ['R'], label: 'reset', scope: 'accounts', dangerous: true, footer: 7 },
  { command: 'account.rights', keys: ['a'], label: 'accept, take over', scope: 'accounts', dangerous: true },
  { command: 'feed.toggle', keys: ['p'], label: 'play or pause', scope: 'accounts', acts: true, footer: 8 },
  { command: 'feed.step', keys: ['.'], label: 'step', scope: 'accounts', acts: true, footer: 9 },
  { command: 'accounts.filter', keys: ['/'], label: 'filter', scope: 'accounts', footer: 10 },
  { command: 'accounts.sort', keys: ['o'], label: 'sort', scope: 'accounts', footer: 11 },
  { command: 'accounts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'accounts' },

  { command: 'alert.seen', keys: ['s'], label: 'mark seen', scope: 'alerts', footer: 1 },
  { command: 'alerts.seen', keys: ['S'], label: 'mark all seen', scope: 'alerts', footer: 2 },
  { command: 'alert.bot', keys: ['b'], label: 'show its bot', scope: 'alerts', footer: 3 },
  { command: 'alerts.mute', keys: ['m'], label: 'bell on/off', scope: 'alerts', footer: 4 },
  { command: 'alerts.mute-some', keys: ['M'], label: 'mute bots, targets', scope: 'alerts', footer: 5 },
  { command: 'alerts.filter', keys: ['/'], label: 'filter', scope: 'alerts', footer: 6 },
  { command: 'alerts.sort', keys: ['o'], label: 'sort', scope: 'alerts', footer: 7 },
  { command: 'alerts.reverse', keys: ['O'], label: 'reverse the sort', scope: 'alerts' },

  { command: 'log.follow', keys: ['f'], label: 'follow', scope: 'log', footer: 1 },
  { command: 'log.search', keys: ['/'], label: 'search', scope: 'log', footer: 2 },
  { command: 'log.older', keys: ['n'], label: 'match before', scope: 'log', footer: 3 },
  { command: 'log.newer', keys: ['N'], label: 'match after', scope: 'log' },
  { command: 'log.level', keys: ['v'], label: 'level', scope: 'log', footer: 4 },
  { command: 'log.source', keys: ['s'], label: 'source', scope: 'log', footer: 5 },
  { command: 'log.order', keys: ['o'], label: 'its order', scope: 'log', footer: 6 },
  { command: 'log.bot', keys: ['b'], label: 'its bot', scope: 'log', footer: 7 },

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

  { command: 'choice.next', keys: ['right', 'space', 'l'], label: 'next choice', scope: 'choice', footer: 2 },
  { command: 'choice.previous', keys: ['left', 'h'], label: 'previous choice', scope: 'choice' },
  { command: 'form.next', keys: ['j'], label: 'next field', scope: 'choice' },
  { command: 'form.previous', keys: ['k'], label: 'previous field', scope: 'choice' },

  { command: 'choice.next', keys: ['space', 'right', 'l'], label: 'mute or not', scope: 'mute', footer: 1 },
  { command: 'choice.previous', keys: ['left', 'h'], label: 'mute or not', scope: 'mute' },
  { command: 'form.next', keys: ['j', 'down', 'tab'], label: 'down', scope: 'mute', footer: 2 },
  { command: 'form.previous', keys: ['k', 'up', 'shift-tab'], label: 'up', scope: 'mute' },
  { command: 'dialog.close', keys: ['esc', 'enter', 'q'], label: 'close', scope: 'mute', footer: 3 },

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
  { command: 'editor.json', keys: ['ctrl-e'], label: 'in $EDITOR', scope: 'editor', footer: 4 },
  { command: 'editor.review', keys: ['ctrl-r'], label: 'save', scope: 'editor', footer: 3 },
  { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'editor' },
  { command: 'editor.leave', keys: ['esc'], label: 'leave', scope: 'editor', footer: 8 },

  { command: 'editor.right', keys: ['right', 'space', 'l'], label: 'next choice', scope: 'editor-choice' },
  { command: 'editor.left', keys: ['left', 'h'], label: 'previous choice', scope: 'editor-choice' },
  { command: 'editor.down', keys: ['j'], label: 'down', scope: 'editor-choice' },
  { command: 'editor.up', keys: ['k'], label: 'up', scope: 'editor-choice' },
  { command: 'editor.top', keys: ['g', 'home'], label: 'to the top', scope: 'editor-choice' },
  { command: 'editor.bottom', keys: ['G', 'end'], label: 'to the bottom', scope: 'editor-choice' },
  { command: 'editor.json', keys: ['e'], label: 'in $EDITOR', scope: 'editor-choice' },

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
  { command: 'editor.review', keys: ['ctrl-r'], label: 'save', scope: 'editor-live', footer: 3 },
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
  { command: 'cancel-all.stops', keys: ['ctrl-p'], label: 'protective stops too', scope: 'bulk', footer: 3 },
  { command: 'cancel-all.bots', keys: ['ctrl-o'], label: 'bots’ orders too', scope: 'bulk', footer: 4 },

  {
    command: 'notice.down',
    keys: ['j', 'down', 'ctrl-d', 'pagedown'],
    label: 'scroll down',
    scope: 'notice',
  },
  { command: 'notice.up', keys: ['k', 'up', 'ctrl-u', 'pageup'], label: 'scroll up', scope: 'notice' },
  { command: 'dialog.close', keys: ['esc', 'enter', 'q'], label: 'close', scope: 'notice', footer: 1 },

  { command: 'notice.order', keys: ['o'], label: 'show its order', scope: 'about', footer: 0 },

  { command: 'notice.bot', keys: ['b'], label: 'show its bot', scope: 'about-bot', footer: 0 },

  { command: 'key.reveal', keys: ['v'], label: 'show the private key, once', scope: 'about-key', footer: 0 },

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

  { command: 'palette.down', keys: ['down', 'tab'], label: 'down', scope: 'palette' },
  { command: 'palette.up', keys: ['up', 'shift-tab'], label: 'up', scope: 'palette' },
  { command: 'palette.run', keys: ['enter'], label: 'choose', scope: 'palette', footer: 1 },
  { command: 'field.clear', keys: ['ctrl-u'], label: 'empty the field', scope: 'palette' },
  { command: 'dialog.close', keys: ['esc'], label: 'close', scope: 'palette', footer: 2 },

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

  { command: 'quit.detach', keys: ['d'], label: 'detach: the desk goes on', scope: 'quit', footer: 1 },
  {
    command: 'quit.stop',
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
] as const satisfies readonly Binding[];

export type CommandId = (typeof BINDINGS)[number]['command'];

export type BoundBinding = Binding & { readonly command: CommandId };

/** The bindings as the general type, for code that reads the optional flags. */
export const ALL_BINDINGS: readonly BoundBinding[] = BINDINGS;

const SHOWN: Readonly<Record<string, string>> = { up: '↑', down: '↓', left: '←', right: '→' };

/** The keys of a binding as help and docs/keys.md show them: what has none is found in the palette. */
export function shownKeysOf({ keys }: Binding): readonly string[] {
  return keys.length === 0 ? [':'] : keys;
}

/** A key as footer and help show it. Arrows are ASCII words where the glyph set asks for it. */
export function shownKey(key: string): string {
  return SHOWN[key] ?? key;
}
