/**
 * Positions of contracts computed from fills, and their trades from open to flat. The realised PnL that the
 * exchange reports with a fill is taken as it is: the cost of the rest follows from it. Pure.
 */
import { type Dec, dec, div, mul, ZERO } from '../../domain/decimal.ts';
import type { LedgerRecord } from '../../domain/ledger.ts';
import { mulDiv } from '../../domain/margin/fill.ts';
import { abs } from '../../domain/margin/position.ts';
import { positionKey } from '../../domain/position.ts';
import type { PositionSide } from '../../schemas/order.ts';
import { type ClosedTrade, OpenTrade, shareOf, type TradeFill } from './closed-trade.ts';

interface BookPosition {
  readonly account: string;
  readonly symbol: string;
  /** Signed size. */
  amount: Dec;
  /** Signed sum of price x size over the open part, in the quote asset. */
  cost: Dec;
  /** Price of its last fill: used where no mark is known. */
  price: Dec;
  trade: OpenTrade | null;
}

/** The result of a contract's fill. */
export interface ContractFill {
  readonly qty: Dec;
  /** Realised PnL as the exchange reports it, in the quote asset; null: not reported. */
  readonly told: Dec | null;
  /** The same in dollars; `fees` are in dollars too. */
  readonly value: Dec;
  readonly fees: Dec;
  /** Dollars for one unit of the quote asset. */
  readonly rate: Dec;
}

export class PositionBook {
  readonly #positions = new Map<string, BookPosition>();
  readonly #closed: (trade: ClosedTrade) => void;

  constructor(closed: (trade: ClosedTrade) => void) {
    this.#closed = closed;
  }

  /** Returns the signed sizes by account and `positionKey`; flat positions are left out. */
  sizes(): Map<string, Dec> {
    const open = [...this.#positions].filter(([, { amount }]) => amount !== ZERO);
    return new Map(open.map(([key, { amount }]) => [key, amount]));
  }

  fill(fill: TradeFill, { qty, told, value, fees, rate }: ContractFill): void {
    const position = this.#position(fill.account, fill.symbol, fill.posSide);
    const { amount, cost } = position;
    const signed = fill.side === 'BUY' ? qty : -qty;
    const against = amount !== ZERO && amount > ZERO !== signed > ZERO;
    const held = abs(amount);
    const closed = against ? (qty < held ? qty : held) : ZERO;
    const opened = qty - closed;
    position.amount += signed;
    position.price = fill.price;
    if (!against) position.cost += mul(signed, fill.price);
    else if (closed === held) position.cost = mul(position.amount, fill.price);
    else if (told === null) position.cost -= mulDiv(cost, closed, held);
    else position.cost += mul(signed, fill.price) + told;
    if (closed > ZERO && position.trade) {
      position.trade.leave(fill, closed, value);
      position.trade.pay(fill, shareOf(fees, closed, qty));
      if (closed === held) {
        this.#closed(position.trade.close('futures', rate));
        position.trade = null;
      }
    }
    if (opened > ZERO) {
      position.trade ??= new OpenTrade(fill, signed > ZERO ? 'LONG' : 'SHORT');
      position.trade.enter(opened, fill.price);
      position.trade.pay(fill, closed === ZERO ? fees : fees - shareOf(fees, closed, qty));
    }
    this.#forgetFlat(fill.account, fill.symbol, fill.posSide);
  }

  /**
   * Books funding, which is reported by symbol: it belongs to the only position there; where both sides are
   * open, to neither trade.
   */
  fund(account: string, symbol: string, value: Dec): void {
    const sides = (['BOTH', 'LONG', 'SHORT'] as const).flatMap(
      (side) => this.#positions.get(`${account} ${positionKey(symbol, side)}`) ?? [],
    );
    const [only, other] = sides;
    if (only?.trade && !other) only.trade.funding += value;
  }

  /**
   * Sets the position that a ledger row states. Returns, in dollars, how much more it is worth than the one
   * computed from the fills.
   */
  set(
    record: LedgerRecord,
    { account, symbol, time, rate }: { account: string; symbol: string; time: number; rate: Dec },
    mark: () => Dec | null,
  ): Dec {
    const side = sideOf(record);
    const position = this.#position(account, symbol, side);
    const amount = dec(record.amount);
    const known = mark();
    const price =
      known ??
      (record.cost === undefined || amount === ZERO ? position.price : div(dec(record.cost), amount));
    const before = mul(position.amount, price) - position.cost;
    position.cost = record.cost === undefined ? mul(amount, price) : dec(record.cost);
    position.amount = amount;
    position.price = price;
    const after = mul(amount, price) - position.cost;
    position.trade = null;
    if (amount !== ZERO) {
      const first = {
        account,
        symbol,
        orderId: '',
        side: 'BUY',
        posSide: side,
        price,
        time,
        bot: null,
      } as const;
      position.trade = new OpenTrade(first, amount > ZERO ? 'LONG' : 'SHORT');
      position.trade.enterFor(abs(amount), position.cost);
    }
    this.#forgetFlat(account, symbol, side);
    return mul(after, rate) - mul(before, rate);
  }

  /**
   * Returns the unrealised PnL of each position in its quote asset, at the marks of a moment; where none is
   * known, at the price of the last fill.
   */
  *unrealised(
    mark: (account: string, symbol: string) => Dec | null,
  ): Generator<{ readonly account: string; readonly symbol: string; readonly inQuote: Dec }> {
    for (const { account, symbol, amount, cost, price } of this.#positions.values())
      yield { account, symbol, inQuote: mul(amount, mark(account, symbol) ?? price) - cost };
  }

  #position(account: string, symbol: string, side: PositionSide): BookPosition {
    const key = `${account} ${positionKey(symbol, side)}`;
    const known = this.#positions.get(key);
    if (known) return known;
    const made: BookPosition = { account, symbol, amount: ZERO, cost: ZERO, price: ZERO, trade: null };
    this.#positions.set(key, made);
    return made;
  }

  #forgetFlat(account: string, symbol: string, side: PositionSide): void {
    const key = `${account} ${positionKey(symbol, side)}`;
    if (this.#positions.get(key)?.amount === ZERO) this.#positions.delete(key);
  }
}

/** Returns the side of a row; in a row of an older store only the id contains it. */
function sideOf({ id, posSide }: LedgerRecord): PositionSide {
  if (posSide !== undefined) return posSide;
  const last = id.split(' ').at(-1);
  return last === 'LONG' || last === 'SHORT' ? last : 'BOTH';
}
