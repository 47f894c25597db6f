/** The ladder of a bot: the orders that its runtime would place at a price, listed before the start. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { ladderAnswer } from '../../../src/bots/ladder/answer.ts';
import { type Ladder, type LadderGround, ladderOf } from '../../../src/bots/ladder/ladder.ts';
import { liquidationOf } from '../../../src/bots/ladder/liquidation.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { CompiledSettings } from '../../../src/bots/settings/compiled.ts';
import { scaleBudgets } from '../../../src/bots/types/channel/scale-plan.ts';
import type { ChannelSettings } from '../../../src/bots/types/channel/settings.ts';
import { type Dec, dec, div, mul, ONE, roundTo, str, ZERO } from '../../../src/domain/decimal.ts';
import { liquidationPrice } from '../../../src/domain/margin/liquidation-price.ts';
import { tiersOf } from '../../../src/venues/paper/futures/brackets.ts';
import { BOTS, DEPOSIT, markets, onMarket, PAIR, rules, T, table, world } from '../backtest/support.ts';
import { cell, cells, fibo, type Settings, scale } from '../rules/bots.ts';
import { LiveTest } from '../rules/live.ts';

const NOW = T + 30_000;

function ground(change: Partial<LadderGround> = {}): LadderGround {
  return {
    rules: rules(),
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

function compiled(type: string, settings: object, on = rules()): CompiledSettings {
  const given = { ...PAIR, deposit: DEPOSIT, ...settings };
  const made = compileBot(type as CompiledSettings['type'], given, undefined, { ...world(on), now: NOW });
  if (!made.settings) throw new Error(JSON.stringify(made));
  return made.settings;
}

const FIBO = {
  channels: [
    { name: '0', depositePercent: '20', fiboPrice: '90' },
    { name: '0.382', depositePercent: '40' },
    { name: '0.618', depositePercent: '40' },
    { name: '1', fiboPrice: '102' },
  ],
};

function shown({ lines }: Ladder, kind: string): string[] {
  return lines.filter((line) => line.kind === kind).map(({ label, price }) => `${label} ${str(price)}`);
}

function sum(lines: readonly { quote: Dec | null }[]): Dec {
  return lines.reduce((total, { quote }) => total + (quote ?? ZERO), ZERO);
}

describe('the ladder', () => {
  it('of FIBO has every level with its target, sizes and stop', () => {
    const stop = [{ strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' }, complete: true }];
    const ladder = ladderOf(compiled('FIBO', { ...FIBO, stop }), ground());
    expect(shown(ladder, 'entry')).toEqual(['channel 0.618 97.4', 'channel 0.382 94.5', 'channel 0 90']);
    expect(shown(ladder, 'target')).toEqual(['channel 0.618 102', 'channel 0.382 97.5', 'channel 0 94.6']);
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    expect(entries.map(({ qty }) => str(qty ?? ZERO))).toEqual(['4.106', '4.232', '2.222']);
    expect(entries.every(({ when }) => when === 'now')).toBe(true);
    const average = div(
      sum(entries),
      entries.reduce((total, { qty }) => total + (qty ?? ZERO), ZERO),
    );
    expect(ladder.averageEntry).toBe(average);
    const [rule] = ladder.lines.filter(({ kind }) => kind === 'stop');
    expect(rule?.price).toBe(div(mul(average, dec('95')), dec('100')));
    expect(ladder.worst).toBe(sum(entries));
    expect(ladder.least).toBe(entries[0]?.quote);
    expect(ladder.belowMinimum).toBeNull();
  });

  it('has the maker’s fee on what rests, and the taker’s on what is bought at once and on stops', () => {
    const stop = [{ strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' }, complete: true }];
    const grid = { flavor: 'GRID', grid: { low: '90', high: '110', count: 5 }, startBuy: true };
    const entry = { type: 'LIMIT', price: '99' };
    const bracket = {
      algo: 'bracket',
      side: 'BUY',
      entry,
      takeProfit: { percent: '1' },
      stopLoss: { percent: '2' },
    };
    const pair = { symbol: 'BTCUSDT', ...bracket };
    const on = rules({ makerRate: dec('0.0004'), takerRate: dec('0.001') });
    const bots = [
      compiled('FIBO', { ...FIBO, stop }, on),
      compiled('ALGO', pair, on),
      compiled('CHANNEL', grid, on),
    ];
    const lines = bots.flatMap((bot) => ladderOf(bot, ground({ rules: on })).lines);
    const rates = lines.flatMap(({ kind, type, quote, fee }) =>
      quote === null || fee === null
        ? []
        : [`${kind} ${type} ${str(roundTo(div(fee, quote), dec('0.0000001')))}`],
    );
    expect([...new Set(rates)].sort()).toEqual([
      'entry LIMIT 0.0004',
      'entry MARKET 0.001',
      'stop MARKET 0.001',
      'stop STOP_MARKET 0.001',
      'target LIMIT 0.0004',
    ]);
  });

  it('says which order is too small, and shows it', () => {
    const small = { ...FIBO, deposit: { value: '20', asset: 'USDT' } };
    const ladder = ladderOf(compiled('FIBO', small), ground());
    expect(ladder.belowMinimum).toBe('channel 0: order of 3.96 USDT is below the exchange minimum of 5 USDT');
    expect(
      ladder.lines.filter(({ tooSmall }) => tooSmall).map(({ label, kind }) => `${kind} ${label}`),
    ).toEqual(['target channel 0', 'entry channel 0']);
  });

  it('names a deposit that is not there', () => {
    const ladder = ladderOf(compiled('FIBO', FIBO), ground({ available: dec('320.5') }));
    expect(ladder.problems).toEqual(['insufficient balance: the bot needs 1000 USDT, 320.5 is available']);
    expect(shown(ladder, 'entry')).toHaveLength(3);
  });

  it('of a GRID shows cells above the price as waiting for it', () => {
    const grid = { flavor: 'GRID', grid: { low: '90', high: '110', count: 5 }, stopBelow: '80' };
    const ladder = ladderOf(compiled('CHANNEL', grid), ground());
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    expect(entries.map(({ price, when }) => `${str(price)} ${when}`)).toEqual([
      '105 waits',
      '100 waits',
      '95 now',
      '90 now',
    ]);
    expect(shown(ladder, 'end')).toEqual(['ends below 80']);
  });

  it('shows a highest level at the very price as waiting for it', () => {
    const levels = cells([
      ['100', '110'],
      ['90', '105'],
    ]);
    const ladder = ladderOf(compiled('CHANNEL', levels), ground());
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    expect(entries.map(({ price, when }) => `${str(price)} ${when}`)).toEqual(['100 waits', '90 now']);
    expect(ladder.worst).toBe(sum(entries));
  });

  it('of a GRID with startBuy buys what is above the price at once', () => {
    const grid = { flavor: 'GRID', grid: { low: '90', high: '110', count: 5 }, startBuy: true };
    const ladder = ladderOf(compiled('CHANNEL', grid), ground());
    const [first] = ladder.lines.filter(({ type }) => type === 'MARKET');
    expect(first).toMatchObject({ kind: 'entry', price: dec('100'), when: 'now' });
    expect(shown(ladder, 'target')).toHaveLength(4);
  });

  it('of a SCALE has the budgets that its settings give', () => {
    const scale = { flavor: 'SCALE', scale: { orders: 4, step: '1', sizeScale: '1.5', takeProfit: '1' } };
    const settings = compiled('CHANNEL', scale);
    const ladder = ladderOf(settings, ground());
    const planned = scaleBudgets((settings as ChannelSettings).scale as never, dec('1000'));
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    expect(entries).toHaveLength(5);
    entries.forEach(({ quote, price }, i) => {
      const off = (planned[i] as Dec) - (quote as Dec);
      expect(off >= ZERO && off < mul(price, rules().step)).toBe(true);
    });
  });

  it('of a pair on spot has the stop that the engine holds', () => {
    const pair = {
      symbol: 'BTCUSDT',
      algo: 'bracket',
      side: 'BUY',
      entry: { type: 'LIMIT', price: '99' },
      takeProfit: { percent: '1' },
      stopLoss: { percent: '2' },
    };
    const ladder = ladderOf(compiled('ALGO', pair), ground());
    expect(shown(ladder, 'stop')).toEqual(['stop loss 97.02']);
    expect(shown(ladder, 'target')).toEqual(['take profit 100']);
  });

  it('of an ALARM has its lines and no orders', () => {
    const alarm = { range: [{ trend: { [T]: '105', [T + 1_000]: '105' } }], deposit: undefined };
    const ladder = ladderOf(compiled('ALARM', alarm), ground());
    expect(shown(ladder, 'line')).toEqual(['range[0] 105']);
    expect(ladder).toMatchObject({ entries: 0, budget: null, worst: null });
  });

  it('of a scanner is a sentence', () => {
    const given = { exchange: 'paper', timeFrame: 300_000, conditions: [{ type: 'breakout' }] };
    const answer = ladderAnswer({ type: 'NOTIFY', settings: given }, { ...world(), now: NOW }, () =>
      ground(),
    );
    expect(answer).toEqual({ ok: false, text: 'It scans many symbols and places no orders.' });
  });
});

describe('levels of another market', () => {
  const words =
    'no entry is between half of the price 30 and twice of it: are these the levels of another market?';
  const at = (price: string, settings: object = FIBO) =>
    ladderOf(compiled('FIBO', settings), ground({ price: dec(price) })).problems;

  it('are pointed out where a draft of FIBO has got another symbol', () => {
    expect(at('100')).toEqual([]);
    expect(at('30')).toContain(words);
    expect(at('1000')).toContain(words.replace('30', '1000'));
  });

  it('are not suspected while one entry is near', () => {
    expect(at('50')).toEqual([]);
    expect(at('180')).toEqual([]);
  });
});

describe('on futures', () => {
  const on = rules({ kind: 'futures', takerRate: dec('0.0005'), makerRate: dec('0.0002') });
  const tiers = tiersOf('BTC');

  it('needs margin, and is liquidated where the exchange says so', () => {
    const leveraged = { ...FIBO, marginType: 'ISOLATED', deposit: { ...DEPOSIT, leverage: 10 } };
    const ladder = ladderOf(compiled('FIBO', leveraged, on), ground({ rules: on, tiers }));
    expect(ladder.leverage).toBe(10);
    expect(Number(str(ladder.worst ?? ZERO))).toBeGreaterThan(990);
    expect(Number(str(ladder.worst ?? ZERO))).toBeLessThan(1_003);
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    const amount = entries.reduce((total, { qty }) => total + (qty ?? ZERO), ZERO);
    const cost = sum(entries);
    const theirs = liquidationPrice(cost / 10n, [{ amount, cost }], tiers, dec('100'));
    const [own, exchange] = [ladder.liquidation ?? ZERO, theirs ?? ZERO];
    expect(Math.abs(Number(str(own - exchange)))).toBeLessThan(1e-9);
  });

  it('is liquidated, crossed, with what the account has left after the fees of its entries', () => {
    const crossed = { ...FIBO, marginType: 'CROSSED', deposit: { ...DEPOSIT, leverage: 10 } };
    const dear = rules({ kind: 'futures', takerRate: dec('0.02'), makerRate: dec('0.02') });
    const ladder = ladderOf(
      compiled('FIBO', crossed, dear),
      ground({ rules: dear, tiers, available: dec('2000') }),
    );
    const entries = ladder.lines.filter(({ kind }) => kind === 'entry');
    const amount = entries.reduce((total, { qty }) => total + (qty ?? ZERO), ZERO);
    const cost = sum(entries);
    const left = dec('2000') - mul(cost, dec('0.02'));
    const theirs = liquidationPrice(left, [{ amount, cost }], tiers, dec('100'));
    const [own, exchange] = [ladder.liquidation ?? ZERO, theirs ?? ZERO];
    expect(Number(str(exchange))).toBeGreaterThan(0);
    expect(Math.abs(Number(str(own - exchange)))).toBeLessThan(1e-9);
  });

  it('finds the exchange’s price for every size, side and margin', () => {
    const size = fc.integer({ min: 1, max: 5_000_000 });
    fc.assert(
      fc.property(size, fc.boolean(), fc.integer({ min: 1, max: 60 }), (milli, short, times) => {
        const amount = dec('0.001') * BigInt(milli) * (short ? -1n : 1n);
        const entry = dec('61234.5');
        const margin = div(mul(amount < ZERO ? -amount : amount, entry), BigInt(times) * ONE);
        const theirs = liquidationPrice(margin, [{ amount, cost: mul(amount, entry) }], tiers, entry);
        const own = liquidationOf({ amount, entry, margin }, tiers);
        expect(own === null).toBe(theirs === null);
        if (own !== null && theirs !== null) expect(Math.abs(Number(str(own - theirs)))).toBeLessThan(1e-6);
      }),
    );
  });

  it('finds the price that comes first where tiers jump, so that two of them have one', () => {
    const jump = [
      { floor: ZERO, cap: dec('100000'), rate: dec('0.004'), cumulative: ZERO },
      { floor: dec('100000'), cap: ZERO, rate: dec('0.05'), cumulative: ZERO },
    ];
    // 96,000 / 1.9 in the upper tier, 96,000 / 1.992 in the lower one: the price falls to the upper one first.
    const price = liquidationOf({ amount: dec('2'), entry: dec('53000'), margin: dec('10000') }, jump);
    expect(str(price ?? ZERO)).toMatch(/^50526\.31/);
  });

  it('finds a price however large the position is where the last tier has no cap', () => {
    const open = tiers.map((tier, i) => (i === tiers.length - 1 ? { ...tier, cap: ZERO } : tier));
    const [last] = open.slice(-1) as [(typeof open)[number]];
    const entry = dec('61234.5');
    const size = fc
      .integer({ min: 1, max: 100 })
      .map((times) => (div(last.floor, entry) * BigInt(times)) / 5n);
    fc.assert(
      fc.property(size, fc.boolean(), fc.integer({ min: 2, max: 60 }), (held, short, times) => {
        const amount = short ? -held : held;
        const margin = div(mul(held, entry), BigInt(times) * ONE);
        const price = liquidationOf({ amount, entry, margin }, open);
        const capped = liquidationOf({ amount, entry, margin }, tiers);
        // Above the cap of the exchange's last tier there is nothing else to compare it with.
        if (capped !== null) expect(price).toBe(capped);
        if (short && mul(held, entry) >= last.floor * 2n) expect(price).not.toBeNull();
        if (price === null) return;
        const worth = mul(held, price);
        const tier = open.find(({ floor, cap }) => worth >= floor && (worth <= cap || cap === ZERO));
        const left =
          margin + mul(amount, price - entry) - (mul(worth, tier?.rate ?? ZERO) - (tier?.cumulative ?? ZERO));
        expect(Math.abs(Number(str(left)))).toBeLessThan(1e-6);
      }),
    );
  });
});

describe('a whole cycle', () => {
  const one = cell({ deposit: { value: '101', asset: 'USDT' } });
  const two = cells([
    ['100', '110'],
    ['98', '120'],
  ]);
  const grown = scale({}, { takeProfit: '3' });
  const short = cell({ short: true, levels: [{ buy: '90', sell: '110' }] });
  const margined = { deposit: { value: '101', asset: 'USDT', leverage: 2 } };

  it.each<[string, 'CHANNEL' | 'FIBO', 'spot' | 'futures', object, readonly string[]]>([
    ['one cell', 'CHANNEL', 'spot', one, ['105', '100', '110']],
    ['two cells', 'CHANNEL', 'spot', two, ['105', '98', '110', '120']],
    ['a base order and a safety order', 'CHANNEL', 'spot', grown, ['105', '94.5', '103']],
    ['a level of FIBO', 'FIBO', 'spot', fibo(), ['105', '100', '120']],
    ['a cell of futures', 'CHANNEL', 'futures', { ...one, ...margined }, ['105', '100', '110']],
    ['a short cell', 'CHANNEL', 'futures', short, ['105', '110', '90']],
  ])('earns what the run books of it, dust at its cost: %s', (_what, type, kind, settings, prices) => {
    const live = new LiveTest(type, settings as Settings, { fees: '0.001', kind });
    for (const [i, price] of prices.entries()) live.tick(10 * i, price);
    const { realised } = live.run.stats();
    expect(realised).not.toBe(ZERO);
    const on = rules({ kind, tick: dec('0.01') });
    const ladder = ladderOf(compiled(type, settings, on), ground({ rules: on, price: dec('105') }));
    expect(Number(str(ladder.profit ?? ZERO))).toBeCloseTo(Number(str(realised)), 12);
  });
});

/**
 * Removes what makes a bot wait before it sends its entries, and stops: a stop may bar the buy at the start
 * for a while, which then fills at the price of a later time.
 */
