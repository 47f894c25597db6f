/** Paper futures: modes, settings, margins, refusals, closing orders, triggers, trailing stops. */
import { describe, expect, it } from 'vitest';
import { dec, div, str } from '../../src/domain/decimal.ts';
import { tiersOf } from '../../src/venues/paper/futures/brackets.ts';
import { FuturesBench } from './futures-support.ts';
import { plain } from './paper-support.ts';

function bench(options: ConstructorParameters<typeof FuturesBench>[0] = {}): FuturesBench {
  const made = new FuturesBench(options);
  made.tick('50000');
  return made;
}

function hedged(): FuturesBench {
  const b = bench();
  b.mustSet((core) => core.setHedgeMode(true));
  return b;
}

describe('refusals', () => {
  it.each([
    [{ symbol: 'XXXUSDT', price: '49000', quantity: '1' }, '-1121'],
    [{ price: '49000.001', quantity: '1' }, '-1013'],
    [{ price: '49000', quantity: '0.0005' }, '-1013'],
    [{ price: '49000', quantity: '0.002' }, '-4164'],
    [{ price: '49000', quantity: '1', icebergQty: '0.1' }, '-1106'],
    [{ price: '49000', quantity: '1', positionSide: 'LONG' }, '-4061'],
    [{ price: '52500.01', quantity: '1' }, '-4016'],
    [{ side: 'SELL', price: '47499.99', quantity: '1' }, '-4024'],
    [{ type: 'LIMIT_MAKER', price: '50000', quantity: '1' }, '-5022'],
    [{ type: 'STOP_MARKET', stopPrice: '50000', quantity: '1' }, '-2021'],
    [{ type: 'TAKE_PROFIT_MARKET', stopPrice: '50001', quantity: '1' }, '-2021'],
    [{ type: 'STOP_MARKET', quantity: '1' }, '-1102'],
    [{ type: 'STOP_MARKET', quantity: '1', trailingDelta: 5 }, '-2007'],
    [{ type: 'STOP_LIMIT', stopPrice: '51000', price: '51000', quantity: '1', closePosition: true }, '-1106'],
    [{ type: 'MARKET', quantity: '1', reduceOnly: true }, '-2022'],
    [{ type: 'MARKET', closePosition: true }, '-2022'],
    [{ type: 'STOP_MARKET', side: 'SELL', stopPrice: '45000', closePosition: true }, '-2022'],
    [{ type: 'MARKET', quantity: '120.001' }, '-1013'],
    [{ type: 'MARKET', quantity: '39.7' }, '-2019'],
    [{ price: '49000', quantity: '41' }, '-2019'],
  ] as const)('refuses %o with %s and leaves no trace', (order, code) => {
    const b = bench();
    const before = plain(b.core.documents());
    expect(b.submit(order)).toMatchObject({ kind: 'rejected', code });
    expect(plain(b.core.documents())).toEqual(before);
  });

  it('a second order with the same id, and an order above the bracket of the leverage', () => {
    const b = bench({ startBalances: { USDT: '10000000' } });
    b.place({ clientId: 'a', price: '49000', quantity: '1' });
    expect(b.submit({ clientId: 'a', price: '49000', quantity: '1' })).toMatchObject({ code: '-4116' });
    b.mustSet((core) => core.setLeverage('BTCUSDT', 75));
    expect(b.submit({ type: 'MARKET', quantity: '60' })).toMatchObject({ kind: 'rejected', code: '-2027' });
    expect(b.submit({ type: 'MARKET', quantity: '58' })).toMatchObject({ kind: 'accepted' });
  });

  it('what is above the bracket of the leverage, and not what is just as much', () => {
    const b = bench({ startBalances: { USDT: '10000000' } });
    // The bracket allows at most 3,000,000 USDT.
    b.mustSet((core) => core.setLeverage('BTCUSDT', 75));
    expect(b.submit({ price: '48000', quantity: '62.501' })).toMatchObject({ code: '-2027' });
    expect(b.submit({ price: '48000', quantity: '62.5' })).toMatchObject({ kind: 'accepted' });
  });
});

