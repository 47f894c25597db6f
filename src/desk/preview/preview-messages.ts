/**
 * Messages between the desk and the thread of its preview (for bots that are still being written). Plain data
 * that can be cloned.
 */
import type { Preview } from '../../bots/backtest/preview.ts';
import type { BotGiven } from '../../bots/backtest/session.ts';
import type { LadderGround } from '../../bots/ladder/ladder.ts';
import type { LadderAnswer } from '../../bots/ladder/ladder-text.ts';
import type { MarketRules, SettingsWorld } from '../../bots/settings/compiled.ts';
import type { Candle } from '../../domain/rows.ts';

/** A `SettingsWorld` without its functions; the rules are those of one account. */
export interface PreviewWorld extends Pick<SettingsWorld, 'now' | 'accounts' | 'targets'> {
  readonly exchange: string;
  readonly rules: readonly MarketRules[];
}

export interface PreviewCandles {
  /** Key of the candles; it changes with them. */
  readonly key: string;
  readonly market: string;
  readonly symbol: string;
  readonly frameMs: number;
  /** Null: the preview has the candles of this key. */
  readonly candles: readonly Candle[] | null;
}

export type ToPreview =
  | {
      readonly t: 'ladder';
      readonly id: number;
      readonly bot: BotGiven;
      readonly world: PreviewWorld;
      readonly ground: LadderGround | null;
    }
  | {
      readonly t: 'replay';
      readonly id: number;
      readonly bot: BotGiven;
      readonly world: PreviewWorld;
      readonly tables: readonly PreviewCandles[];
      readonly count: number;
      readonly balance: bigint | null;
    }
  | { readonly t: 'end'; readonly id: number };

export type FromPreview =
  | { readonly t: 'ladder'; readonly id: number; readonly answer: LadderAnswer }
  | { readonly t: 'progress'; readonly id: number; readonly done: number; readonly of: number }
  /** Null: the replay was ended early. */
  | { readonly t: 'replay'; readonly id: number; readonly preview: Preview | null }
  | { readonly t: 'failed'; readonly id: number; readonly message: string };
