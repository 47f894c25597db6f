/**
 * Bots beside each other, on other symbols, other accounts and the same symbol: what happens to one is told
 * to that one, and leaves the orders of the others where they are.
 */
import { describe, expect, it } from 'vitest';
import { type ExchangeAccount, type ExchangeBalance, marketOf } from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { ACCOUNT, BTC, ETH, SPOT } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const OTHER: ExchangeAccount = { ...ACCOUNT, id: 'other-spot', name: 'Other spot' };
const RICH: readonly ExchangeBalance[] = [
  { asset: 'USDT', free: '1000000', locked: '0' },
  { asset: 'BTC', free: '1000', locked: '0' },
  { asset: 'ETH', free: '1000', locked: '0' },
];
const MARKET = marketOf(OTHER);
const DAY = 86_400_000;

const LEVELS = (changes: object = {}) =>
  cells(
    [
      ['90', '110'],
      ['80', '120'],
    ],
    { noticeLevel: 1, ...changes },
  );
const PAIRS = {
  btc: {},
  eth: { symbol: { base: 'ETH', quote: 'USDT' } },
  far: { exchange: OTHER.id },
  'far eth': { exchange: OTHER.id, symbol: { base: 'ETH', quote: 'USDT' } },
} as const;
type Name = keyof typeof PAIRS;

/** Four bots with two entries each at the exchange. */
function four() {
  const b = new BotsBench({}, { more: [OTHER], balances: RICH });
  const balances = () =>
    b.bench.event({ type: 'venue.balances', exchange: OTHER.id, changed: RICH, all: true });
  balances();
  b.restart(balances);
  const bots = new Map<string, Name>();
  const ids = {} as Record<Name, { id: string; runId: string }>;
  for (const name of Object.keys(PAIRS) as Name[]) {
    ids[name] = b.started('CHANNEL', LEVELS(PAIRS[name]));
    bots.set(ids[name].id, name);
  }
  const tick = (price: string, at: number) => {
    for (const market of ['paper', MARKET])
      for (const symbol of ['BTCUSDT', 'ETHUSDT']) b.tick(price, at, symbol, market);
  };
  tick('100', 1);
  b.notices.splice(0);
  const open = () => [...b.bench.engine.memory.orders.values()].filter(({ phase }) => phase !== 'done');
  const nameOf = (order: OrderRecord) => bots.get(order.creatorId) ?? '?';
  return {
    b,
    ids,
    /** Feeds this price on both markets, for both symbols. */
    tick,
    open,
    /** `bot side price`, sorted. */
    resting: () =>
      open()
        .map((order) => `${nameOf(order)} ${order.side} ${order.price}`)
        .sort(),
    of: (name: Name) => open().filter((order) => nameOf(order) === name),
    status: () => Object.fromEntries([...bots].map(([id, name]) => [name, b.bots.get(id)?.status])),
    label: (name: Name) => b.engine.book.shown(b.bots.get(ids[name].id) as never).state,
    /** Which bots were told something since the last call, and what. */
    told: () => b.notices.splice(0).map(({ botId, text }) => [bots.get(botId), text]),
    list: (exchange: string, instruments: readonly Instrument[]) => {
      b.bench.event({ type: 'instruments', exchange, instruments });
      b.obey();
    },
  };
}

const ALL = (Object.keys(PAIRS) as Name[]).flatMap((name) => [`${name} BUY 80`, `${name} BUY 90`]).sort();
const without = (...names: Name[]) =>
  ALL.filter((one) => !names.some((name) => one.startsWith(`${name} BUY`)));

