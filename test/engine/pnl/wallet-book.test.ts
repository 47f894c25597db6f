/**
 * What the book of a wallet makes of single rows: coins that came in otherwise than by a purchase, first
 * prices, executions without a profit of their own, and which account and trade a row is of.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { ClosedTrade } from '../../../src/engine/pnl/closed-trade.ts';
import {
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
  { prices = DOLLARS, samples = [] }: { prices?: BookPrices; samples?: readonly number[] } = {},
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
  const book = new WalletBook({ wallet: WALLET, accounts: ACCOUNTS, prices, samples, sink });
  for (const event of events) {
    if ('kind' in event) book.ledger(event);
    else book.fill(event);
  }
  book.finish();
  return { trades, entries, equity };
}

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
