/**
 * The actions and reports of the paper futures exchange, step by step and as a whole, with the sums of the
 * account: long and short, crossed and isolated, one-way and hedge. Each figure can be recomputed by hand:
 * fees are 0.05 % (taker) and 0.02 % (maker).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { PaperEvent } from '../../src/venues/paper/changes.ts';
import { FuturesBench } from './futures-support.ts';

const HOUR = 3_600_000;

/** Returns the reports since its last call, then the sums that are not zero. */
class Teller {
  readonly b: FuturesBench;
  #from = 0;

  constructor(options: ConstructorParameters<typeof FuturesBench>[0] = {}, price = '50000') {
    this.b = new FuturesBench({ takerRate: '0.0005', makerRate: '0.0002', ...options });
    this.b.tick(price);
    this.told();
  }

  told(): string[] {
    const events = this.b.events.slice(this.#from);
    this.#from = this.b.events.length;
    const { start: _, ...amounts } = this.b.core.amounts();
    const sums = Object.entries(amounts).flatMap(([name, sum]) =>
      sum === 0n ? [] : [`${name} ${str(sum)}`],
    );
    return [...events.flatMap(lines), sums.join(', ')];
  }
}

function lines(event: PaperEvent): string[] {
  switch (event.kind) {
    case 'order': {
      const { clientId, status, cumQty, origQty, text } = event.state;
      return [`${clientId} ${status} ${cumQty}/${origQty}${text === undefined ? '' : `: ${text}`}`];
    }
    case 'fill': {
      const { clientId, side, qty, price, maker, comm, commAsset, rPnl, posSide, liquidation } = event.fill;
      const how = `${maker ? 'maker' : 'taker'}${liquidation ? ', liquidation' : ''}`;
      return [
        `${clientId} ${side} ${qty} @ ${price} ${posSide} (${how}): fee ${comm} ${commAsset}, pnl ${rPnl}`,
      ];
    }
    case 'balances':
      return event.changed.map(({ free, locked }) => `free ${free}, locked ${locked}`);
    case 'ledger':
      return [];
    default:
      return event.changed.map(
        (p) =>
          `${p.symbol} ${p.side} ${p.amount} @ ${p.entryPrice}, even ${p.breakEvenPrice}, margin ${p.isolatedWallet}, realised ${p.realizedPnl}`,
      );
  }
}

describe('an order that takes', () => {
  it.each([
    ['IOC', { price: '50000', timeInForce: 'IOC' }],
    ['FOK', { price: '50000', timeInForce: 'FOK' }],
    ['MARKET', { type: 'MARKET' }],
    ['GTC', { price: '50000' }],
  ] as const)('as %s gets what the volume gives, and no more', (name, more) => {
    const t = new Teller({ participation: '0.5' });
    t.b.tick('50000', { volume: '2' });
    t.told();
    t.b.place({ quantity: '3', ...more });
    const whole = ['o1 BUY 1 @ 50000 BOTH (taker): fee 25 USDT, pnl null'];
    const ends = {
      IOC: [...whole, 'o1 CANCELLED 1/3: IOC: 2 could not be taken at once'],
      FOK: ['o1 CANCELLED 0/3: FOK: 3 could not be taken at once'],
      MARKET: [...whole, 'o1 CANCELLED 1/3: MARKET: 2 could not be taken at once'],
      GTC: [...whole, 'o1 WORKING 1/3'],
    };
    expect(t.told().filter((line) => line.startsWith('o1'))).toEqual(ends[name]);
    // The taken volume is not available to another order; the rest is.
    t.b.place({ type: 'MARKET', quantity: '1' });
    const left = name === 'FOK' ? 'o2 FILLED 1/1' : 'o2 CANCELLED 0/1: MARKET: 1 could not be taken at once';
    expect(
      t
        .told()
        .filter((line) => line.startsWith('o2'))
        .at(-1),
    ).toBe(left);
  });

  it('at MARKET pays the slippage, and with a limit the last price', () => {
    const b = new FuturesBench({ slippageBps: 10 });
    b.tick('50000');
    b.market('BUY', '1');
    b.market('SELL', '2');
    b.place({ side: 'BUY', price: '50040', quantity: '1' });
    expect(b.fills().map(({ side, price }) => `${side} ${price}`)).toEqual([
      'BUY 50050',
      'SELL 49950',
      'BUY 50000',
    ]);
  });

  it('as FOK gets all of it where there is enough', () => {
    const t = new Teller();
    t.b.place({ price: '50000', quantity: '3', timeInForce: 'FOK' });
    expect(t.told()).toEqual([
      'o1 BUY 3 @ 50000 BOTH (taker): fee 75 USDT, pnl null',
      'o1 FILLED 3/3',
      'BTCUSDT BOTH 3 @ 50000, even 50025, margin 0, realised 0',
      'free 92425, locked 7500',
      'wallet 99925, fees 75',
    ]);
  });
});

describe('a position', () => {
  it('that is bought, sold in part at a profit, and turned around', () => {
    const t = new Teller();
    t.b.market('BUY', '2');
    expect(t.told()).toEqual([
      'o1 BUY 2 @ 50000 BOTH (taker): fee 50 USDT, pnl null',
      'o1 FILLED 2/2',
      'BTCUSDT BOTH 2 @ 50000, even 50025, margin 0, realised 0',
      'free 94950, locked 5000',
      'wallet 99950, fees 50',
    ]);
    t.b.tick('51000');
    t.b.market('SELL', '1');
    expect(t.told()).toEqual([
      'o2 SELL 1 @ 51000 BOTH (taker): fee 25.5 USDT, pnl 1000',
      'o2 FILLED 1/1',
      'BTCUSDT BOTH 1 @ 50000, even 49075.5, margin 0, realised 1000',
      'free 98374.5, locked 2550',
      'wallet 100924.5, realized 1000, fees 75.5',
    ]);
    t.b.market('SELL', '3');
    expect(t.told()).toEqual([
      'o3 SELL 3 @ 51000 BOTH (taker): fee 76.5 USDT, pnl 1000',
      'o3 FILLED 3/3',
      'BTCUSDT BOTH -2 @ 51000, even 50974.5, margin 0, realised 0',
      'free 96748, locked 5100',
      'wallet 101848, realized 2000, fees 152',
    ]);
  });

  it('that is sold short, bought back in part at a loss by a resting order, and closed', () => {
    const t = new Teller();
    t.b.market('SELL', '2');
    expect(t.told()).toEqual([
      'o1 SELL 2 @ 50000 BOTH (taker): fee 50 USDT, pnl null',
      'o1 FILLED 2/2',
      'BTCUSDT BOTH -2 @ 50000, even 49975, margin 0, realised 0',
      'free 94950, locked 5000',
      'wallet 99950, fees 50',
    ]);
    t.b.tick('52000');
    t.b.place({ side: 'BUY', price: '51000', quantity: '1' });
    t.told();
    t.b.tick('51000');
    expect(t.told()).toEqual([
      'o2 BUY 1 @ 51000 BOTH (maker): fee 10.2 USDT, pnl -1000',
      'o2 FILLED 1/1',
      'BTCUSDT BOTH -1 @ 50000, even 48939.8, margin 0, realised -1000',
      'free 95389.8, locked 3550',
      'wallet 98939.8, realized -1000, fees 60.2',
    ]);
    t.b.place({ type: 'MARKET', side: 'BUY', closePosition: true });
    expect(t.told()).toEqual([
      'o3 BUY 1 @ 51000 BOTH (taker): fee 25.5 USDT, pnl -1000',
      'o3 FILLED 1/1',
      'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 97914.3, locked 0',
      'wallet 97914.3, realized -2000, fees 85.7',
    ]);
  });

  it('that is isolated sets its margin aside and gives its share back', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    t.told();
    t.b.market('SELL', '2');
    expect(t.told()).toEqual([
      'o1 SELL 2 @ 50000 BOTH (taker): fee 50 USDT, pnl null',
      'o1 FILLED 2/2',
      'BTCUSDT BOTH -2 @ 50000, even 49975, margin 5000, realised 0',
      'free 94950, locked 5000',
      'wallet 99950, fees 50',
    ]);
    t.b.tick('49000');
    t.b.market('BUY', '1');
    expect(t.told()).toEqual([
      'o2 BUY 1 @ 49000 BOTH (taker): fee 24.5 USDT, pnl 1000',
      'o2 FILLED 1/1',
      'BTCUSDT BOTH -1 @ 50000, even 50925.5, margin 2500, realised 1000',
      'free 98425.5, locked 2500',
      'wallet 100925.5, realized 1000, fees 74.5',
    ]);
    t.b.tick('51000');
    t.b.market('BUY', '3');
    expect(t.told()).toEqual([
      'o3 BUY 3 @ 51000 BOTH (taker): fee 76.5 USDT, pnl -1000',
      'o3 FILLED 3/3',
      'BTCUSDT BOTH 2 @ 51000, even 51025.5, margin 5100, realised 0',
      'free 94749, locked 5100',
      'wallet 99849, fees 151',
    ]);
  });

  it('of each side in hedge mode stands beside the other', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setHedgeMode(true));
    t.told();
    t.b.market('BUY', '2', { positionSide: 'LONG' });
    t.b.market('SELL', '1', { positionSide: 'SHORT' });
    expect(t.told()).toEqual([
      'o1 BUY 2 @ 50000 LONG (taker): fee 50 USDT, pnl null',
      'o1 FILLED 2/2',
      'BTCUSDT LONG 2 @ 50000, even 50025, margin 0, realised 0',
      'free 94950, locked 5000',
      'o2 SELL 1 @ 50000 SHORT (taker): fee 25 USDT, pnl null',
      'o2 FILLED 1/1',
      'BTCUSDT SHORT 1 @ 50000, even 49975, margin 0, realised 0',
      'free 92425, locked 7500',
      'wallet 99925, fees 75',
    ]);
    t.b.tick('51000');
    t.b.market('SELL', '5', { positionSide: 'LONG' });
    expect(t.told()).toEqual([
      'o3 SELL 2 @ 51000 LONG (taker): fee 51 USDT, pnl 2000',
      'o3 CANCELLED 2/5: reduce-only: there is no position left to reduce',
      'BTCUSDT LONG 0 @ 0, even 0, margin 0, realised 0',
      'free 98324, locked 3550',
      'wallet 101874, realized 2000, fees 126',
    ]);
    t.b.market('BUY', '0.4', { positionSide: 'SHORT' });
    expect(t.told()).toEqual([
      'o4 BUY 0.4 @ 51000 SHORT (taker): fee 10.2 USDT, pnl -400',
      'o4 FILLED 0.4/0.4',
      'BTCUSDT SHORT 0.6 @ 50000, even 49274.666666666667, margin 0, realised -400',
      'free 99333.8, locked 2130',
      'wallet 101463.8, realized 1600, fees 136.2',
    ]);
  });

  it('that ends takes what only reduces it along, of its side and contract alone', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setHedgeMode(true));
    t.b.tick('3000', { symbol: 'ETHUSDT' });
    t.b.market('BUY', '2', { positionSide: 'LONG' });
    t.b.market('SELL', '1', { positionSide: 'SHORT' });
    t.b.place({ symbol: 'ETHUSDT', type: 'MARKET', quantity: '1', positionSide: 'LONG' });
    t.b.place({ side: 'SELL', price: '55000', quantity: '1', positionSide: 'LONG' });
    t.b.place({ side: 'BUY', price: '45000', quantity: '1', positionSide: 'SHORT' });
    t.b.place({ symbol: 'ETHUSDT', side: 'SELL', price: '3300', quantity: '1', positionSide: 'LONG' });
    t.b.place({
      type: 'STOP_MARKET',
      side: 'SELL',
      stopPrice: '45000',
      closePosition: true,
      positionSide: 'LONG',
    });
    t.b.place({ side: 'BUY', price: '45000', quantity: '1', positionSide: 'LONG' });
    t.told();
    t.b.market('SELL', '2', { positionSide: 'LONG' });
    expect(t.told()).toEqual([
      'o9 SELL 2 @ 50000 LONG (taker): fee 50 USDT, pnl 0',
      'o9 FILLED 2/2',
      'o4 CANCELLED 0/1: reduce-only: there is no position left to reduce',
      'o7 CANCELLED 0/0: reduce-only: there is no position left to reduce',
      'BTCUSDT LONG 0 @ 0, even 0, margin 0, realised 0',
      'free 94973.5, locked 4900',
      'wallet 99873.5, fees 126.5',
    ]);
  });
});

