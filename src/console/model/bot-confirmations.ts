/** What the confirmations of the Bots screen say: whose money, what is asked, what happens next. Pure. */
import type { BotView, DeskState } from '../../desk/protocol.ts';
import type { NewBot } from '../../domain/bot.ts';
import { mul, str } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import { amount, exact, MISSING, read, signed } from '../format.ts';
import type { Action, ConfirmDialog, InfoRow } from '../state/ui.ts';
import { runningProfit, shortMoney } from './bot-columns.ts';
import { depositWords, pricesOf } from './bot-detail.ts';
import type { BotRuleForm, BotStopForm } from './bot-forms.ts';
import {
  blockOf,
  botName,
  depositOf,
  givenName,
  isRunning,
  isShort,
  ordersOf,
  profitOf,
  shortId,
  symbolOf,
  trades,
} from './bot-list.ts';
import { mainPrice } from './order-list.ts';

const NAMED = 6;

function dialog(
  state: DeskState,
  at: number,
  parts: Pick<ConfirmDialog, 'title' | 'rows' | 'next' | 'verb' | 'word'> & { action: Action },
): ConfirmDialog {
  return { kind: 'confirm', paper: state.desk.paper, typed: '', openedAt: at, busy: false, ...parts };
}

function botRow(bot: BotView): InfoRow {
  const name = givenName(bot);
  const which = name === '' ? shortId(bot.id) : `${name} (${shortId(bot.id)})`;
  return { name: 'bot', value: `${which}, ${bot.type}` };
}

function marketRow(state: DeskState, bot: BotView): InfoRow {
  const symbol = symbolOf(bot);
  return { name: 'market', value: `${symbol || MISSING}, last ${exact(state.prices[symbol]?.last)}` };
}

/** Several bots in one row. */
function manyRows(bots: readonly BotView[]): InfoRow[] {
  const names = bots.slice(0, NAMED).map((bot) => `${botName(bot)} ${symbolOf(bot)}`);
  const more = bots.length > NAMED ? ` and ${bots.length - NAMED} more` : '';
  return [
    { name: 'accounts', value: [...new Set(bots.map(({ exchange }) => exchange))].join(', ') },
    { name: 'bots', value: `${bots.length}: ${names.join(', ')}${more}` },
  ];
}

export function confirmCreate(
  state: DeskState,
  bot: NewBot,
  problems: readonly string[],
  at: number,
): ConfirmDialog {
  const shown = { ...bot, settings: bot.settings };
  const rows: InfoRow[] = [
    { name: 'account', value: String(bot.settings.exchange) },
    { name: 'bot', value: `${bot.type}${bot.tag ? ` ${bot.tag}` : ''}` },
    { name: 'symbol', value: symbolOf(shown) || MISSING },
    { name: 'deposit', value: depositOf(shown) ?? (trades(bot) ? MISSING : 'none: it does not trade') },
  ];
  if (problems.length > 0) {
    const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
    rows.push({ name: 'to mend', value: `${problems[0]}${more}`, tone: 'warn' });
  }
  return dialog(state, at, {
    title: 'Create bot',
    rows,
    next:
      problems.length > 0
        ? 'It is kept as NEW. With these settings it would not start.'
        : 'It is kept as NEW; nothing is ordered until it is started with s.',
    verb: 'create this bot',
    action: { type: 'bot-create', bot },
  });
}

export function confirmStart(
  state: DeskState,
  bots: readonly BotView[],
  warnings: readonly string[],
  at: number,
): ConfirmDialog {
  const [bot] = bots;
  const action: Action = { type: 'bots-start', ids: bots.map(({ id }) => id) };
  if (!bot || bots.length > 1) {
    const running = bots.filter(isRunning).length;
    const rows = manyRows(bots);
    rows.push({
      name: 'deposits',
      value: bots
        .slice(0, NAMED)
        .map((one) => depositOf(one) ?? 'none')
        .join(', '),
    });
    if (running > 0) rows.push({ name: 'refused', value: `${running} already running`, tone: 'warn' });
    return dialog(state, at, {
      title: `Start ${bots.length} bots`,
      rows,
      next: 'Each may place its first orders at once. The result of each is shown.',
      verb: `start ${bots.length} bots`,
      word: `start ${bots.length}`,
      action,
    });
  }
  return dialog(state, at, {
    title: 'Start bot',
    rows: [
      { name: 'account', value: bot.exchange },
      botRow(bot),
      marketRow(state, bot),
      ...(trades(bot) ? tradeRows(bot) : []),
      ...warnings.slice(0, 2).map((value): InfoRow => ({ name: 'note', value, tone: 'warn' })),
    ],
    next: startWords(bot),
    verb: 'start this bot',
    action,
  });
}

