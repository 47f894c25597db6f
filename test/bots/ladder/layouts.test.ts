/**
 * The ladder of each type, line by line: what is bought, sold and watched where, what waits, what is too
 * small, and what all of it takes, earns and leaves to the market.
 */
import { describe, expect, it } from 'vitest';
import { ladderAnswer } from '../../../src/bots/ladder/answer.ts';
import {
  type Ladder,
  type LadderGround,
  type LadderLine,
  ladderOf,
} from '../../../src/bots/ladder/ladder.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { CompiledSettings } from '../../../src/bots/settings/compiled.ts';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { liquidationPrice } from '../../../src/domain/margin/liquidation-price.ts';
import { tiersOf } from '../../../src/venues/paper/futures/brackets.ts';
import { DEPOSIT, M, PAIR, rules, T, world } from '../backtest/support.ts';
import { cell, cells, type Settings, scale, stop } from '../rules/bots.ts';

const NOW = T + M / 2;
const SPOT = rules();
const FUTURES = rules({ kind: 'futures' });

function ground(change: Partial<LadderGround> = {}): LadderGround {
  return {
    rules: SPOT,
    price: dec('100'),
    now: NOW,
    available: dec('100000'),
    base: dec('1000'),
    position: null,
    tiers: [],
    crossed: false,
    leverage: 1,
    ...change,
  };
}

function laid(type: CompiledSettings['type'], settings: object, change: Partial<LadderGround> = {}): Ladder {
  const on = ground(change);
  const given = { ...PAIR, deposit: DEPOSIT, ...settings };
  const made = compileBot(type, given, undefined, { ...world(on.rules), now: NOW });
  if (!made.settings) throw new Error(JSON.stringify(made));
  return ladderOf(made.settings, on);
}

const text = (value: Dec | null) => (value === null ? 'none' : str(value));
const of = ({ lines }: Ladder, kind: string) => lines.filter((line) => line.kind === kind);
const sent = (lines: readonly LadderLine[]) => lines.map(({ side, price }) => `${side} ${str(price)}`);
const at = (price: string) => ({ price: dec(price) });

/** 90, 94.6 and 97.4, with a target for each. */
const FIBO = {
  channels: [
    { name: '0', depositePercent: '20', fiboPrice: '90' },
    { name: '0.382', depositePercent: '40' },
    { name: '0.618', depositePercent: '40' },
    { name: '1', fiboPrice: '102' },
  ],
};
const code = (settings: object) => ({ symbol: 'BTCUSDT', deposit: undefined, side: 'BUY', ...settings });
const twap = (duration: number, more: object = {}) =>
  code({ algo: 'twap', quantity: String(duration), duration, ...more });
/** 89.97 at the start of the present minute, 99.97 now. */
const RISING = { [T]: 89.97, [T + M]: 109.97 };
const intraday = (changes: object = {}) => ({
  mode: 'bounce',
  trend: RISING,
  takeProfits: [{ percent: '10', size: 100 }],
  ...changes,
});
const grid = (changes: object = {}) => ({
  flavor: 'GRID',
  grid: { low: '90', high: '110', count: 3 },
  ...changes,
});

