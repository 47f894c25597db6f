/** Typed sizes, prices and whole orders, and the values that they give. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNumber } from '../../../src/console/entry/numbers.ts';
import { type LineAccount, readOrderLine } from '../../../src/console/entry/order-line.ts';
import { type PriceFacts, resolvePrice, stepped } from '../../../src/console/entry/prices.ts';
import { nextShare, resolveSize, type SizeFacts } from '../../../src/console/entry/sizes.ts';
import { dec, div, isMultiple, mul, str } from '../../../src/domain/decimal.ts';

const BUY: SizeFacts = {
  side: 'BUY',
  kind: 'spot',
  base: 'BTC',
  quote: 'USDT',
  stepSize: '0.001',
  price: '50000',
  free: '10000',
  equity: '20000',
  riskPercent: '1',
  stop: null,
};
const PRICES: PriceFacts = {
  side: 'BUY',
  tickSize: '0.10',
  last: '50000.1',
  mark: '50010',
  bid: null,
  ask: '50000.2',
};

const quantity = (text: string, facts: Partial<SizeFacts> = {}) => {
  const meant = resolveSize(text, { ...BUY, ...facts });
  return meant && (meant.quantity ?? meant.problem);
};
const price = (text: string, facts: Partial<PriceFacts> = {}) => {
  const meant = resolvePrice(text, { ...PRICES, ...facts });
  return meant && (meant.price ?? meant.problem);
};

describe('a number', () => {
  it.each([
    ['0.1', '0.1'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1,000', '1000'],
    ['1,234,567.89', '1234567.89'],
    ['007', '7'],
    ['1,00', null],
    ['1000,000', null],
    ['1.2.3', null],
    ['1e3', null],
    ['-1', null],
    ['', null],
    ['.', null],
  ])('%j is %j', (text, value) => {
    expect(readNumber(text)).toBe(value);
  });
});

describe('a size', () => {
  it.each<[string, Partial<SizeFacts>, string | null]>([
    ['0.1', {}, '0.1'],
    ['0.1 btc', {}, '0.1'],
    ['5000usdt', {}, '0.1'],
    ['5,000 USDT', {}, '0.1'],
    // 2,500 at 50,000.
    ['25%', {}, '0.05'],
    ['25%', { side: 'SELL', free: '2' }, '0.5'],
    // 200 of 20,000, and 1,000 to the stop.
    ['1r', { stop: '49000' }, '0.2'],
    ['.5r', { stop: '51000', side: 'SELL' }, '0.1'],
    // 10,000 of margin at 10x, less 0.05 % of fee each.
    ['100%', { kind: 'futures', leverage: 10, feeRate: '0.0005' }, '1.99'],
    ['50%', { kind: 'futures', closes: '0.3' }, '0.15'],
    ['1r', {}, 'r is the risk down to a stop: give the stop first'],
    ['1r', { stop: '51000' }, 'the stop 51000 is on the wrong side of 50000: it must be below'],
    ['1usdt', {}, '1 USDT is less than one step, 0.001 BTC'],
    ['25%', { free: null }, 'what is free is not known yet: give a size in base units'],
    ['5usdt', { price: null }, 'no price is known: give one, or a size in base units'],
    ['101%', {}, '101% is more than there is'],
    ['0', {}, 'a size is more than zero'],
    ['abc', {}, '"abc" is no size; write 0.1, 1,000, 5000usdt, 25% or 1r of BTC'],
    ['5eth', {}, '"5eth" is no size; write 0.1, 1,000, 5000usdt, 25% or 1r of BTC'],
    ['', {}, null],
  ])('%j with %j is %j', (text, facts, meant) => {
    expect(quantity(text, facts)).toBe(meant);
  });

  it('never costs more than is free, and is on the step', () => {
    const amount = fc.integer({ min: 1, max: 10_000_000 }).map((n) => str(div(dec(String(n)), dec('100'))));
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        (free, at, share, futures) => {
          const leverage = futures ? 7 : 1;
          const kind = futures ? 'futures' : 'spot';
          const got = resolveSize(`${share}%`, {
            ...BUY,
            kind,
            free,
            price: at,
            leverage,
            stepSize: '0.00001',
          });
          if (!got || got.quantity === null) return;
          const cost = div(mul(dec(got.quantity), dec(at)), dec(String(leverage)));
          expect(cost <= mul(dec(free), div(dec(String(share)), dec('100')))).toBe(true);
          expect(isMultiple(dec(got.quantity), dec('0.00001'))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('goes through the quarters by a bare percent sign', () => {
    const seen = [''];
    for (let i = 0; i < 5; i++) seen.push(nextShare(seen.at(-1) ?? '') ?? '?');
    expect(seen).toEqual(['', '25%', '50%', '75%', '100%', '25%']);
    expect(nextShare('30')).toBeNull();
  });
});

describe('a price', () => {
  it.each<[string, Partial<PriceFacts>, string | null]>([
    ['61,234.5', {}, '61234.5'],
    ['last', {}, '50000.1'],
    ['Mark', {}, '50010'],
    ['ask', {}, '50000.2'],
    // 49,500.099: a buy is rounded down, a sale up.
    ['-1%', {}, '49500'],
    ['-1%', { side: 'SELL' }, '49500.1'],
    ['+5t', {}, '50000.6'],
    ['ask-2t', {}, '50000'],
    ['mark -0.5%', {}, '49759.9'],
    ['bid', {}, 'no bid is known: this market tells last prices only; write last'],
    ['mark', { mark: null }, 'no mark price is known yet; write a number'],
    ['-100%', {}, 'last 50000.1 -100% is no price above zero'],
    ['+1.5t', {}, '"+1.5t" is no price; write 61234.5, last, mark, bid, ask, -1% or +5t'],
    ['soon', {}, '"soon" is no price; write 61234.5, last, mark, bid, ask, -1% or +5t'],
    ['', {}, null],
  ])('%j with %j is %j', (text, facts, meant) => {
    expect(price(text, facts)).toBe(meant);
  });

  it('is stepped by ticks, from off the tick to the next one, and never to nothing', () => {
    expect(stepped('50000.1', 1, PRICES)).toBe('50000.2');
    expect(stepped('', -1, PRICES)).toBe('50000.0');
    expect(stepped('-1%', 1, PRICES)).toBe('49500.1');
    expect(stepped('50000.15', -1, PRICES)).toBe('50000.1');
    expect(stepped('0.1', -1, PRICES)).toBeNull();
    expect(stepped('soon', 1, PRICES)).toBeNull();
  });
});

describe('an order in one line', () => {
  const ACCOUNTS: readonly LineAccount[] = [
    { id: 'paper-spot', kind: 'spot', symbols: ['BTCUSDT', 'ETHUSDT'] },
    { id: 'paper-futures', kind: 'futures', symbols: ['BTCUSDT', 'XRPUSDT'] },
  ];
  const read = (line: string) => {
    const { order, problem } = readOrderLine(line, ACCOUNTS, { exchange: 'paper-spot', symbol: 'ETHUSDT' });
    if (!order) return problem;
    const { side, size, symbol, exchange, type, price: at, stop, takeProfit } = order;
    return [side, size, symbol, exchange, type, at, stop, takeProfit].filter((one) => one !== '').join(' ');
  };

  it.each([
    ['buy 0.1 btc -1% futures', 'BUY 0.1 BTCUSDT paper-futures LIMIT -1%'],
    ['sell 25%', 'SELL 25% ETHUSDT paper-spot MARKET'],
    ['BUY 5000usdt eth at 3,000', 'BUY 5000usdt ETHUSDT paper-spot LIMIT 3,000'],
    ['buy 1 xrp', 'BUY 1 XRPUSDT paper-futures MARKET'],
    ['sell .5 btc-usdt ask+2t post', 'SELL .5 BTCUSDT paper-spot LIMIT_MAKER ask+2t'],
    ['buy 1r btc 95000 stop 93000 tp 99000', 'BUY 1r BTCUSDT paper-spot LIMIT 95000 93000 99000'],
    ['buy', 'buy how much? for example 0.1, 5000usdt or 25%'],
    ['buy btc', '"btc" is no size; write buy 0.1 btc'],
    ['buy 1 doge', '"doge" is not traded on paper-spot'],
    ['buy 1 btc 1 2', 'two prices: 1 and 2'],
    ['buy 1 btc paper', 'paper may be paper-spot or paper-futures; name one'],
    ['buy 1 btc nowhere', 'there is no account nowhere; there is paper-spot, paper-futures'],
    ['buy 1 btc market 95000', 'a market order has no price; leave one of both out'],
    ['buy 1 btc limit', 'a price is missing, for example last or -1%'],
    ['buy 1 btc 95000 stop', 'stop needs a price behind it'],
  ])('%j is %j', (line, meant) => {
    expect(read(line)).toBe(meant);
  });

  /** The account and symbol of a line that is written on this account, about BTCUSDT. */
  const at = (line: string, accounts: readonly LineAccount[], exchange: string) => {
    const { order, problem } = readOrderLine(line, accounts, { exchange, symbol: 'BTCUSDT' });
    return order ? `${order.exchange} ${order.symbol}` : problem;
  };

  it('goes to the account in view where that trades it, and never elsewhere where one is named', () => {
    expect(at('buy 1 btc', ACCOUNTS, 'paper-futures')).toBe('paper-futures BTCUSDT');
    expect(at('buy 1', ACCOUNTS, 'paper-futures')).toBe('paper-futures BTCUSDT');
    expect(at('buy 1 eth', ACCOUNTS, 'paper-futures')).toBe('paper-spot ETHUSDT');
    expect(at('buy 1 xrp paper-spot', ACCOUNTS, 'paper-futures')).toBe('"xrp" is not traded on paper-spot');
    expect(at('buy 1 xrp spot', ACCOUNTS, 'paper-futures')).toBe('"xrp" is not traded on paper-spot');
  });

  it('names an account by its whole id before any that begins with it, and the dollar that comes first', () => {
    const symbols = ['BTCUSDC', 'BTCUSDT', 'BTC-USD', 'SOL-USDC', 'SOLUSD'];
    const two: LineAccount[] = [
      { id: 'acme-2', kind: 'spot', symbols },
      { id: 'acme', kind: 'futures', symbols },
    ];
    expect(at('buy 1 btc acme', two, 'acme-2')).toBe('acme BTCUSDT');
    expect(at('buy 1 btcusdc acme-2', two, 'acme')).toBe('acme-2 BTCUSDC');
    expect(at('buy 1 sol acme', two, 'acme')).toBe('acme SOL-USDC');
    expect(at('buy 1 btc spot', two, 'acme')).toBe('acme-2 BTCUSDT');
  });
});