function tradeRows(bot: BotView): InfoRow[] {
  const { stop } = bot.settings;
  const stops = Array.isArray(stop) ? stop.length : stop === undefined ? 0 : 1;
  const own = bot.type === 'ALGO' && bot.settings.stopLoss !== undefined;
  return [
    {
      name: 'side',
      value:
        bot.type === 'ALGO'
          ? String(bot.settings.side)
          : isShort(bot)
            ? 'short: sells first'
            : 'long: buys first',
      tone: isShort(bot) || bot.settings.side === 'SELL' ? 'sell' : 'buy',
    },
    { name: 'deposit', value: depositWords(bot) },
    protectionRow(bot, stops, own),
    { name: 'fee', value: 'of each order as it fills' },
  ];
}

function protectionRow({ settings }: BotView, rules: number, own: boolean): InfoRow {
  if (own) return { name: 'stops', value: 'its own stop' };
  if (rules > 0) return { name: 'stops', value: `${rules} rule${rules === 1 ? '' : 's'}` };
  const edge = settings.short === true ? settings.stopAbove : settings.stopBelow;
  if (typeof edge === 'string' || typeof edge === 'number') {
    const then = settings.sellOnExit === true ? 'and sells' : 'and keeps what it holds';
    return { name: 'stops', value: `ends beyond ${exact(String(edge))} ${then}` };
  }
  return { name: 'stops', value: 'none: nothing limits a loss', tone: 'warn' };
}

/** What a start does first. */
export function startWords({ type, settings }: BotView): string {
  switch (type) {
    case 'SQUEEZE': {
      const { buy } = blockOf(blockOf(settings, 'price'), 'percent');
      const usual = settings.short === true ? 'high' : 'low';
      const edge = typeof settings.trailingEdge === 'string' ? settings.trailingEdge : usual;
      return `Its first order rests from the next candle close on, ${String(buy ?? MISSING)} % ${settings.short === true ? 'above' : 'below'} that candle’s ${edge}.`;
    }
    case 'FIBO':
      return 'Levels below the price are ordered at once; levels above wait until the price has been there.';
    case 'CHANNEL':
      return settings.flavor === 'SCALE'
        ? 'The base order goes out at once, safety orders below it.'
        : 'Levels below the price are ordered at once; the others wait until the price has been there.';
    case 'INTRADAY':
      return `It waits for the ${settings.mode === 'breakout' ? 'break of' : 'touch of'} its level, then enters with the whole deposit.`;
    case 'ALGO':
      return settings.algo === 'twap'
        ? 'The first slice goes out at once.'
        : settings.algo === 'tpsl'
          ? 'Take-profit and stop for what is held are placed at once.'
          : 'Its entry goes out at once; take-profit and stop follow its fills.';
    default:
      return 'It places no orders; it tells on the Alerts screen and where its settings say.';
  }
}

/** Orders of a run, by what a clean-up does with them. */
export function cleanedUp(
  bot: BotView,
  orders: readonly OrderView[],
  cleanup: BotStopForm['cleanup'],
): { readonly cancelled: readonly OrderView[]; readonly left: readonly OrderView[] } {
  const entry = isShort(bot) || bot.settings.side === 'SELL' ? 'SELL' : 'BUY';
  const goes = (order: OrderView) =>
    cleanup === 'cancelAllOrders' || (cleanup === 'cancelBuyOrders' && order.side === entry);
  return { cancelled: orders.filter(goes), left: orders.filter((order) => !goes(order)) };
}

