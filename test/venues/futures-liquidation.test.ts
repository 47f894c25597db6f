/** Liquidations and funding, computed by hand and on the real candles of 2021-05-19. */
import { describe, expect, it } from 'vitest';
import { type Dec, dec, fixed, str } from '../../src/domain/decimal.ts';
import { withShared } from '../support/shared-data.ts';
import { FuturesBench } from './futures-support.ts';

const HOUR = 3_600_000;

function isolatedLong(quantity: string, price: string, options: object = {}, leverage = 20): FuturesBench {
  const b = new FuturesBench(options);
  b.tick(price);
  b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
  b.mustSet((core) => core.setLeverage('BTCUSDT', leverage));
  b.market('BUY', quantity);
  return b;
}

/** Fills of the exchange's own liquidation orders. */
function liquidations(b: FuturesBench): string[] {
  return b
    .fills()
    .filter((fill) => fill.clientId.startsWith('liq-'))
    .map((fill) => `${fill.side} ${fill.qty} @ ${fill.price} pnl ${fill.rPnl} fee ${fill.comm}`);
}

describe('an isolated position', () => {
  it('goes at its liquidation price, not a cent before, with taker and liquidation fee out of what is left', () => {
    const b = isolatedLong('1', '50000');
    // (50,000 - 2,500) / (1 - 0.004)
    expect(b.position().liquidationPrice).toBe('47690.763052208835');
    expect(b.tick('47690.77')).toEqual([]);
    b.tick('47690.76');
    // Remaining: 2,500 - 2,309.24 = 190.76; fees of 0.05 % and 1.25 % would be 620, so all of it is taken.
    expect(liquidations(b)).toEqual(['SELL 1 @ 47690.76 pnl -2309.24 fee 190.76']);
    expect(b.wallet()).toBe('97475');
    const { fees, liquidationFees, insurance, covered } = b.core.amounts();
    expect([fees, liquidationFees, insurance, covered].map(str)).toEqual([
      '48.84538',
      '166.91462',
      '166.91462',
      '0',
    ]);
    b.core.audit();
  });

  it('takes the orders of its own side with it in hedge mode, and none of the other', () => {
    const b = new FuturesBench();
    b.tick('50000');
    b.mustSet((core) => core.setHedgeMode(true));
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    b.market('BUY', '1', { positionSide: 'LONG' });
    const long = b.place({ side: 'BUY', price: '46000', quantity: '0.1', positionSide: 'LONG' });
    const short = b.place({ side: 'SELL', price: '60000', quantity: '0.1', positionSide: 'SHORT' });
    b.tick('47000');
    expect(liquidations(b)).toHaveLength(1);
    expect(b.state(long)).toMatchObject({ status: 'CANCELLED', text: 'liquidation' });
    expect(b.state(short)).toMatchObject({ status: 'WORKING' });
    b.core.audit();
  });

  it('goes at the very price at which its balance is its maintenance margin', () => {
    const b = isolatedLong('1', '49800', { takerRate: '0', liquidationFeeRate: '0' });
    // 2,490 - 2,300 = 190 = 47,500 x 0.4 %
    expect(b.position().liquidationPrice).toBe('47500');
    expect(b.tick('47500.01')).toEqual([]);
    b.tick('47500');
    expect(liquidations(b)).toEqual(['SELL 1 @ 47500 pnl -2300 fee 0']);
  });

  it('beyond its bankruptcy price it is taken over there: the insurance fund bears the rest', () => {
    const b = isolatedLong('1', '50000');
    b.tick('47000');
    expect(liquidations(b)).toEqual(['SELL 1 @ 47500 pnl -2500 fee 0']);
    expect([b.wallet(), str(b.core.amounts().insurance)]).toEqual(['97475', '-500']);
  });

  it('closed by its owner beyond the bankruptcy price it loses its margin and no more', () => {
    const b = isolatedLong('2', '50000', { takerRate: '0', markLagMs: 3_600_000 });
    b.tick('47000');
    b.market('SELL', '1');
    // The loss of 3,000 uses the closed half's 2,500 and 500 of the other half's margin.
    expect(b.position().isolatedWallet).toBe('2000');
    b.market('SELL', '1');
    expect([b.wallet(), str(b.core.amounts().covered)]).toEqual(['95000', '1000']);
    b.core.audit();
  });

  // proves: S30
  it('its orders are cancelled first; the order of the exchange and flat positions are told', () => {
    const b = isolatedLong('1', '50000');
    const mine = b.place({ price: '45000', quantity: '1' });
    const other = b.place({ symbol: 'ETHUSDT', price: '1000', quantity: '1' });
    const told = b.events.length;
    const stops: number[] = [];
    b.tick('47500', { between: () => stops.push(b.events.length - told) });
    expect(b.state(mine)).toMatchObject({ status: 'CANCELLED', text: 'liquidation' });
    expect(b.state(other, 'ETHUSDT').status).toBe('WORKING');
    const events = b.events.slice(told);
    expect(stops).toEqual([2, events.length]);
    const lines = events.map((event) => {
      if (event.kind === 'order') return `${event.state.clientId.slice(0, 4)} ${event.state.status}`;
      if (event.kind === 'positions') return `positions ${event.changed.map((p) => p.amount)}`;
      return event.kind;
    });
    expect(lines).toEqual(['o2 CANCELLED', 'balances', 'fill', 'liq- FILLED', 'positions 0', 'balances']);
  });

  it('an order placed between two steps cannot hold the liquidation up', () => {
    const b = isolatedLong('1', '50000', { takerRate: '0', makerRate: '0' });
    b.place({ price: '45000', quantity: '1' });
    b.tick('47500', { between: () => b.submit({ price: '45200', quantity: '0.1' }) });
    expect(liquidations(b)).toHaveLength(1);
  });
});

