/**
 * Attached exits: an entry with a take-profit and a stop, and the same pair on what is held. One cancels the other; underneath is a
 * bot that the desk makes and takes away again (S60). Pure.
 */
import type { DeskState, Params } from '../../../desk/console/protocol.ts';
import { dec, mul } from '../../../domain/decimal.ts';
import { exitsBot } from '../../../schemas/bots/index.ts';
import type { CreateOrder } from '../../../schemas/order.ts';
import { question } from '../../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../../state/ui.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { onStep, signed } from '../../ui/format.ts';

export type ManagedBot = Params<'bots.manage'>['bot'];

export interface Exits {
  /** Decimal strings; empty: none. */
  readonly takeProfit: string;
  readonly stopLoss: string;
}

export function hasExits({ takeProfit, stopLoss }: Exits): boolean {
  return takeProfit.trim() !== '' || stopLoss.trim() !== '';
}

/** What a ticket with exits asks for; a text: why it cannot. */
export function bracketOf(order: Partial<CreateOrder>, exits: Exits): ManagedBot | string {
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

/** The pair on what is held. `side`: of the exit. */
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

/** Entries that the bracket underneath does not know. */
function entryProblem(order: Partial<CreateOrder>): string | null {
  const { type = '', trailingDelta, timeInForce, icebergQty, reduceOnly, closePosition } = order;
  const not = (what: string) => `${what} takes no exits: use LIMIT, MARKET or STOP_MARKET, or leave them out`;
  if (trailingDelta !== undefined) return not('a trailing stop');
  if (type !== 'LIMIT' && type !== 'MARKET' && type !== 'STOP_MARKET') return not(type);
  if (reduceOnly === true || closePosition === true) return not('an order that only closes');
  if (timeInForce !== undefined && timeInForce !== 'GTC') return not(`an order that is ${timeInForce}`);
  return icebergQty === undefined ? null : not('an iceberg order');
}

/** The question before an entry with exits, or a pair on what is held. `rows`: what comes before the exits. */
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

/** What the exits of a size come to from an entry: `+120.00 / -60.00 USDT before fees`. */
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