/** The rows of a stop: orders that go and stay, what is sold or kept. The form shows them while it is filled in. */
export function stopRows(state: DeskState, form: BotStopForm): InfoRow[] {
  const bots = form.runs.flatMap(([id]) => state.bots[id] ?? []);
  const [bot] = bots;
  if (!bot) return [{ name: 'bot', value: 'gone', tone: 'warn' }];
  const parts = bots.map((one) => cleanedUp(one, ordersOf(state.orders, one.id), form.cleanup));
  const cancelled = parts.flatMap((part) => part.cancelled);
  const left = parts.flatMap((part) => part.left);
  const head =
    bots.length > 1
      ? manyRows(bots)
      : [{ name: 'account', value: bot.exchange }, botRow(bot), marketRow(state, bot)];
  return [
    ...head,
    { name: 'cancelled', value: ordersWords(cancelled) },
    ...(left.length > 0 ? [{ name: 'stay', value: ordersWords(left), tone: 'warn' } as const] : []),
    ...(bots.length === 1 ? heldRows(state, bot, form) : sumRows(bots, form.sell)),
  ];
}

function ordersWords(orders: readonly OrderView[]): string {
  if (orders.length === 0) return 'no orders';
  const words = orders
    .slice(0, 3)
    .map((order) => `${order.side} ${exact(order.origQty)} at ${exact(mainPrice(order))}`);
  const more = orders.length > 3 ? `, and ${orders.length - 3} more` : '';
  return `${orders.length}: ${words.join(', ')}${more}`;
}

function heldRows(state: DeskState, bot: BotView, { sell, detail }: BotStopForm): InfoRow[] {
  if (!trades(bot)) return [];
  const live = detail?.bot.id === bot.id ? detail.live : undefined;
  if (!live) return [{ name: 'position', value: detail ? 'nothing' : 'asking …' }];
  if (live.lots.length === 0) return [{ name: 'position', value: 'nothing: there is nothing to sell' }];
  const held = live.lots.reduce((sum, lot) => sum + (read(lot.qty) ?? 0n), 0n);
  const last = state.prices[live.symbol]?.last;
  const price = read(last);
  const notional = price === null ? MISSING : amount(str(mul(held, price)), 2);
  const open = read(bot.stats?.unrealised);
  const pnl = open === null ? MISSING : signed(open, 2);
  return [
    {
      name: 'position',
      value: `${exact(str(held))} ${live.symbol}, entry ${pricesOf(bot, state)(live.averageEntry)}`,
    },
    {
      name: sell ? (isShort(bot) ? 'bought back' : 'sold') : 'kept',
      value: `${notional} at ${exact(last)}, PnL ${pnl} before the fee`,
      tone: sell ? 'danger' : 'warn',
    },
  ];
}

function sumRows(bots: readonly BotView[], sell: boolean): InfoRow[] {
  const profit = runningProfit(bots);
  const what = sell ? 'sold at market, each its own' : 'kept';
  return [
    {
      name: 'positions',
      value: `${what}; PnL together ${profit?.text ?? MISSING}`,
      tone: sell ? 'danger' : 'warn',
    },
  ];
}

export function confirmStop(state: DeskState, form: BotStopForm, at: number): ConfirmDialog {
  const bots = form.runs.flatMap(([id]) => state.bots[id] ?? []);
  const many = form.runs.length > 1;
  const symbol = bots[0] ? symbolOf(bots[0]) : '';
  const safe = /^[\x21-\x7e]{1,20}$/.test(symbol) ? symbol : 'position';
  const way = {
    cleanup: form.cleanup,
    ...(form.sell ? { action: 'stop_and_sell' as const } : {}),
    ...(form.force ? { force: true } : {}),
  };
  const word = many
    ? `${form.sell ? 'sell' : 'stop'} ${form.runs.length}`
    : form.sell
      ? `sell ${safe}`
      : undefined;
  const sold = form.sell ? 'sold at market' : 'kept as it is';
  const forced = form.force ? ' It counts as stopped at once; the clean-up goes on behind it.' : '';
  return dialog(state, at, {
    title: many ? `Stop ${form.runs.length} bots` : 'Stop bot',
    rows: stopRows(state, form),
    next: `The run ends and is not taken up again; what it holds is ${sold}.${forced}`,
    verb: many ? `stop ${form.runs.length} bots` : form.sell ? 'stop and sell' : 'stop this bot',
    word,
    action: { type: 'bots-stop', runs: form.runs, way },
  });
}

