/**
 * Reads and changes how a swap account trades. A setting that is already set counts as done; a refusal has
 * the exchange's words and what to do about it. Margin is crossed: isolated positions were made elsewhere and
 * are only shown.
 */
import type { Clock } from '../../domain/clock.ts';
import type {
  ExchangePosition,
  LeverageBracket,
  LeverageInfo,
  MarginMode,
  SettingOutcome,
} from '../../domain/position.ts';
import type { MarginType, PositionSide } from '../../schemas/order.ts';
import type { ClockOffset } from '../kit/clock-offset.ts';
import type { FuturesVenue } from '../venue.ts';
import type { AccountMode } from './account-mode.ts';
import { OKX_CODES, SETTING_CURES } from './codes.ts';
import type { Listed } from './instruments.ts';
import { readConfig, readDone, readLeverage, readMarks, readPositions, readTiers } from './messages.ts';
import { positionSideOf } from './order-states.ts';
import type { Asked, Questions } from './questions.ts';
import { OKX, type OkxForm } from './requests.ts';
import { type SwapFacts, wholeLeverage } from './swap-facts.ts';

/** Most instruments in one request. */
const OF_LEVERAGE = 20;
const OF_TIERS = 5;
/** Time until unreadable tiers are asked for again, ms. */
const TIERS_AGAIN_MS = 30_000;

export interface SwapSettingsOptions {
  readonly questions: Questions;
  readonly facts: SwapFacts;
  readonly listed: Listed;
  readonly mode: AccountMode;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly offset: Pick<ClockOffset, 'now'>;
}

export class SwapSettings implements FuturesVenue {
  readonly #o: SwapSettingsOptions;
  /** Symbols whose tiers are wanted, and when they were last asked for. */
  readonly #wanted = new Map<string, number>();
  #isAsking = false;

  constructor(options: SwapSettingsOptions) {
    this.#o = options;
  }

  async positions(): Promise<readonly ExchangePosition[] | null> {
    const { questions, facts, offset } = this.#o;
    const asOf = offset.now();
    const rows = await questions.rows(OKX.positions, { instType: 'SWAP' }, readPositions);
    if (!rows) return null;
    const positions = facts.all(rows, asOf);
    for (const { symbol } of positions) this.#want(symbol);
    return positions;
  }

  markPrice(symbol: string): string | null {
    return this.#o.facts.markPrice(symbol);
  }

  async leverage(symbols: readonly string[]): Promise<readonly LeverageInfo[] | null> {
    const { questions, listed, mode } = this.#o;
    const listings = symbols.flatMap((symbol) => listed.of(symbol) ?? []);
    const sides: readonly PositionSide[] = mode.hedge ? ['LONG', 'SHORT'] : ['BOTH'];
    const infos: LeverageInfo[] = [];
    const info = (symbol: string, side: PositionSide, leverage: number): LeverageInfo => ({
      symbol,
      side,
      leverage,
      marginType: 'CROSSED',
      realizedPnl: '0',
    });
    // Portfolio margin has no leverage setting (59111): the contract's limit is used.
    if (mode.isPortfolio) {
      for (const { instrument, lever } of listings)
        infos.push(info(instrument.symbol, 'BOTH', wholeLeverage(lever)));
      return infos;
    }
    for (let at = 0; at < listings.length; at += OF_LEVERAGE) {
      const instId = listings
        .slice(at, at + OF_LEVERAGE)
        .map((one) => one.instId)
        .join(',');
      const rows = await questions.rows(OKX.leverage, { instId, mgnMode: 'cross' }, readLeverage);
      if (!rows) return null;
      for (const row of rows) {
        const symbol = listed.named(row.instId)?.instrument.symbol;
        if (symbol === undefined || !row.lever) continue;
        const side = positionSideOf(row.posSide);
        // A leverage given once holds for both sides.
        for (const one of side === 'BOTH' ? sides : [side])
          infos.push(info(symbol, one, wholeLeverage(row.lever)));
      }
    }
    return infos;
  }

  /** Sets the leverage of a contract: `side` is ignored, since with crossed margin both sides share it. */
  setLeverage({ symbol, leverage }: { symbol: string; leverage: number }): Promise<SettingOutcome> {
    const { listed, mode } = this.#o;
    const listing = listed.of(symbol);
    if (!listing) return Promise.resolve(refused('SYMBOL', `OKX lists no ${symbol} here`));
    const { instId, lever } = listing;
    if (mode.isPortfolio && leverage === wholeLeverage(lever)) return Promise.resolve({ kind: 'done' });
    return this.#set(OKX.setLeverage, { instId, lever: String(leverage), mgnMode: 'cross' });
  }