describe('a trigger', () => {
  it('of a trailing stop that buys follows the lowest price and fires above it', () => {
    const t = new Teller();
    t.b.market('SELL', '1');
    t.told();
    t.b.place({ type: 'STOP_MARKET', side: 'BUY', trailingDelta: 100, quantity: '1', reduceOnly: true });
    expect(t.told()).toEqual(['o2 PENDING 0/1', 'wallet 99975, fees 25']);
    t.b.tick('49000');
    expect(t.told()).toEqual(['wallet 99975, fees 25']);
    t.b.tick('49489.99');
    expect(t.told()).toEqual(['wallet 99975, fees 25']);
    t.b.tick('49490');
    expect(t.told()).toEqual([
      'o2 WORKING 0/1',
      'o2 BUY 1 @ 49490 BOTH (taker): fee 24.745 USDT, pnl 510',
      'o2 FILLED 1/1',
      'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 100460.255, locked 0',
      'wallet 100460.255, realized 510, fees 49.745',
    ]);
  });

  it('whose position is gone, or whose margin is not there, is refused', () => {
    const t = new Teller({ startBalances: { USDT: '10000' } });
    t.b.place({ type: 'STOP_MARKET', side: 'BUY', stopPrice: '51000', quantity: '10' });
    t.told();
    t.b.tick('51000');
    expect(t.told()).toEqual([
      'o1 REJECTED 0/10: Margin is insufficient.',
      'free 10000, locked 0',
      'wallet 10000',
    ]);
  });

  it('of a stop with a limit rests where its limit is not reached, and takes where it is', () => {
    const t = new Teller();
    t.b.place({ type: 'STOP_LIMIT', side: 'BUY', stopPrice: '51000', price: '50900', quantity: '1' });
    t.b.place({ type: 'STOP_LIMIT', side: 'BUY', stopPrice: '51000', price: '51100', quantity: '1' });
    t.told();
    t.b.tick('51000');
    expect(t.told()).toEqual([
      'o1 WORKING 0/1',
      'free 97455, locked 2545',
      'o2 WORKING 0/1',
      'o2 BUY 1 @ 51000 BOTH (taker): fee 25.5 USDT, pnl null',
      'o2 FILLED 1/1',
      'BTCUSDT BOTH 1 @ 51000, even 51025.5, margin 0, realised 0',
      'free 94879.5, locked 5095',
      'wallet 99974.5, fees 25.5',
    ]);
  });
});