export function confirmDelete(state: DeskState, bots: readonly BotView[], at: number): ConfirmDialog {
  const running = bots.filter(isRunning);
  const [bot] = bots;
  const many = bots.length > 1 || !bot;
  const open = running.reduce((sum, one) => sum + ordersOf(state.orders, one.id).length, 0);
  const rows = many
    ? manyRows(bots)
    : [{ name: 'account', value: bot.exchange }, botRow(bot), marketRow(state, bot)];
  if (!many) {
    const sum = profitOf(bot);
    rows.push(
      { name: 'status', value: bot.status },
      { name: 'PnL', value: sum === null ? MISSING : signed(sum, 2) },
    );
  }
  if (running.length > 0) {
    const which = many ? `${running.length} of them are` : 'it is';
    rows.push({
      name: 'running',
      value: `${which} stopped first: ${open} open orders are cancelled, what is held is kept`,
      tone: 'warn',
    });
  }
  const what = many ? `${bots.length} bots` : 'this bot';
  return dialog(state, at, {
    title: many ? `Delete ${bots.length} bots` : 'Delete bot',
    rows,
    next: 'Its settings, runs, notices and alerts are deleted for good; orders and fills stay.',
    verb: `${running.length > 0 ? 'stop and delete' : 'delete'} ${what}`,
    word: many ? `delete ${bots.length}` : `delete ${shortId(bot.id)}`,
    action: { type: 'bots-delete', ids: bots.map(({ id }) => id), running: running.map(({ id }) => id) },
  });
}

const RULE_VERBS = {
  add_stoploss: ['Add stop rule', 'add this rule'],
  update_stoploss: ['Change stop rule', 'change this rule'],
  delete_stoploss: ['Delete stop rule', 'delete this rule'],
} as const;

export function confirmRule(
  state: DeskState,
  bot: BotView,
  form: BotRuleForm,
  params: Readonly<Record<string, unknown>>,
  at: number,
): ConfirmDialog {
  const [title, verb] = RULE_VERBS[form.command];
  const { strategy, trigger, order, complete, disabled } = params as Record<string, unknown>;
  const type = blockOf({ trigger }, 'trigger').type;
  const value = form.strategy === 'fixed' ? form.stopPrice : form.value;
  const live = form.detail?.live;
  const rows: InfoRow[] = [
    { name: 'account', value: bot.exchange },
    botRow(bot),
    marketRow(state, bot),
    {
      name: 'position',
      value: live ? `${live.lots.length} lots, PnL ${shortMoney(bot.stats?.unrealised ?? MISSING)}` : MISSING,
    },
    {
      name: 'rule',
      value: `${String(strategy)} ${value.trim()}, looked at ${type === 'exchange' ? 'by the exchange' : 'on candles'}`,
    },
    {
      name: 'sells',
      value: `${complete === true ? 'the whole position' : 'the newest lot'} by ${String(blockOf({ order }, 'order').type ?? 'MARKET')}`,
    },
  ];
  if (disabled === true) rows.push({ name: 'disabled', value: 'it is kept and shown only', tone: 'warn' });
  return dialog(state, at, {
    title,
    rows,
    next:
      form.command === 'delete_stoploss'
        ? 'It no longer protects this run; the settings keep it for the next one.'
        : 'It holds for this run only; the settings stay as they are.',
    verb,
    action: { type: 'bot-message', id: form.id, runId: form.runId, message: form.command, params },
  });
}

/** Leaving with bots running. */
export function confirmLeave(state: DeskState, running: readonly BotView[], at: number): ConfirmDialog {
  const profit = runningProfit(running);
  const open = running.reduce((sum, bot) => sum + ordersOf(state.orders, bot.id).length, 0);
  const one = running.length === 1;
  return dialog(state, at, {
    title: `Stop the desk with ${running.length} bot${one ? '' : 's'} running`,
    rows: [
      ...manyRows(running),
      { name: 'orders', value: `${open} of theirs stay at the exchange`, tone: 'warn' },
      { name: 'PnL', value: profit?.text ?? MISSING },
    ],
    next: `${one ? 'It stands' : 'They stand'} still until the desk is started again: nothing is entered, no stop is looked at that does not rest at the exchange. Esc, then d, leaves without that.`,
    verb: 'stop the desk',
    word: 'stop',
    action: { type: 'stop-desk' },
  });
}
