/** The backtest as a whole: what is played, from when to when, with which money, and what it reports. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backtestSteps, runBacktest } from '../../../src/bots/backtest/backtest.ts';
import type { BotGiven } from '../../../src/bots/backtest/session.ts';
import { historyOf, tableOfCandles } from '../../../src/bots/market/candle-table.ts';
import { dec } from '../../../src/domain/decimal.ts';
import {
  DEPOSIT,
  fills,
  M,
  PAIR,
  played,
  rules,
  SYMBOL,
  squeeze,
  T,
  table,
  walks,
  world,
} from './support.ts';

/** A dip to 98 in the second minute and a recovery in the third. */
const DIP = table([
  [100, 100, 100, 100],
  [100, 100, 98, 99],
  [99, 101, 99, 101],
  [101, 101, 101, 101],
]);

// proves: bot tick candle-as-ticks, bot tick assumptions-said, bot backtest deterministic, bot input deterministic
describe('a backtest', () => {
  it('plays open, low, high, close of a rising candle and open, high, low, close of a falling one', () => {
    const { trades } = played({
      bot: squeeze({ price: { percent: { buy: '1', sell: '0.5' } } }),
      candles: [DIP],
    });
    expect(trades.map(({ at, side, price }) => [at - T, side, price])).toEqual([
      // The entry at 99 rests from the first close on; the falling candle's low is its third tick.
      [M + M / 2, 'BUY', '99'],
      // 99 x 1.005 rounded up; the rising candle's high is its third tick.
      [2 * M + M / 2, 'SELL', '99.5'],
    ]);
  });

  it('hears of a close and of its end, both at one time, before the exchange answers to either', () => {
    const bot = squeeze({ trailingEdge: 'open', timeout: { type: 'ttl', value: 3 * M } });
    const still = [100, 100, 100, 100] as const;
    const candles = [table([still, still, [110, 110, 103, 103], still])];
    // At the third close the entry would move from 99 to 108.9 and take at 103: the run ends at that very
    // time.
    expect(played({ bot, candles }).trades).toEqual([]);
    const longer = squeeze({ trailingEdge: 'open', timeout: { type: 'ttl', value: 3 * M + 1 } });
    expect(fills(played({ bot: longer, candles }))[0]).toMatch(/^BUY .* at 103 taker$/);
  });

  it('says what it assumed, and with what', () => {
    const { assumptions, filters } = played({
      bot: squeeze(),
      candles: [DIP],
      slippage: dec('0.0005'),
      world: world(rules({ makerRate: dec('0.0004') })),
    });
    expect(assumptions.join('\n')).toMatch(
      /four ticks[\s\S]*at its limit[\s\S]*0.05 % worse[\s\S]*maker 0.04 %, taker 0.1 %/,
    );
    expect(filters).toEqual({ tickSize: '0.1', stepSize: '0.001', minQty: '0.001', minNotional: '5' });
  });

  it('gives the same bytes for the same input', () => {
    const once = () => JSON.stringify(runBacktest({ bot: squeeze(), candles: [DIP], world: world() }));
    expect(once()).toBe(once());
  });

  it('words a start that fails as the live desk does, all problems at once', () => {
    const bot = squeeze({ deposit: { value: '4', asset: 'USDT' } });
    const outcome = runBacktest({ bot, candles: [DIP], world: world(), balance: dec('1') });
    expect(outcome).toMatchObject({ ok: false, problems: [{ path: '' }, { path: '' }] });
    expect(outcome.ok ? '' : outcome.text).toBe(
      'entry: order of 4.00 USDT is below the exchange minimum of 5 USDT; insufficient balance: the bot needs 4 USDT, 1 is available',
    );
  });

  it('has a new paper account unless it is told what there is', () => {
    const bot = squeeze({ deposit: { value: '150000', asset: 'USDT' } });
    expect(played({ bot, candles: [DIP] }).figures.budget).toBe('150000');
    const poor = runBacktest({ bot: squeeze(), candles: [DIP], world: world(), balance: dec('999') });
    expect(poor.ok ? '' : poor.text).toBe('insufficient balance: the bot needs 1000 USDT, 999 is available');
  });

  it('ends the run where the balance does not cover its entries any more, as live', () => {
    const falling = table(
      Array.from({ length: 400 }, (_, i) => [200 - i / 2, 200 - i / 2, 199 - i / 2, 199.5 - i / 2] as const),
    );
    const bot = squeeze({
      price: { percent: { buy: '0.1', sell: '50' } },
      stop: { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '1' }, complete: true },
    });
    const { runs } = played({ bot, candles: [falling], balance: dec('1010') });
    expect(runs.at(-1)).toMatchObject({ reason: 'error', error: 'insufficient balance of USDT' });
  });

  it('plays from and to moments, and takes what is before as history', () => {
    const rows = Array.from(
      { length: 60 },
      (_, i) => [100 + (i % 5), 105, 98 - (i % 2), 100 + ((i + 1) % 5)] as const,
    );
    const minutes = table(rows);
    const bot = squeeze({ filters: { market: { rsi: { period: 14, timeFrame: M, max: 100 } } } });
    const late = played({ bot, candles: [minutes], from: T + 30 * M, to: T + 33 * M });
    expect(late.candles).toEqual({ frameMs: M, from: T + 30 * M, to: T + 33 * M, count: 3 });
    expect(late.trades.length).toBeGreaterThan(0);
    // Without history the RSI has no value for 14 minutes, so there is no entry.
    expect(played({ bot, candles: [minutes], from: T, to: T + 14 * M }).trades).toEqual([]);
  });

  it('refuses a range without candles, and candles of two frames', () => {
    const bot = squeeze();
    expect(() => runBacktest({ bot, candles: [DIP], world: world(), from: T + 60 * M })).toThrow(
      'no candle opens',
    );
    const hours = table([[1, 1, 1, 1]], { frameMs: 60 * M, symbol: 'ETHUSDT' });
    expect(() => runBacktest({ bot, candles: [DIP, hours], world: world() })).toThrow(
      'more than one time frame',
    );
  });

  it('can be called off between steps', () => {
    const long = table(Array.from({ length: 20_000 }, () => [100, 100, 100, 100] as const));
    const steps = backtestSteps({ bot: squeeze(), candles: [long], world: world() });
    expect(steps.next()).toEqual({ done: false, value: { done: 8_192, of: 20_000 } });
    expect(steps.next()).toMatchObject({ done: false });
  });
});

