/**
 * The PnL book as it is read from the store: several wallets, what belongs to which account, bot and day, where a
 * range begins and ends, what balances hold beyond the rows.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { FUTURES, NOW, OWN, type PnlRig, pnlRig, SPOT } from './pnl-rig.ts';

const HOUR = 3_600_000;
/** The first row of all. */
const BEGIN = NOW - 10 * HOUR;

/** Two wallets that have traded on three accounts and hold something, every figure another one. */
function traded(rig: PnlRig = pnlRig()): PnlRig {
  const at = (hours: number) => BEGIN + hours * HOUR;
  rig.ledger('uni', at(0), { id: 'desk opening USDT', kind: 'opening', amount: '10000' });
  rig.fill(SPOT, at(1), { qty: '2', comm: '0.2' });
  const long = { orderId: 'by-bot', qty: '3', rPnl: '0', comm: '0.3' };
  for (const [id, creatorId] of [
    ['by-bot', 'b1'],
    ['by-bot-2', 'b1'],
  ] as const)
    rig.order(id, { exchange: FUTURES, creator: 'BOT', creatorId, status: 'CLOSED' });
  rig.fill(FUTURES, at(2), long);
  rig.ledger('uni', at(3), { kind: 'funding', symbol: 'BTCUSDT', amount: '-0.5' });
  // A program has placed this one with a key: it is nobody's bot.
  rig.order('by-key', { exchange: SPOT, creator: 'API', creatorId: 'b1', status: 'CLOSED' });
  rig.fill(SPOT, at(4), { orderId: 'by-key', side: 'SELL', price: '110', comm: '0.11' });
  rig.fill(FUTURES, at(5), {
    ...long,
    orderId: 'by-bot-2',
    side: 'SELL',
    price: '105',
    rPnl: '15',
    comm: '0.31',
  });
  rig.fill(FUTURES, at(6), {
    symbol: 'ETHUSDT',
    side: 'SELL',
    price: '50',
    qty: '4',
    rPnl: '0',
    comm: '0.1',
  });
  rig.ledger(OWN, at(0.5), { id: 'desk opening USDT', kind: 'opening', amount: '500' });
  const eth = { symbol: 'ETHUSDT' };
  rig.fill(OWN, at(1.5), { ...eth, price: '40', qty: '5', comm: '0.2' });
  rig.fill(OWN, at(7), { ...eth, side: 'SELL', price: '44', qty: '2', comm: '0.088' });
  rig.holds(SPOT, 'USDT', '9923.48');
  rig.holds(SPOT, 'BTC', '0.75', '0.25');
  rig.holds(OWN, 'USDT', '387.712');
  rig.holds(OWN, 'ETH', '3');
  rig.position('ETHUSDT', { amount: '-4', entryPrice: '50' });
  // The last closed minutes say something else than the present prices.
  for (const [market, symbol, before, now] of [
    ['m-spot', 'BTCUSDT', '90', '120'],
    ['n-spot', 'ETHUSDT', '41', '45'],
  ] as const) {
    rig.prices.set(`${market} ${symbol}`, () => before);
    rig.engine.memory.market(market).prices.set(symbol, dec(now));
  }
  for (const [symbol, before, now] of [
    ['BTCUSDT', '91', '121'],
    ['ETHUSDT', '47', '48'],
  ] as const) {
    rig.prices.set(`m-futures ${symbol}`, () => before);
    rig.engine.memory.market('m-futures').marks.set(symbol, dec(now));
  }
  return rig;
}

const FIGURES = ['realised', 'fees', 'funding', 'unrealised', 'deposits', 'net'] as const;
/** Each group's figures in the order of FIGURES, with the number of its closed trades. */
const groupsOf = ({ rows }: Awaited<ReturnType<PnlRig['read']>>) =>
  Object.fromEntries(
    rows.map((row) => [row.key, [...FIGURES.map((name) => row[name]), row.trades].join(' ')]),
  );

/** A desk with the tags of these bots. */
const withBots = (tags: Readonly<Record<string, string | null>>) => {
  const list = Object.entries(tags).map(([id, tag]) => ({ id, tag }));
  return pnlRig({}, { book: { of: () => list } } as never);
};

