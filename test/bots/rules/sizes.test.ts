/**
 * Money and quantities: deposits, rounding, dust, minimum sizes, profit kept in base, figures (strategies.md
 * 1 "Rounding", 2).
 */
import { describe, expect, it } from 'vitest';
import { line, plays, refusesToStart } from '../../scenarios/scene.ts';
import { squeeze as backtested, played, table } from '../backtest/support.ts';
import { cell, cells, fibo, scale, squeeze, stop } from './bots.ts';

const USDT = 'USDT';

describe('a deposit in percent', () => {
  const percent = (more: object) =>
    cell({ deposit: { value: '50', asset: USDT, strategy: 'percent', ...more } });
  const balances = { USDT: '1000' };

  // proves: bot deposit percent
  it('is that share of what is free at the start', async () => {
    await plays('CHANNEL', { settings: percent({}), balances, events: ['0 105'], open: 'BUY LIMIT 100 5' });
  });

  // proves: bot deposit percent-bounds
  it('lies between min and max', async () => {
    const max = { settings: percent({ max: '200' }), balances };
    await plays('CHANNEL', { ...max, events: ['0 105'], open: 'BUY LIMIT 100 2' });
    const min = { settings: percent({ min: '700' }), balances };
    await plays('CHANNEL', { ...min, events: ['0 105'], open: 'BUY LIMIT 100 7' });
    const much = { settings: percent({ min: '1200' }), balances, events: [] };
    await refusesToStart('CHANNEL', much, 'insufficient balance: the bot needs 1200 USDT, 1000 is available');
  });

  // proves: bot SCALE over-percent, bot SCALE over-deposit, bot start-error scale-deposit
  it('bounds the orders of a SCALE at the start, in the words of the document', async () => {
    const plan = { orders: 5, size: '218.453333333333' };
    const words = 'scale: 6 orders need 1310.72 USDT, the deposit is 1000';
    for (const deposit of [
      { value: '10', asset: USDT, strategy: 'percent' },
      { value: '1000', asset: USDT },
    ]) {
      await refusesToStart(
        'CHANNEL',
        { settings: scale({ deposit }, { ...plan, step: '1' }), events: [] },
        words,
      );
    }
    const enough = { value: '14', asset: USDT, strategy: 'percent' };
    await plays('CHANNEL', {
      settings: scale({ deposit: enough }, { ...plan, step: '1' }),
      events: ['0 100'],
      fills: ['0 BUY 2.184 at 100 taker'],
    });
  });

  // proves: bot SCALE size-margin, bot deposit margin
  it('is margin on futures, and so is the size of a SCALE', async () => {
    const deposit = { value: '20', asset: USDT, leverage: 10 };
    await plays('CHANNEL', {
      futures: true,
      rules: { minNotional: '50' },
      settings: scale({ deposit, entryPrice: '100' }, { size: '8' }),
      events: ['0 100'],
      fills: ['0 BUY 0.8 at 100 taker'],
      open: 'BUY LIMIT 90 0.888; SELL LIMIT 110 0.8',
    });
  });
});

