/** The texts of the Bots screen's confirmations: whose money, what is asked, what happens next. Pure. */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import type { NewBot } from '../../domain/bot.ts';
import { str } from '../../domain/decimal.ts';
import { wordsOf } from '../../schemas/bots/index.ts';
import { question } from '../dialogs/question.ts';
import type { Action, ConfirmDialog, InfoRow } from '../state/ui.ts';
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
} from '../trading/bots.ts';
import { priceOf } from '../trading/prices.ts';
import { counted, exact, MISSING, read, signed } from '../ui/format.ts';
import { runningProfit, shortMoney } from './bot-columns.ts';
import { depositWords } from './bot-detail.ts';
import type { BotRuleForm } from './bot-forms.ts';
import { valueText } from './bot-rules.ts';
import { heldHere } from './held-here.ts';

const NAMED = 6;

export function botRow(bot: BotView): InfoRow {
  const name = givenName(bot);
  const which = name === '' ? shortId(bot.id) : `${name} (${shortId(bot.id)})`;
  return { name: 'bot', value: `${which}, ${bot.type}` };
}

export function marketRow(state: DeskState, bot: BotView): InfoRow {
  const symbol = symbolOf(bot);
  return {
    name: 'market',
    value: `${symbol || MISSING}, last ${exact(priceOf(state, bot.exchange, symbol)?.last)}`,
  };
}

/** The rows that name several bots. */
export function manyRows(bots: readonly BotView[]): InfoRow[] {
  const names = bots.slice(0, NAMED).map((bot) => `${botName(bot)} ${symbolOf(bot)}`);
  const more = bots.length > NAMED ? ` and ${bots.length - NAMED} more` : '';
  return [
    { name: 'accounts', value: [...new Set(bots.map(({ exchange }) => exchange))].join(', ') },
    { name: 'bots', value: `${bots.length}: ${names.join(', ')}${more}` },
  ];
}

export function confirmCreate(state: DeskState, bot: NewBot, problems: readonly string[]): ConfirmDialog {
  const shown = { ...bot, settings: bot.settings };
  const rows: InfoRow[] = [
    { name: 'account', value: String(bot.settings.exchange) },
    { name: 'bot', value: `${bot.type}${bot.tag ? ` ${bot.tag}` : ''}` },
    { name: 'symbol', value: symbolOf(shown) || MISSING },
    { name: 'deposit', value: depositOf(shown) ?? (trades(bot) ? MISSING : 'none: it does not trade') },
  ];
  if (problems.length > 0) {
    const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
    rows.push({ name: 'problem', value: `${problems[0]}${more}`, tone: 'warn' });
  }
  return question(state, {
    title: 'Create bot',
    rows,
    next:
      problems.length > 0
        ? 'It is kept as NEW. With these settings it would not start.'
        : 'It is kept as NEW; nothing is ordered until it is started.',
    verb: 'create this bot',
    action: { type: 'bot-create', bot },
  });
}

export function confirmStart(
  state: DeskState,
  bots: readonly BotView[],
  warnings: readonly string[],
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
    return question(state, {
      title: `Start ${counted(bots.length, 'bot')}`,
      rows,
      next: 'Each may place its first orders at once. The result of each is shown.',
      verb: `start ${counted(bots.length, 'bot')}`,
      word: `start ${bots.length}`,
      action,
    });
  }
  return question(state, {
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
  const { side, hasOwnStop } = wordsOf(bot.type);
  const own = hasOwnStop?.(bot.settings) === true;
  return [
    {
      name: 'side',
      value: side ? String(side(bot.settings)) : isShort(bot) ? 'short: sells first' : 'long: buys first',
      tone: isShort(bot) || bot.settings.side === 'SELL' ? 'sell' : 'buy',
    },
    { name: 'deposit', value: depositWords(bot) },
    { name: 'notional', value: notionalWords(bot) },
    protectionRow(bot, stops, own),
    { name: 'fee', value: 'of each order as it fills' },
  ];
}

/** The largest total value of a run's open orders, as far as the settings say it. */
function notionalWords({ settings }: BotView): string {
  const { value, asset, strategy, leverage } = blockOf(settings, 'deposit');
  const amountOf = read(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : null);
  if (amountOf === null) return MISSING;
  const times = typeof leverage === 'number' && Number.isInteger(leverage) ? leverage : 1;
  const most = exact(str(amountOf * BigInt(times)));
  return strategy === 'percent'
    ? `up to ${most} % of the free balance at the start`
    : `up to ${most} ${typeof asset === 'string' ? asset : ''}`;
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

/** What the bot does first after its start. */
export function startWords({ type, settings }: BotView): string {
  return wordsOf(type).startWords(settings);
}

export function confirmDelete(state: DeskState, bots: readonly BotView[]): ConfirmDialog {
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
      value: `${which} stopped first: ${counted(open, 'open order')} ${open === 1 ? 'is' : 'are'} cancelled, what is held is kept`,
      tone: 'warn',
    });
  }
  const what = many ? counted(bots.length, 'bot') : 'this bot';
  return question(state, {
    title: many ? `Delete ${counted(bots.length, 'bot')}` : 'Delete bot',
    rows,
    next: 'Its settings, runs, notices and alerts are deleted for good; orders and fills stay.',
    keep: bots.length === 1 ? 'Keep it' : 'Keep them',
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
): ConfirmDialog {
  const [title, verb] = RULE_VERBS[form.command];
  const { strategy, trigger, order, complete, disabled } = params as Record<string, unknown>;
  const { type, value: level } = blockOf({ trigger }, 'trigger');
  const value = valueText(level) || valueText(blockOf({ order }, 'order').stopPrice);
  const live = form.detail?.live;
  const rows: InfoRow[] = [
    { name: 'account', value: bot.exchange },
    botRow(bot),
    marketRow(state, bot),
    {
      name: 'position',
      value: live
        ? `${counted(live.lots.length, 'lot')}, PnL ${shortMoney(bot.stats?.unrealised ?? MISSING)}`
        : MISSING,
    },
    {
      name: 'rule',
      value: `${String(strategy)} ${value}, looked at ${type === 'exchange' ? 'by the exchange' : 'on candles'}`,
    },
    {
      name: 'sells',
      value: `${complete === true ? 'the whole position' : 'the newest lot'} by ${String(blockOf({ order }, 'order').type ?? 'MARKET')}`,
    },
  ];
  if (disabled === true) rows.push({ name: 'disabled', value: 'it is kept and shown only', tone: 'warn' });
  return question(state, {
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

/** The question when the person leaves while bots run. */
export function confirmLeave(state: DeskState, running: readonly BotView[]): ConfirmDialog {
  const profit = runningProfit(running);
  const open = running.reduce((sum, bot) => sum + ordersOf(state.orders, bot.id).length, 0);
  const one = running.length === 1;
  return question(state, {
    title: `Stop the desk with ${counted(running.length, 'bot')} running`,
    rows: [
      ...manyRows(running),
      { name: 'orders', value: `${open} of theirs stay at the exchange`, tone: 'warn' },
      ...heldHere(state).map((value) => ({ name: 'this desk', value, tone: 'danger' as const })),
      { name: 'PnL', value: profit?.text ?? MISSING },
    ],
    next: `${one ? 'It stands' : 'They stand'} still until the desk is started again: nothing is entered, no stop is looked at that does not rest at the exchange. Esc, then d, leaves without that.`,
    verb: 'stop the desk',
    word: 'stop',
    action: { type: 'stop-desk' },
  });
}
