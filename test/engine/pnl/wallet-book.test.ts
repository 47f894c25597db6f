/**
 * What the book of a wallet makes of single rows: coins that came in otherwise than by a purchase, first
 * prices and missing ones, executions without a profit of their own, positions that a row sets, and which
 * account and trade a row is of.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { ClosedTrade } from '../../../src/engine/pnl/closed-trade.ts';
import {
  type BookAccount,
  type BookFill,
  type BookPrices,
  type PnlEntry,
  WalletBook,
} from '../../../src/engine/pnl/wallet-book.ts';
import { ACCOUNTS, FUTURES, SPOT, WALLET } from './histories.ts';

type Line = Partial<BookFill> & { readonly time: number; readonly side: 'BUY' | 'SELL' };

const fill = (line: Line): BookFill => ({
  exchange: SPOT,
  user: 'owner',
  tradeId: `t${line.time}`,
  orderId: 'o',
  symbol: 'BTCUSDT',
  price: '100',
  qty: '1',
  comm: '0',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  bot: null,
  ...line,
});

const row = (kind: LedgerRecord['kind'], time: number, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  exchange: WALLET,
  user: 'owner',
  id: `r${time}`,
  time,
  asset: 'USDT',
  amount: '0',
  kind,
  ...more,
});

const DOLLARS: BookPrices = { usd: () => dec('1'), mark: () => null };

/** Plays rows and executions in their order; returns all that the book has told. */
function played(
  events: readonly (LedgerRecord | BookFill)[],
  {
    prices = DOLLARS,
    samples = [],
    accounts = ACCOUNTS,
  }: { prices?: BookPrices; samples?: readonly number[]; accounts?: readonly BookAccount[] } = {},
) {
  const trades: ClosedTrade[] = [];
  const entries: PnlEntry[] = [];
  const equity: string[] = [];
  const sink = {
    trade: (one: ClosedTrade) => trades.push(one),
    entry: (one: PnlEntry) => entries.push(one),
    equity: (n: number, usd: bigint) => {
      equity[n] = str(usd);
    },
  };
  const book = new WalletBook({ wallet: WALLET, accounts, prices, samples, sink });
  for (const event of events) {
    if ('kind' in event) book.ledger(event);
    else book.fill(event);
  }
  book.finish();
  return { trades, entries, equity, sizes: book.positions(), skipped: book.skipped };
}

/** The dollars of these assets, at all times; others have no price. */
const only = (usd: Readonly<Record<string, string>>, mark: string | null = null): BookPrices => ({
  usd: (asset) => (usd[asset] === undefined ? null : dec(usd[asset])),
  mark: () => (mark === null ? null : dec(mark)),
});

/** The entries that have this figure, and its amount. */
const figuresOf = (entries: readonly PnlEntry[], name: keyof PnlEntry['figures']) =>
  entries.flatMap(({ time, account, symbol, figures }) =>
    figures[name] ? [[time, account, symbol, str(figures[name])]] : [],
  );

describe('a coin', () => {
  it('that was all sold and is paid in later is held from then on', () => {
    const { trades } = played([
      fill({ time: 1_001, side: 'BUY' }),
      fill({ time: 1_002, side: 'SELL', orderId: 'a' }),
      row('transfer', 2_001, { asset: 'BTC', amount: '1' }),
      fill({ time: 2_002, side: 'SELL', orderId: 'b' }),
    ]);
    expect(trades.map(({ openedAt, closedAt }) => [openedAt, closedAt])).toEqual([
      [1_001, 1_002],
      [2_001, 2_002],
    ]);
  });

  it('that is sold for another one has the dollars of that at its last execution', () => {
    const prices: BookPrices = { usd: (_, time) => dec(time === 1_003 ? '300' : '200'), mark: () => null };
    const { trades } = played(
      [
        fill({ time: 1_001, side: 'BUY', symbol: 'ETHBTC', qty: '2' }),
        fill({ time: 1_002, side: 'SELL', symbol: 'ETHBTC', orderId: 'a' }),
        fill({ time: 1_003, side: 'SELL', symbol: 'ETHBTC', orderId: 'a' }),
      ],
      { prices },
    );
    expect(trades.map(({ rate, qty }) => [str(rate), str(qty)])).toEqual([['300', '2']]);
  });

  it('whose first price comes with a sample was paid in before it, in the stretch that ends there', () => {
    const prices: BookPrices = { usd: (_, time) => (time < 2_000 ? null : dec('5')), mark: () => null };
    const { entries, equity } = played([row('opening', 1_000, { asset: 'BTC', amount: '3' })], {
      prices,
      samples: [1_000, 2_000, 3_000],
    });
    expect(entries.filter(({ figures }) => figures.deposits)).toMatchObject([
      { time: 1_999, symbol: 'BTC', figures: { deposits: dec('15') } },
    ]);
    expect(equity).toEqual(['0', '15', '15']);
  });
});