describe('settings', () => {
  it('are refused while something hangs on them', () => {
    const b = bench();
    const id = b.place({ price: '49000', quantity: '1' });
    expect(b.set((core) => core.setMarginType('BTCUSDT', 'ISOLATED'))).toMatchObject({ code: '-4047' });
    expect(b.set((core) => core.setHedgeMode(true))).toMatchObject({ code: '-4067' });
    b.keep(b.core.cancel({ clientId: id, symbol: 'BTCUSDT' }, b.now));
    b.market('BUY', '1');
    expect(b.set((core) => core.setMarginType('BTCUSDT', 'ISOLATED'))).toMatchObject({ code: '-4048' });
    expect(b.set((core) => core.setHedgeMode(true))).toMatchObject({ code: '-4068' });
    expect(b.set((core) => core.setMarginType('ETHUSDT', 'ISOLATED'))).toEqual({ kind: 'done' });
    expect(b.set((core) => core.setLeverage('BTCUSDT', 126))).toMatchObject({ code: '-4028' });
    expect(b.set((core) => core.setLeverage('DOGEUSDT', 76))).toMatchObject({ code: '-4028' });
    expect(b.set((core) => core.setMarginMode(4))).toMatchObject({ kind: 'rejected' });
    expect(b.set((core) => core.setMarginMode(2))).toEqual({ kind: 'done' });
    expect(b.reloaded().marginMode()).toBe(2);
  });

  // proves: rule leverage-brackets
  it('leverage is bounded by the bracket of what is held, the margin, and an isolated position', () => {
    const b = bench();
    b.market('BUY', '20');
    expect(b.set((core) => core.setLeverage('BTCUSDT', 100))).toMatchObject({ code: '-2027' });
    expect(b.set((core) => core.setLeverage('BTCUSDT', 10))).toMatchObject({ code: '-2028' });
    expect(b.set((core) => core.setLeverage('BTCUSDT', 75))).toEqual({ kind: 'done' });
    expect(b.position().leverage).toBe(75);
    const c = bench();
    c.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    c.market('BUY', '1');
    expect(c.set((core) => core.setLeverage('BTCUSDT', 10))).toMatchObject({ code: '-4161' });
    expect(c.set((core) => core.setLeverage('BTCUSDT', 50))).toEqual({ kind: 'done' });
    expect(c.core.leverage(['BTCUSDT', 'XXX'])).toEqual([
      { symbol: 'BTCUSDT', side: 'BOTH', leverage: 50, marginType: 'ISOLATED', realizedPnl: '0' },
    ]);
  });

  it.each([
    ['has just', '5000', { kind: 'done' }],
    ['lacks a cent of', '4999.99', { code: '-2028' }],
  ])('a lower leverage is for an account that %s the margin that it needs more', (_what, USDT, outcome) => {
    const b = bench({ startBalances: { USDT }, takerRate: '0' });
    b.market('BUY', '1');
    expect(b.set((core) => core.setLeverage('BTCUSDT', 10))).toMatchObject(outcome);
  });

  it('that change tell of a position as it is since its last trade', () => {
    const b = bench();
    b.market('BUY', '1');
    const { updateTime } = b.position();
    b.tick('50000', { after: 60_000 });
    b.mustSet((core) => core.setLeverage('BTCUSDT', 50));
    expect(b.position()).toMatchObject({ leverage: 50, updateTime });
    b.market('BUY', '1');
    expect(b.position().updateTime).toBe(b.now);
  });

  it.each(
    tiersOf('BTC')
      .filter(({ leverage }) => leverage > 1)
      .map(({ leverage, cap }) => [leverage, str(cap)] as const),
  )('leverage of %i may have all that its bracket holds, %s USDT, and not one step more', (leverage, cap) => {
    const held = (more: string) => {
      const b = bench({ startBalances: { USDT: '10000000000' }, takerRate: '0' });
      b.mustSet((core) => core.setLeverage('BTCUSDT', 1));
      const size = div(dec(cap), dec('50000')) + dec(more);
      let left = size;
      for (const piece = dec('100'); left > dec('120'); left -= piece) b.market('BUY', str(piece));
      b.market('BUY', str(left));
      return b.set((core) => core.setLeverage('BTCUSDT', leverage));
    };
    expect(held('0')).toEqual({ kind: 'done' });
    expect(held('0.001')).toMatchObject({ code: '-2027' });
  });
});