describe('what waits for the market is taken as done, and said', () => {
  const AS_OF = 'As of a candle that closes at the present price; each close moves the entry.';
  const TRAILED = 'At its target an exit is trailed, not taken.';
  const PASS = 'Filters and ranges are taken to pass.';
  const BOUNCE = 'Enters once the price has touched the level and come back up by confirmPercent.';

  it.each<[string, CompiledSettings['type'], object, readonly string[]]>([
    ['nothing', 'CHANNEL', cell(), []],
    ['a filter', 'CHANNEL', cell({ filters: { price: { minVal: '1000' } } }), [PASS]],
    ['a range', 'CHANNEL', cell({ range: { type: 'price', min: '1000' } }), [PASS]],
    [
      'a start trigger',
      'CHANNEL',
      cell({ startTrigger: { trend: RISING } }),
      ['From the present price, as if the start trigger had fired.'],
    ],
    [
      'entries at MARKET',
      'CHANNEL',
      cell({ orders: { buy: { type: 'MARKET' } } }),
      ['Entries go out at MARKET at these prices.'],
    ],
    [
      'entries at a worse limit',
      'CHANNEL',
      cell({ orders: { buy: { type: 'LIMIT', price: 1 } } }),
      ['Entries go out at these prices, as LIMIT orders that are a little worse.'],
    ],
    [
      'exits at MARKET',
      'CHANNEL',
      cell({ orders: { sell: { type: 'MARKET' } } }),
      ['Exits go out at MARKET at these prices.'],
    ],
    ['trailed exits', 'CHANNEL', cell({ orders: { sell: { priceStrategy: 'trailing' } } }), [TRAILED]],
    ['closes', 'CHANNEL', cell({ timeFrame: M }), ['Entries go out when a candle closes.']],
    ['a grid that moves', 'CHANNEL', grid({ trailUp: true }), ['The grid moves up with the price.']],
    [
      'trailed entries',
      'FIBO',
      { ...FIBO, trailing: true },
      ['Entries are trailed: bought on the way back from below these prices.'],
    ],
    ['a trailed profit', 'FIBO', { ...FIBO, green: 4 }, ['In profit the exits give way to trailing.']],
    ['a candle', 'SQUEEZE', { timeFrame: M, price: { percent: { buy: '1', sell: '1' } } }, [AS_OF]],
    [
      'a candle, and a trailed part',
      'SQUEEZE',
      { timeFrame: M, price: { percent: { buy: '1', sell: '1' } }, trailingPart: true },
      [AS_OF, TRAILED],
    ],
    ['a bounce', 'INTRADAY', intraday(), [BOUNCE]],
    [
      'a breakout and a return',
      'INTRADAY',
      intraday({ mode: 'breakout', retest: true }),
      ['Enters once the price has passed the level by confirmPercent, after a return to it.'],
    ],
    [
      'slices that rest',
      'ALGO',
      twap(3, { limitOffset: '1' }),
      ['Slices are LIMIT orders at a better price.'],
    ],
    ['many slices', 'ALGO', twap(201), ['The first of 201 slices.']],
  ])('%s', (_what, type, settings, notes) => {
    const ladder = laid(type, settings, at('105'));
    expect(ladder.notes).toEqual(notes);
    expect(ladder.entries).toBeGreaterThan(0);
    expect(of(ladder, 'target').length > 0).toBe(type !== 'ALGO');
  });

  it('and a start trigger is a line at its price of now', () => {
    expect(of(laid('CHANNEL', cell({ startTrigger: { trend: RISING } })), 'line')).toMatchObject([
      { label: 'start', price: dec('99.97'), side: null, qty: null },
    ]);
  });
});

it('a line that has no price any more is not shown', () => {
  const startTrigger = { trend: { [T]: 10, [T + 1_000]: 9 } };
  expect(of(laid('CHANNEL', cell({ startTrigger })), 'line')).toEqual([]);
});

describe('of INTRADAY', () => {
  it.each([
    ['bounce', false, 'BUY 100.2', 'SELL 110.3'],
    ['breakout', false, 'BUY 100.2', 'SELL 110.3'],
    ['bounce', true, 'SELL 99.7', 'BUY 89.7'],
    ['breakout', true, 'SELL 99.7', 'BUY 89.7'],
  ])(
    'the entry of a %s, short %s, is where it confirms on the line of now, steep as that is',
    (mode, short, entry, target) => {
      const ladder = laid('INTRADAY', intraday({ mode, short }), { rules: FUTURES, ...at('105') });
      expect([sent(of(ladder, 'entry')), sent(of(ladder, 'target'))]).toEqual([[entry], [target]]);
      expect(of(ladder, 'line').map(({ price }) => str(price))).toEqual(['99.97']);
    },
  );

  it.each([
    ['spot', SPOT, ['take profit 3', 'take profit 2']],
    ['futures', FUTURES, []],
  ])('take-profits that the exchange would not take are marked, on %s', (_kind, on, small) => {
    const takeProfits = [50, 30, 20].map((size, i) => ({ percent: String(5 * (i + 1)), size }));
    const settings = intraday({ takeProfits, deposit: { value: '12', asset: 'USDT' } });
    const { lines } = laid('INTRADAY', settings, { rules: on, ...at('105') });
    expect(lines.filter(({ tooSmall }) => tooSmall).map(({ label }) => label)).toEqual(small);
  });
});