describe('a symbol of one account', () => {
  it('that is not traded any more ends the bot that trades it there, and no other', () => {
    const d = four();
    expect(d.resting()).toEqual(ALL);
    d.list(SPOT, [BTC]);
    expect(d.resting()).toEqual(without('eth'));
    const running = { btc: 'STARTED', far: 'STARTED', 'far eth': 'STARTED' };
    expect(d.status()).toEqual({ ...running, eth: 'ERROR' });
    const told = d.told();
    expect(new Set(told.map(([name]) => name))).toEqual(new Set(['eth']));
    expect(told[0]?.[1]).toContain('ETHUSDT is no longer traded on paper-spot');
    d.list(SPOT, [BTC, ETH]);
    expect([d.told(), d.resting()]).toEqual([[], without('eth')]);
    // It may be started again.
    d.b.done({ type: 'bot.start', id: d.ids.eth.id });
    d.tick('100', 5);
    expect(d.resting()).toEqual(ALL);
  });

  it('that is halted takes back the entries of that bot, which come again by themselves', () => {
    const d = four();
    for (let round = 0; round < 2; round++) {
      d.list(OTHER.id, [{ ...BTC, halt: 'halted' }, ETH]);
      expect(d.resting()).toEqual(without('far'));
      expect([d.label('far'), d.label('btc'), d.label('far eth')]).toEqual(['paused', 'working', 'working']);
      expect(d.told()).toEqual([['far', expect.stringContaining('other-spot says that BTCUSDT is halted')]]);
      d.tick('99', 10 * round + 10);
      expect(d.resting()).toEqual(without('far'));
      d.list(OTHER.id, [BTC, ETH]);
      expect([d.resting(), d.label('far')]).toEqual([ALL, 'working']);
    }
  });

  it('that ends, and whose end was announced, is not said for a run that is over with its orders left', () => {
    const d = four();
    d.b.done({ type: 'bot.stop', ...d.ids.far, way: { cleanup: 'leaveAllOrders' } });
    expect(d.resting()).toEqual(ALL);
    d.told();
    d.list(OTHER.id, [{ ...BTC, endsAt: d.b.bench.wall + DAY }, ETH]);
    d.b.bench.wake();
    d.list(OTHER.id, [ETH]);
    d.list(OTHER.id, [BTC, ETH]);
    expect(d.told()).toEqual([]);
  });

  it('whose end is announced is said to the bot that trades it there, once', () => {
    const d = four();
    const ends = [{ ...BTC, endsAt: d.b.bench.wall + DAY }, ETH];
    d.list(OTHER.id, ends);
    d.b.bench.wake();
    expect(d.told()).toEqual([['far', expect.stringContaining('BTCUSDT is traded on other-spot until')]]);
    d.b.bench.wake();
    d.tick('99', 20);
    expect(d.told()).toEqual([]);
  });
});

describe('an account', () => {
  it('without a connection makes its own bots wait, the others enter', () => {
    const d = four();
    d.b.bench.event({ type: 'link', exchange: OTHER.id, up: false, gap: false });
    expect([d.label('far'), d.label('far eth'), d.label('btc'), d.label('eth')]).toEqual([
      'paused',
      'paused',
      'working',
      'working',
    ]);
    const more = d.b.started('CHANNEL', LEVELS(PAIRS.far));
    const here = d.b.started('CHANNEL', LEVELS());
    d.tick('100', 10);
    const sentBy = ({ id }: { id: string }) => d.open().filter(({ creatorId }) => creatorId === id).length;
    expect([sentBy(more), sentBy(here)]).toEqual([0, 2]);
    d.b.bench.event({ type: 'link', exchange: OTHER.id, up: true, gap: false });
    d.tick('100', 11);
    expect([sentBy(more), sentBy(here), d.label('far'), d.label('far eth')]).toEqual([
      2,
      2,
      'working',
      'working',
    ]);
  });
});