describe('margins', () => {
  it('both sides of a grid need the larger one; reduce-only and waiting orders nothing', () => {
    const b = bench();
    b.place({ price: '49000', quantity: '1' });
    expect(b.balance()).toBe('97550/2450');
    b.place({ side: 'SELL', price: '51000', quantity: '1' });
    expect(b.balance()).toBe('97450/2550');
    b.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '45000', quantity: '1' });
    expect(b.balance()).toBe('97450/2550');
    b.tick('49000');
    // Long 1 at mark 49,000 = 2,450; the SELL only closes it.
    expect(b.balance()).toBe('97540.2/2450');
    b.core.audit();
  });

  it('a crossed loss moves free to locked, a profit moves nothing, and free + locked is the wallet', () => {
    const b = bench({ takerRate: '0' });
    b.market('BUY', '1');
    expect(b.balance()).toBe('97500/2500');
    b.tick('49000');
    expect(b.balance()).toBe('96550/3450');
    b.tick('52000');
    expect(b.balance()).toBe('97400/2600');
  });

  it('a profit that is not realised is no margin: an order may need the wallet to the last cent, and no more', () => {
    const b = bench({ takerRate: '0' });
    b.market('BUY', '1');
    b.tick('62500');
    expect(b.position().unrealizedProfit).toBe('12500');
    // Each order at the mark price and at 20x: 100,000.003125 and 100,000 USDT of a wallet of 100,000.
    expect(b.submit({ price: '62500', quantity: '32.001' })).toMatchObject({ code: '-2019' });
    expect(b.submit({ price: '62500', quantity: '32' })).toMatchObject({ kind: 'accepted' });
    b.core.audit();
  });

  it('an order that turns a position needs the loss of what it opens above the mark, not of what it closes', () => {
    const b = bench();
    b.market('SELL', '30');
    // 31 x 2,000 of loss against the mark is more than the free balance; the 1 that opens has a loss of
    // 2,000.
    expect(b.submit({ price: '52000', quantity: '31' })).toMatchObject({ kind: 'accepted' });
    expect(b.position().amount).toBe('1');
  });

  it.each([
    ['9.8', 'FILLED', undefined],
    ['9.79999999', 'CANCELLED', 'Margin is insufficient.'],
  ])(
    'a resting order fills when the wallet has its margin and its maker fee: with %s beside the margin it is %s',
    (free, status, text) => {
      const b = bench({ makerRate: '0.0002', takerRate: '0.0005' });
      b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
      const id = b.place({ price: '49000', quantity: '1' });
      b.keep(b.core.setBalance('USDT', free));
      b.tick('49000');
      expect(b.state(id)).toMatchObject({ status, ...(text === undefined ? {} : { text }) });
      b.core.audit();
    },
  );

  it('an isolated position sets its margin aside, takes its share back and keeps losses to itself', () => {
    const b = bench({ takerRate: '0' });
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    b.market('BUY', '1');
    expect(b.position()).toMatchObject({ isolatedWallet: '2500', marginType: 'ISOLATED' });
    expect(b.balance()).toBe('97500/2500');
    b.market('BUY', '1');
    b.market('SELL', '0.5');
    expect(b.position()).toMatchObject({ amount: '1.5', isolatedWallet: '3750' });
    expect(b.balance()).toBe('96250/3750');
  });

  it('hedge mode adds both sides up', () => {
    const b = hedged();
    b.market('BUY', '1', { positionSide: 'LONG' });
    b.market('SELL', '2', { positionSide: 'SHORT' });
    expect(b.balance()).toBe('92425/7500');
    expect(b.position('BTCUSDT', 'SHORT')).toMatchObject({ amount: '2', entryPrice: '50000' });
    b.tick('49000');
    expect(b.position('BTCUSDT', 'LONG').unrealizedProfit).toBe('-1000');
    expect(b.position('BTCUSDT', 'SHORT').unrealizedProfit).toBe('2000');
    expect(b.position('BTCUSDT', 'LONG').liquidationPrice).toBe(
      b.position('BTCUSDT', 'SHORT').liquidationPrice,
    );
    expect(b.submit({ type: 'MARKET', quantity: '1' })).toMatchObject({ code: '-4061' });
    expect(
      b.submit({ type: 'MARKET', side: 'BUY', quantity: '1', positionSide: 'LONG', reduceOnly: true }),
    ).toMatchObject({ code: '-2022' });
    b.market('BUY', '3', { positionSide: 'SHORT' });
    expect(b.core.positions().map((p) => p.side)).toEqual(['LONG']);
    b.core.audit();
  });
});