describe('the crossed account', () => {
  const crossed = (fee: string) => {
    const b = new FuturesBench({ takerRate: '0', liquidationFeeRate: fee });
    b.tick('50000');
    b.mustSet((core) => core.setLeverage('BTCUSDT', 75));
    b.market('BUY', '30');
    return b;
  };

  it('is reduced to the cap of the next lower bracket and lives on when that is enough', () => {
    const b = crossed('0.001');
    // (100,000 + 950 - 1,500,000) / (30 x (0.0065 - 1))
    expect(b.position().liquidationPrice).toBe('46940.110719677906');
    b.tick('46940.12');
    expect(b.position().amount).toBe('30');
    b.tick('46940');
    // 600,000 / 46,940 = 12.782 stay: 17.218 are closed, 808,212.92 USDT, fee 0.1 %.
    expect(liquidations(b)).toEqual(['SELL 17.218 @ 46940 pnl -52687.08 fee 808.21292']);
    expect(b.wallet()).toBe('46504.70708');
    expect(b.position()).toMatchObject({ amount: '12.782', maintenanceMarginRate: '0.005' });
    b.core.audit();
  });

  it('goes at the very price at which its balance is its maintenance margin', () => {
    const b = new FuturesBench({ startBalances: { USDT: '2490' }, takerRate: '0', liquidationFeeRate: '0' });
    b.tick('49800');
    b.market('BUY', '1');
    expect(b.position().liquidationPrice).toBe('47500');
    expect(b.tick('47500.01')).toEqual([]);
    b.tick('47500');
    expect(liquidations(b)).toEqual(['SELL 1 @ 47500 pnl -2300 fee 0']);
  });

  it('has a liquidation price that its own mark does not move, and profits and margins of other positions do', () => {
    const b = new FuturesBench({ startBalances: { USDT: '10000' }, takerRate: '0' });
    b.tick('50000');
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.market('BUY', '1');
    // (50,000 - 10,000) / (1 - 0.004)
    for (const mark of ['50000', '51000', '45000']) {
      b.tick(mark);
      expect(b.position().liquidationPrice).toBe('40160.642570281124');
    }
    b.market('BUY', '5', { symbol: 'ETHUSDT' });
    for (const mark of ['2100', '1800']) {
      b.tick(mark, { symbol: 'ETHUSDT' });
      const { unrealizedProfit, maintenanceMargin } = b.position('ETHUSDT');
      expect(unrealizedProfit).toBe(mark === '2100' ? '500' : '-1000');
      const others = 10_000 + Number(unrealizedProfit) - Number(maintenanceMargin);
      expect(Number(b.position().liquidationPrice)).toBeCloseTo((50_000 - others) / 0.996, 8);
    }
  });

  it('takes the orders of every crossed symbol with it, and none of an isolated one', () => {
    const b = new FuturesBench({ takerRate: '0' });
    b.tick('50000');
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.tick('0.1', { symbol: 'DOGEUSDT' });
    b.mustSet((core) => core.setMarginType('ETHUSDT', 'ISOLATED'));
    const isolated = b.place({ symbol: 'ETHUSDT', price: '1950', quantity: '1' });
    const crossedOne = b.place({ symbol: 'DOGEUSDT', price: '0.096', quantity: '1000' });
    const own = b.place({ side: 'SELL', price: '52000', quantity: '0.1' });
    b.market('BUY', '30');
    b.tick('46000');
    expect(liquidations(b)).not.toEqual([]);
    expect([b.state(crossedOne, 'DOGEUSDT').text, b.state(own).text]).toEqual(['liquidation', 'liquidation']);
    expect(b.state(isolated, 'ETHUSDT')).toMatchObject({ status: 'WORKING' });
    b.core.audit();
  });

  it('closed by its owner beyond the bankruptcy price it loses the wallet and no more', () => {
    const b = new FuturesBench({
      startBalances: { USDT: '5000' },
      takerRate: '0.0005',
      markLagMs: 3_600_000,
    });
    b.tick('50000');
    b.market('BUY', '1.5');
    // 5,000 less a fee of 37.5; the mark price has hardly moved.
    b.tick('46000');
    expect(liquidations(b)).toEqual([]);
    b.market('SELL', '1.5');
    // The loss is 6,000, the fee 34.5: the insurance fund pays 1,072.
    expect([b.wallet(), str(b.core.amounts().covered), str(b.core.amounts().insurance)]).toEqual([
      '0',
      '1072',
      '-1072',
    ]);
    b.core.audit();
  });

  it('goes on to nothing when the fee takes the margin', () => {
    const b = crossed('0.0125');
    b.tick('46940');
    expect(liquidations(b)).toEqual([
      'SELL 17.218 @ 46940 pnl -52687.08 fee 8200',
      'SELL 12.782 @ 46940 pnl -39112.92 fee 0',
    ]);
    expect(b.wallet()).toBe('0');
  });

  it('an isolated margin is not touched by it, and the crossed loss stops at the cross wallet', () => {
    const b = new FuturesBench({ takerRate: '0' });
    b.tick('50000');
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.mustSet((core) => core.setMarginType('ETHUSDT', 'ISOLATED'));
    b.market('BUY', '100', { symbol: 'ETHUSDT' });
    b.market('SELL', '30');
    b.tick('54000');
    expect(b.wallet()).toBe('10000');
    expect(b.core.positions().map((p) => [p.symbol, p.isolatedWallet])).toEqual([['ETHUSDT', '10000']]);
    // 90,000 over 30 BTC: taken over at 53,000, the mark is 54,000.
    expect(str(b.core.amounts().insurance)).toBe('-30000');
    b.core.audit();
  });

  const DRAINED = { startBalances: { USDT: '30000' }, takerRate: '0', liquidationFeeRate: '0' };
  const firstOf = (b: FuturesBench) => {
    const [first] = b.events.flatMap((event) =>
      event.kind === 'fill' && event.fill.clientId.startsWith('liq-') ? [event.fill] : [],
    );
    return first && `${first.side} ${first.qty} ${first.symbol}`;
  };

  it.each([
    ['30000', '10', 'BTCUSDT', '46000', 'SELL 10 BTCUSDT'],
    ['200000', '1500', 'ETHUSDT', '1850', 'SELL 1500 ETHUSDT'],
  ])(
    'where all positions lose, the one with the largest maintenance margin goes first: %s USDT, %s ETH',
    (USDT, eth, symbol, price, first) => {
      const b = new FuturesBench({ ...DRAINED, startBalances: { USDT } });
      b.tick('50000');
      b.tick('2000', { symbol: 'ETHUSDT' });
      b.market('BUY', '10');
      b.market('BUY', eth, { symbol: 'ETHUSDT' });
      b.tick('49900');
      b.tick('1990', { symbol: 'ETHUSDT' });
      expect(firstOf(b)).toBeUndefined();
      b.tick(price, { symbol });
      expect(firstOf(b)).toBe(first);
      b.core.audit();
    },
  );

  it.each([
    ['larger', '200', '2000'],
    ['larger and winning', '200', '2040'],
    ['smaller and winning', '10', '2500'],
  ])('an isolated position is none of its own, though it is %s', (_what, quantity, price) => {
    const b = new FuturesBench(DRAINED);
    b.tick('50000');
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.mustSet((core) => core.setMarginType('ETHUSDT', 'ISOLATED'));
    b.market('BUY', quantity, { symbol: 'ETHUSDT' });
    b.market('BUY', '3');
    b.tick(price, { symbol: 'ETHUSDT' });
    b.tick('40000');
    expect(firstOf(b)).toBe('SELL 3 BTCUSDT');
    expect(b.core.positions().map(({ symbol, amount }) => [symbol, amount])).toEqual([['ETHUSDT', quantity]]);
    b.core.audit();
  });

  it('a winning position pays before a losing one needs the insurance fund', () => {
    const b = new FuturesBench({ takerRate: '0', liquidationFeeRate: '0' });
    b.tick('50000');
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.mustSet((core) => core.setLeverage('ETHUSDT', 50));
    b.market('SELL', '300', { symbol: 'ETHUSDT' });
    b.market('BUY', '30');
    b.tick('1800', { symbol: 'ETHUSDT' });
    b.tick('44800');
    // 100,000 + 60,000 - 156,000 = 4,000 left, below the maintenance margin.
    expect(str(b.core.amounts().covered)).toBe('0');
    expect(b.wallet()).not.toBe('0');
    b.core.audit();
  });
});

