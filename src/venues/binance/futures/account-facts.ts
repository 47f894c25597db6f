/**
 * How a USD-M futures account trades and what it holds, as last heard: hedge mode, leverage and margin type
 * of each symbol, brackets, positions. Position events do not carry the leverage: it is taken from here. In
 * memory only.
 */

import { dec, div, mul, str, ZERO } from '../../../domain/decimal.ts';
import {
  type ExchangePosition,
  type LeverageBracket,
  type LeverageInfo,
  positionKey,
} from '../../../domain/position.ts';
import type { MarginType, PositionSide, Side } from '../../../schemas/order.ts';
import { hasToReduce, realize } from '../../kit/held-positions.ts';
import type { FuturesPosition, PositionRow, SymbolConfig } from './messages.ts';
import { figure } from './order-states.ts';

interface Config {
  readonly leverage: number;
  readonly marginType: MarginType;
}

/** The settings of a symbol that the exchange has not reported yet: an account's defaults. */
const UNTOLD: Config = { leverage: 20, marginType: 'CROSSED' };

/** Longest lag of a replica, ms. */
const LAG_MS = 5_000;

export class AccountFacts {
  hedge: boolean | null = null;
  /**
   * Whether multi-assets mode is on: collateral counts over all assets, with haircuts that are not computed
   * here.
   */
  multiAssets = false;
  readonly #configs = new Map<string, Config>();
  #brackets: ReadonlyMap<string, readonly LeverageBracket[]> = new Map();
  readonly #positions = new Map<string, ExchangePosition>();
  readonly #marks = new Map<string, string>();

  get hasConfigs(): boolean {
    return this.#configs.size > 0;
  }

  setConfigs(configs: readonly SymbolConfig[]): void {
    for (const { symbol, leverage, marginType } of configs)
      this.#configs.set(symbol, { leverage, marginType: marginTypeOf(marginType) });
  }

  setConfig(symbol: string, change: Partial<Config>): void {
    this.#configs.set(symbol, { ...(this.#configs.get(symbol) ?? UNTOLD), ...change });
  }

  config(symbol: string): Config | undefined {
    return this.#configs.get(symbol);
  }