describe('funding', () => {
  const hold = (side: 'BUY' | 'SELL', isolated: boolean) => {
    const t = new Teller({ fundingRate: '0.0001' });
    if (isolated) t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    t.b.market(side, '2');
    t.told();
    t.b.tick('51000', { after: 8 * HOUR });
    return t.told();
  };
  it('is paid by who is long, on the mark before the tick', () =>
    expect(hold('BUY', false)).toEqual([
      'BTCUSDT BOTH 2 @ 50000, even 50030, margin 0, realised 0',
      'free 94940, locked 5000',
      'wallet 99940, fees 50, funding -10',
    ]));
  it('is received by who is short', () =>
    expect(hold('SELL', false)).toEqual([
      'BTCUSDT BOTH -2 @ 50000, even 49980, margin 0, realised 0',
      'free 94960, locked 5000',
      'wallet 99960, fees 50, funding 10',
    ]));
  it('is paid out of the margin of an isolated position', () =>
    expect(hold('BUY', true)).toEqual([
      'BTCUSDT BOTH 2 @ 50000, even 50030, margin 4990, realised 0',
      'free 94950, locked 4990',
      'wallet 99940, fees 50, funding -10',
    ]));

  it.each(['crossed', 'isolated'] as const)('beyond the wallet of a %s position is the fund’s', (margin) => {
    const t = new Teller({ startBalances: { USDT: '3000' }, fundingRate: '0.03' });
    if (margin === 'isolated') t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    t.b.market('BUY', '1');
    t.b.tick('54000');
    t.told();
    // Its profit keeps it from being liquidated.
    t.b.tick('54000', { after: 16 * HOUR });
    expect(t.told().at(-1)).toBe(
      margin === 'crossed'
        ? 'fees 25, funding -3240, covered 265, insurance -265'
        : 'wallet 475, fees 25, funding -3240, covered 740, insurance -740',
    );
    expect(t.b.position().amount).toBe('1');
  });

  it('of the past is paid at the mark that it had, once; where that is not told at the mark of now', () => {
    const t = new Teller();
    t.b.market('BUY', '2');
    t.b.tick('51000');
    const { now } = t.b;
    const pay = (at: number, mark: string | null) => {
      t.b.keep(t.b.core.payPast('BTCUSDT', { at, rate: '0.0001', mark }));
      return t.told().at(-1);
    };
    expect(pay(now + 10, '40000')).toBe('wallet 99942, fees 50, funding -8');
    expect(pay(now + 10, '40000')).toBe('wallet 99942, fees 50, funding -8');
    expect(pay(now + 20, null)).toBe('wallet 99931.8, fees 50, funding -18.2');
    expect(t.b.core.fundedAt('BTCUSDT')).toBe(now + 20);
  });

  it('of two positions is paid in the order of their moments, then of their names', () => {
    const t = new Teller({ fundingRate: '0.0001' });
    t.b.tick('3000', { symbol: 'ETHUSDT' });
    t.b.tick('0.2', { symbol: 'DOGEUSDT' });
    t.b.place({ symbol: 'ETHUSDT', type: 'MARKET', quantity: '1' });
    t.b.market('BUY', '1');
    t.b.tick('50000', { after: 8 * HOUR });
    t.told();
    t.b.place({ symbol: 'DOGEUSDT', type: 'MARKET', quantity: '1000' });
    t.told();
    t.b.tick('50000', { after: 16 * HOUR });
    expect(t.told()).toEqual([
      'BTCUSDT BOTH 1 @ 50000, even 50035, margin 0, realised 0',
      'free 97303.1, locked 2660',
      'DOGEUSDT BOTH 1000 @ 0.2, even 0.20012, margin 0, realised 0',
      'free 97303.08, locked 2660',
      'ETHUSDT BOTH 1 @ 3000, even 3002.1, margin 0, realised 0',
      'free 97302.78, locked 2660',
      'BTCUSDT BOTH 1 @ 50000, even 50040, margin 0, realised 0',
      'free 97297.78, locked 2660',
      'DOGEUSDT BOTH 1000 @ 0.2, even 0.20014, margin 0, realised 0',
      'free 97297.76, locked 2660',
      'ETHUSDT BOTH 1 @ 3000, even 3002.4, margin 0, realised 0',
      'free 97297.46, locked 2660',
      'wallet 99957.46, fees 26.6, funding -15.94',
    ]);
  });
});

