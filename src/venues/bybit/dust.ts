/**
 * Conversion of small balances (DOC asset/convert-small-balance): a list, a quote valid for 30 s, a request
 * to convert that is carried out later, and a history that has the result. Live only.
 */
import type { Clock } from '../../domain/clock.ts';
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Dust } from '../../schemas/futures.ts';
import type { DustVenue } from '../venue.ts';
import { BYBIT_CODES } from './codes.ts';
import { figure } from './figures.ts';
import { readDust, readDustHistory, readDustQuote, readDustTaken } from './messages.ts';
import type { Asked, Questions } from './questions.ts';
import type { BybitRequests } from './requests.ts';

const TOKEN = 'MNT';
const TOKENS: ReadonlySet<string> = new Set([TOKEN, 'USDT', 'USDC']);
const WALLET = 'eb_convert_uta';
/** The largest number of assets in one conversion. */
const AT_ONCE = 20;
/** How often the result of a conversion is asked for, and after what time, ms. */
const ASKED = 5;
const ASK_AFTER_MS = 1_000;

export interface BybitDustOptions {
  readonly questions: Questions;
  readonly requests: BybitRequests;
  readonly clock: Clock;
}

export class BybitDust implements DustVenue {
  readonly #o: BybitDustOptions;

  constructor(options: BybitDustOptions) {
    this.#o = options;
  }

  /** Lists the assets. Their value is in USDT; what they would convert to is known only from a quote. */
  async list(): Promise<Dust | null> {
    const { questions, requests } = this.#o;
    const told = await questions.value(requests.dust, { accountType: WALLET }, readDust);
    const assets = told?.result.smallAssetCoins
      .filter(({ supportConvert }) => supportConvert === 1)
      .map(({ fromCoin, availableBalance, baseValue }) => ({
        asset: fromCoin,
        free: figure(availableBalance),
        value: figure(baseValue),
        toAsset: TOKEN,
        toAmount: '0',
      }));
    return assets ? { assets } : null;
  }

  /** Bybit requires no pause between two conversions. */
  waitMs(): number {
    return 0;
  }

  async convert(assets: readonly string[], toAsset = TOKEN): Promise<SettingOutcome> {
    if (!TOKENS.has(toAsset))
      return rejected('FORM', `small balances become ${[...TOKENS].join(', ')} here, not ${toAsset}`);
    if (assets.length > AT_ONCE) return rejected('FORM', `${AT_ONCE} assets at most are converted at once`);
    const { questions, requests } = this.#o;
    const parameters = { accountType: WALLET, fromCoinList: assets.join(','), toCoin: toAsset };
    const quote = await questions.ask(requests.dustQuote, parameters, readDustQuote);
    // A quote has no effect.
    if (quote.kind === 'failed') return rejected(quote.code ?? 'UNSENT', quote.cause);
    const { quoteId } = quote.value.result;
    const taken = await questions.ask(requests.convertDust, { quoteId }, readDustTaken);
    if (taken.kind === 'failed') return this.#notTaken(taken);
    return this.#gave(quoteId, toAsset);
  }

  #notTaken({ code, cause }: Extract<Asked<unknown>, { kind: 'failed' }>): SettingOutcome {
    const isRefused =
      code !== undefined && BYBIT_CODES.meaning('submit', { code, message: '' }).kind === 'rejected';
    // ERR: codes 7000xx belong to conversions.
    return isRefused || /^7000\d\d$/.test(code ?? '')
      ? rejected(code ?? '', cause)
      : { kind: 'unknown', cause };
  }

  async #gave(quoteId: string, toAsset: string): Promise<SettingOutcome> {
    const { questions, requests } = this.#o;
    for (let asked = 0; asked < ASKED; asked++) {
      await new Promise<void>((resolve) => this.#o.clock.after(ASK_AFTER_MS, resolve));
      const told = await questions.value(requests.dustHistory, { quoteId }, readDustHistory);
      const [record] = told?.result.records ?? [];
      if (!record || record.status === 'init' || record.status === 'processing') continue;
      const done = record.subRecords.filter(({ status = 'success' }) => status === 'success');
      if (done.length === 0) return rejected('failure', 'the exchange has converted none of them');
      const received = done.reduce((sum, { toAmount }) => sum + dec(figure(toAmount)), ZERO);
      const converted = done.map(({ fromCoin, fromAmount, toAmount, feeAmount }) => ({
        asset: fromCoin,
        amount: figure(fromAmount),
        received: figure(toAmount),
        fee: figure(feeAmount),
      }));
      return { kind: 'done', dust: { converted, toAsset, received: str(received) } };
    }
    return { kind: 'unknown', cause: 'it was taken, and what it gave is not told yet' };
  }
}

function rejected(code: string, message: string): SettingOutcome {
  return { kind: 'rejected', code, message };
}