describe('what trading has brought', () => {
  it('is each account’s own, and the wallet’s where several share it', async () => {
    const view = await traded().read({ by: 'account' });
    expect(groupsOf(view)).toEqual({
      [SPOT]: '10 0.31 0 20 0 29.69 1',
      [OWN]: '8 0.288 0 15 500 22.712 1',
      [FUTURES]: '15 0.71 -0.5 8 0 21.79 1',
      uni: '0 0 0 0 10000 0 0',
    });
    expect(view).toMatchObject({
      from: BEGIN,
      to: NOW,
      by: 'account',
      timeZone: 'UTC',
      total: { realised: '33', fees: '1.308', funding: '-0.5', unrealised: '43', net: '74.192' },
      stats: { trades: 3 },
      unpriced: [],
      differences: [],
      notes: [],
    });
  });

  it('is each symbol’s, each bot’s and each tag’s', async () => {
    expect(groupsOf(await traded().read({ by: 'symbol' }))).toEqual({
      BTCUSDT: '25 0.92 -0.5 20 0 43.58 2',
      ETHUSDT: '8 0.388 0 23 0 30.612 1',
      USDT: '0 0 0 0 10500 0 0',
    });
    const rest = { '(open)': '0 0 0 43 0 43 0', '(wallet)': '0 0 -0.5 0 10500 -0.5 0' };
    const [byHand, ofBot] = ['18 0.698 0 0 0 17.302 2', '15 0.61 0 0 0 14.39 1'];
    expect(groupsOf(await traded().read({ by: 'bot' }))).toEqual({ ...rest, '(by hand)': byHand, b1: ofBot });
    const tagged = traded(withBots({ b2: 'other', b1: 'mine' }));
    expect(groupsOf(await tagged.read({ by: 'tag' }))).toEqual({ ...rest, '(no tag)': byHand, mine: ofBot });
  });

  it('is told of one wallet, whichever of its accounts was named', async () => {
    const own = await traded().read({ by: 'account', exchange: OWN });
    expect(groupsOf(own)).toEqual({ [OWN]: '8 0.288 0 15 500 22.712 1' });
    expect([own.from, own.trades.length]).toEqual([BEGIN + HOUR / 2, 1]);
    for (const exchange of [SPOT, FUTURES]) {
      const shared = await traded().read({ by: 'account', exchange });
      expect(Object.keys(groupsOf(shared)).sort()).toEqual(['uni', FUTURES, SPOT]);
      expect(shared.total.net).toBe('51.48');
    }
    const nowhere = await traded().ask({ exchange: 'nowhere' });
    expect(nowhere).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'there is no account nowhere' },
    });
  });

  it('has closed trades with what they were, the newest first', async () => {
    const { trades } = await traded().read();
    const times = (from: number, to: number) => ({
      openedAt: BEGIN + from * HOUR,
      closedAt: BEGIN + to * HOUR,
    });
    const none = { bot: null, stop: null, r: null, funding: '0', kind: 'spot', side: 'LONG' };
    expect(trades).toEqual([
      {
        ...none,
        ...times(1.5, 7),
        account: OWN,
        symbol: 'ETHUSDT',
        qty: '2',
        entry: '40',
        exit: '44',
        realised: '8',
        fees: '0.168',
        net: '7.832',
      },
      {
        ...none,
        ...times(2, 5),
        account: FUTURES,
        symbol: 'BTCUSDT',
        kind: 'futures',
        bot: 'b1',
        qty: '3',
        entry: '100',
        exit: '105',
        realised: '15',
        fees: '0.61',
        funding: '-0.5',
        net: '13.89',
      },
      {
        ...none,
        ...times(1, 4),
        account: SPOT,
        symbol: 'BTCUSDT',
        qty: '1',
        entry: '100',
        exit: '110',
        realised: '10',
        fees: '0.21',
        net: '9.79',
      },
    ]);
  });
});