describe('a liquidation', () => {
  it('of an isolated short: its orders first, then the position at the mark, its fees out of what is left', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    t.b.market('SELL', '1');
    t.b.place({ side: 'SELL', price: '55000', quantity: '0.1' });
    t.told();
    t.b.tick('52300');
    expect(t.told()).toEqual([
      'o2 CANCELLED 0/0.1: liquidation',
      'free 97475, locked 2500',
      'liq-5 BUY 0.044 @ 52300 BOTH (taker, liquidation): fee 29.9156 USDT, pnl -101.2',
      'liq-5 FILLED 0.044/0.044: liquidation',
      'BTCUSDT BOTH -0.956 @ 50000, even 49836.699163179916, margin 2368.8844, realised -101.2',
      'free 97475, locked 2368.8844',
      'liq-7 BUY 0.956 @ 52300 BOTH (taker, liquidation): fee 170.0844 USDT, pnl -2198.8',
      'liq-7 FILLED 0.956/0.956: liquidation',
      'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 97475, locked 0',
      'wallet 97475, realized -2300, fees 51.15, liquidationFees 173.85, insurance 173.85',
    ]);
  });

  it('of an isolated short beyond its bankruptcy price: taken over there, the fund bears the rest', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    t.b.market('SELL', '1');
    t.told();
    t.b.tick('53000');
    expect(t.told()).toEqual([
      'liq-3 BUY 1 @ 52500 BOTH (taker, liquidation): fee 0 USDT, pnl -2500',
      'liq-3 FILLED 1/1: liquidation',
      'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 97475, locked 0',
      'wallet 97475, realized -2500, fees 25, insurance -500',
    ]);
  });

  it.each([
    [
      'BUY',
      [
        'liq-3 SELL 7.395 @ 47600 BOTH (taker, liquidation): fee 1500 USDT, pnl -17748',
        'liq-3 FILLED 7.395/7.395: liquidation',
        'BTCUSDT BOTH 12.605 @ 50000, even 51566.679888932963, margin 0, realised -17748',
        'free 0, locked 30252',
        'liq-5 SELL 12.605 @ 47600 BOTH (taker, liquidation): fee 0 USDT, pnl -30252',
        'liq-5 FILLED 12.605/12.605: liquidation',
        'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
        'free 0, locked 0',
        'realized -48000, fees 676.001, liquidationFees 1323.999, insurance 1323.999',
      ],
    ],
    [
      'SELL',
      [
        'liq-3 BUY 8.55 @ 52400 BOTH (taker, liquidation): fee 1500 USDT, pnl -20520',
        'liq-3 FILLED 8.55/8.55: liquidation',
        'BTCUSDT BOTH -11.45 @ 50000, even 48033.187772925764, margin 0, realised -20520',
        'free 0, locked 27480',
        'liq-5 BUY 11.45 @ 52400 BOTH (taker, liquidation): fee 0 USDT, pnl -27480',
        'liq-5 FILLED 11.45/11.45: liquidation',
        'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
        'free 0, locked 0',
        'realized -48000, fees 724.01, liquidationFees 1275.99, insurance 1275.99',
      ],
    ],
  ] as const)(
    'of a crossed position of the second bracket (%s): down to the first, then all of it',
    (side, told) => {
      const t = new Teller({ startBalances: { USDT: '50000' } });
      t.b.mustSet((core) => core.setLeverage('BTCUSDT', 50));
      t.b.market(side, '20');
      t.told();
      t.b.tick(side === 'BUY' ? '47600' : '52400');
      expect(t.told()).toEqual(told);
    },
  );

  it('of the crossed account closes a winning position first where the wallet alone cannot pay the loss', () => {
    const t = new Teller({ startBalances: { USDT: '12000' }, takerRate: '0', liquidationFeeRate: '0' });
    t.b.tick('3000', { symbol: 'ETHUSDT' });
    t.b.place({ symbol: 'ETHUSDT', type: 'MARKET', quantity: '10' });
    t.b.market('BUY', '2');
    t.told();
    t.b.tick('3200', { symbol: 'ETHUSDT' });
    t.b.tick('43000');
    expect(t.told()).toEqual([
      'liq-5 SELL 10 @ 3200 BOTH (taker, liquidation): fee 0 USDT, pnl 2000',
      'liq-5 FILLED 10/10: liquidation',
      'ETHUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 0, locked 14000',
      'liq-7 SELL 2 @ 43000 BOTH (taker, liquidation): fee 0 USDT, pnl -14000',
      'liq-7 FILLED 2/2: liquidation',
      'BTCUSDT BOTH 0 @ 0, even 0, margin 0, realised 0',
      'free 0, locked 0',
      'realized -12000',
    ]);
  });
});