describe('two bots on one symbol of one account', () => {
  function two() {
    const d = four();
    const second = d.b.started('CHANNEL', LEVELS());
    d.b.tick('100', 2);
    const by = (id: string) => d.open().filter(({ creatorId }) => creatorId === id);
    const words = (id: string) => by(id).map(({ side, price, origQty }) => `${side} ${origQty} at ${price}`);
    const entry = (id: string, price: string) => by(id).find((one) => one.price === price) as OrderRecord;
    return { ...d, first: d.ids.btc, second, by, words, entry };
  }
  const BOTH = ['BUY 1.111 at 90', 'BUY 1.25 at 80'];

  it('each sells what its own entry has bought', () => {
    const d = two();
    expect([d.words(d.first.id), d.words(d.second.id)]).toEqual([BOTH, BOTH]);
    d.b.bench.fill(d.b.bench.trade(d.entry(d.second.id, '90'), '1.111'));
    d.b.obey();
    expect(d.words(d.second.id)).toEqual(['BUY 1.25 at 80', 'SELL 1.111 at 110']);
    expect(d.words(d.first.id)).toEqual(BOTH);
    d.b.bench.fill(d.b.bench.trade(d.entry(d.first.id, '80'), '0.25'));
    d.b.obey();
    expect(d.words(d.first.id)).toEqual([...BOTH, 'SELL 0.25 at 120']);
    expect(d.words(d.second.id)).toEqual(['BUY 1.25 at 80', 'SELL 1.111 at 110']);
  });

  it.each([
    ['stopped', { type: 'bot.stop', way: {} }],
    ['stopped by force', { type: 'bot.stop', way: { force: true } }],
    ['deleted by force', { type: 'bot.delete', force: true }],
  ] as const)('the one that is not %s has its orders and its reservation on', (_, command) => {
    const d = two();
    const reserved = () =>
      [...d.b.bench.engine.memory.account(SPOT).wallet.reserved].map(
        ([asset, { shown }]) => `${shown / 10n ** 30n} ${asset}`,
      );
    // Two of 200, and the bot of ETH.
    expect(reserved()).toContain('600 USDT');
    d.b.send({ ...command, id: d.first.id, runId: d.first.runId } as never);
    d.b.obey();
    d.b.tick('100', 3);
    expect([d.words(d.first.id), d.words(d.second.id)]).toEqual([[], BOTH]);
    expect(reserved()).toContain('400 USDT');
    expect(d.b.engine.book.runsOn('paper', 'BTCUSDT').map(({ id }) => id)).not.toContain(d.first.runId);
    d.b.bench.fill(d.b.bench.trade(d.entry(d.second.id, '80'), '1.25'));
    d.b.obey();
    expect(d.words(d.second.id)).toEqual(['BUY 1.111 at 90', 'SELL 1.25 at 120']);
  });

  it('after a restart each takes up its own; an order that its state does not have is withdrawn', () => {
    const d = two();
    d.b.bench.fill(d.b.bench.trade(d.entry(d.second.id, '90'), '1.111'));
    d.b.obey();
    const before = d.words(d.second.id);
    const state = d.b.runs.get(d.first.runId);
    d.b.tick('95', 4);
    // The store has a state of the first from before its lower entry.
    const gone = d.entry(d.first.id, '80');
    if (!state) throw new Error('no state');
    const key = JSON.parse(gone.metadata).key as string;
    const slots = JSON.parse(state.state);
    for (const [, slot] of slots.slots.slots.$m)
      if (slot.orders.some((one: { key: string }) => one.key === key)) slot.orders = [];
    d.b.runs.set(d.first.runId, { ...state, state: JSON.stringify(slots) });
    d.b.restart(() =>
      d.b.bench.event({ type: 'venue.balances', exchange: OTHER.id, changed: RICH, all: true }),
    );
    const cancels = d.b.bench.kinds('cancel').map((effect) => (effect as { orderId: string }).orderId);
    expect(cancels).toEqual([gone.id]);
    d.b.obey();
    d.b.tick('95', 5);
    expect(d.words(d.second.id)).toEqual(before);
    expect(d.words(d.first.id)).toEqual(['BUY 1.111 at 90']);
  });
});