describe('closing', () => {
  it('a fill that turns the position round is one fill: rPnl of the part closed, fee of the whole', () => {
    const b = bench();
    b.market('BUY', '1');
    b.tick('51000');
    b.market('SELL', '3');
    expect(b.fills().at(-1)).toMatchObject({ qty: '3', rPnl: '1000', comm: '76.5', posSide: 'BOTH' });
    expect(b.position()).toMatchObject({ amount: '-2', entryPrice: '51000', realizedPnl: '0' });
    expect(b.wallet()).toBe('100898.5');
  });

  it('a position that was turned round knows nothing of the funding and the fees of the one before', () => {
    const b = bench({ takerRate: '0.0005', fundingRate: '0.0001' });
    b.market('BUY', '1');
    b.tick('50000', { after: 8 * 3_600_000 });
    // 50,000 + 25 fee + 5 funding.
    expect(b.position().breakEvenPrice).toBe('50030');
    b.market('SELL', '3');
    // 50,000 - (2/3 of 75) / 2.
    expect(b.position()).toMatchObject({ amount: '-2', breakEvenPrice: '49975' });
  });

  // proves: field create-order reduceOnly, S32
  it('reduceOnly executes at most the position, its rest is cancelled; small ones are exempt from the notional', () => {
    const b = bench();
    b.market('BUY', '0.003');
    const id = b.market('SELL', '1', { reduceOnly: true });
    expect(b.state(id)).toMatchObject({ status: 'CANCELLED', origQty: '1', cumQty: '0.003' });
    expect(b.core.positions()).toEqual([]);
    b.market('BUY', '0.003');
    b.market('SELL', '0.001', { reduceOnly: true });
  });

  it('resting reduce-only and waiting closePosition orders end with their position', () => {
    const b = bench();
    b.market('BUY', '1');
    const profit = b.place({ side: 'SELL', price: '52000', quantity: '1', reduceOnly: true });
    const more = b.place({ side: 'SELL', price: '53000', quantity: '1', reduceOnly: true });
    const stop = b.place({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '45000', closePosition: true });
    expect(b.state(stop)).toMatchObject({ status: 'PENDING', origQty: '0' });
    b.market('SELL', '0.4');
    expect([profit, more, stop].map((id) => b.state(id).status)).toEqual(['WORKING', 'WORKING', 'PENDING']);
    const fills = b.tick('53000');
    expect(fills.map((fill) => `${fill.qty} @ ${fill.price}`)).toEqual(['0.6 @ 52000']);
    expect(b.state(profit)).toMatchObject({ status: 'CANCELLED', cumQty: '0.6' });
    expect([more, stop].map((id) => b.state(id).status)).toEqual(['CANCELLED', 'CANCELLED']);
    b.core.audit();
  });

  it('closePosition closes all, at once or when triggered', () => {
    const b = bench();
    b.market('SELL', '1.5');
    const stop = b.place({
      side: 'BUY',
      type: 'STOP_MARKET',
      stopPrice: '51000',
      closePosition: true,
      quantity: '0',
    });
    b.market('SELL', '0.5');
    b.tick('51200');
    expect(b.state(stop)).toMatchObject({ status: 'FILLED', origQty: '2', cumQty: '2' });
    expect(b.fills().at(-1)).toMatchObject({ price: '51200', rPnl: '-2400' });
    b.market('BUY', '2');
    const close = b.place({ side: 'SELL', type: 'MARKET', closePosition: true });
    expect(b.state(close)).toMatchObject({ status: 'FILLED', origQty: '2' });
    expect(b.core.positions()).toEqual([]);
  });

  it('in hedge mode closePosition closes the position of its side alone', () => {
    const b = hedged();
    b.market('BUY', '1.5', { positionSide: 'LONG' });
    b.market('SELL', '0.7', { positionSide: 'SHORT' });
    const closes = { type: 'STOP_MARKET', closePosition: true } as const;
    const long = b.place({ ...closes, side: 'SELL', stopPrice: '49000', positionSide: 'LONG' });
    const short = b.place({ ...closes, side: 'BUY', stopPrice: '51000', positionSide: 'SHORT' });
    b.tick('49000');
    expect(b.state(long)).toMatchObject({ status: 'FILLED', origQty: '1.5', cumQty: '1.5' });
    expect(b.core.positions()).toMatchObject([{ side: 'SHORT', amount: '0.7' }]);
    b.tick('51000');
    expect(b.state(short)).toMatchObject({ status: 'FILLED', origQty: '0.7', cumQty: '0.7' });
    expect(b.core.positions()).toEqual([]);
    b.market('BUY', '1.5', { positionSide: 'LONG' });
    b.market('SELL', '0.7', { positionSide: 'SHORT' });
    const now = b.place({ type: 'MARKET', side: 'BUY', closePosition: true, positionSide: 'SHORT' });
    expect(b.state(now)).toMatchObject({ status: 'FILLED', origQty: '0.7', cumQty: '0.7' });
    expect(b.core.positions()).toMatchObject([{ side: 'LONG', amount: '1.5' }]);
  });
});