describe('funding', () => {
  it('is paid at 00:00, 08:00 and 16:00 UTC at the mark before the tick, once each, also over a restart', () => {
    const b = new FuturesBench({ takerRate: '0', fundingRate: '0.0001' });
    b.tick('50000');
    b.market('BUY', '1');
    b.tick('51000', { after: 7 * HOUR });
    expect(b.wallet()).toBe('100000');
    b.tick('52000', { after: HOUR });
    expect(b.wallet()).toBe('99994.9');
    b.core = b.reloaded();
    b.tick('52000', { after: HOUR });
    expect(b.wallet()).toBe('99994.9');
    b.tick('50000', { after: 16 * HOUR });
    expect(b.wallet()).toBe('99984.5');
    expect(b.position()).toMatchObject({ breakEvenPrice: '50015.5', realizedPnl: '0' });
  });

  it('falls due at the full hour itself: a tick of that very millisecond pays before it matches', () => {
    const b = new FuturesBench({ takerRate: '0', makerRate: '0', fundingRate: '0.0001' });
    const at = (hour: number, ms: number, price: string) => {
      b.tick(price, { after: Date.UTC(2026, 0, 5, hour, 0, 0, ms) - b.now });
      return b.wallet();
    };
    b.tick('50000');
    b.market('BUY', '1');
    b.place({ side: 'SELL', price: '52000', quantity: '1', reduceOnly: true });
    expect(at(8, -1, '51000')).toBe('100000');
    // Funding of 5.1 at the mark of 51,000, then the 2,000 of the closing order.
    expect(at(8, 0, '52000')).toBe('101994.9');
    b.market('BUY', '1');
    // A position opened at the full hour pays no funding for it.
    expect(at(8, 0, '52000')).toBe('101994.9');
    expect(at(16, 0, '52000')).toBe('101989.7');
    expect(at(16, 1, '52000')).toBe('101989.7');
  });

  it('a short receives, an isolated position pays from its margin, one payment is one step', () => {
    const b = isolatedLong('1', '50000', { takerRate: '0' });
    b.tick('2000', { symbol: 'ETHUSDT' });
    b.market('SELL', '10', { symbol: 'ETHUSDT' });
    let steps = 0;
    b.tick('2000', {
      symbol: 'ETHUSDT',
      after: 8 * HOUR,
      between: () => {
        steps++;
      },
    });
    expect(steps).toBe(2);
    expect(b.position().isolatedWallet).toBe('2495');
    expect(b.wallet()).toBe('99997');
  });

  it('a leap of more than a week is another market, not a time of holding', () => {
    const b = new FuturesBench({ takerRate: '0' });
    b.tick('50000');
    b.market('BUY', '1');
    b.tick('50000', { after: 400 * 24 * HOUR });
    expect(b.wallet()).toBe('100000');
  });
});