// proves: bot backtest figures
describe('the figures of a backtest', () => {
  const result = played({ bot: squeeze({ price: { percent: { buy: '1', sell: '0.5' } } }), candles: [DIP] });

  it('are those of the run, with what a cycle comes to', () => {
    // 10.101 bought at 99, the fee in BTC; 10.09 sold at 99.5, the rest below one step stays as dust.
    expect(fills(result)).toEqual(['BUY 10.101 at 99 maker', 'SELL 10.09 at 99.5 maker']);
    expect(result.figures).toMatchObject({
      budget: '1000',
      fills: 2,
      cycles: 1,
      winningCycles: 1,
      winRate: '100',
      profitFactor: null,
      position: '0.000899',
      buyAndHold: '1',
      annualised: null,
    });
    const { realised, roi } = result.figures;
    expect(Number(realised)).toBeCloseTo(10.09 * 99.5 * 0.999 - (999.999 * 10.09) / 10.090899, 6);
    expect(Number(roi)).toBeCloseTo((Number(realised) + Number(result.figures.unrealised)) / 10, 6);
  });

  const level = (settings: object): BotGiven => ({
    type: 'CHANNEL',
    settings: {
      ...PAIR,
      deposit: DEPOSIT,
      flavor: 'LEVELS',
      levels: [{ buy: '99', sell: '99.5' }],
      ...settings,
    },
  });
  const stop = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '1' } };
  it.each([
    ['of SQUEEZE, whose stops complete one', squeeze({ stop: [stop] }), true],
    ['of LEVELS, whose stops complete none', level({ stop: [stop] }), false],
  ])('set what winning cycles earned against what losing ones lost, %s', (_, bot, stopsCount) => {
    let compared = 0;
    fc.assert(
      fc.property(walks, (rows) => {
        const { trades, figures } = played({ bot, candles: [table(rows)] });
        const cycles: number[] = [];
        let earned = 0;
        for (const { side, realised, label } of trades) {
          earned += Number(realised);
          if (side === 'BUY') continue;
          if (stopsCount || !label.startsWith('stop')) cycles.push(earned);
          earned = 0;
        }
        expect(figures.cycles).toBe(cycles.length);
        const won = cycles.filter((one) => one > 0);
        const lost = cycles.filter((one) => one <= 0);
        expect(figures.winningCycles).toBe(won.length);
        const sum = (some: readonly number[]) => some.reduce((all, one) => all + one, 0);
        if (sum(lost) === 0) expect(figures.profitFactor).toBeNull();
        else expect(Number(figures.profitFactor)).toBeCloseTo(sum(won) / -sum(lost), 4);
        const sales = trades.filter(({ side }) => side === 'SELL').length;
        if (won.length > 1 && sales > won.length + (stopsCount ? 1 : 0)) compared++;
      }),
    );
    expect(compared).toBeGreaterThan(10);
  });

  it('know for how long something was held', () => {
    // From the low of the second minute to the high of the third, of four minutes less a millisecond.
    expect(Number(result.figures.timeInMarket)).toBeCloseTo((100 * M) / (4 * M - 1), 6);
  });

  it('come with an equity curve of a bounded number of points that ends where the figures do', () => {
    const rows = Array.from(
      { length: 1_000 },
      (_, i) => [100 + (i % 7), 108, 97, 100 + ((i + 3) % 7)] as const,
    );
    const long = played({ bot: squeeze(), candles: [table(rows)], points: 50 });
    expect(long.equity.length).toBeLessThanOrEqual(51);
    expect(long.equity[0]).toEqual({ time: T, equity: '1000', drawdown: '0' });
    const { realised, unrealised } = long.figures;
    expect(Number(long.equity.at(-1)?.equity)).toBeCloseTo(1_000 + Number(realised) + Number(unrealised), 6);
    const times = long.equity.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

// proves: bot backtest ends, bot options restart-most
describe('a bot that ends by itself', () => {
  const again = Array.from(
    { length: 60 },
    (_, i) => (i % 3 === 1 ? [100, 100, 98, 99] : [99, 101, 99, 100]) as [number, number, number, number],
  );

  it('stops the backtest there', () => {
    const { runs, figures, equity } = played({ bot: squeeze({ onetime: true }), candles: [table(again)] });
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ reason: 'completed', state: 'completed' });
    expect(figures.cycles).toBe(1);
    expect(equity.at(-1)?.time).toBe(runs[0]?.endedAt);
  });

  it('is started anew with restart, at most ten times an hour', () => {
    const bot = squeeze({ onetime: true }, { restart: true, restartDelay: 1_000 });
    const { runs, notices, figures } = played({ bot, candles: [table(again)] });
    expect(runs).toHaveLength(11);
    expect(runs[1]?.startedAt).toBe((runs[0]?.endedAt ?? 0) + 1_000);
    expect(notices.at(-1)?.text).toBe('not started again: 10 automatic restarts within an hour');
    // Notices about single orders are left out: the fills say the same.
    expect(notices.filter(({ text }) => /^(BUY|SELL|cycle) /.test(text))).toEqual([]);
    expect(figures.cycles).toBe(11);
  });

  it.each([
    ['long', false, '-1', 1],
    ['short', true, '1', -1],
  ] as const)('ends with the position that it holds, of a %s', (_way, short, _percent, sign) => {
    const far = short ? 102 : 98;
    const rows = [
      [100, 100, 100, 100],
      [100, Math.max(100, far), Math.min(100, far), 100],
    ] as [number, number, number, number][];
    const bot = squeeze({ short, price: { percent: { buy: '1', sell: '50' } } });
    const { figures, trades } = played({
      bot,
      candles: [table(rows)],
      world: world(rules({ kind: 'futures' })),
    });
    expect(trades).toHaveLength(1);
    expect(Number(figures.position) * sign).toBe(Number(trades[0]?.qty));
  });

  it('as a twap has nothing of what it could not sell: that is the account’s, whatever its price does', () => {
    const twap = { algo: 'twap', side: 'SELL', quantity: '3', duration: 3, priceLimit: '100' };
    const bot = { type: 'ALGO', settings: { ...PAIR, symbol: SYMBOL, ...twap } } as const;
    const result = played({
      bot,
      world: world(rules({ makerRate: 0n, takerRate: 0n })),
      candles: [table([[100, 100, 99, 99], ...[99, 99, 50, 40].map((at) => [at, at, at, at] as const)])],
    });
    const { fills: count, unfilled, position, unrealised } = result.figures;
    expect([count, unfilled, position, unrealised]).toEqual([1, '2', '0', '0']);
    expect(result.equity.at(-1)?.equity).toBe('0');
  });

  it('has on spot what it is to sell', () => {
    const twap = { algo: 'twap', side: 'SELL', quantity: '2', duration: 10 };
    const bot = { type: 'ALGO', settings: { ...PAIR, symbol: SYMBOL, ...twap } } as const;
    const rows = Array.from({ length: 30 }, () => [100, 101, 99, 100] as const);
    const { trades } = played({ bot, candles: [table(rows)] });
    expect(trades.reduce((sum, { qty }) => sum + Number(qty), 0)).toBeCloseTo(2, 9);
    expect(new Set(trades.map(({ side }) => side))).toEqual(new Set(['SELL']));
  });

  it.each([
    [1_440, true],
    [1_441, false],
  ])('has a rate a year only after more than a day: %d minutes', (minutes, none) => {
    const rows = Array.from({ length: minutes }, (_, i) => again[i % 3] ?? ([100, 100, 100, 100] as const));
    const { figures, runs } = played({ bot: squeeze(), candles: [table(rows)] });
    expect(figures.roi).not.toBeNull();
    expect([runs.length, figures.annualised === null]).toEqual([1, none]);
  });

  it('is measured against what was bought at the price of its first run', () => {
    const bot = squeeze({ onetime: true }, { restart: true, restartDelay: 1_000 });
    const round = (at: number) => again.slice(0, 3).map((row) => row.map((price) => price + at));
    const rows = [...round(0), ...round(20), ...round(40)] as [number, number, number, number][];
    const { runs, figures } = played({ bot, candles: [table(rows)] });
    expect(runs.length).toBeGreaterThan(1);
    // From the first open to the last close.
    const [first, last] = [rows[0]?.[0] ?? 0, rows.at(-1)?.[3] ?? 0];
    expect(Number(figures.buyAndHold)).toBeCloseTo(((last - first) / first) * 100, 4);
  });

  it('has had the largest drawdown of all its runs', () => {
    const bot = squeeze({ onetime: true }, { restart: true, restartDelay: 1_000 });
    const falling = (to: number) =>
      [
        [99, 101, 99, 100],
        [100, 100, to, to],
        [to, 101, to, 100],
      ] as const;
    const [deep, shallow] = [falling(80), falling(96)];
    for (const rows of [
      [...deep, ...shallow],
      [...shallow, ...deep],
    ]) {
      const { runs, figures } = played({ bot, candles: [table(rows)] });
      expect(runs.length).toBeGreaterThan(1);
      // Bought at about 98, with a close at 80; the other run has a close at 96.
      expect(Number(figures.maxDrawdown)).toBeGreaterThan(18);
      expect(Number(figures.maxDrawdown)).toBeLessThan(20);
    }
  });

  it('is judged anew by the price that there is by then', () => {
    const deposit = { value: '6', asset: 'USDT' };
    const bot = squeeze({ onetime: true, deposit }, { restart: true, restartDelay: 10 * M });
    // At 6500 the order is below the smallest quantity.
    const rows = [
      ...again.slice(0, 6),
      ...Array.from({ length: 20 }, () => [6500, 6500, 6500, 6500] as const),
    ];
    const { runs, notices } = played({ bot, candles: [table(rows)] });
    expect(runs).toHaveLength(1);
    expect(notices.at(-1)?.text).toMatch(/^not started again: /);
  });
});