  /**
   * Returns leverage and margin type of the symbols; in hedge mode for both sides, which share one leverage.
   */
  leverage(symbols: readonly string[]): LeverageInfo[] {
    const sides: readonly PositionSide[] = this.hedge ? ['LONG', 'SHORT'] : ['BOTH'];
    return symbols.flatMap((symbol) => {
      const config = this.#configs.get(symbol);
      if (!config) return [];
      return sides.map((side) => ({
        symbol,
        side,
        ...config,
        realizedPnl: this.#positions.get(positionKey(symbol, side))?.realizedPnl ?? '0',
      }));
    });
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

  /**
   * Takes the answer to a position request and returns the positions that are not flat. `asOf`: the
   * exchange's time of the request, Unix ms.
   */
  allPositions(rows: readonly FuturesPosition[], asOf: number): ExchangePosition[] {
    const known = new Map(this.#positions);
    this.#positions.clear();
    // An event may be newer than the answer, and a replica's answer may be older than the exchange's state.
    for (const [key, one] of known) if (one.updateTime > asOf - LAG_MS) this.#positions.set(key, one);
    return rows.flatMap((row) => {
      this.#marks.set(row.symbol, figure(row.markPrice));
      if (dec(row.positionAmt) === ZERO) return [];
      const isolated = figure(row.isolatedWallet);
      const config = this.#configs.get(row.symbol);
      const marginType = config?.marginType ?? (dec(isolated) === ZERO ? 'CROSSED' : 'ISOLATED');
      const maintenance = figure(row.maintMargin);
      const key = positionKey(row.symbol, row.positionSide);
      const position: ExchangePosition = {
        symbol: row.symbol,
        side: row.positionSide,
        amount: sized(row.positionAmt, row.positionSide),
        entryPrice: figure(row.entryPrice),
        breakEvenPrice: figure(row.breakEvenPrice),
        markPrice: figure(row.markPrice),
        unrealizedProfit: figure(row.unRealizedProfit),
        marginType,
        leverage: (config ?? UNTOLD).leverage,
        isolatedWallet: isolated,
        liquidationPrice: dec(row.liquidationPrice) <= ZERO ? null : figure(row.liquidationPrice),
        maintenanceMarginRate: this.#rateOf(row.symbol, figure(row.notional)),
        maintenanceMargin: maintenance,
        realizedPnl: known.get(key)?.realizedPnl ?? '0',
        updateTime: row.updateTime,
      };
      if (position.updateTime >= (this.#positions.get(key)?.updateTime ?? 0))
        this.#positions.set(key, position);
      return [position];
    });
  }

  /** Takes a position from an event: an absolute state with its time. */
  position(row: PositionRow, time: number): ExchangePosition {
    const { s: symbol, ps: side, pa, ep } = row;
    const amount = dec(pa);
    const key = positionKey(symbol, side);
    const before = this.#positions.get(key);
    const marginType = marginTypeOf(row.mt);
    this.setConfig(symbol, { marginType });
    const profit = figure(row.up);
    // Unrealised profit and entry price give the mark price at the time of the event.
    const mark = amount === ZERO ? (this.#marks.get(symbol) ?? '0') : str(dec(ep) + div(dec(profit), amount));
    if (amount !== ZERO) this.#marks.set(symbol, mark);
    const notional = mul(amount < ZERO ? -amount : amount, dec(mark));
    const position: ExchangePosition = {
      symbol,
      side,
      amount: sized(pa, side),
      entryPrice: figure(ep),
      breakEvenPrice: figure(row.bep),
      markPrice: mark,
      unrealizedProfit: profit,
      marginType,
      leverage: (this.#configs.get(symbol) ?? UNTOLD).leverage,
      isolatedWallet: figure(row.iw),
      // Events do not carry these: computed from the brackets, or kept as before.
      liquidationPrice: before?.liquidationPrice ?? null,
      maintenanceMarginRate: this.#rateOf(symbol, str(notional)),
      maintenanceMargin: before?.maintenanceMargin ?? '0',
      realizedPnl: before?.realizedPnl ?? '0',
      updateTime: time,
    };
    if (amount === ZERO) this.#positions.delete(key);
    else this.#positions.set(key, position);
    return position;
  }

  /** Adds what an execution has realised of a position. */
  realized(symbol: string, side: PositionSide, amount: string): void {
    realize(this.#positions, symbol, side, amount);
  }

  /** Whether there is a position that an order of this side would reduce, as far as is known. */
  hasToReduce(symbol: string, side: Side, positionSide: PositionSide): boolean {
    return hasToReduce(this.#positions, symbol, side, positionSide);
  }

  /** Whether an order of this size would close the whole position, as far as is known. */
  closesAll(symbol: string, side: Side, quantity: string): boolean {
    if (!this.hasToReduce(symbol, side, 'BOTH')) return false;
    const amount = dec(this.#positions.get(positionKey(symbol, 'BOTH'))?.amount ?? '0');
    return dec(quantity) >= (amount < ZERO ? -amount : amount);
  }

  #rateOf(symbol: string, notional: string): string {
    const size = dec(notional) < ZERO ? -dec(notional) : dec(notional);
    const tier = this.brackets(symbol).findLast(({ notionalFloor }) => dec(notionalFloor) <= size);
    return tier?.maintenanceMarginRate ?? '0';
  }
}

/**
 * An amount as the port wants it: signed in one-way mode, never negative in hedge mode, where the side says
 * it.
 */
function sized(amount: string, side: PositionSide): string {
  const value = dec(amount);
  return str(side === 'SHORT' && value < ZERO ? -value : value);
}

/** Reads `isolated`, `cross` and `CROSSED`. */
function marginTypeOf(word: string): MarginType {
  return word.toUpperCase() === 'ISOLATED' ? 'ISOLATED' : 'CROSSED';
}
