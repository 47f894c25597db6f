/**
 * What the ladder must know of a bot type besides its strategy: which of its settings wait for the market and are taken out
 * before a walk, and what leads to its entries. Types only.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { CommonSettings, CompiledSettings } from '../settings/compiled.ts';
import type { LadderKind } from './ladder-text.ts';

/** Settings of any type without what waits: no stops, filters, ranges or start trigger, one cycle, a fixed deposit. */
export type PlainCommon = Pick<
  CommonSettings,
  'stops' | 'ttl' | 'filters' | 'ranges' | 'startTrigger' | 'onetime' | 'deposit' | 'buy' | 'sell'
>;

/** What a type is given to make its settings plain. */
export interface PlainGround {
  readonly common: PlainCommon;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Says, where `when` holds, what the ladder does not show. */
  note(when: boolean, text: string): void;
}

/** A price that is looked at whatever has filled; null: there is none. */
export interface FixedLine {
  readonly kind: LadderKind;
  readonly label: string;
  readonly price: Dec | null;
}

/** An imagined market on which a run of the type goes. */
export interface LadderWalk {
  /** Market time, Unix ms. */
  readonly now: number;
  /** Step of prices. */
  readonly tickSize: Dec;
  /** `price` moved by percent to the winning side, to the losing side. */
  up(price: Dec, percent: Dec): Dec;
  down(price: Dec, percent: Dec): Dec;
  tick(price: Dec): void;
  /** Time passes at the present price: candles close, timers fire. */
  pass(ms: number): void;
  /** Once the bot's own candle has closed at the present price. */
  passCandle(): void;
}

export interface TypeLadder<S extends CompiledSettings> {
  /** Every entry rests where it would go out. */
  plain(settings: S, ground: PlainGround): S;
  lines?(settings: S, now: number): readonly FixedLine[];
  /** From the first price to where its entries rest or have filled. Left out: they rest at once. */
  approach?(settings: S, walk: LadderWalk): void;
  /** Prices of entries that wait until the price has been beyond them. Left out: none does. */
  waiting?(settings: S): readonly Dec[];
  /** What waits is bought at the start. */
  buysAtStart?(settings: S): boolean;
}

export const TRAILED_EXITS = 'At its target an exit is trailed, not taken.';