it('an execution whose profit is not known takes its share of the cost along: what is left has cost as much as before', () => {
  const prices: BookPrices = { usd: () => dec('1'), mark: () => dec('150') };
  const { equity } = played(
    [
      fill({ time: 1_001, side: 'BUY', exchange: FUTURES, qty: '2', rPnl: '0' }),
      fill({ time: 1_002, side: 'SELL', exchange: FUTURES, qty: '1', price: '110', rPnl: null }),
    ],
    { prices, samples: [1_002, 1_003] },
  );
  expect(equity).toEqual(['100', '50']);
});

describe('funding', () => {
  const opens = (posSide: 'LONG' | 'SHORT', time: number) =>
    fill({ time, side: posSide === 'LONG' ? 'BUY' : 'SELL', exchange: FUTURES, posSide, rPnl: '0' });
  const closes = (posSide: 'LONG' | 'SHORT', time: number) =>
    fill({ time, side: posSide === 'LONG' ? 'SELL' : 'BUY', exchange: FUTURES, posSide, rPnl: '0' });
  const paid = (time: number, symbol = 'BTCUSDT') => row('funding', time, { amount: '-3', symbol });

  it.each([
    [
      'of the only position is of its trade, and no other',
      [closes('SHORT', 1_003), paid(1_004)],
      ['0', '-3'],
    ],
    ['where both sides are open is of neither trade', [paid(1_003), closes('SHORT', 1_004)], ['0', '0']],
    ['of another contract is of none', [closes('SHORT', 1_003), paid(1_004, 'BNBUSDT')], ['0', '0']],
  ] as const)('%s', (_name, events, funding) => {
    const { trades } = played([
      opens('LONG', 1_001),
      opens('SHORT', 1_002),
      ...events,
      closes('LONG', 1_005),
    ]);
    expect(trades.map(({ side, ...trade }) => [side, str(trade.funding)])).toEqual([
      ['SHORT', funding[0]],
      ['LONG', funding[1]],
    ]);
  });
});

it.each<[LedgerRecord['kind'], string | undefined, string]>([
  ['funding', 'BTCUSDT', FUTURES],
  ['insurance', undefined, FUTURES],
  ['position', 'BTCUSDT', FUTURES],
  ['transfer', undefined, WALLET],
  ['rebate', undefined, WALLET],
])('a row of kind %s (%s) on a wallet of two accounts is of %s', (kind, symbol, account) => {
  const of = symbol === undefined ? {} : { symbol };
  const prices: BookPrices = { usd: () => dec('1'), mark: () => dec('7') };
  const { entries } = played([row(kind, 1_001, { amount: '2', cost: '0', ...of })], { prices });
  expect(entries.map((entry) => entry.account)).toEqual([account]);
});

it.each<[LedgerRecord['kind'], string, string]>([
  ['opening', '-2', 'deposits'],
  ['transfer', '-2', 'deposits'],
  ['unexplained', '2', 'deposits'],
  ['unexplained', '-2', 'other'],
  ['funding', '2', 'funding'],
  ['interest', '-2', 'other'],
  ['insurance', '2', 'other'],
])('a row of kind %s over %s counts as %s', (kind, amount, name) => {
  const { entries } = played([row(kind, 1_001, { amount })]);
  expect(entries.map(({ figures }) => figures)).toEqual([{ realised: 0n, [name]: dec(amount) }]);
});

