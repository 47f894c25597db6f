/**
 * The emulator's instruments, and their rows in `instruments`. The figures are in the range of the real ones
 * and were written for these tests; the shape of the rows is that of OKX v5 "Get instruments". Sizes of swaps
 * are contracts everywhere, as on the exchange.
 */
import { type Dec, dec, ONE } from '../../../src/domain/decimal.ts';
import type { TradedSymbol } from '../kit/market.ts';
import type { InstType } from './wire.ts';

export interface InstrumentSpec extends TradedSymbol {
  readonly instType: InstType;
  /** Currency of margin and profit; swaps. */
  readonly settle: string;
  /** Base units of one contract (`ctVal` x `ctMult`); '' for spot. Inverse swaps: USD. */
  readonly ctVal: string;
  readonly ctType: '' | 'linear' | 'inverse';
  readonly minSz: string;
  readonly maxLmtSz: string;
  readonly maxMktSz: string;
  readonly maxLmtAmt: string;
  readonly maxMktAmt: string;
  readonly maxLever: number;
  /** `live`, `suspend`, `preopen`, `post_only`, `rebase`. */
  readonly state: string;
  readonly groupId: string;
  readonly instIdCode: number;
  /** Largest distance of a limit price from the middle of the book, as a fraction. */
  readonly band: string;
  /** Whether the made-up book ends with its last level, so that a market order may find too little. */
  readonly isThin: boolean;
  readonly upcoming: readonly { param: string; newValue: string; effTime: string }[];
}

const spot = (
  base: string,
  quote: string,
  price: string,
  tick: string,
  step: string,
  minSz: string,
  code: number,
): InstrumentSpec => ({
  symbol: `${base}-${quote}`,
  base,
  quote,
  price,
  tick,
  step,
  instType: 'SPOT',
  settle: '',
  ctVal: '',
  ctType: '',
  minSz,
  maxLmtSz: '9999999999',
  maxMktSz: '1000000',
  maxLmtAmt: '20000000',
  maxMktAmt: '1000000',
  maxLever: 10,
  state: 'live',
  groupId: quote === 'USDT' ? '1' : quote === 'USD' ? '9' : '2',
  instIdCode: code,
  band: '0.05',
  isThin: false,
  upcoming: [],
});

const swap = (
  base: string,
  quote: string,
  price: string,
  tick: string,
  step: string,
  ctVal: string,
  code: number,
  more: Partial<InstrumentSpec> = {},
): InstrumentSpec => ({
  ...spot(base, quote, price, tick, step, step, code),
  symbol: `${base}-${quote}-SWAP`,
  instType: 'SWAP',
  settle: quote,
  ctVal,
  ctType: 'linear',
  maxLmtSz: '100000000',
  maxMktSz: '20000',
  maxMktAmt: '',
  maxLever: 50,
  groupId: quote === 'USDT' ? '2' : '3',
  ...more,
});

export const INSTRUMENTS: readonly InstrumentSpec[] = [
  spot('BTC', 'USDT', '60000', '0.1', '0.00000001', '0.00001', 1001),
  spot('ETH', 'USDT', '2500', '0.01', '0.000001', '0.0001', 1002),
  spot('OKB', 'USDT', '50', '0.01', '0.00001', '0.01', 1003),
  spot('SOL', 'USDT', '150', '0.01', '0.000001', '0.001', 1004),
  spot('ADA', 'USDT', '0.4', '0.0001', '0.0001', '1', 1005),
  spot('DOGE', 'USDT', '0.1', '0.00001', '0.000001', '10', 1006),
  spot('ETH', 'BTC', '0.0416', '0.00001', '0.000001', '0.001', 1007),
  spot('BTC', 'USDC', '60010', '0.1', '0.00000001', '0.00001', 1008),
  spot('USDC', 'USDT', '0.9998', '0.0001', '0.0001', '1', 1009),
  spot('BTC', 'USD', '60005', '0.1', '0.00000001', '0.00001', 1010),
  swap('BTC', 'USDT', '60020', '0.1', '0.01', '0.01', 10459, { maxLever: 100, maxMktSz: '12000' }),
  swap('ETH', 'USDT', '2501', '0.01', '0.01', '0.1', 10461, { maxLever: 100 }),
  swap('SOL', 'USDT', '150.1', '0.01', '0.01', '1', 10462),
  swap('ADA', 'USDT', '0.4001', '0.0001', '0.1', '100', 10463),
  swap('DOGE', 'USDT', '0.10002', '0.00001', '0.01', '1000', 10464),
  swap('SHIB', 'USDT', '0.0000141', '0.000000001', '0.1', '1000000', 10465),
  swap('BTC', 'USDC', '60015', '0.1', '1', '0.0001', 10466),
  swap('BTC', 'USD', '60005', '0.1', '1', '100', 10458, { ctType: 'inverse', settle: 'BTC', groupId: '1' }),
];

/** Base units of one unit of `sz`. */
export function unitOf(spec: InstrumentSpec): Dec {
  return spec.ctVal === '' ? ONE : dec(spec.ctVal);
}

export function familyOf(spec: InstrumentSpec): string {
  return spec.instType === 'SWAP' ? `${spec.base}-${spec.quote}` : '';
}

/** The row in `GET /public/instruments` and on the channel. */
export function instrumentRow(s: InstrumentSpec): Record<string, unknown> {
  const isSpot = s.instType === 'SPOT';
  const sixteen = (text: string) => `${text}.0000000000000000`;
  return {
    alias: '',
    auctionEndTime: '',
    baseCcy: isSpot ? s.base : '',
    category: '1',
    contTdSwTime: '',
    ctMult: isSpot ? '' : '1',
    ctType: s.ctType,
    ctVal: s.ctVal,
    ctValCcy: isSpot ? '' : s.ctType === 'inverse' ? 'USD' : s.base,
    expTime: '',
    futureSettlement: false,
    groupId: s.groupId,
    instCategory: '1',
    instFamily: familyOf(s),
    instId: s.symbol,
    instIdCode: s.instIdCode,
    instType: s.instType,
    lever: String(s.maxLever),
    listTime: '1606468572000',
    lotSz: s.step,
    maxIcebergSz: sixteen(s.maxLmtSz),
    maxLmtAmt: s.maxLmtAmt,
    maxLmtSz: s.maxLmtSz,
    maxMktAmt: s.maxMktAmt,
    maxMktSz: s.maxMktSz,
    maxStopSz: s.maxMktSz,
    maxTriggerSz: sixteen(s.maxLmtSz),
    maxTwapSz: sixteen(s.maxLmtSz),
    minSz: s.minSz,
    openType: '',
    optType: '',
    preMktSwTime: '',
    quoteCcy: isSpot ? s.quote : '',
    ruleType: 'normal',
    settleCcy: s.settle,
    state: s.state,
    stk: '',
    tickSz: s.tick,
    tradeQuoteCcyList: isSpot ? [s.quote] : [],
    uly: familyOf(s),
    upcChg: s.upcoming,
  };
}
