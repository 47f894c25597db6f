/**
 * What the ladder must know of a bot type besides its strategy: which of its settings wait for the market and
 * are removed before a walk, and how its entries are reached. Types only.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { CommonSettings, CompiledSettings } from '../settings/compiled.ts';
import type { LadderKind } from './ladder-text.ts';

/**
 * Settings of any type without the parts that wait: no stops, filters, ranges or start trigger, one cycle, a
 * fixed deposit.
 */
export type PlainCommon = Pick<
  CommonSettings,
  'stops' | 'ttl' | 'filters' | 'ranges' | 'startTrigger' | 'onetime' | 'deposit' | 'buy' | 'sell'
>;

/** Input for a type to make its settings plain. */
export interface PlainGround {
  readonly common: PlainCommon;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Notes, where `when` holds, what the ladder does not show. */
  note(when: boolean, text: string): void;
}

/** A price that is watched whatever has filled; null: there is none. */
export interface FixedLine {
  readonly kind: LadderKind;
  readonly label: string;
  readonly price: Dec | null;
}

/** A simulated market on which a run of the type moves. */
export interface LadderWalk {
  /** Market time, Unix ms. */
  readonly now: number;
  /** Step of prices. */
  readonly tickSize: Dec;
  /** `price` moved by percent to the winning side, and to the losing side. */
  up(price: Dec, percent: Dec): Dec;
  down(price: Dec, percent: Dec): Dec;
  tick(price: Dec): void;
  /** Lets time pass at the present price: candles close, timers fire. */
  pass(ms: number): void;
  /** Lets time pass until the bot's own candle has closed at the present price. */
  passCandle(): void;
}

export interface TypeLadder<S extends CompiledSettings> {
  /** Makes settings with which every entry rests at its price. */
  plain(settings: S, ground: PlainGround): S;
  lines?(settings: S, now: number): readonly FixedLine[];
  /**
   * Leads the walk from the first price to where the entries rest or have filled. Left out: they rest at
   * once.
   */
  approach?(settings: S, walk: LadderWalk): void;
  /** Prices of entries that wait until the price has been beyond them. Left out: no entry does. */
  waiting?(settings: S): readonly Dec[];
  /** True when waiting entries are bought at the start. */
  buysAtStart?(settings: S): boolean;
}

export const TRAILED_EXITS = 'At its target an exit is trailed, not taken.';