it('a liquidation closes the largest position first where the wallet just pays for its loss', () => {
  const t = new Teller({ startBalances: { USDT: '12000' }, takerRate: '0', liquidationFeeRate: '0' });
  t.b.tick('3000', { symbol: 'ETHUSDT' });
  t.b.place({ symbol: 'ETHUSDT', type: 'MARKET', quantity: '10' });
  t.b.market('BUY', '2');
  t.b.tick('3010', { symbol: 'ETHUSDT' });
  t.told();
  t.b.tick('44000');
  const first = t.told().find((line) => line.startsWith('liq-'));
  // 50,000 / 44,000 = 1.136 stay in the lowest bracket.
  expect(first).toBe('liq-5 SELL 0.864 @ 44000 BOTH (taker, liquidation): fee 0 USDT, pnl -5184');
});

describe('what has been cancelled', () => {
  it('is not followed, told or fired any more, and leaves its place to another', () => {
    const t = new Teller();
    t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    const trails = t.b.place({ type: 'STOP_MARKET', side: 'BUY', trailingDelta: 100, quantity: '1' });
    const waits = t.b.place({ type: 'STOP_MARKET', side: 'BUY', stopPrice: '51000', quantity: '1' });
    const rests = t.b.place({ price: '49500', quantity: '1' });
    for (const clientId of [trails, waits, rests])
      t.b.keep(t.b.core.cancel({ clientId, symbol: 'BTCUSDT' }, t.b.now));
    t.told();
    const stored = () => JSON.stringify([...(t.b.core.documents().get('futures.order') ?? [])]);
    const orders = stored();
    for (const price of ['49000', '52000']) t.b.tick(price);
    expect(t.told()).toEqual(['wallet 100000']);
    expect(stored()).toBe(orders);
    // The contract has no position or order: its margin type may be set.
    t.b.mustSet((core) => core.setMarginType('BTCUSDT', 'CROSSED'));
  });
});

