/**
 * Reads and changes how the contracts of a unified account trade (DOC position/, account/set-margin-mode).
 * Setting a value that is already set is done; a refusal contains the exchange's message and what to do about
 * it. Margin types are those of the account's margin mode.
 */
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../../domain/position.ts';
import { visible } from '../../domain/visible.ts';
import type { MarginType, PositionSide } from '../../schemas/order.ts';
import type { Parameters } from '../kit/caller.ts';
import type { ClockOffset } from '../kit/clock-offset.ts';
import type { RequestForm } from '../kit/requests.ts';
import type { FuturesVenue } from '../venue.ts';
import type { AccountFacts, AccountMargin } from './account-facts.ts';
import { BYBIT_CODES, SET_ALREADY, SETTING_CURES } from './codes.ts';
import { readAccount, readPositions, readReasons, readSet } from './messages.ts';
import type { Asked, Questions } from './questions.ts';
import type { BybitRequests } from './requests.ts';

/** The assets in which the supported contracts are settled. */
export const SETTLED_IN = ['USDT', 'USDC'] as const;
/** The largest number of symbols that one call asks about, since each needs its own question. */
const AT_ONCE = 20;

/**
 * Mode 1: isolated positions; 2: cross, all positions share the wallet; 3: portfolio. The numbers are this
 * desk's own: Bybit has none.
 */
const MODES: Readonly<Record<AccountMargin, MarginMode>> = {
  ISOLATED_MARGIN: 1,
  REGULAR_MARGIN: 2,
  PORTFOLIO_MARGIN: 3,
};

const NO_TYPES =
  'Bybit has no margin type of a symbol: its margin mode holds for the account (1 isolated, 2 cross, 3 portfolio)';

export interface SettingsOptions {
  readonly questions: Questions;
  readonly requests: BybitRequests;
  readonly facts: AccountFacts;
  readonly offset: Pick<ClockOffset, 'now'>;
  /** A contract in USDT by which the position mode is read; null: none is known. */
  readonly oneContract: () => string | null;
  /** Called when modes and leverages of all contracts have to be read again. */
  readonly modesChanged: () => void;
}

export class BybitSettings implements FuturesVenue {
  readonly #o: SettingsOptions;

  constructor(options: SettingsOptions) {
    this.#o = options;
  }

  async positions(): Promise<readonly ExchangePosition[] | null> {
    const { questions, requests, facts, offset } = this.#o;
    const asOf = offset.now();
    const rows = [];
    for (const settleCoin of SETTLED_IN) {
      const some = await questions.rows(
        requests.positions,
        { category: 'linear', settleCoin, limit: '200' },
        readPositions,
      );
      if (!some) return null;
      rows.push(...some);
    }
    return facts.allPositions(rows, asOf);
  }

  markPrice(symbol: string): string | null {
    return this.#o.facts.markPrice(symbol);
  }

  /**
   * Returns leverages. Bybit answers for one symbol at a time: unknown ones are asked for a few per call, and
   * left out until then.
   */
  async leverage(symbols: readonly string[]): Promise<readonly LeverageInfo[] | null> {
    const { facts } = this.#o;
    const unknown = symbols.filter((symbol) => !facts.knows(symbol)).slice(0, AT_ONCE);
    for (const symbol of unknown) if (!(await this.learn(symbol))) return null;
    return facts.leverage(symbols);
  }

  /** Reads mode and leverage of a symbol, which are known from then on. False: the question failed. */
  async learn(symbol: string): Promise<boolean> {
    const { questions, requests, facts } = this.#o;
    const rows = await questions.rows(requests.positions, { category: 'linear', symbol }, readPositions);
    for (const row of rows ?? []) facts.position(row);
    return rows !== null;
  }

  /** Sets the leverage of both sides: only isolated hedge mode has two, which get the same value here. */
  async setLeverage(change: {
    symbol: string;
    leverage: number;
    side?: PositionSide;
  }): Promise<SettingOutcome> {
    const { symbol } = change;
    const leverage = String(change.leverage);
    const parameters = { category: 'linear', symbol, buyLeverage: leverage, sellLeverage: leverage };
    const outcome = await this.#set(this.#o.requests.setLeverage, parameters);
    if (outcome.kind === 'done') this.#o.facts.setLeverage(symbol, change.leverage);
    return outcome;
  }

