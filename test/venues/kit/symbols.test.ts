/** Names of a market's instruments: each has one, and the same list gives the same names. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMarketName } from '../../../src/domain/market-name.ts';
import { type ListedInstrument, symbolsOf } from '../../../src/venues/kit/symbols.ts';

const named = (...list: readonly (readonly [name: string, base: string, quote: string])[]) =>
  Object.fromEntries(symbolsOf(list.map(([name, base, quote]) => ({ name, base, quote }))));

describe('a symbol', () => {
  it('is base and quote without the separators of the exchange', () => {
    expect(named(['BTC-USDT-SWAP', 'BTC', 'USDT'], ['币安人生-USDT', '币安人生', 'USDT'])).toEqual({
      'BTC-USDT-SWAP': 'BTCUSDT',
      '币安人生-USDT': '币安人生USDT',
    });
  });

  it("is the exchange's own where that has none, whatever its base is called", () => {
    expect(named(['1000SHIBUSDT', 'SHIB', 'USDT'], ['SHIB1000USDT', '1000SHIB', 'USDT'])).toEqual({
      '1000SHIBUSDT': '1000SHIBUSDT',
      SHIB1000USDT: 'SHIB1000USDT',
    });
  });

  it("is the exchange's own where several have the same base and quote, or make the same of them", () => {
    expect(named(['A-BC', 'A', 'BC'], ['AB-C', 'AB', 'C'], ['D-E', 'D', 'E'], ['D-E-2', 'D', 'E'])).toEqual({
      'A-BC': 'A-BC',
      'AB-C': 'AB-C',
      'D-E': 'D-E',
      'D-E-2': 'D-E-2',
    });
    expect(named(['AB', 'X', 'Y'], ['A-B', 'A', 'B'])).toEqual({ AB: 'AB', 'A-B': 'A-B' });
  });

  it('is not given to what is listed twice or cannot be spelled', () => {
    expect(named(['A-B', 'A', 'B'], ['A-B', 'A', 'B'], ['C D', 'C', 'D'], ['', '', ''])).toEqual({});
  });
});

it('is one of its instrument alone, has a spelling, and is the same in whatever order the list comes', () => {
  const part = fc.constantFrom('A', 'B', 'AB', 'BA', 'A-B', '币', '', ' ');
  const one: fc.Arbitrary<ListedInstrument> = fc
    .tuple(part, fc.constantFrom('', '-', '_'), part, part, part)
    .map(([a, between, b, base, quote]) => ({ name: a + between + b, base, quote }));
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (list) => {
      const symbols = symbolsOf(list);
      expect(new Set(symbols.values()).size).toBe(symbols.size);
      for (const symbol of symbols.values()) expect(isMarketName(symbol)).toBe(true);
      const entries = (of: ReadonlyMap<string, string>) => [...of].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(entries(symbolsOf(list.toReversed()))).toEqual(entries(symbols));
    }),
    { numRuns: 500 },
  );
});