// proves: bot backtest alerts
describe('bots that only tell', () => {
  it('ALARM gives its alerts instead of trades, that of the last close included', () => {
    const bot = {
      type: 'ALARM' as const,
      settings: {
        ...PAIR,
        range: [
          { type: 'price', trend: { 0: 98.5, [T]: 98.5 } },
          { type: 'price', trend: { 0: 100.5, [T]: 100.5 }, on: 'close' },
        ],
      },
    };
    const { alerts, trades, figures } = played({
      bot,
      candles: [
        table([
          [100, 100, 98, 99],
          [99, 101, 99, 101],
        ]),
      ],
    });
    expect(trades).toEqual([]);
    expect(figures.fills).toBe(0);
    expect(alerts.map(({ at, condition }) => [at - T, condition])).toEqual([
      [M / 2, 'range[0]'],
      [2 * M, 'range[1]'],
    ]);
  });

  it('NOTIFY scans all the symbols whose candles it is given', () => {
    const frameMs = 5 * M;
    const candles = [
      table(
        [
          [100, 110, 100, 110],
          [110, 110, 110, 110],
        ],
        { frameMs },
      ),
      table(
        [
          [10, 10, 10, 10],
          [10, 12, 10, 12],
        ],
        { frameMs, symbol: 'ETHUSDT' },
      ),
    ];
    const bot = {
      type: 'NOTIFY' as const,
      settings: { exchange: 'paper', timeFrame: frameMs, conditions: [{ type: 'price_change', percent: 5 }] },
    };
    const both = { ...world(), instrument: (_: string, symbol: string) => rules({ symbol }) };
    const { alerts } = played({ bot, candles, world: both });
    expect(alerts.map(({ at, symbol }) => [at - T, symbol])).toEqual([
      [frameMs, SYMBOL],
      [2 * frameMs, 'ETHUSDT'],
    ]);
  });
});

