/** What a stop of bots does with their orders and positions, for the form and for its confirmation. Pure. */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import { mul, str } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { isShort, ordersOf, symbolOf, trades } from '../trading/bots.ts';
import { mainPrice } from '../trading/orders.ts';
import { priceOf } from '../trading/prices.ts';
import { amount, counted, exact, MISSING, read, signed } from '../ui/format.ts';
import { runningProfit } from './bot-columns.ts';
import { botRow, manyRows, marketRow } from './bot-confirmations.ts';
import { pricesOf } from './bot-detail.ts';
import type { BotStopForm } from './bot-forms.ts';

/** Splits a run's orders into those that a clean-up cancels and those that it leaves. */
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

/** The rows of a stop, for form and confirmation: orders that go and stay, what is sold or kept. */
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
  const last = priceOf(state, bot.exchange, live.symbol)?.last;
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

export function confirmStop(state: DeskState, form: BotStopForm): ConfirmDialog {
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
  return question(state, {
    title: many ? `Stop ${counted(form.runs.length, 'bot')}` : 'Stop bot',
    rows: stopRows(state, form),
    next: `The run ends and is not taken up again; what it holds is ${sold}.${forced}`,
    keep: many ? 'Let them run' : 'Let it run',
    verb: many ? `stop ${counted(form.runs.length, 'bot')}` : form.sell ? 'stop and sell' : 'stop this bot',
    word,
    action: { type: 'bots-stop', runs: form.runs, way },
  });
}
