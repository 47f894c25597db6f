/**
 * What a swap account holds and how, as last heard: positions, mark prices, tiers. Everything is in base
 * units here. OKX states tiers in contracts, so their value follows the mark price. In memory only.
 */

import {
  type Dec,
  dec,
  decOfInt,
  div,
  floorTo,
  maxDec,
  mul,
  ONE,
  str,
  toNumber,
  ZERO,
} from '../../domain/decimal.ts';
import type { ExchangeOrder } from '../../domain/exchange.ts';
import { type ExchangePosition, type LeverageBracket, positionKey } from '../../domain/position.ts';
import { hasToReduce } from '../kit/held-positions.ts';
import { type Listed, type Listing, quantityOf } from './instruments.ts';
import type { PositionRow, TierRow } from './messages.ts';
import { figure, positionSideOf } from './order-states.ts';

interface Tier {
  /** Bounds of the tier, base units. */
  readonly from: Dec;
  readonly to: Dec;
  readonly rate: string;
  readonly leverage: number;
}

/** Longest lag of an answer, ms. */
const LAG_MS = 5_000;

export class SwapFacts {
  readonly #listed: Listed;
  readonly #positions = new Map<string, ExchangePosition>();
  readonly #marks = new Map<string, string>();
  readonly #tiers = new Map<string, readonly Tier[]>();

  constructor(listed: Listed) {
    this.#listed = listed;
  }

  markPrice(symbol: string): string | null {
    return this.#marks.get(symbol) ?? null;
  }

  setMark(symbol: string, price: string): void {
    this.#marks.set(symbol, price);
  }

  setTiers(rows: readonly TierRow[]): void {
    const byFamily = Map.groupBy(rows, ({ instFamily }) => instFamily);
    for (const listing of this.#listed.all) {
      const of = byFamily.get(listing.family);
      if (!of) continue;
      const tiers = of.map(({ minSz, maxSz, mmr, maxLever }) => ({
        from: dec(quantityOf(listing, minSz)),
        to: dec(quantityOf(listing, maxSz)),
        rate: figure(mmr),
        leverage: wholeLeverage(maxLever),
      }));
      this.#tiers.set(
        listing.instrument.symbol,
        tiers.sort((a, b) => (a.from < b.from ? -1 : 1)),
      );
    }
  }

  hasTiers(symbol: string): boolean {
    return this.#tiers.has(symbol);
  }

  /**
   * Returns the brackets at the mark price; empty while that or the tiers are not known. A tier holds for the
   * whole position: nothing is deducted.
   */
  brackets(symbol: string): readonly LeverageBracket[] {
    const mark = dec(this.#marks.get(symbol) ?? '0');
    const tiers = this.#tiers.get(symbol) ?? [];
    if (mark === ZERO) return [];
    return tiers.map(({ from, to, rate, leverage }, at) => ({
      initialLeverage: leverage,
      notionalFloor: at === 0 ? '0' : str(mul(from, mark)),
      notionalCap: str(mul(to, mark)),
      maintenanceMarginRate: rate,
      cumulative: '0',
    }));
  }

  /**
   * Takes the answer to a position request and returns the positions that are not flat. `asOf`: the
   * exchange's time of the request, Unix ms.
   */
  all(rows: readonly PositionRow[], asOf: number): ExchangePosition[] {
    // An event may be newer than the answer.
    for (const [key, { updateTime }] of this.#positions)
      if (updateTime <= asOf - LAG_MS) this.#positions.delete(key);
    const told = new Map<string, ExchangePosition>();
    for (const row of rows) {
      const position = this.#of(row);
      if (!position || position.amount === '0') continue;
      const key = positionKey(position.symbol, position.side);
      // Positions traded here are crossed; an isolated one beside such a position was made elsewhere.
      if (!told.has(key) || position.marginType === 'CROSSED') told.set(key, position);
    }
    for (const [key, position] of told)
      if (position.updateTime >= (this.#positions.get(key)?.updateTime ?? 0))
        this.#positions.set(key, position);
    return [...told.values()];
  }

  /** Takes a position from an event: an absolute state with its time. Null: it is not traded here. */
  event(row: PositionRow): ExchangePosition | null {
    const position = this.#of(row);
    if (!position) return null;
    const key = positionKey(position.symbol, position.side);
    const known = this.#positions.get(key);
    // An isolated position beside a crossed one was made elsewhere.
    if (known && known.marginType === 'CROSSED' && position.marginType === 'ISOLATED') return null;
    if (known && known.updateTime > position.updateTime) return null;
    if (position.amount === '0') this.#positions.delete(key);
    else this.#positions.set(key, position);
    return position;
  }

  /** Whether there is a position that the order would reduce, as far as is known. */
  hasToReduce({ symbol, side, positionSide = 'BOTH' }: ExchangeOrder): boolean {
    return hasToReduce(this.#positions, symbol, side, positionSide);
  }

  #of(row: PositionRow): ExchangePosition | null {
    const listing = this.#listed.named(row.instId);
    if (!listing || row.instType !== 'SWAP') return null;
    const { symbol } = listing.instrument;
    const side = positionSideOf(row.posSide);
    const signed = dec(quantityOf(listing, row.pos || '0'));
    const amount = side === 'BOTH' ? signed : abs(signed);
    if (row.markPx) this.#marks.set(symbol, figure(row.markPx));
    const mark = this.#marks.get(symbol) ?? '0';
    const liquidation = figure(row.liqPx);
    return {
      symbol,
      side,
      amount: str(amount),
      entryPrice: figure(row.avgPx),
      breakEvenPrice: figure(row.bePx),
      markPrice: mark,
      unrealizedProfit: figure(row.upl),
      marginType: row.mgnMode === 'isolated' ? 'ISOLATED' : 'CROSSED',
      leverage: wholeLeverage(row.lever || '1'),
      isolatedWallet: row.mgnMode === 'isolated' ? figure(row.margin) : '0',
      liquidationPrice: dec(liquidation) <= ZERO ? null : liquidation,
      maintenanceMarginRate: this.#rateOf(listing, abs(amount)),
      maintenanceMargin: figure(row.mmr),
      // Without fees and funding.
      realizedPnl: figure(row.pnl),
      updateTime: Number(row.uTime),
    };
  }

  #rateOf({ instrument }: Listing, amount: Dec): string {
    const tier = this.#tiers.get(instrument.symbol)?.findLast(({ from }) => from <= amount);
    return tier?.rate ?? '0';
  }
}

/** Rounds leverage down to a whole number: OKX allows fractions (`2.5`). */
export function wholeLeverage(text: string): number {
  const whole = floorTo(maxDec(dec(text || '1'), ONE), ONE);
  return Math.min(125, toNumber(div(whole, decOfInt(1))));
}

function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}