describe('rounding', () => {
  // proves: bot rounding buy-down, bot rounding sell-up, bot rounding quantity-down
  it('takes buys down, sells up and quantities down', async () => {
    await plays('CHANNEL', {
      settings: cell({ levels: [{ buy: '97.009', sell: '110.001' }] }),
      events: ['0 105', '0 open: BUY LIMIT 97 1.03', '10 97'],
      fills: ['10 BUY 1.03 at 97 maker'],
      open: 'SELL LIMIT 110.01 1.03',
    });
    await plays('CHANNEL', {
      futures: true,
      settings: cell({ short: true, levels: [{ buy: '90.009', sell: '100.001' }] }),
      events: ['0 95', '0 open: SELL LIMIT 100.01 0.999', '10 101'],
      open: 'BUY LIMIT 90 0.999',
    });
  });

  // proves: bot rounding stop-nearest
  it('takes stop prices to the nearest tick, halves up', async () => {
    for (const [value, price] of [
      ['4.995', '95.01'],
      ['4.996', '95'],
      ['4.99', '95.01'],
    ]) {
      await plays('CHANNEL', {
        futures: true,
        settings: cell({ stop: stop('price_percent_buy', 'exchange', { value }) }),
        events: ['0 105', '10 100'],
        open: `SELL LIMIT 110 1; SELL STOP_MARKET @${price} 1`,
      });
    }
  });

  // proves: bot rounding engine-unrounded
  it('is not for what the engine itself compares', async () => {
    await plays('CHANNEL', {
      settings: cell({ stop: stop('price_percent_buy', 'kline', { value: '4.995' }) }),
      events: ['0 105', '10 100', '20 95.01', '30 95'],
      fills: ['10 BUY 1 at 100 maker', '30 SELL 1 at 95 taker'],
    });
  });

  // proves: bot line not-positive
  it('a line that is not positive never triggers', async () => {
    // 1000 at the time of the sale, below 0 from 20 s on.
    const rule = stop('price', 'kline', { value: line(2_000, 1_000, 10) });
    await plays('CHANNEL', {
      futures: true,
      settings: cell({ short: true, levels: [{ buy: '90', sell: '100' }], stop: rule }),
      events: ['0 95', '10 100', '20 101', '30 105'],
      fills: ['10 SELL 1 at 100 maker'],
      open: 'BUY LIMIT 90 1',
    });
  });
});

describe('dust', () => {
  // proves: bot rounding dust-small-exit, bot rounding dust-joins
  it('is what is too little for an exit; the next one sells it too', async () => {
    await plays('FIBO', {
      settings: fibo({ onetime: true }),
      participation: '1',
      events: ['0 105', '10 100 x0.02', '10 open: BUY LIMIT 100 0.98', '20 100 x0.5'],
      fills: ['10 BUY 0.02 at 100 maker', '20 BUY 0.5 at 100 maker'],
      open: 'BUY LIMIT 100 0.48; SELL LIMIT 120 0.52',
      stats: { cycles: 0 },
      status: 'STARTED',
    });
  });

  // proves: bot rounding dust-small-exit
  it('is held while more of it may be bought, and completes no cycle when nothing more is', async () => {
    const scene = { participation: '1', events: ['0 105', '10 100 x0.02'], stats: { cycles: 0 } };
    await plays('FIBO', { ...scene, settings: fibo({ onetime: true }), state: 'holding' });
    const market = fibo({ onetime: true, orders: { buy: { type: 'MARKET' } } });
    await plays('FIBO', { ...scene, settings: market, state: 'waiting', status: 'STARTED' });
  });

  // proves: bot rounding dust-small-exit
  it.each<[string, Record<string, unknown>]>([
    ['CHANNEL', cell({ onetime: true })],
    [
      'CHANNEL',
      scale({ onetime: true, entryPrice: '100', deposit: { value: '100', asset: USDT } }, { orders: 0 }),
    ],
    ['SQUEEZE', squeeze({ onetime: true })],
  ])('of a part of an entry ends nothing while the rest may fill: %s %j', async (type, settings) => {
    await plays(type, {
      settings,
      participation: '1',
      events: ['0 102 x1', '59 101.2 x1', '60', '70 100 x0.02', '80 100 x0.5'],
      status: 'STARTED',
      stats: { cycles: 0 },
    });
  });

  // proves: bot rounding dust-restart, bot options restart, bot options restart SQUEEZE
  it('does not go into a run that is started anew', () => {
    // 1.02 less a tenth of a percent is 1.01898: with the remaining 0.00098 1.019 could be sold.
    const rows = Array.from({ length: 9 }, (_, i) =>
      i % 3 === 1 ? ([100, 100, 98, 99] as const) : ([99, 101, 99, 100] as const),
    );
    const { runs, trades } = played({
      bot: backtested(
        { deposit: { value: '100', asset: USDT }, onetime: true },
        { restart: true, restartDelay: 1_000 },
      ),
      candles: [table(rows)],
    });
    expect(runs.length).toBeGreaterThan(1);
    expect(runs[1]?.startedAt).toBe((runs[0]?.endedAt ?? 0) + 1_000);
    const sold = trades.filter(({ side }) => side === 'SELL').map(({ qty }) => qty);
    expect(sold.slice(0, 2)).toEqual(['1.018', '1.018']);
  });
});