it('a row that names a symbol is of the only account that trades it, else of the wallet', () => {
  const of = (symbol: string) => new Map([[symbol, { base: 'BTC', quote: 'USDT' }]]);
  const accounts: BookAccount[] = [
    { id: SPOT, kind: 'spot', instruments: of('BTCSPOT') },
    { id: FUTURES, kind: 'futures', instruments: of('BTCPERP') },
  ];
  const rows = ['BTCSPOT', 'BTCPERP', 'GONE'].map((symbol, n) =>
    row('rebate', 1_001 + n, { amount: '2', symbol }),
  );
  const { entries } = played(rows, { accounts });
  expect(entries.map(({ account, symbol }) => [account, symbol])).toEqual([
    [SPOT, 'BTCSPOT'],
    [FUTURES, 'BTCPERP'],
    [WALLET, 'GONE'],
  ]);
});

describe('a coin whose market has no price', () => {
  const prices = only({ USDT: '1' });

  it('is worth what its last execution paid', () => {
    const { entries, equity } = played(
      [fill({ time: 1_001, side: 'BUY' }), fill({ time: 1_002, side: 'BUY', price: '120' })],
      { prices, samples: [1_000, 1_002, 1_003] },
    );
    expect(equity).toEqual(['0', '0', '20']);
    expect(figuresOf(entries, 'unrealised')).toEqual([[1_002, SPOT, 'BTCUSDT', '20']]);
  });

  it('was paid in at the price of its first execution, as far as it was there before', () => {
    const { entries, equity } = played(
      [row('opening', 1_000, { asset: 'BTC', amount: '3' }), fill({ time: 1_001, side: 'BUY' })],
      { prices, samples: [999, 2_000] },
    );
    expect(equity).toEqual(['0', '300']);
    expect(figuresOf(entries, 'deposits')).toEqual([[1_001, SPOT, 'BTC', '300']]);
    for (const name of ['realised', 'unrealised'] as const) expect(figuresOf(entries, name)).toEqual([]);
  });

  it('is paid with by its own dollars where it is the other one of the pair that has none', () => {
    const later: BookPrices = {
      usd: (asset, time) => (asset === 'ETH' ? dec(time < 1_002 ? '50' : '60') : null),
      mark: () => null,
    };
    const pair = { symbol: 'ETHBTC', qty: '2', commAsset: 'ETH' } as const;
    const { entries, trades } = played(
      [
        fill({ ...pair, time: 1_001, side: 'BUY', price: '0.5' }),
        fill({ ...pair, time: 1_002, side: 'SELL', price: '0.6' }),
      ],
      { prices: later },
    );
    expect(figuresOf(entries, 'realised')).toEqual([[1_002, SPOT, 'ETHBTC', '20']]);
    expect(trades.map(({ qty, realised, exit }) => [qty, realised, exit].map(str))).toEqual([
      ['2', '20', '0.6'],
    ]);
  });
});

it('what a coin gains is of the pair in which it was bought itself, though it has paid for another one since', () => {
  const prices: BookPrices = {
    usd: (asset, time) => dec(asset === 'USDT' ? '1' : asset === 'ETH' ? '10' : time < 2_000 ? '100' : '200'),
    mark: () => null,
  };
  const { entries } = played(
    [
      fill({ time: 1_001, side: 'BUY' }),
      fill({ time: 1_002, side: 'BUY', symbol: 'ETHBTC', price: '0.1', commAsset: 'BTC' }),
    ],
    { prices, samples: [1_003, 3_000] },
  );
  expect(figuresOf(entries, 'unrealised')).toEqual([[1_003, SPOT, 'BTCUSDT', '90']]);
});

it('a sale of more than there is closes what there is; the rest is bought back without a trade of its own', () => {
  const { trades, entries } = played([
    fill({ time: 1_001, side: 'BUY', qty: '2' }),
    fill({ time: 1_002, side: 'SELL', qty: '3', price: '110', comm: '0.3', orderId: 'a' }),
    fill({ time: 1_003, side: 'SELL', price: '110', orderId: 'b' }),
    fill({ time: 1_004, side: 'BUY', price: '90', orderId: 'c' }),
  ]);
  const shown = trades.map(({ qty, entry, exit, realised, fees }) => [qty, entry, exit, realised, fees]);
  expect(shown.map((amounts) => amounts.map(str))).toEqual([['2', '100', '110', '20', '0.3']]);
  expect(figuresOf(entries, 'realised')).toEqual([
    [1_002, SPOT, 'BTCUSDT', '20'],
    [1_004, SPOT, 'BTCUSDT', '20'],
  ]);
});

