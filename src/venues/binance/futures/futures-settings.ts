/**
 * Reads and changes how a USD-M futures account trades. A setting that is already set counts as done; a
 * refusal has the exchange's words and what to do about it.
 */

import type { Clock } from '../../../domain/clock.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../../../domain/position.ts';
import type { MarginType, PositionSide } from '../../../schemas/order.ts';
import type { Parameters } from '../../kit/caller.ts';
import type { ClockOffset } from '../../kit/clock-offset.ts';
import type { RequestForm } from '../../kit/requests.ts';
import type { FuturesVenue } from '../../venue.ts';
import type { AccountFacts } from './account-facts.ts';
import { FUTURES_CODES, SET_ALREADY, SETTING_CURES } from './codes.ts';
import { readAccountConfig, readDone, readLeverage, readPositions, readSymbolConfigs } from './messages.ts';
import type { Asked, Questions, Read } from './questions.ts';
import { FUTURES } from './requests.ts';

/** The event of a change made here comes within this time, ms. */
const OWN_MS = 10_000;
/** The key under which a change of the whole account is noted. */
const ACCOUNT = '';

export interface FuturesSettingsOptions {
  readonly questions: Questions;
  readonly facts: AccountFacts;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly offset: Pick<ClockOffset, 'now'>;
}

export class FuturesSettings implements FuturesVenue {
  readonly #o: FuturesSettingsOptions;
  /** Changes made here that events report: symbol, or `ACCOUNT` -> when, and to what. */
  readonly #own = new Map<string, { readonly at: number; readonly to: number | boolean }>();

  constructor(options: FuturesSettingsOptions) {
    this.#o = options;
  }

  /**
   * Whether an event reports a change that nobody here has asked for. `symbol` null: the whole account; `to`:
   * the leverage of the symbol, or whether multi-assets mode is on.
   */
  isForeign(symbol: string | null, to: number | boolean): boolean {
    const own = this.#own.get(symbol ?? ACCOUNT);
    return own?.to !== to || this.#o.clock.monotonic() - own.at > OWN_MS;
  }

  async positions(): Promise<readonly ExchangePosition[] | null> {
    const { questions, facts } = this.#o;
    if (!facts.hasConfigs && !(await this.#readConfigs())) return null;
    const asOf = this.#o.offset.now();
    const rows = await questions.value(FUTURES.positions, {}, readPositions);
    return rows && facts.allPositions(rows, asOf);
  }

  markPrice(symbol: string): string | null {
    return this.#o.facts.markPrice(symbol);
  }

  async leverage(symbols: readonly string[]): Promise<readonly LeverageInfo[] | null> {
    const { facts } = this.#o;
    if (facts.hedge === null && (await this.hedgeMode()) === null) return null;
    return (await this.#readConfigs()) ? facts.leverage(symbols) : null;
  }

  /** Sets the leverage of a symbol: `side` is ignored, since both sides share it. */
  async setLeverage(change: {
    symbol: string;
    leverage: number;
    side?: PositionSide;
  }): Promise<SettingOutcome> {
    const { symbol, leverage } = change;
    const parameters = { symbol, leverage: String(leverage) };
    const outcome = await this.#set(FUTURES.setLeverage, parameters, readLeverage, {
      of: symbol,
      to: leverage,
    });
    if (outcome.kind === 'done') this.#o.facts.setConfig(symbol, { leverage });
    return outcome;
  }

  async setMarginType(symbol: string, marginType: MarginType): Promise<SettingOutcome> {
    const outcome = await this.#set(FUTURES.setMarginType, { symbol, marginType }, readDone);
    if (outcome.kind === 'done') this.#o.facts.setConfig(symbol, { marginType });
    return outcome;
  }

  async marginMode(): Promise<MarginMode | null> {
    const config = await this.#o.questions.value(FUTURES.accountConfig, {}, readAccountConfig);
    if (!config) return null;
    this.#o.facts.multiAssets = config.multiAssetsMargin;
    return config.multiAssetsMargin ? 2 : 1;
  }

  async setMarginMode(mode: MarginMode): Promise<SettingOutcome> {
    if (mode !== 1)
      return {
        kind: 'rejected',
        code: 'MARGIN_MODE',
        message:
          'mode 1, single-asset, is the one that is traded here: others count collateral with haircuts',
      };
    const parameters = { multiAssetsMargin: 'false' };
    const outcome = await this.#set(FUTURES.setMultiAssets, parameters, readDone, { of: ACCOUNT, to: false });
    if (outcome.kind === 'done') this.#o.facts.multiAssets = false;
    return outcome;
  }

  async hedgeMode(): Promise<boolean | null> {
    const { questions, facts } = this.#o;
    const config = await questions.value(FUTURES.accountConfig, {}, readAccountConfig);
    if (config) {
      facts.hedge = config.dualSidePosition;
      facts.multiAssets = config.multiAssetsMargin;
    }
    return config ? config.dualSidePosition : null;
  }

  async setHedgeMode(on: boolean): Promise<SettingOutcome> {
    const outcome = await this.#set(FUTURES.setHedgeMode, { dualSidePosition: String(on) }, readDone);
    if (outcome.kind === 'done') this.#o.facts.hedge = on;
    return outcome;
  }

  brackets(symbol: string): readonly LeverageBracket[] {
    return this.#o.facts.brackets(symbol);
  }

  async #readConfigs(): Promise<boolean> {
    const { questions, facts } = this.#o;
    const configs = await questions.value(FUTURES.symbolConfig, {}, readSymbolConfigs);
    if (configs) facts.setConfigs(configs);
    return configs !== null;
  }

  /** Changes a setting. `reported`: what an event will report of it; left out: no event does. */
  async #set<T>(
    form: RequestForm,
    parameters: Parameters,
    read: Read<T>,
    reported?: { readonly of: string; readonly to: number | boolean },
  ): Promise<SettingOutcome> {
    const { questions, clock } = this.#o;
    const note = () => reported && this.#own.set(reported.of, { to: reported.to, at: clock.monotonic() });
    note();
    const outcome = outcomeOf(await questions.ask(form, parameters, read));
    note();
    return outcome;
  }
}

/** Only a code that says so is a refusal; after anything else the change may have been made. */
function outcomeOf(asked: Asked<unknown>): SettingOutcome {
  if (asked.kind === 'found') return { kind: 'done' };
  const { cause } = asked;
  const code = asked.kind === 'failed' ? asked.code : undefined;
  if (code === undefined) return { kind: 'unknown', cause };
  if (SET_ALREADY.has(code)) return { kind: 'done' };
  const cure = SETTING_CURES[code];
  const isKnown = FUTURES_CODES.meaning('submit', { code, message: '' }).kind === 'rejected';
  if (cure === undefined && !isKnown) return { kind: 'unknown', cause };
  return { kind: 'rejected', code, message: cure ? `${cause}; ${cure}` : cause };
}
