import { describe, expect, it } from 'vitest';
import { dec, isMultiple } from '../../src/domain/decimal.ts';
import { FeedError } from '../../src/market/feed.ts';
import { compareSymbols, MARKETS, spotInstruments } from '../../src/market/symbols.ts';
import { withShared } from '../support/shared-data.ts';

const SYMBOLS = MARKETS.map((market) => market.symbol);

describe('the table of symbols', () => {
  it('has 20 USDT pairs, the native token among them', () => {
    expect(new Set(SYMBOLS).size).toBe(20);
    expect(SYMBOLS).toEqual(expect.arrayContaining(['BTCUSDT', 'ETHUSDT', 'BNBUSDT']));
    for (const { symbol, base } of MARKETS) expect(symbol).toBe(`${base}USDT`);
  });

  it('has filters that fit each other', () => {
    for (const [at, instrument] of spotInstruments(SYMBOLS, 'paper-spot').entries()) {
      const start = dec(MARKETS[at]?.startPrice as string);
      expect(isMultiple(start, dec(instrument.tickSize))).toBe(true);
      expect(start > dec(instrument.minPrice) && start < dec(instrument.maxPrice)).toBe(true);
      for (const quantity of [instrument.minQty, instrument.maxQty, instrument.marketMaxQty]) {
        expect(isMultiple(dec(quantity), dec(instrument.stepSize))).toBe(true);
      }
      expect(dec(instrument.marketMaxQty) <= dec(instrument.maxQty)).toBe(true);
    }
  });

  it(
    'has the ticks and steps of the real venue',
    withShared('markets/binance-spot-exchangeInfo.json', 20, (text) => {
      const real = new Map<string, { filters: Record<string, string>[] }>(
        JSON.parse(text).symbols.map((symbol: { symbol: string }) => [symbol.symbol, symbol]),
      );
      for (const instrument of spotInstruments(SYMBOLS, 'paper-spot')) {
        const filters = Object.assign({}, ...(real.get(instrument.symbol)?.filters ?? []));
        expect(dec(instrument.tickSize)).toBe(dec(filters.tickSize));
        const lot = real.get(instrument.symbol)?.filters.find((filter) => filter.filterType === 'LOT_SIZE');
        expect(dec(instrument.stepSize)).toBe(dec(lot?.stepSize ?? '0'));
        expect(dec(instrument.maxQty)).toBe(dec(lot?.maxQty ?? '0'));
      }
    }),
  );

  it('comes first in the order of symbols, the others follow by name', () => {
    expect(['ZZZUSDT', 'ETHUSDT', 'AAAUSDT', 'BTCUSDT'].toSorted(compareSymbols)).toEqual([
      'BTCUSDT',
      'ETHUSDT',
      'AAAUSDT',
      'ZZZUSDT',
    ]);
  });
});

describe('a symbol that is not in the table', () => {
  const derived = (...prices: string[]) => spotInstruments(['NEWUSDT'], 'paper-spot', () => prices)[0];

  it('gets its tick from the decimals of its prices and a step worth about one USDT', () => {
    expect(derived('104.5', '98.25')).toMatchObject({
      base: 'NEW',
      quote: 'USDT',
      kind: 'spot',
      tickSize: '0.01',
      minPrice: '0.01',
      maxPrice: '10000',
      stepSize: '0.001',
      minNotional: '5',
    });
    expect(derived('0.000004125')).toMatchObject({ tickSize: '0.000000001', stepSize: '1', maxPrice: '1' });
    expect(derived()).toMatchObject({ tickSize: '0.00000001' });
  });

  it('is refused when it is not quoted in USDT', () => {
    expect(() => spotInstruments(['ETHBTC'], 'paper-spot')).toThrow(FeedError);
    expect(() => spotInstruments(['USDT'], 'paper-spot')).toThrow(/USDT/);
  });
});

it('a recorded price with more decimals than the table makes the tick finer', () => {
  const sample = () => ['668.41', '670'];
  expect(spotInstruments(['BNBUSDT'], 'paper-spot', sample)[0]?.tickSize).toBe('0.01');
  expect(spotInstruments(['BNBUSDT'], 'paper-spot')[0]?.tickSize).toBe('0.1');
});