// proves: bot backtest candles
describe('the candles of a backtest', () => {
  it('are kept as whole numbers, exactly', () => {
    const candle = {
      time: T,
      open: '0.00002034',
      high: '0.000021',
      low: '0.00002',
      close: '0.00002',
      volume: '123.456',
    };
    const one = tableOfCandles('SHIBUSDT', M, [candle]);
    expect([one.decimals, one.open[0], one.high[0], one.volume(0)]).toEqual([8, 2034, 2100, dec('123.456')]);
    expect(historyOf(one, M, T, T + M)).toEqual([candle]);
    const fine = { ...candle, open: '12345678.123456789' };
    expect(() => tableOfCandles('SHIBUSDT', M, [fine])).toThrow('more digits than can be played');
  });

  it('are added up to larger frames, flat where there is none', () => {
    const gappy = table([[1, 3, 1, 2], [2, 2, 1, 1], null, null, null, null, [4, 5, 4, 5]]);
    expect(historyOf(gappy, 3 * M, T, T + 9 * M)).toEqual([
      { time: T, open: '1', high: '3', low: '1', close: '1', volume: '16' },
      { time: T + 3 * M, open: '1', high: '1', low: '1', close: '1', volume: '0' },
      { time: T + 6 * M, open: '4', high: '5', low: '4', close: '5', volume: '8' },
    ]);
    expect(historyOf(gappy, M / 2, T, T + M)).toEqual([]);
  });
});