describe('closing one side in hedge mode', () => {
  it('by a resting limit ends what else would close that side, and nothing of the other', () => {
    const b = hedged();
    b.market('BUY', '1', { positionSide: 'LONG' });
    b.market('SELL', '1', { positionSide: 'SHORT' });
    const closes = { type: 'STOP_MARKET', closePosition: true } as const;
    const long = b.place({ ...closes, side: 'SELL', stopPrice: '45000', positionSide: 'LONG' });
    const short = b.place({ ...closes, side: 'BUY', stopPrice: '55000', positionSide: 'SHORT' });
    const profit = b.place({ side: 'SELL', price: '52000', quantity: '1', positionSide: 'LONG' });
    b.tick('52000');
    expect([profit, long, short].map((id) => b.state(id).status)).toEqual(['FILLED', 'CANCELLED', 'PENDING']);
  });

  it('needs no margin, however little is left', () => {
    const b = hedged();
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    // 75,000 of 100,000 at 20x.
    b.market('BUY', '30', { positionSide: 'LONG' });
    const profit = b.place({ side: 'SELL', price: '51000', quantity: '30', positionSide: 'LONG' });
    b.tick('51000');
    expect(b.state(profit)).toMatchObject({ status: 'FILLED', cumQty: '30' });
    expect(b.core.positions()).toEqual([]);
  });
});

