/** The rows of the PnL book and their order, and the curve of several wallets: each sum to the last digit. */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { Figures } from '../../../src/engine/pnl/figures.ts';
import { PNL_GROUPS, PnlBook, type PnlGroup } from '../../../src/engine/pnl/pnl-book.ts';

const SAMPLES = [0, 100, 200, 300];

function book(by: PnlGroup): PnlBook {
  const unitOf = (unit: string, time: number) => `${unit} ${Math.floor(time / 100)}`;
  return new PnlBook({ from: 0, to: 300, by, samples: SAMPLES, unitOf, tagOf: (bot) => bot.slice(0, 1) });
}

function figuresOf(given: Partial<Record<keyof Figures, string>>): Partial<Figures> {
  return Object.fromEntries(Object.entries(given).map(([name, amount]) => [name, dec(amount)]));
}

/** Trades of three symbols, bots and accounts, in an order that is none of the rows'. */
function filled(by: PnlGroup): PnlBook {
  const made = book(by);
  const entries = [
    [250, 'b', 'ETHUSDT', 'y2', { realised: '5', fees: '2' }],
    [20, 'a', 'BTCUSDT', 'x1', { realised: '1' }],
    [120, 'c', 'SOLUSDT', 'x3', { realised: '-4', funding: '1.5' }],
    [30, 'a', 'BTCUSDT', 'x1', { other: '0.5', unrealised: '0.25' }],
    [299, 'b', 'ETHUSDT', 'y2', { deposits: '1000', fees: '-0.5' }],
  ] as const;
  for (const [time, account, symbol, bot, figures] of entries)
    made.entry({ time, account, symbol, of: 'trade', bot, figures: figuresOf(figures) });
  return made;
}

const FIRST = {
  realised: '1',
  fees: '0',
  funding: '0',
  other: '0.5',
  unrealised: '0.25',
  deposits: '0',
  net: '1.75',
};
const SECOND = {
  realised: '-4',
  fees: '0',
  funding: '1.5',
  other: '0',
  unrealised: '0',
  deposits: '0',
  net: '-2.5',
};
const THIRD = {
  realised: '5',
  fees: '1.5',
  funding: '0',
  other: '0',
  unrealised: '0',
  deposits: '1000',
  net: '3.5',
};

describe('the rows', () => {
  it.each<[PnlGroup, readonly string[]]>([
    ['day', ['day 0', 'day 1', 'day 2']],
    ['week', ['week 0', 'week 1', 'week 2']],
    ['month', ['month 0', 'month 1', 'month 2']],
    ['symbol', ['ETHUSDT', 'BTCUSDT', 'SOLUSDT']],
    ['account', ['b', 'a', 'c']],
    ['bot', ['y2', 'x1', 'x3']],
  ])('by %s stand by time, or with the largest net first, each with its own figures', (by, keys) => {
    const rows = filled(by).rows();
    expect(rows.map(({ key }) => key)).toEqual(keys);
    const figures = rows.map(({ key: _, trades: __, ...row }) => row);
    const isTime = by === 'day' || by === 'week' || by === 'month';
    expect(figures).toEqual(isTime ? [FIRST, SECOND, THIRD] : [THIRD, FIRST, SECOND]);
  });

  it('by tag have what bots of one tag have made together', () => {
    expect(filled('tag').rows()).toMatchObject([
      { key: 'y', net: '3.5' },
      { key: 'x', net: '-0.75', realised: '-3', funding: '1.5', other: '0.5' },
    ]);
  });

  it('of one net stand by name', () => {
    const made = book('symbol');
    for (const symbol of ['C', 'A', 'B'])
      made.entry({
        time: 1,
        account: 'a',
        symbol,
        of: 'trade',
        bot: null,
        figures: figuresOf({ realised: '7' }),
      });
    expect(made.rows().map(({ key }) => key)).toEqual(['A', 'B', 'C']);
  });

  it.each(PNL_GROUPS)('are in all what the total is, by %s', (by) => {
    expect(filled(by).total()).toEqual({
      realised: '2',
      fees: '1.5',
      funding: '1.5',
      other: '0.5',
      unrealised: '0.25',
      deposits: '1000',
      net: '2.75',
    });
  });
});

it('the curve adds up wallets, and takes out what was paid into any of them by then', () => {
  const made = book('day');
  const wallets = [
    ['1000', '1010', '1512', '1500'],
    ['20', '19', '18.5', '118.5'],
  ];
  for (const equity of wallets) for (const [n, usd] of equity.entries()) made.equity(n, dec(usd));
  for (const [time, amount] of [
    [100, '500'],
    [199, '-1'],
    [200, '99'],
  ] as const)
    made.entry({
      time,
      account: 'a',
      symbol: 'USDT',
      of: 'wallet',
      bot: null,
      figures: figuresOf({ deposits: amount }),
    });
  expect(made.curve()).toEqual([
    { time: 0, equity: '1020', net: '0', deposits: '0' },
    { time: 100, equity: '1029', net: '9', deposits: '0' },
    { time: 200, equity: '1530.5', net: '11.5', deposits: '499' },
    { time: 300, equity: '1618.5', net: '0.5', deposits: '598' },
  ]);
});
