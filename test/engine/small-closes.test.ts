/**
 * Closes below the minimum order value (`ExchangeCaps.closeBelowMinimum`): accepted, accepted when marked,
 * or refused with the remedy.
 */
import { describe, expect, it } from 'vitest';
import type { CloseBelowMinimum } from '../../src/domain/exchange.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench } from './support/bench.ts';
import { BTC, FUTURES_BTC } from './support/market.ts';

const FINE = { stepSize: '0.00001', minQty: '0.00001' };

/** A LONG of 0.00006 BTC, worth 3.60 USDT at 60,000 where 5 is the minimum. */
function futures(closeBelowMinimum?: CloseBelowMinimum, amount = '0.00006'): Bench {
  const bench = new Bench({
    futures: true,
    instruments: [{ ...FUTURES_BTC, ...FINE }],
    caps: closeBelowMinimum ? { closeBelowMinimum } : {},
  });
  const { exchange } = bench;
  const changed = [positionOf('BTCUSDT', amount, bench.wall)];
  bench.event({ type: 'venue.positions', exchange, changed, all: true });
  return bench;
}

function asked(bench: Bench, request: Partial<CreateOrder>): string {
  const { token, reply } = bench.place({ side: 'SELL', type: 'MARKET', ...request });
  return bench.isAnswered(token) ? `${reply().reason}: ${reply().message}` : 'sent';
}

const WHOLE = { closePosition: true } as const;
const MARKED = { quantity: '0.00006', reduceOnly: true } as const;
const PLAIN = { quantity: '0.00006' } as const;
const LIMIT = { ...MARKED, type: 'LIMIT', price: '60000' } as const;
const CURE = 'paper-futures takes no smaller close: add to the position and close all of it';

describe('a close of less than the least value, on futures', () => {
  it.each([
    [undefined, true],
    ['flag', true],
    ['any', true],
    ['no', false],
  ] as const)('where the exchange says %s: marked ones are taken: %s', (cap, isTaken) => {
    for (const request of [WHOLE, MARKED, LIMIT]) {
      const answer = asked(futures(cap), request);
      if (isTaken) expect(answer).toBe('sent');
      else expect(answer).toMatch(new RegExp(`^MIN_NOTIONAL: .*below|less than.*; ${CURE}$`));
      if (!isTaken) expect(answer).toContain(CURE);
    }
  });

  it('is taken unmarked only where any is, and else says how it is', () => {
    expect(asked(futures('any'), PLAIN)).toBe('sent');
    expect(asked(futures('flag'), PLAIN)).toMatch(
      /^MIN_NOTIONAL: .*; as a close it is taken with reduceOnly$/,
    );
    expect(asked(futures('no'), PLAIN)).toContain(CURE);
  });

  it('is no close where it opens: that has its minimum everywhere, and no word of a close', () => {
    for (const cap of ['flag', 'any', 'no'] as const) {
      const answer = asked(futures(cap), { ...PLAIN, side: 'BUY' });
      expect(answer).toMatch(/^MIN_NOTIONAL: .*at least 0\.00009 BTC$/);
    }
  });

  it('is no longer too little at the minimum exactly', () => {
    // 0.0001 at 50,000 is 5.
    const bench = futures('no', '0.0001');
    bench.event({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '50000' });
    expect(asked(bench, WHOLE)).toBe('sent');
  });

  it('has the plain words where a larger part of the position would do', () => {
    const answer = asked(futures('no', '1'), MARKED);
    expect(answer).toMatch(/^MIN_NOTIONAL: .*at least 0\.00009 BTC$/);
  });

  it('waits for its trigger, whatever it may be worth then', () => {
    const stop = { type: 'STOP_MARKET', stopPrice: '50000', closePosition: true } as const;
    expect(asked(futures('no'), stop)).toBe('sent');
  });
});

describe('a sale of less than the least value, on spot', () => {
  const spot = (held: string, cap?: CloseBelowMinimum) =>
    new Bench({
      instruments: [{ ...BTC, ...FINE }],
      caps: cap ? { closeBelowMinimum: cap } : {},
      balances: [
        { asset: 'USDT', free: '1000', locked: '0' },
        { asset: 'BTC', free: held, locked: '0' },
      ],
    });

  it('says what to do when it is all there is', () => {
    expect(asked(spot('0.00006'), PLAIN)).toMatch(
      /^MIN_NOTIONAL: .*; all there is of it is too little to be sold: buy more and sell all of it, or convert small balances$/,
    );
  });

  it('says how much is enough when there is more', () => {
    expect(asked(spot('1'), PLAIN)).toMatch(/at least 0\.00009 BTC$/);
  });

  it('is taken where any is', () => {
    expect(asked(spot('0.00006', 'any'), PLAIN)).toBe('sent');
  });
});

it.each(['flag', 'any', 'no'] as const)(
  'a close above the greatest value is refused (%s): it is too large, not too little',
  (cap) => {
    const bench = new Bench({
      futures: true,
      instruments: [{ ...FUTURES_BTC, maxNotional: '100000' }],
      caps: { closeBelowMinimum: cap },
    });
    const changed = [positionOf('BTCUSDT', '9', bench.wall)];
    bench.event({ type: 'venue.positions', exchange: bench.exchange, changed, all: true });
    const close = { type: 'LIMIT', price: '60000' } as const;
    expect(asked(bench, { ...close, quantity: '1' })).toBe('sent');
    expect(asked(bench, { ...close, quantity: '2' })).toMatch(/^MAX_NOTIONAL: /);
  },
);