function atOnce({
  filters,
  range,
  startTrigger,
  timeFrame,
  orders,
  stop,
  trailing,
  ...rest
}: Record<string, unknown>) {
  return rest;
}

describe.each(Object.keys(BOTS))('any %s', (name) => {
  const given = BOTS[name] as (typeof BOTS)[string];
  const prices = fc.integer({ min: 850, max: 1_150 }).map((tenths) => dec(String(tenths / 10)));

  it('uses no more than its deposit, in order from the highest price to the lowest', () => {
    fc.assert(
      fc.property(given, markets, prices, (bot, market, price) => {
        const on = rules({ kind: market === 'spot' ? 'spot' : 'futures' });
        const chosen = onMarket(bot, market);
        const made = compileBot(chosen.type, chosen.settings, chosen.options, { ...world(on), now: NOW });
        if (!made.ok) return;
        const { settings } = made;
        if (settings.symbol === '') return;
        const ladder = ladderOf(settings, ground({ rules: on, price, base: dec('10') }));
        const all = ladder.lines.map((line) => line.price);
        expect([...all].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))).toEqual(all);
        for (const { price: at, qty } of ladder.lines) {
          expect(at > ZERO).toBe(true);
          expect(qty === null || qty > ZERO).toBe(true);
        }
        const { budget, worst, least } = ladder;
        // A limit beyond the price fills at once, at a better price: for a short it then brings more than
        // its budget.
        if (budget === null || settings.type === 'ALGO') return;
        if ('entryPrice' in settings && settings.entryPrice !== null) return;
        // Fees of futures come on top of the margin.
        const most = on.kind === 'spot' ? budget : budget + div(budget, dec('50'));
        // A short's sale at a better price than planned brings more than its part of the budget.
        if (worst !== null && !settings.short && !ladder.lines.some(({ type }) => type === 'MARKET'))
          expect(worst <= most).toBe(true);
        if (least !== null && worst !== null) expect(least <= worst).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('first sends what a run of the backtest first sends', () => {
    if (['ALARM', 'NOTIFY', 'INTRADAY', 'SQUEEZE', 'ALGO'].includes(name)) return;
    let compared = 0;
    fc.assert(
      fc.property(given, (drawn) => {
        const bot = { ...drawn, settings: atOnce(drawn.settings as Record<string, unknown>) };
        const made = compileBot(bot.type, bot.settings, bot.options, { ...world(), now: T });
        if (!made.ok) return;
        const { settings } = made;
        // One candle that falls through all prices: what fills is what rested.
        const outcome = runBacktest({ bot, candles: [table([[100, 100, 80, 80]])], world: world() });
        if (!outcome.ok) return;
        const bought = outcome.result.trades.filter(({ role }) => role === 'entry');
        const ladder = ladderOf(settings, ground({ now: T, base: ZERO }));
        const planned = ladder.lines.filter(({ kind, when }) => kind === 'entry' && when !== 'waits');
        // Safety orders are placed during the fall, and fill at the price of that time.
        const nameOf = (label: string, price: string) =>
          name === 'CHANNEL SCALE' ? label : `${label} ${price}`;
        const names = new Set(planned.map(({ label, price }) => nameOf(label, str(price))));
        for (const { label, price } of bought) expect(names).toContain(nameOf(label, price));
        if (bought.length > 0) compared++;
      }),
      { numRuns: 60 },
    );
    // Enough cases must have been compared.
    expect(compared).toBeGreaterThan(20);
  });
});