describe('triggers', () => {
  // proves: field create-order workingType
  it('look at the mark or at the last price', () => {
    const b = bench({ markLagMs: 1_000 });
    const byMark = b.place({ type: 'STOP_MARKET', stopPrice: '51000', quantity: '0.1' });
    const byLast = b.place({
      type: 'STOP_MARKET',
      stopPrice: '51000',
      quantity: '0.1',
      workingType: 'CONTRACT_PRICE',
    });
    b.tick('51500', { after: 1_000 });
    // 50,000 + 1,500 x 1,000 / (1,000 + 1,000)
    expect(b.position().markPrice).toBe('50750');
    expect([byMark, byLast].map((id) => b.state(id).status)).toEqual(['PENDING', 'FILLED']);
    b.tick('51500', { after: 3_000 });
    expect(b.state(byMark).status).toBe('FILLED');
  });

  it('a limit becomes a limit order; what the margin does not cover is rejected', () => {
    const b = bench();
    const limit = b.place({ type: 'STOP_LIMIT', stopPrice: '51000', price: '50900', quantity: '1' });
    const large = b.place({ type: 'STOP_MARKET', stopPrice: '51000', quantity: '100' });
    b.tick('51000');
    expect(b.state(limit).status).toBe('WORKING');
    expect(b.state(large)).toMatchObject({ status: 'REJECTED', text: 'Margin is insufficient.' });
    expect(b.tick('50900')[0]).toMatchObject({ price: '50900', maker: true });
  });

  it('a trailing stop tells once that it follows the price, and since when: also in answers, after a restart', () => {
    const b = bench();
    b.market('BUY', '1');
    const trailing = { type: 'STOP_MARKET', side: 'SELL', quantity: '1', trailingDelta: 100 } as const;
    const later = b.place({ ...trailing, activationPrice: '51000', reduceOnly: true });
    const before = b.state(later);
    expect(before).not.toHaveProperty('armedAt');
    const told = () => b.events.filter((event) => event.kind === 'order' && event.state.clientId === later);
    const known = told().length;
    b.tick('50999.99');
    expect(told()).toHaveLength(known);
    b.tick('51000');
    const armedAt = b.core.time;
    b.tick('52000');
    expect(told().slice(known)).toMatchObject([
      { state: { status: 'PENDING', armedAt, seq: before.seq + 1, time: armedAt } },
    ]);
    b.core = b.reloaded();
    expect(b.state(later)).toMatchObject({ status: 'PENDING', armedAt });
    const atOnce = b.place({ ...trailing, quantity: '0.5', reduceOnly: true });
    expect(b.state(atOnce)).toMatchObject({ status: 'PENDING', armedAt: b.core.time });
  });

  it('a trailing stop follows from its activation, survives a restart and fires on the callback', () => {
    const b = bench();
    b.market('BUY', '1');
    const id = b.place({
      type: 'STOP_MARKET',
      side: 'SELL',
      quantity: '1',
      trailingDelta: 100,
      activationPrice: '51000',
      reduceOnly: true,
    });
    b.tick('50000');
    b.tick('49000');
    b.tick('51000');
    b.tick('52000');
    b.core = b.reloaded();
    b.tick('51480.01');
    expect(b.state(id).status).toBe('PENDING');
    expect(b.tick('51480')[0]).toMatchObject({ price: '51480', rPnl: '1480', clientId: id });
  });
});

describe('account', () => {
  it('restarts as it was, and resets to a new account', () => {
    const b = bench();
    b.mustSet((core) => core.setLeverage('BTCUSDT', 33));
    b.market('BUY', '1');
    b.place({ price: '49000', quantity: '1' });
    const again = b.reloaded();
    expect(plain(again.documents())).toEqual(plain(b.core.documents()));
    expect(again.positions()).toEqual(b.core.positions());
    expect(again.balances()).toEqual(b.core.balances());
    b.mustSet((core) => core.setMarginMode(2));
    b.keep(b.core.reset(b.now));
    expect([b.balance(), b.core.positions(), b.core.openOrders()]).toEqual(['100000/0', [], []]);
    expect(b.core.leverage(['BTCUSDT'])[0]?.leverage).toBe(20);
    b.mustSet((core) => core.setHedgeMode(true));
    expect([b.core.marginMode(), b.core.hedgeMode()]).toEqual([1, true]);
    b.keep(b.core.reset(b.now));
    expect([b.core.marginMode(), b.core.hedgeMode()]).toEqual([1, false]);
    expect(plain(b.reloaded().documents())).toEqual(plain(b.core.documents()));
    b.keep(b.core.setBalance('USDT', '500'));
    expect(b.balance()).toBe('500/0');
    b.core.audit();
  });
});

it('the id of an order that has ended is used, over a restart too, unless the rule lets it be used again', () => {
  const b = bench();
  b.place({ clientId: 'a', type: 'MARKET', quantity: '1' });
  const again = {
    clientId: 'a',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    timeInForce: 'GTC',
    quantity: '1',
  } as const;
  expect(b.submit(again)).toMatchObject({ code: '-4116', message: 'ClientOrderId is duplicated.' });
  b.core = b.reloaded();
  expect(b.submit(again)).toMatchObject({ code: '-4116' });
  expect(b.keep(b.core.submit(again, b.now, true))).toMatchObject({ kind: 'accepted' });
  expect(b.position().amount).toBe('2');
});
