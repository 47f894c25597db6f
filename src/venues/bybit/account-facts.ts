/**
 * How the contracts of a unified account trade and which positions it holds, as last reported: margin mode,
 * position mode and leverage of each symbol, brackets, positions. In memory only.
 */

import { dec, str, ZERO } from '../../domain/decimal.ts';
import {
  type ExchangePosition,
  type LeverageBracket,
  type LeverageInfo,
  positionKey,
} from '../../domain/position.ts';
import type { MarginType, PositionSide, Side } from '../../schemas/order.ts';
import { hasToReduce, realize } from '../kit/held-positions.ts';
import { figure, priceOf } from './figures.ts';
import type { PositionRow } from './messages.ts';
import { sideOf } from './order-names.ts';

/** `marginMode` (DOC account/account-info). */
export type AccountMargin = 'REGULAR_MARGIN' | 'ISOLATED_MARGIN' | 'PORTFOLIO_MARGIN';

/** The longest lag of lists, ms. */
const LAG_MS = 5_000;

interface Symbol {
  readonly hedged: boolean;
  /** By side: in isolated hedge mode they may differ. */
  readonly leverage: ReadonlyMap<PositionSide, number>;
}

export class AccountFacts {
  margin: AccountMargin | null = null;
  /** The position mode of contracts in USDT, if the account has one mode for all; null: not known. */
  hedge: boolean | null = null;
  readonly #symbols = new Map<string, Symbol>();
  /** Symbols for which changes may have been missed since their modes were last reported. */
  readonly #doubted = new Set<string>();
  readonly #positions = new Map<string, ExchangePosition>();
  readonly #marks = new Map<string, string>();
  #brackets: ReadonlyMap<string, readonly LeverageBracket[]> = new Map();

  get marginType(): MarginType {
    return this.margin === 'ISOLATED_MARGIN' ? 'ISOLATED' : 'CROSSED';
  }

  setBrackets(all: ReadonlyMap<string, readonly LeverageBracket[]>): void {
    this.#brackets = all;
  }

  brackets(symbol: string): readonly LeverageBracket[] {
    return this.#brackets.get(symbol) ?? [];
  }

  markPrice(symbol: string): string | null {
    return this.#marks.get(symbol) ?? null;
  }

  /** Whether a symbol has a position for each side; null: never reported. */
  isHedged(symbol: string): boolean | null {
    return this.#symbols.get(symbol)?.hedged ?? null;
  }

  /** Whether the modes of a symbol are known, with no change missed. */
  knows(symbol: string): boolean {
    return this.#symbols.has(symbol) && !this.#doubted.has(symbol);
  }

  /**
   * Marks all modes and leverages as possibly changed elsewhere: they stay as last reported until reported
   * again.
   */
  doubtModes(): void {
    for (const symbol of this.#symbols.keys()) this.#doubted.add(symbol);
  }

  /** Forgets all modes, since every symbol may have another position mode now. */
  forgetModes(): void {
    this.#symbols.clear();
  }

  leverage(symbols: readonly string[]): LeverageInfo[] {
    return symbols.flatMap((symbol) => {
      const known = this.#symbols.get(symbol);
      if (!known) return [];
      const sides: readonly PositionSide[] = known.hedged ? ['LONG', 'SHORT'] : ['BOTH'];
      return sides.map((side) => ({
        symbol,
        side,
        leverage: known.leverage.get(side) ?? [...known.leverage.values()][0] ?? 1,
        marginType: this.marginType,
        realizedPnl: this.#positions.get(positionKey(symbol, side))?.realizedPnl ?? '0',
      }));
    });
  }

  setLeverage(symbol: string, leverage: number): void {
    const known = this.#symbols.get(symbol);
    if (!known) return;
    const sides = [...known.leverage.keys()];
    this.#symbols.set(symbol, { ...known, leverage: new Map(sides.map((side) => [side, leverage])) });
  }

  /**
   * Takes the answer to a question for all open positions and returns those that are not flat. `asOf`: the
   * exchange's time when it was asked, Unix ms.
   */
  allPositions(rows: readonly PositionRow[], asOf: number): ExchangePosition[] {
    const known = new Map(this.#positions);
    this.#positions.clear();
    // An event may be newer than the answer, and a list may lag behind the exchange.
    for (const [key, one] of known) if (one.updateTime > asOf - LAG_MS) this.#positions.set(key, one);
    return rows.map((row) => this.#take(row, known)).filter(({ amount }) => dec(amount) !== ZERO);
  }

  /** Takes a position from an event or from the answer for its symbol: absolute, flat ones too. */
  position(row: PositionRow): ExchangePosition {
    return this.#take(row, this.#positions);
  }

  /** Adds the profit that an execution has realised to its position. */
  realized(symbol: string, side: PositionSide, amount: string): void {
    realize(this.#positions, symbol, side, amount);
  }

  /** Whether there is a position that an order of this side would reduce, as far as is known. */
  hasToReduce(symbol: string, side: Side, positionSide: PositionSide): boolean {
    return hasToReduce(this.#positions, symbol, side, positionSide);
  }

  #take(row: PositionRow, known: ReadonlyMap<string, ExchangePosition>): ExchangePosition {
    const { symbol, positionIdx } = row;
    const side = sideOf(positionIdx);
    const key = positionKey(symbol, side);
    const size = dec(figure(row.size));
    // In portfolio margin there is no leverage.
    const leverage = Math.max(1, Math.floor(Number(figure(row.leverage))));
    this.#learn(symbol, side, leverage);
    const mark = priceOf(row.markPrice) ?? this.#marks.get(symbol) ?? '0';
    this.#marks.set(symbol, mark);
    const isShort = row.side === 'Sell';
    const isolated = this.marginType === 'ISOLATED';
    const position: ExchangePosition = {
      symbol,
      side,
      // One-way mode: signed; hedge mode: never negative, since the side gives the direction.
      amount: str(side === 'BOTH' && isShort ? -size : size),
      entryPrice: figure(row.entryPrice ?? row.avgPrice),
      breakEvenPrice: priceOf(row.breakEvenPrice) ?? figure(row.entryPrice ?? row.avgPrice),
      markPrice: mark,
      unrealizedProfit: figure(row.unrealisedPnl),
      marginType: this.marginType,
      leverage,
      isolatedWallet: isolated ? figure(row.positionIM) : '0',
      liquidationPrice: size === ZERO ? null : (priceOf(row.liqPrice) ?? null),
      maintenanceMarginRate: this.#rateOf(symbol, figure(row.positionValue)),
      maintenanceMargin: figure(row.positionMM),
      realizedPnl: size === ZERO ? '0' : (known.get(key)?.realizedPnl ?? '0'),
      updateTime: Number(row.updatedTime || 0),
    };
    const newest = this.#positions.get(key)?.updateTime ?? 0;
    if (size === ZERO) {
      if (position.updateTime >= newest) this.#positions.delete(key);
    } else if (position.updateTime >= newest) this.#positions.set(key, position);
    return position;
  }

  #learn(symbol: string, side: PositionSide, leverage: number): void {
    const hedged = side !== 'BOTH';
    this.#doubted.delete(symbol);
    const before = this.#symbols.get(symbol);
    const kept = before?.hedged === hedged ? before.leverage : new Map<PositionSide, number>();
    this.#symbols.set(symbol, { hedged, leverage: new Map(kept).set(side, leverage) });
  }

  #rateOf(symbol: string, value: string): string {
    const size = dec(value);
    const tier = this.brackets(symbol).findLast(({ notionalFloor }) => dec(notionalFloor) <= size);
    return tier?.maintenanceMarginRate ?? '0';
  }
}