describe('a contract without a mark', () => {
  const buys = (time: number, price: string, more: Partial<BookFill> = {}) =>
    fill({ time, side: 'BUY', exchange: FUTURES, price, rPnl: '0', ...more });

  it('is valued at the price of its last execution', () => {
    const { equity } = played([buys(1_001, '100'), buys(1_002, '120')], { samples: [1_000, 1_002, 1_003] });
    expect(equity).toEqual(['0', '0', '20']);
  });

  it('is valued at its cost when the opening has it, and then at its last execution', () => {
    const opened = { amount: '-2', cost: '-180', symbol: 'BTCUSDT', posSide: 'SHORT' } as const;
    const { entries, equity } = played(
      [row('position', 1_001, opened), buys(1_003, '80', { posSide: 'SHORT', rPnl: '10' })],
      { samples: [1_000, 1_003, 1_004] },
    );
    expect(equity).toEqual(['0', '0', '20']);
    expect(figuresOf(entries, 'deposits')).toEqual([]);
  });

  it('that ends without an execution takes its worth along: no profit and no loss', () => {
    const { entries, equity, sizes } = played(
      [
        buys(1_001, '100'),
        buys(1_002, '120'),
        row('position', 1_003, { amount: '0', cost: '0', symbol: 'BTCUSDT', posSide: 'BOTH' }),
      ],
      { samples: [1_000, 1_003, 1_004] },
    );
    expect(equity).toEqual(['0', '20', '0']);
    expect(figuresOf(entries, 'deposits')).toEqual([[1_003, FUTURES, 'BTCUSDT', '-20']]);
    const open = figuresOf(entries, 'unrealised').map(([, , , amount]) => dec(String(amount)));
    expect(str(open.reduce((all, amount) => all + amount, 0n))).toBe('20');
    expect(sizes).toEqual(new Map());
  });
});

it('a contract is worth the last known dollars of its quote where they are not known at that moment', () => {
  const prices: BookPrices = {
    usd: (_, time) => (time < 2_000 ? dec('200') : null),
    mark: () => dec('0.06'),
  };
  const of = { exchange: FUTURES, symbol: 'ETHBTC', commAsset: 'BTC', rPnl: '0' } as const;
  const { equity } = played([fill({ ...of, time: 1_001, side: 'BUY', qty: '10', price: '0.05' })], {
    prices,
    samples: [1_000, 3_000],
  });
  expect(equity).toEqual(['0', '20']);
});

it.each([
  ['LONG', '2', 'SELL', '110'],
  ['SHORT', '-2', 'BUY', '90'],
  ['BOTH', '2', 'SELL', '110'],
] as const)(
  'a position of an older store is of the side %s that its id tells',
  (posSide, amount, side, price) => {
    const id = posSide === 'BOTH' ? 'desk position BTCUSDT' : `desk position BTCUSDT ${posSide}`;
    const { trades, sizes } = played(
      [
        row('position', 1_001, { id, amount, symbol: 'BTCUSDT' }),
        fill({ time: 1_002, side, exchange: FUTURES, qty: '2', price, posSide, rPnl: '20' }),
      ],
      { prices: only({ USDT: '1' }, '100') },
    );
    expect(trades).toMatchObject([
      { side: posSide === 'SHORT' ? 'SHORT' : 'LONG', posSide, openedAt: 1_001, closedAt: 1_002 },
    ]);
    expect(trades.map(({ qty, entry, exit }) => [qty, entry, exit].map(str))).toEqual([['2', '100', price]]);
    expect(sizes).toEqual(new Map());
  },
);

it('what is of no account or symbol that is known changes nothing and is counted', () => {
  const { skipped, entries, trades, sizes } = played([
    fill({ time: 1_001, side: 'BUY', exchange: 'gone' }),
    fill({ time: 1_002, side: 'BUY', symbol: 'GONE' }),
    fill({ time: 1_003, side: 'BUY', exchange: FUTURES, symbol: 'GONE', rPnl: '9' }),
    row('position', 1_004, { amount: '2', cost: '8', symbol: 'GONE', posSide: 'BOTH' }),
  ]);
  expect([skipped, entries, trades, sizes]).toEqual([4, [], [], new Map()]);
});
