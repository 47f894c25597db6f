/**
 * Positions, leverage, modes and brackets of the paper futures account, for the port: questions and settings
 * travel like every request (latency, outages); a setting that could not be stored or did not arrive is
 * `unknown`.
 */
import { str } from '../../../domain/decimal.ts';
import { type Instrument, spotAssetOf } from '../../../domain/instrument.ts';
import { bracketsOf } from '../../../domain/margin/tiers.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../../../domain/position.ts';
import type { MarginType } from '../../../schemas/order.ts';
import type { FuturesVenue } from '../../venue.ts';
import type { PaperStep } from '../changes.ts';
import type { Connection } from '../connection.ts';
import type { CoreHost } from '../core-host.ts';
import { tiersOf } from './brackets.ts';
import type { FuturesCore } from './futures-core.ts';

export interface FuturesFacadeOptions {
  readonly connection: Pick<Connection, 'ask'>;
  readonly instruments: () => readonly Instrument[];
  readonly host: Pick<CoreHost<FuturesCore>, 'apply' | 'read' | 'core'>;
}

export class FuturesFacade implements FuturesVenue {
  readonly #options: FuturesFacadeOptions;

  constructor(options: FuturesFacadeOptions) {
    this.#options = options;
  }

  positions(): Promise<readonly ExchangePosition[] | null> {
    return this.#ask((core) => core.positions());
  }

  markPrice(symbol: string): string | null {
    const mark = this.#options.host.core?.markPrice(symbol) ?? null;
    return mark === null ? null : str(mark);
  }

  leverage(symbols: readonly string[]): Promise<readonly LeverageInfo[] | null> {
    return this.#ask((core) => core.leverage(symbols));
  }

  /** Sets one leverage for the whole symbol: `side` is ignored. */
  setLeverage(change: { symbol: string; leverage: number }): Promise<SettingOutcome> {
    return this.#set((core) => core.setLeverage(change.symbol, change.leverage));
  }

  setMarginType(symbol: string, marginType: MarginType): Promise<SettingOutcome> {
    return this.#set((core) => core.setMarginType(symbol, marginType));
  }

  marginMode(): Promise<MarginMode | null> {
    return this.#ask((core) => core.marginMode());
  }

  setMarginMode(mode: MarginMode): Promise<SettingOutcome> {
    return this.#set((core) => core.setMarginMode(mode));
  }

  hedgeMode(): Promise<boolean | null> {
    return this.#ask((core) => core.hedgeMode());
  }

  setHedgeMode(on: boolean): Promise<SettingOutcome> {
    return this.#set((core) => core.setHedgeMode(on));
  }

  /** The brackets come from the instrument. */
  brackets(symbol: string): readonly LeverageBracket[] {
    const instrument = this.#options.instruments().find((known) => known.symbol === symbol);
    return instrument ? bracketsOf(tiersOf(spotAssetOf(instrument))) : [];
  }

  #ask<T>(question: (core: FuturesCore) => T): Promise<T | null> {
    return new Promise((resolve) => {
      this.#options.connection.ask((arrived) => {
        if (!arrived) resolve(null);
        else this.#options.host.read<T>(question, resolve, () => resolve(null));
      });
    });
  }

  #set(run: (core: FuturesCore) => PaperStep<SettingOutcome>): Promise<SettingOutcome> {
    return new Promise((resolve) => {
      this.#options.connection.ask((arrived) => {
        const unknown = (cause: string) => resolve({ kind: 'unknown', cause });
        if (!arrived) unknown('no answer');
        else this.#options.host.apply(run, resolve, unknown);
      });
    });
  }
}