/**
 * Real candles: `time,open,high,low,close,volume` of one hour, as four ticks each (strategies.md section 1,
 * rule 6).
 */
describe('2021-05-19', () => {
  const ticksOf = (text: string, from: number, to: number): { time: number; price: string }[] =>
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
      .filter(([time]) => Number(time) >= from && Number(time) < to)
      .flatMap(([time, open = '', high = '', low = '', close = '']) => {
        const path = dec(close) >= dec(open) ? [open, low, high, close] : [open, high, low, close];
        const offsets = [0, HOUR / 4, HOUR / 2, HOUR - 1];
        return path.map((price, n) => ({ time: Number(time) + (offsets[n] as number), price }));
      });
  /** The same path in steps of one dollar, so that no price is skipped. */
  const walked = (ticks: readonly { time: number; price: string }[]) => {
    const path: { time: number; price: string }[] = [];
    let at: Dec | null = null;
    for (const tick of ticks) {
      const goal = dec(tick.price);
      while (at !== null && (at > goal ? at - goal : goal - at) > dec('1')) {
        at += at > goal ? -dec('1') : dec('1');
        path.push({ time: tick.time, price: str(at) });
      }
      path.push(tick);
      at = goal;
    }
    return path;
  };
  const MAY_19 = Date.UTC(2021, 4, 19);
  const run = (text: string, quantity: string, fine: boolean) => {
    const b = new FuturesBench();
    b.now = MAY_19;
    const ticks = ticksOf(text, MAY_19, MAY_19 + 24 * HOUR);
    b.tick(ticks[0]?.price as string, { after: 0 });
    b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    b.market('BUY', quantity);
    const opened = b.position();
    let hit: { time: number; price: string } | null = null;
    for (const tick of fine ? walked(ticks.slice(1)) : ticks.slice(1)) {
      b.tick(tick.price, { after: tick.time - b.now });
      if (liquidations(b).length === 0) continue;
      hit = tick;
      break;
    }
    return { b, opened, hit };
  };

  it(
    'a 20x isolated long of 20 BTC from 42,849.78: liquidated at the price of its bracket, cent by cent',
    withShared('candles/BTCUSDT-1h.csv', 1, (text) => {
      const { b, opened, hit } = run(text, '20', true);
      // Notional 856,995.60: margin 42,849.78, opening fee 428.4978. Bracket at the liquidation price:
      // 600,000 to 3,000,000, 0.65 %, amount 950: (42,849.78 + 950 - 856,995.60) / (20 x (0.0065 - 1)).
      expect(opened).toMatchObject({ isolatedWallet: '42849.78', maintenanceMarginRate: '0.0065' });
      expect(fixed(dec(opened.liquidationPrice as string), 4)).toBe('40925.8088');
      // The dollar walk meets 40,925.44 first: margin balance 42,849.78 - 20 x 1,924.34 = 4,362.98 against a
      // maintenance margin of 818,508.80 x 0.65 % - 950 = 4,370.3072. Step 1, down to 600,000: 14.66 stay,
      // 5.34 go (218,541.8496 USDT, fees 0.05 % + 1.25 %). Left 1,521.9359552 against 599,966.9504 x 0.5 % -
      // 50: step 2, down to 50,000, takes all that as fee. Step 3: bankrupt, the rest goes at the bankruptcy
      // price, which is the mark.
      expect(hit?.price).toBe('40925.44');
      expect(liquidations(b)).toEqual([
        'SELL 5.34 @ 40925.44 pnl -10275.9756 fee 2841.0440448',
        'SELL 13.439 @ 40925.44 pnl -25861.20526 fee 1521.9359552',
        'SELL 1.221 @ 40925.44 pnl -2349.61914 fee 0',
      ]);
      expect(fixed(b.core.amounts().liquidationFees, 2)).toBe('3978.71');
      // The loss: the margin and the opening fee, no more and no less.
      expect(b.wallet()).toBe(str(dec('100000') - dec('42849.78') - dec('428.4978')));
      expect(b.core.positions()).toEqual([]);
    }),
  );

  it(
    'the same on the hourly candles as four ticks: taken over at the bankruptcy price when the candle jumps past it',
    withShared('candles/BTCUSDT-1h.csv', 1, (text) => {
      const { b, hit } = run(text, '1', false);
      // 42,849.78 x 0.95
      const bankruptcy = dec('40707.291');
      expect(dec(hit?.price as string) < dec('40870.77')).toBe(true);
      const [only] = b.fills().filter((fill) => fill.clientId.startsWith('liq-'));
      const taken = dec(hit?.price as string) < bankruptcy;
      expect(only?.price).toBe(taken ? '40707.3' : hit?.price);
      expect(fixed(dec(b.wallet()), 2)).toBe(fixed(dec('100000') - dec('2142.489') - dec('21.42489'), 2));
    }),
  );
});