describe('a range', () => {
  it('takes in the row of its first moment, and none of its last, of any wallet', async () => {
    const of = async (from: number, to: number) => {
      const rig = traded();
      const { total, trades } = await rig.read({ from: BEGIN + from * HOUR, to: BEGIN + to * HOUR });
      return [total.realised, total.fees, total.funding, total.deposits, trades.length].join(' ');
    };
    expect(await of(4, 7)).toBe('25 0.52 0 0 2');
    expect(await of(4, 7 + 1 / HOUR)).toBe('33 0.608 0 0 3');
    expect(await of(4 + 1 / HOUR, 7)).toBe('15 0.41 0 0 1');
    expect(await of(0.5, 3)).toBe('0 0.7 0 500 0');
    expect(await of(3, 4)).toBe('0 0 -0.5 0 0');
  });

  it('that ends before now is valued at the prices of its end, and knows of no differences', async () => {
    const rig = traded();
    rig.holds(OWN, 'USDT', '1');
    const view = await rig.read({ by: 'account', to: NOW });
    // 1 BTC bought at 100 at 90, 4 ETH sold at 50 at 47, 3 ETH bought at 40 at 41.
    expect(view.rows.map(({ key, unrealised }) => `${key} ${unrealised}`).sort()).toEqual([
      'own-spot 3',
      'uni 0',
      'uni-futures 12',
      'uni-spot -10',
    ]);
    expect([view.to, view.differences]).toEqual([NOW, []]);
  });

  it('that ends later than now goes on to now, at the present prices', async () => {
    const rig = traded();
    rig.holds(OWN, 'USDT', '388');
    const whole = await rig.read();
    expect(whole.differences).toEqual([{ wallet: OWN, what: 'USDT', amount: '0.288' }]);
    for (const ms of [1, 30 * 24 * HOUR]) expect(await rig.read({ to: NOW + ms })).toEqual(whole);
  });

  it('begins with the first row of all wallets, or now where there is none', async () => {
    const rig = pnlRig();
    expect(await rig.read()).toMatchObject({ from: NOW, to: NOW + 1, rows: [], trades: [] });
    rig.fill(FUTURES, NOW - 5, { rPnl: '0' });
    rig.ledger(OWN, NOW - 9, {});
    expect(await rig.read()).toMatchObject({ from: NOW - 9, to: NOW });
    expect(await rig.read({ from: NOW + 50 })).toMatchObject({ from: NOW + 50, to: NOW + 51 });
  });

  it('of more days than a book has is refused, one day less is read', async () => {
    const [rig, day] = [pnlRig(), 86_400_000];
    const to = Math.floor(NOW / day) * day;
    const ask = (days: number) => rig.ask({ by: 'day', from: to - days * day, to });
    expect(await ask(5_002)).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'the range has more than 5000 days; choose a shorter one' },
    });
    expect((await ask(5_001)).ok).toBe(true);
    // Groups that are no times need no days.
    expect((await rig.ask({ from: to - 6_000 * day, to })).ok).toBe(true);
  });

  it('by weeks and months has each one’s own, by its name', async () => {
    const rig = pnlRig();
    for (const [time, amount] of [
      [Date.UTC(2026, 9, 31, 23, 59), '1'],
      [Date.UTC(2026, 10, 1), '2'],
      [Date.UTC(2026, 10, 2), '4'],
      [Date.UTC(2026, 10, 9) - 1, '8'],
      [Date.UTC(2026, 10, 9), '16'],
    ] as const)
      rig.ledger(OWN, time, { kind: 'rebate', amount });
    const others = async (by: 'week' | 'month') =>
      (await rig.read({ by })).rows.map(({ key, other }) => `${key} ${other}`);
    expect(await others('week')).toEqual(['2026-10-26 3', '2026-11-02 12', '2026-11-09 16']);
    expect(await others('month')).toEqual(['2026-10 1', '2026-11 30']);
    // What is held is worth more from one week to the next: in the week in which it was.
    const held = pnlRig();
    held.fill(OWN, Date.UTC(2026, 10, 3), { price: '100' });
    held.prices.set('n-spot BTCUSDT', (time) => (time < Date.UTC(2026, 10, 10) ? '100' : '130'));
    for (const [by, keys] of [
      ['week', ['2026-11-02 0', '2026-11-09 30']],
      ['month', ['2026-11 30']],
    ] as const) {
      const { rows } = await held.read({ by, to: Date.UTC(2026, 10, 12), points: 50 });
      expect(rows.map(({ key, unrealised }) => `${key} ${unrealised}`)).toEqual(keys);
    }
  });

  it('by days has each day’s own figures, in the zone of the desk, the last day until now', async () => {
    const rig = traded(pnlRig({ timeZone: 'Asia/Tokyo' }));
    // The day in Tokyo begins at 15:00 UTC:
    rig.fill(OWN, BEGIN - 11 * HOUR - 1, { symbol: 'ETHUSDT', price: '40', qty: '1', comm: '0.01' });
    rig.fill(OWN, BEGIN - 11 * HOUR, { symbol: 'ETHUSDT', price: '40', qty: '1', comm: '0.02' });
    const { rows, timeZone } = await rig.read({ by: 'day' });
    expect(timeZone).toBe('Asia/Tokyo');
    expect(rows.map(({ key, fees, unrealised }) => [key, fees, unrealised])).toEqual([
      ['2026-11-25', '0.01', '1'],
      ['2026-11-26', '1.328', '52'],
    ]);
  });
});