describe('what closes', () => {
  it.each([
    ['BUY', 'SELL'],
    ['SELL', 'BUY'],
  ] as const)('a position that was opened by a %s needs nothing of what is available', (opens, closes) => {
    const t = new Teller({ startBalances: { USDT: '2530' }, takerRate: '0', makerRate: '0' });
    t.b.market(opens, '1');
    expect(t.b.balance()).toBe('30/2500');
    const price = closes === 'SELL' ? '52000' : '48000';
    expect(t.b.submit({ side: closes, price, quantity: '1' }).kind).toBe('accepted');
    // The part that would open needs margin, and so does a larger position.
    expect(t.b.submit({ side: closes, price, quantity: '2' }).kind).toBe('rejected');
    expect(t.b.submit({ side: opens, type: 'MARKET', quantity: '0.1' }).kind).toBe('rejected');
  });
});

it('a tick that reaches several takes buys from the highest price, then sells from the lowest, whenever they came', () => {
  const t = new Teller();
  const limit = (side: 'BUY' | 'SELL', price: string) => t.b.place({ side, price, quantity: '1' });
  const stop = (side: 'BUY' | 'SELL', stopPrice: string) =>
    t.b.place({ type: 'STOP_MARKET', side, stopPrice, quantity: '1' });
  const ids = [stop('SELL', '48500'), stop('SELL', '48100'), limit('BUY', '48200'), limit('BUY', '48900')];
  t.b.tick('48000');
  expect(t.b.fills().map(({ clientId }) => clientId)).toEqual([ids[3], ids[2], ids[1], ids[0]]);
});

it('a payment from before a position was turned round is none of the new one', () => {
  const b = new FuturesBench();
  b.tick('50000');
  b.market('BUY', '1');
  const opened = b.now;
  b.tick('50000', { after: HOUR });
  b.market('SELL', '2');
  const before = b.wallet();
  expect(b.core.fundedAt('BTCUSDT')).toBe(b.now);
  b.keep(b.core.payPast('BTCUSDT', { at: opened + 1, rate: '0.01', mark: '50000' }));
  expect(b.wallet()).toBe(before);
  b.keep(b.core.payPast('BTCUSDT', { at: b.now + 1, rate: '0.01', mark: '50000' }));
  expect(b.wallet()).not.toBe(before);
});