  async setMarginType(_symbol: string, marginType: MarginType): Promise<SettingOutcome> {
    if (marginType === 'CROSSED') return { kind: 'done' };
    return refused(
      'MARGIN_TYPE',
      'OKX has no margin type of a contract: each order says it, and those of this program are crossed',
    );
  }

  async marginMode(): Promise<MarginMode | null> {
    return (await this.#readMode()) ? this.#o.mode.marginMode : null;
  }

  async setMarginMode(mode: MarginMode): Promise<SettingOutcome> {
    const now = await this.marginMode();
    if (now === mode) return { kind: 'done' };
    return refused(
      'MARGIN_MODE',
      'the account mode is changed at OKX, under Trade, Settings, Account mode: it moves all that the account has',
    );
  }

  async hedgeMode(): Promise<boolean | null> {
    return (await this.#readMode()) ? this.#o.mode.hedge : null;
  }

  async setHedgeMode(on: boolean): Promise<SettingOutcome> {
    const outcome = await this.#set(OKX.setHedgeMode, { posMode: on ? 'long_short_mode' : 'net_mode' });
    if (outcome.kind === 'done') await this.#readMode();
    return outcome;
  }

  /** Returns the brackets of a symbol; empty while they are being asked for. */
  brackets(symbol: string): readonly LeverageBracket[] {
    this.#want(symbol);
    return this.#o.facts.brackets(symbol);
  }

  async #readMode(): Promise<boolean> {
    const asked = await this.#o.questions.one(OKX.config, {}, readConfig);
    if (asked.kind === 'found') this.#o.mode.set(asked.value);
    return asked.kind === 'found';
  }

  /**
   * Asks for tiers and a first mark price when somebody wants them: for all contracts it would take a hundred
   * requests.
   */
  #want(symbol: string): void {
    const { facts, clock } = this.#o;
    const asked = this.#wanted.get(symbol) ?? Number.NEGATIVE_INFINITY;
    if (facts.hasTiers(symbol) || clock.monotonic() - asked < TIERS_AGAIN_MS) return;
    this.#wanted.set(symbol, Number.NEGATIVE_INFINITY);
    if (this.#isAsking) return;
    this.#isAsking = true;
    clock.after(0, () => {
      this.#readTiers().then(
        () => {
          this.#isAsking = false;
        },
        () => {
          this.#isAsking = false;
        },
      );
    });
  }

  async #readTiers(): Promise<void> {
    const { questions, facts, listed, clock } = this.#o;
    for (;;) {
      const due = [...this.#wanted].filter(
        ([symbol, at]) => at === Number.NEGATIVE_INFINITY && !facts.hasTiers(symbol),
      );
      const some = due.slice(0, OF_TIERS).flatMap(([symbol]) => listed.of(symbol) ?? []);
      for (const [symbol] of due.slice(0, OF_TIERS)) this.#wanted.set(symbol, clock.monotonic());
      if (some.length === 0) return;
      const instFamily = [...new Set(some.map(({ family }) => family))].join(',');
      const tiers = await questions.rows(
        OKX.tiers,
        { instType: 'SWAP', tdMode: 'cross', instFamily },
        readTiers,
      );
      if (tiers) facts.setTiers(tiers);
      if (some.every(({ instrument }) => facts.markPrice(instrument.symbol) !== null)) continue;
      const marks = await questions.rows(OKX.marks, { instType: 'SWAP' }, readMarks);
      for (const { instId, markPx } of marks ?? []) {
        const symbol = listed.named(instId)?.instrument.symbol;
        if (symbol !== undefined) facts.setMark(symbol, markPx);
      }
    }
  }

  async #set(form: OkxForm, parameters: Readonly<Record<string, string>>): Promise<SettingOutcome> {
    return outcomeOf(await this.#o.questions.ask(form, parameters, readDone));
  }
}

function refused(code: string, message: string): SettingOutcome {
  return { kind: 'rejected', code, message };
}

/** Only a code that says so is a refusal; after anything else the change may have been made. */
function outcomeOf(asked: Asked<unknown>): SettingOutcome {
  if (asked.kind === 'found') return { kind: 'done' };
  const { cause } = asked;
  const code = asked.kind === 'failed' ? asked.code : undefined;
  if (code === undefined) return { kind: 'unknown', cause };
  const cure = SETTING_CURES[code];
  const isKnown = OKX_CODES.meaning('submit', { code, message: '' }).kind === 'rejected';
  if (cure === undefined && !isKnown) return { kind: 'unknown', cause };
  return { kind: 'rejected', code, message: cure ? `${cause}; ${cure}` : cause };
}
