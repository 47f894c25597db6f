/**
 * Attached exits: an entry with a take-profit and a stop, or the same pair for something held. One cancels
 * the other; they are carried out by a bot that the desk creates and deletes itself (S60). Pure.
 */
import type { DeskState, Params } from '../../../desk/console/protocol.ts';
import { type Dec, dec, mul, str, ZERO } from '../../../domain/decimal.ts';
import { exitsBot } from '../../../schemas/bots/index.ts';
import type { CreateOrder } from '../../../schemas/order.ts';
import { question } from '../../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../../state/ui.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { isOpen } from '../../trading/orders.ts';
import { exact, onStep, read, signed } from '../../ui/format.ts';
import type { Bracket } from './bracket.ts';

export type ManagedBot = Params<'bots.manage'>['bot'];

export interface Exits {
  /** Prices as decimal strings; empty: none. */
  readonly takeProfit: string;
  readonly stopLoss: string;
}

export function hasExits({ takeProfit, stopLoss }: Exits): boolean {
  return takeProfit.trim() !== '' || stopLoss.trim() !== '';
}

/** The bot for a ticket with exits; a text instead: why there can be none. */
export function botForExits(order: Partial<CreateOrder>, exits: Exits): ManagedBot | string {
  const { type = '', exchange = '', symbol = '', side = 'BUY', quantity } = order;
  const wrong = pairProblem(exits) ?? entryProblem(order);
  if (wrong !== null) return wrong;
  if (quantity === undefined) return 'an entry with exits needs a quantity in base units';
  const { price, stopPrice } = order;
  const entry = {
    type,
    ...(type === 'LIMIT' ? { price } : {}),
    ...(type === 'STOP_MARKET' ? { stopPrice } : {}),
  };
  return exitsBot({ exchange, symbol, side, quantity, entry, ...exits });
}

/** The bot for a pair of exits for something held. `side`: that of the exits. */
export function pairOn(
  held: {
    readonly exchange: string;
    readonly symbol: string;
    readonly side: 'BUY' | 'SELL';
    readonly quantity: string;
  },
  exits: Exits,
): ManagedBot | string {
  const wrong = pairProblem(exits);
  return wrong ?? exitsBot({ ...held, ...exits });
}

function pairProblem({ takeProfit, stopLoss }: Exits): string | null {
  if (takeProfit === '' || stopLoss === '')
    return `take-profit and stop go together, the one cancels the other: write the ${takeProfit === '' ? 'take-profit' : 'stop'} too`;
  return null;
}

/** Why an entry cannot have exits: the bot behind them does not support it; null: it can. */
function entryProblem(order: Partial<CreateOrder>): string | null {
  const { type = '', trailingDelta, timeInForce, icebergQty, reduceOnly, closePosition } = order;
  const not = (what: string) => `${what} takes no exits: use LIMIT, MARKET or STOP_MARKET, or leave them out`;
  if (trailingDelta !== undefined) return not('a trailing stop');
  if (type !== 'LIMIT' && type !== 'MARKET' && type !== 'STOP_MARKET') return not(type);
  if (reduceOnly === true || closePosition === true) return not('an order that only closes');
  if (timeInForce !== undefined && timeInForce !== 'GTC') return not(`an order that is ${timeInForce}`);
  return icebergQty === undefined ? null : not('an iceberg order');
}

/**
 * The question before an entry with exits, or a pair for something held. `rows`: the rows above the exits.
 */
export function confirmExits(
  state: DeskState,
  bot: ManagedBot,
  rows: readonly InfoRow[],
  words: { readonly title: string; readonly next: string; readonly verb: string },
): ConfirmDialog {
  const { exchange, symbol, takeProfit, stopLoss } = bot.settings as Readonly<Record<string, unknown>>;
  const tick = instrumentOf(state.instruments, {
    exchange: String(exchange),
    symbol: String(symbol),
  })?.tickSize;
  const at = (exit: unknown) => onStep((exit as { readonly price: string }).price, tick);
  return question(state, {
    title: words.title,
    rows: [
      ...rows,
      { name: 'take-profit', value: `at ${at(takeProfit)}, LIMIT`, tone: 'ok' },
      { name: 'stop', value: `at ${at(stopLoss)}, at market; held by this desk`, tone: 'warn' },
    ],
    next: words.next,
    verb: words.verb,
    action: { type: 'exits', bot },
  });
}

/** Quantity that the exits watch, in base units: the filled entry, less what the exits have sold. */
function heldBy({ head, others, entry }: Bracket): Dec {
  const sold = [head, ...others]
    .filter((order) => order !== entry)
    .reduce((sum, { executedQty }) => sum + (read(executedQty) ?? ZERO), ZERO);
  const held = (read(entry ? entry.executedQty : head.origQty) ?? ZERO) - sold;
  return held > ZERO ? held : ZERO;
}

/** The question before an entry is cancelled with its exits, or a pair of exits is removed. */
export function confirmExitsOff(state: DeskState, bracket: Bracket): ConfirmDialog {
  const { head, entry, takeProfit, stopLoss, bot, runId } = bracket;
  const { exchange, symbol } = head;
  const instrument = instrumentOf(state.instruments, head);
  const tick = instrument?.tickSize;
  const held = heldBy(bracket);
  const holds = held > ZERO;
  const waits = entry !== null && isOpen(entry);
  const rows: InfoRow[] = [
    ...(holds
      ? [
          {
            name: 'protects',
            value: `${exact(str(held))} ${instrument?.base ?? symbol}: it will stand without this stop`,
            tone: 'danger',
          } as const,
        ]
      : []),
    { name: 'account', value: exchange },
    ...(entry
      ? [
          {
            name: 'entry',
            value: `${entry.side} ${exact(entry.origQty)} ${symbol} ${entry.type}, ${exact(entry.executedQty)} filled`,
            tone: entry.side === 'BUY' ? 'buy' : 'sell',
          } as const,
        ]
      : [{ name: 'pair', value: `${exact(head.origQty)} ${symbol}` }]),
    { name: 'take-profit', value: `at ${onStep(takeProfit, tick)}` },
    { name: 'stop', value: `at ${onStep(stopLoss, tick)}, held by this desk` },
  ];
  return question(state, {
    title: waits ? 'Cancel the entry with its exits' : 'Take the exits off',
    rows,
    next: holds
      ? `${waits ? 'The rest of the entry and both' : 'Both'} exits go. What is held stays as it is, and nothing watches it.`
      : 'The entry is taken off the book, and its exits are not watched any more.',
    verb: waits ? 'cancel the entry and its exits' : 'take the exits off',
    keep: 'Keep it',
    action: { type: 'exits-off', bot, runId, symbol },
  });
}

/** Result of either exit for a size and an entry price: `+120.00 / -60.00 USDT before fees`. */
export function outcomeWords(
  { side, quantity, price }: { readonly side: string; readonly quantity: string; readonly price: string },
  { takeProfit, stopLoss }: Exits,
  quote: string,
): string {
  const of = (exit: string) => {
    const gain = mul(side === 'BUY' ? dec(exit) - dec(price) : dec(price) - dec(exit), dec(quantity));
    return signed(gain, 2);
  };
  return `${of(takeProfit)} / ${of(stopLoss)} ${quote} before fees`;
}

export interface ExitsAction {
  readonly type: 'exits';
  readonly bot: ManagedBot;
}

declare module '../../state/ui.ts' {
  interface Actions {
    readonly exits: ExitsAction;
  }
}