describe('of ALGO', () => {
  it.each([
    ['spot', SPOT, '1980'],
    ['futures', FUTURES, '1981.98'],
  ])(
    'a bracket of a quantity has its target and its stop, however much that costs (%s)',
    (_kind, on, worst) => {
      const pair = { takeProfit: { percent: '1' }, stopLoss: { percent: '2' } };
      const entry = { type: 'LIMIT', price: '99' };
      const ladder = laid('ALGO', code({ algo: 'bracket', quantity: '20', entry, ...pair }), { rules: on });
      expect(sent(of(ladder, 'entry'))).toEqual(['BUY 99']);
      expect(sent(of(ladder, 'target'))).toEqual(['SELL 100']);
      expect(of(ladder, 'stop')).toHaveLength(1);
      expect([text(ladder.worst), text(ladder.averageEntry), ladder.budget]).toEqual([worst, '99', null]);
    },
  );

  it('a bracket that is entered by a stop has its target and its stop from there', () => {
    const pair = { takeProfit: { percent: '1' }, stopLoss: { percent: '2' } };
    const entry = { type: 'STOP_MARKET', stopPrice: '102' };
    const given = code({ algo: 'bracket', quantity: '2', entry, ...pair });
    const { lines, worst } = laid('ALGO', given, { rules: FUTURES });
    // 1 % above 102 and 2 % below it, on the tick.
    expect(sent(lines)).toEqual(['SELL 103.1', 'BUY 102', 'SELL 100']);
    expect(text(worst)).toBe('204.204');
  });

  it('a tpsl goes out at once, both its orders', () => {
    const pair = { takeProfit: { percent: '10' }, stopLoss: { percent: '5' } };
    const { lines } = laid('ALGO', code({ algo: 'tpsl', side: 'SELL', ...pair }), {
      rules: FUTURES,
      position: { amount: dec('2'), entryPrice: dec('98') },
    });
    expect(lines.map(({ kind, price, when, qty }) => `${kind} ${str(price)} ${when} ${text(qty)}`)).toEqual([
      'target 107.8 now 2',
      'stop 93.1 now 2',
    ]);
  });

  it('a twap has each of its slices, the first at once', () => {
    const ladder = laid('ALGO', twap(3));
    expect(ladder.lines.map(({ label, when, qty }) => `${label} ${when} ${text(qty)}`)).toEqual([
      'slice 1 now 1',
      'slice 2 later 1',
      'slice 3 later 1',
    ]);
    expect([text(ladder.least), text(ladder.worst)]).toEqual(['100', '300']);
  });
});