describe('an entry below the minimum', () => {
  // proves: bot rounding min-entry-price, bot rounding min-at-start
  it('is told at the start, at the price it would have', async () => {
    const rules = { minQty: '1' };
    const words = 'channel 0.500: order of 0.952 BTC is below the exchange minimum of 1 BTC';
    const market = fibo({ orders: { buy: { type: 'MARKET' } } });
    await plays('FIBO', { settings: fibo(), rules, events: ['0 105'], open: 'BUY LIMIT 100 1' });
    await refusesToStart(
      'FIBO',
      { settings: fibo({ deposit: { value: '95.2', asset: USDT } }), rules, events: [] },
      words,
    );
    // A buy at market uses the last price.
    await refusesToStart('FIBO', { settings: market, rules, known: '105', events: ['0 100'] }, words);
    await plays('FIBO', {
      settings: market,
      rules,
      known: '100',
      events: ['0 105', '10 100'],
      fills: ['10 BUY 1 at 100 taker'],
    });
  });

  // proves: bot rounding min-never-sent, bot options reuse loss
  it('is never sent, as after a loss that is reused', async () => {
    await plays('SQUEEZE', {
      settings: squeeze({
        deposit: { value: '10', asset: USDT },
        stop: stop('price_percent_buy', 'kline', { value: '20' }, { complete: true }),
        oncePerTimeFrame: true,
      }),
      options: { reuse: true },
      rules: { stepSize: '0.01', minQty: '0.01' },
      // 5.1 is left: 0.10 at 49.5 would be 4.95.
      events: ['0 100', '60', '70 99', '80 50', '120', '130 49', '180'],
      fills: ['70 BUY 0.1 at 99 maker', '80 SELL 0.1 at 50 taker'],
      open: 'none',
    });
  });
});

describe('profitAsset', () => {
  // proves: bot common profitAsset quote
  it('quote sells all', async () => {
    await plays('CHANNEL', {
      settings: cell(),
      events: ['0 105', '10 100', '20 110'],
      total: { USDT: '10010', BTC: '0' },
    });
  });

  // proves: bot common profitAsset base
  it('base sells what brings the cost back and keeps the rest', async () => {
    // 100 / 110 = 0.9090..., rounded up to the step.
    await plays('CHANNEL', {
      settings: cell({ profitAsset: 'base' }),
      events: ['0 105', '10 100', '20 110'],
      fills: ['10 BUY 1 at 100 maker', '20 SELL 0.91 at 110 maker'],
      open: 'BUY LIMIT 100 1',
      total: { USDT: '10000.1', BTC: '0.09' },
      stats: { cycles: 1 },
    });
    // With fees: 0.999 held, of 100 spent; 100 / (110 x 0.999) = 0.9099... up.
    await plays('CHANNEL', {
      settings: cell({ profitAsset: 'base' }),
      rules: { makerRate: '0.001' },
      events: ['0 105', '10 100', '20 110'],
      fills: ['10 BUY 1 at 100 maker', '20 SELL 0.911 at 110 maker'],
      total: { BTC: '0.088' },
    });
  });
});

describe('figures', () => {
  // proves: bot stats realised, bot stats fees, bot stats cycles, bot stats volume, bot tick fees-maker
  it('are in quote: what was earned, paid in fees, traded', async () => {
    await plays('CHANNEL', {
      settings: cells([['100', '110']]),
      rules: { makerRate: '0.001' },
      events: ['0 105', '10 100', '20 110'],
      // Bought 1 for 100, of which 0.999 is held and sold for 109.89 less 0.10989.
      fills: ['10 BUY 1 at 100 maker', '20 SELL 0.999 at 110 maker'],
      total: { USDT: '10009.78011', BTC: '0' },
      stats: {
        cycles: 1,
        winningCycles: 1,
        realised: '9.78011',
        fees: '0.20989',
        volume: '209.89',
        fills: 2,
      },
    });
  });
});
