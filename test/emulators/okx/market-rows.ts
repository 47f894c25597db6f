/**
 * Rows of market data, the same over REST and on the channels. Sources: the pages of OKX v5 "Market Data" and
 * "Public Data".
 */
import { type Dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Candle } from '../kit/candles.ts';
import type { Print, Quote } from '../kit/market.ts';
import { unitOf } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import type { Maintenance } from './public-endpoints.ts';

const DAY = 86_400_000;
const EIGHT_HOURS = 28_800_000;

export function tickerRow(m: Instrument, market: OkxMarket, now: number): Record<string, unknown> {
  const day = m.candles.list('1h', now - DAY, null, 25, now);
  const first = day[0] as Candle;
  const high = day.reduce((best, { high: h }) => (h > best ? h : best), first.high);
  const low = day.reduce((best, { low: l }) => (l < best ? l : best), first.low);
  const volume = day.reduce((sum, candle) => sum + candle.volume, ZERO);
  const quote = day.reduce((sum, candle) => sum + candle.quote, ZERO);
  const bid = market.quotes(m, 'SELL')[0];
  const ask = market.quotes(m, 'BUY')[0];
  const start = (shift: number): string => {
    const from = Math.floor((now + shift) / DAY) * DAY - shift;
    return str(m.candles.candle('1m', from, now).open);
  };
  return {
    instType: m.spec.instType,
    instId: m.spec.symbol,
    last: str(m.last),
    lastSz: str(m.prints.at(-1)?.qty ?? ZERO),
    askPx: str(ask?.price ?? ZERO),
    askSz: str(ask?.qty ?? ZERO),
    bidPx: str(bid?.price ?? ZERO),
    bidSz: str(bid?.qty ?? ZERO),
    open24h: str(first.open),
    high24h: str(high),
    low24h: str(low),
    volCcy24h: str(m.spec.instType === 'SWAP' ? mul(volume, unitOf(m.spec)) : quote),
    vol24h: str(volume),
    sodUtc0: start(0),
    sodUtc8: start(8 * 3_600_000),
    ts: String(m.time),
  };
}

export function tradeRow(print: Print): Record<string, unknown> {
  return {
    instId: print.symbol,
    side: print.buyerIsMaker ? 'sell' : 'buy',
    sz: str(print.qty),
    source: '0',
    px: str(print.price),
    tradeId: String(print.id),
    ts: String(print.time),
  };
}

const level = ({ price, qty }: Quote): string[] => [str(price), str(qty), '0', '1'];

export function booksRow(
  m: Instrument,
  market: OkxMarket,
  depth: number,
  now: number,
): Record<string, unknown> {
  return {
    asks: market.quotes(m, 'BUY').slice(0, depth).map(level),
    bids: market.quotes(m, 'SELL').slice(0, depth).map(level),
    ts: String(now),
    seqId: m.updateId,
  };
}

export function markRow(m: Instrument, now: number): Record<string, unknown> {
  return { instType: m.spec.instType, instId: m.spec.symbol, markPx: str(m.mark), ts: String(now) };
}

export function limitRow(m: Instrument, market: OkxMarket, now: number): Record<string, unknown> {
  const { buy, sell } = market.bands(m);
  return { instId: m.spec.symbol, buyLmt: str(buy), sellLmt: str(sell), ts: String(now), enabled: true };
}

export function fundingRow(m: Instrument, now: number): Record<string, unknown> {
  return {
    formulaType: 'noRate',
    fundingRate: str(m.fundingRate),
    fundingTime: String(m.nextFunding),
    impactValue: '',
    instId: m.spec.symbol,
    instType: 'SWAP',
    interestRate: '',
    maxFundingRate: '0.00375',
    method: 'current_period',
    minFundingRate: '-0.00375',
    nextFundingRate: '',
    nextFundingTime: String(m.nextFunding + EIGHT_HOURS),
    premium: premium(m),
    settFundingRate: str(m.fundingRate),
    settState: 'settled',
    ts: String(now),
  };
}

function premium({ mark, index }: Instrument): string {
  const away: Dec = index === ZERO ? ZERO : ((mark - index) * 10n ** 30n) / index;
  return str(away);
}

export function statusRow(one: Maintenance): Record<string, unknown> {
  return {
    begin: String(one.begin),
    end: String(one.end),
    env: '1',
    href: '',
    maintType: '1',
    preOpenBegin: '',
    scheDesc: '',
    serviceType: one.serviceType,
    state: one.state,
    system: 'unified',
    title: 'Trading account system upgrade',
  };
}