describe('of CHANNEL', () => {
  it.each([
    ['quote', '110', '9.78011'],
    // It sells so much of what it holds that the rest looks like dust.
    ['base', '100.5', 'none'],
  ])(
    'a cell earns what its target leaves after both fees, and with the profit in base nothing that could be said: %s',
    (profitAsset, sell, profit) => {
      const ladder = laid('CHANNEL', cell({ profitAsset, levels: [{ buy: '100', sell }] }), at('105'));
      expect(text(ladder.profit)).toBe(profit);
      expect([ladder.averageEntry, ladder.least, ladder.worst].map(text)).toEqual(['100', '100', '100']);
    },
  );

  it('what is used at least is what the entry nearest to the price takes, of those that do not wait', () => {
    const three = cells([
      ['110', '120'],
      ['100', '115'],
      ['90', '105'],
    ]);
    // 1.111 at 90 is worth 99.99.
    expect(text(laid('CHANNEL', three, at('105')).least)).toBe('100');
  });

  it('what is used at most is what the cells take at their own prices, though startBuy buys some for less', () => {
    const five = { flavor: 'GRID', grid: { low: '90', high: '110', count: 5 }, startBuy: true };
    // 2.777 at 90, 2.631 at 95, 2.5 at 100 and 2.38 at 105.
    expect(text(laid('CHANNEL', five).worst)).toBe('999.775');
  });

  it('orders that are divided are one line, with the quantity and the fee of all of them', () => {
    const ladder = laid('CHANNEL', cell({ orders: { buy: { size: 3 }, sell: { size: 2 } } }), at('105'));
    expect(
      ladder.lines.map(({ kind, qty, quote, fee }) => [kind, ...[qty, quote, fee].map(text)].join(' ')),
    ).toEqual(['target 0.999 109.89 0.10989', 'entry 1 100 0.1']);
    expect(ladder.entries).toBe(1);
  });

  it('an exit that the next entry moves is shown where it is first, and where it is in the end', () => {
    const ladder = laid('CHANNEL', scale());
    const shown = ladder.lines.filter(({ kind }) => kind !== 'entry');
    expect(shown.map(({ kind, label, price, fee }) => `${kind} ${label} ${str(price)} ${text(fee)}`)).toEqual(
      ['line take profit, first 110 none', expect.stringMatching(/^target take profit 104\.3 /)],
    );
  });

  it('of a short what waits is below the price; margin and fees are what it takes', () => {
    const deposit = { value: '200', asset: 'USDT', leverage: 5 };
    const levels = cells(
      [
        ['90', '110'],
        ['80', '100'],
      ],
      { short: true, deposit, stop: stop('price_percent_buy', 'kline', { value: '5' }, { complete: true }) },
    );
    const ladder = laid('CHANNEL', levels, { rules: FUTURES, ...at('105') });
    expect(of(ladder, 'entry').map(({ side, price, when }) => `${side} ${str(price)} ${when}`)).toEqual([
      'SELL 110 now',
      'SELL 100 waits',
    ]);
    expect(of(ladder, 'target').map(({ side, price, when }) => `${side} ${str(price)} ${when}`)).toEqual([
      'BUY 90 later',
      'BUY 80 waits',
    ]);
    // 4.545 at 110 and 5 at 100, of which a fifth is margin, and a thousandth of each the fee.
    expect([text(ladder.least), text(ladder.worst)]).toEqual(['100.48995', '200.98995']);
    const [rule] = of(ladder, 'stop');
    expect([rule?.side, text(rule?.qty ?? null)]).toEqual(['BUY', '9.545']);
    expect((rule?.price ?? ZERO) > (ladder.averageEntry ?? ZERO)).toBe(true);
  });
});

describe('stop rules', () => {
  it('sell all, or the newest lot; one that is off, or goes by its time, has no line', () => {
    const rule = [
      stop('price_percent_buy', 'kline', { value: '5' }, { complete: true }),
      stop('fixed', 'kline', { value: '80' }),
      stop('fixed', 'kline', { value: '85' }, { disabled: true }),
      stop('timeout_buy', 'timeout', { value: '60000' }),
    ];
    // 10.56 is bought, of which 2.222 at 90 come last; a thousandth is the fee, and less than a step is dust.
    expect(
      of(laid('FIBO', { ...FIBO, stop: rule }), 'stop').map(
        ({ label, side, qty }) => `${label} ${side} ${text(qty)}`,
      ),
    ).toEqual(['price_percent_buy SELL 10.549', 'fixed SELL 2.22']);
  });
});

describe('what would keep it from starting', () => {
  it('is told apart: orders that are too small, and a deposit that is not there', () => {
    const small = { ...FIBO, deposit: { value: '20', asset: 'USDT' } };
    const ladder = laid('FIBO', small, { available: dec('10') });
    expect(ladder.belowMinimum).toBe('channel 0: order of 3.96 USDT is below the exchange minimum of 5 USDT');
    expect(ladder.problems).toEqual(['insufficient balance: the bot needs 20 USDT, 10 is available']);
  });
});