  async setMarginType(_symbol: string, marginType: MarginType): Promise<SettingOutcome> {
    const { facts } = this.#o;
    if (facts.margin !== null && facts.marginType === marginType) return { kind: 'done' };
    return { kind: 'rejected', code: 'MARGIN_TYPE', message: NO_TYPES };
  }

  async marginMode(): Promise<MarginMode | null> {
    const { questions, requests, facts } = this.#o;
    const account = await questions.value(requests.account, {}, readAccount);
    if (!account) return null;
    const margin = marginOf(account.result.marginMode);
    facts.margin = margin;
    return margin === null ? 4 : MODES[margin];
  }

  async setMarginMode(mode: MarginMode): Promise<SettingOutcome> {
    const wanted = (Object.keys(MODES) as AccountMargin[]).find((name) => MODES[name] === mode);
    if (!wanted)
      return {
        kind: 'rejected',
        code: 'MARGIN_MODE',
        message: 'Bybit has mode 1 isolated, 2 cross, 3 portfolio',
      };
    const outcome = await this.#set(this.#o.requests.setMarginMode, { setMarginMode: wanted });
    if (outcome.kind === 'done') this.#o.facts.margin = wanted;
    return outcome;
  }

  /**
   * Reads the position mode from the positions of a contract, flat ones too, since Bybit has no question for
   * it.
   */
  async hedgeMode(): Promise<boolean | null> {
    const { facts, oneContract } = this.#o;
    const symbol = oneContract();
    if (symbol === null || !(await this.learn(symbol))) return null;
    facts.hedge = facts.isHedged(symbol) ?? false;
    return facts.hedge;
  }

  /**
   * Sets the mode of all contracts in USDT; those in USDC have one-way mode only. Bybit silently leaves out
   * symbols with positions or orders.
   */
  async setHedgeMode(on: boolean): Promise<SettingOutcome> {
    const { facts, requests } = this.#o;
    const outcome = await this.#set(requests.setHedgeMode, {
      category: 'linear',
      coin: 'USDT',
      mode: on ? '3' : '0',
    });
    if (outcome.kind !== 'done') return outcome;
    facts.forgetModes();
    const now = await this.hedgeMode();
    this.#o.modesChanged();
    if (now === null) return { kind: 'unknown', cause: 'it was set, and could not be read afterwards' };
    if (now === on) return outcome;
    const message = 'Bybit has left out what has positions or open orders: close and cancel them first';
    return { kind: 'rejected', code: '110024', message };
  }

  brackets(symbol: string): readonly LeverageBracket[] {
    return this.#o.facts.brackets(symbol);
  }

  async #set(form: RequestForm, parameters: Parameters): Promise<SettingOutcome> {
    return outcomeOf(await this.#o.questions.ask(form, parameters, readSet));
  }
}

export function marginOf(word: string): AccountMargin | null {
  return word in MODES ? (word as AccountMargin) : null;
}

/** The outcome of a setting: rejected only where the code says so; otherwise it may have been made. */
function outcomeOf(asked: Asked<unknown>): SettingOutcome {
  if (asked.kind === 'found') return { kind: 'done' };
  const { cause, code, text = '' } = asked;
  if (code === undefined) return { kind: 'unknown', cause };
  if (SET_ALREADY.has(code)) return { kind: 'done' };
  const cure = SETTING_CURES[code];
  const isKnown = BYBIT_CODES.meaning('submit', { code, message: '' }).kind === 'rejected';
  if (cure === undefined && !isKnown) return { kind: 'unknown', cause };
  const reasons = readReasons(text);
  const words = reasons.ok
    ? reasons.value.result.reasons.map(({ reasonMsg = '' }) => reasonMsg).join('; ')
    : '';
  const message = [cause, visible(words).slice(0, 200), cure ?? ''].filter((one) => one !== '').join('; ');
  return { kind: 'rejected', code, message };
}
