/**
 * Conversion of small balances into USDT, USDC or MNT: list, quote, confirmation (which is asynchronous),
 * history. Sources: asset/convert-small-balance/*.mdx.
 */
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, UNIT } from './account.ts';
import type { Exchange } from './exchange.ts';
import { bad, type Params } from './params.ts';
import { type Endpoint, Refusal } from './wire.ts';

export interface AssetOptions {
  readonly exchange: Exchange;
  readonly account: (name: string) => Account;
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => void;
}

const TARGETS = ['MNT', 'USDT', 'USDC'] as const;
const QUOTE_MS = 30_000;
const EXECUTES_MS = 500;
const FEE = dec('0.02');

interface Part {
  readonly coin: string;
  readonly amount: Dec;
  readonly got: Dec;
  readonly fee: Dec;
}

interface Quote {
  readonly id: string;
  readonly account: string;
  readonly target: string;
  readonly parts: readonly Part[];
  readonly createdAt: number;
  status: 'init' | 'processing' | 'success';
}

export function assetEndpoints(o: AssetOptions): Endpoint[] {
  const { exchange, now } = o;
  const quotes = new Map<string, Quote>();
  let id = 1_010_075_157_602_517;
  const base = { security: 'signed', right: 'ExchangeHistory' } as const;
  const source = 'asset/convert-small-balance/';
  return [
    {
      ...base,
      method: 'GET',
      path: '/v5/asset/covert/small-balance-list',
      parameters: 'accountType! fromCoin',
      perSecond: 10,
      source,
      handle: (call) => {
        unified(call.params);
        const wanted = call.params.text('fromCoin');
        return {
          smallAssetCoins: small(o.account(call.account))
            .filter(({ coin }) => (wanted ?? coin) === coin)
            .map(({ coin, amount, value }) => ({
              fromCoin: coin,
              supportConvert: 1,
              availableBalance: str(amount),
              baseValue: str(value),
              toCoin: '',
              toAmount: '',
              exchangeRate: '',
              feeInfo: null,
              taxFeeInfo: null,
            })),
          supportToCoins: TARGETS,
        };
      },
    },
    {
      ...base,
      method: 'POST',
      path: '/v5/asset/covert/get-quote',
      parameters: 'accountType! fromCoinList!:[] toCoin!',
      perSecond: 5,
      source,
      handle: (call) => {
        unified(call.params);
        return quote(call.params, o.account(call.account));
      },
    },
    {
      ...base,
      method: 'POST',
      path: '/v5/asset/covert/small-balance-execute',
      parameters: 'quoteId!',
      perSecond: 5,
      source,
      handle: (call) => {
        const found = quotes.get(call.params.required('quoteId'));
        if (!found || found.account !== call.account || found.status !== 'init')
          throw new Refusal(700_001, 'Quote does not exist');
        if (now() - found.createdAt > QUOTE_MS) throw new Refusal(700_004, 'Quote has expired');
        found.status = 'processing';
        o.after(EXECUTES_MS, () => execute(found));
        return {
          quoteId: found.id,
          exchangeTxId: found.id,
          submitTime: String(now()),
          status: 'processing',
          msg: '',
        };
      },
    },
    {
      ...base,
      method: 'GET',
      path: '/v5/asset/covert/small-balance-history',
      parameters: 'accountType quoteId startTime endTime cursor size',
      perSecond: 10,
      source,
      handle: (call) => {
        const { params } = call;
        const rows = [...quotes.values()].filter(
          ({ account, status, id: own }) =>
            account === call.account && status !== 'init' && (params.text('quoteId') ?? own) === own,
        );
        return {
          cursor: '1',
          size: params.text('size') ?? '50',
          lastPage: '1',
          totalCount: String(rows.length),
          records: rows.reverse().map(record),
        };
      },
    },
  ];

  function unified(params: Params): void {
    if (params.required('accountType') !== 'eb_convert_uta') throw bad('accountType invalid');
  }

  /** Balances worth less than 10 USDT each. */
  function small(account: Account): { coin: string; amount: Dec; value: Dec }[] {
    return [...account.coins.keys()].flatMap((coin) => {
      const amount = exchange.margin.spendable(account, coin);
      const value = mul(amount, exchange.margin.usd(coin));
      const isSmall = amount > ZERO && value > ZERO && value < dec('10');
      return isSmall && coin !== 'USDT' && coin !== 'USDC' ? [{ coin, amount, value }] : [];
    });
  }

  function quote(params: Params, account: Account): unknown {
    const target = params.oneOf('toCoin', TARGETS);
    const coins = params.list('fromCoinList');
    if (target === null || coins.length === 0 || coins.length > 20 || new Set(coins).size < coins.length)
      throw bad('fromCoinList or toCoin invalid');
    const all = small(account);
    const parts = coins.map((coin): Part & { value: Dec } => {
      const found = all.find((row) => row.coin === coin);
      if (!found || coin === target) throw new Refusal(700_000, `Parameter Error: ${coin}`);
      const gross = floorTo(div(found.value, exchange.margin.usd(target)), UNIT);
      const fee = floorTo(mul(gross, FEE), UNIT);
      return { coin, amount: found.amount, got: gross - fee, fee, value: found.value };
    });
    if (parts.reduce((sum, { value }) => sum + value, ZERO) > dec('200'))
      throw new Refusal(700_000, 'Parameter Error: more than 200 USDT');
    const made: Quote = {
      id: `${++id}519596339322880`.slice(0, 28),
      account: account.name,
      target,
      parts,
      createdAt: now(),
      status: 'init',
    };
    quotes.set(made.id, made);
    const feeInfo = (fee: Dec) => ({ feeCoin: target, amount: str(fee), feeRate: '0.02' });
    const tax = { totalAmount: '0', feeCoin: '', taxFeeItems: [] };
    return {
      quoteId: made.id,
      result: {
        quoteCreateTime: String(made.createdAt),
        quoteExpireTime: String(made.createdAt + QUOTE_MS),
        exchangeCoins: parts.map(({ coin, amount, got, fee, value }) => ({
          fromCoin: coin,
          supportConvert: 1,
          availableBalance: str(amount),
          baseValue: str(value),
          toCoin: target,
          toAmount: str(got),
          exchangeRate: str(div(got, amount)),
          feeInfo: feeInfo(fee),
          taxFeeInfo: tax,
        })),
        totalFeeInfo: feeInfo(parts.reduce((sum, { fee }) => sum + fee, ZERO)),
        totalTaxFeeInfo: tax,
      },
    };
  }

  function execute(done: Quote): void {
    const account = o.account(done.account);
    done.status = 'success';
    for (const { coin, amount, got } of done.parts) {
      exchange.ledger.income(account, {
        type: 'CURRENCY_SELL',
        currency: coin,
        change: -amount,
        cashFlow: -amount,
        qty: -amount,
      });
      exchange.ledger.income(account, {
        type: 'CURRENCY_BUY',
        currency: done.target,
        change: got,
        cashFlow: got,
        qty: got,
      });
    }
    exchange.teller.wallet(account, [...done.parts.map(({ coin }) => coin), done.target]);
  }

  function record(row: Quote): Record<string, unknown> {
    const tax = { totalAmount: '0', feeCoin: '', taxFeeItems: [] };
    const sum = (of: (part: Part) => Dec) => str(row.parts.reduce((total, part) => total + of(part), ZERO));
    return {
      accountType: 'eb_convert_uta',
      exchangeTxId: row.id,
      toCoin: row.target,
      toAmount: sum(({ got }) => got),
      subRecords: row.parts.map(({ coin, amount, got, fee }) => ({
        fromCoin: coin,
        fromAmount: str(amount),
        toCoin: row.target,
        toAmount: str(got),
        feeCoin: row.target,
        feeAmount: str(fee),
        status: row.status,
        taxFeeInfo: tax,
      })),
      status: row.status,
      createdAt: String(row.createdAt),
      exchangeSource: 'small_asset_uta',
      feeCoin: row.target,
      totalFeeAmount: sum(({ fee }) => fee),
      totalTaxFeeInfo: tax,
    };
  }
}