describe('the liquidation', () => {
  const tiers = tiersOf('BTC');
  const LEVERAGED: Settings = { ...FIBO, deposit: { ...DEPOSIT, leverage: 10 } };
  const liquidated = (settings: Settings, change: Partial<LadderGround>) =>
    laid('FIBO', settings, { rules: FUTURES, tiers, available: dec('2000'), ...change }).liquidation;

  it('goes by the margin type of the settings, and where they name none by that of the symbol', () => {
    const isolated = liquidated({ ...LEVERAGED, marginType: 'ISOLATED' }, { crossed: true });
    const crossed = liquidated({ ...LEVERAGED, marginType: 'CROSSED' }, { crossed: false });
    expect([isolated, crossed]).not.toContain(null);
    expect(isolated).not.toBe(crossed);
    expect(liquidated(LEVERAGED, { crossed: false })).toBe(isolated);
    expect(liquidated(LEVERAGED, { crossed: true })).toBe(crossed);
  });

  it('goes by the leverage of the settings, and where they name none by that of the symbol', () => {
    const own = liquidated(LEVERAGED, { leverage: 3 });
    expect(own).not.toBeNull();
    expect(own).toBe(liquidated(LEVERAGED, { leverage: 50 }));
    const [wide, near] = [3, 10].map((leverage) => liquidated(FIBO, { leverage }));
    expect((near ?? ZERO) > (wide ?? ZERO)).toBe(true);
  });

  it('of a short is above its entry, where the exchange says so', () => {
    const short = cell({
      short: true,
      levels: [{ buy: '90', sell: '110' }],
      deposit: { ...DEPOSIT, leverage: 10 },
    });
    const ladder = laid('CHANNEL', short, { rules: FUTURES, tiers, ...at('105') });
    const [entry] = of(ladder, 'entry');
    const [qty, price] = [entry?.qty ?? ZERO, entry?.price ?? ZERO];
    const cost = mul(qty, price);
    const theirs = liquidationPrice(cost / 10n, [{ amount: -qty, cost: -cost }], tiers, price);
    const [own, exchange] = [ladder.liquidation ?? ZERO, theirs ?? ZERO];
    expect(exchange > price).toBe(true);
    expect(Math.abs(Number(str(own - exchange)))).toBeLessThan(1e-9);
  });
});

describe('the answer', () => {
  const answer = (settings: object, on: LadderGround | null) =>
    ladderAnswer(
      { type: 'CHANNEL', settings: { ...PAIR, ...settings } as Record<string, unknown> },
      { ...world(), now: NOW },
      (symbol) => (symbol === 'BTCUSDT' ? on : ground(at('1'))),
    );

  it('waits for the price of its own symbol', () => {
    expect(answer(cell(), null)).toEqual({ ok: false, text: 'BTCUSDT has no price yet.' });
  });

  it('lays out what could be read, though it cannot be started so', () => {
    const wrong = cell({ levels: [{ buy: '100', sell: '110', depositePercent: 90 }] });
    expect(answer(wrong, ground(at('105')))).toMatchObject({
      ok: true,
      ladder: { entries: 1, budget: '100' },
    });
  });

  it('is all in exact decimals, each under its own name', () => {
    expect(answer(cell(), ground(at('105')))).toEqual({
      ok: true,
      ladder: {
        symbol: 'BTCUSDT',
        base: 'BTC',
        asset: 'USDT',
        kind: 'spot',
        price: '105',
        budget: '100',
        leverage: 1,
        lines: [
          {
            kind: 'target',
            label: 'cell 100-110',
            price: '110',
            side: 'SELL',
            type: 'LIMIT',
            qty: '0.999',
            quote: '109.89',
            fee: '0.10989',
            when: 'later',
            tooSmall: false,
          },
          {
            kind: 'entry',
            label: 'cell 100-110',
            price: '100',
            side: 'BUY',
            type: 'LIMIT',
            qty: '1',
            quote: '100',
            fee: '0.1',
            when: 'now',
            tooSmall: false,
          },
        ],
        entries: 1,
        averageEntry: '100',
        least: '100',
        worst: '100',
        fees: '0.20989',
        profit: '9.78011',
        liquidation: null,
        belowMinimum: null,
        problems: [],
        notes: [],
      },
    });
  });
});
