/** Filter and sort of positions, keys and alerts: what is shown, and in which order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALERT_SORTS,
  FIRST_ALERTS,
  newestAlerts,
  shownAlerts,
} from '../../../src/console/alerts/alert-list.ts';
import { FIRST_KEYS, KEY_SORTS, type KeysView, shownKeys } from '../../../src/console/api-keys/key-list.ts';
import { filterWords, hasWords, listed } from '../../../src/console/lists/rows.ts';
import {
  FIRST_POSITIONS,
  POSITION_SORTS,
  type PositionsView,
  shownPositions,
} from '../../../src/console/positions/position-list.ts';
import {
  isLong,
  notionalOf,
  openPositions,
  type PositionRow,
} from '../../../src/console/trading/positions.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import type { AccessKey } from '../../../src/domain/access-key.ts';
import { alert, someAlerts, someBots } from '../support/some-bots.ts';
import { deskState, someKeys } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const falls = (figures: readonly number[]) =>
  figures.every((one, at) => at === 0 || one <= (figures[at - 1] ?? 0));
/** The number by which a figure is sorted; rows without one come last. */
const figure = (text: string | null) => (text === null ? Number.NEGATIVE_INFINITY : Number(text));

const someFigure = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2));
const someAccounts: fc.Arbitrary<DeskState['futures']> = fc
  .uniqueArray(
    fc.record({
      exchange: fc.constantFrom('paper-futures', 'second-futures'),
      symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'ADAUSDT'),
      amount: someFigure.filter((text) => Number(text) !== 0),
      markPrice: fc.constantFrom('1', '0.5', '148.77', '61234.10'),
      unrealizedProfit: someFigure,
      margin: someFigure,
      liquidationDistance: fc.option(someFigure),
      protectedQty: fc.constantFrom('0', '0.01', '1000000'),
    }),
    { maxLength: 8, selector: ({ exchange, symbol }) => exchange + symbol },
  )
  .map((rows) => {
    const all = rows.map(({ symbol, ...row }) => position(symbol, { ...row, key: row.exchange + symbol }));
    const of = (id: string) => ({
      hedgeMode: false,
      leverage: {},
      positions: all.filter(({ exchange }) => exchange === id),
    });
    return { 'paper-futures': of('paper-futures'), 'second-futures': of('second-futures') };
  });

const someKeyList = fc
  .uniqueArray(
    fc.record({
      id: fc.nat({ max: 30 }).map(String),
      label: fc.constantFrom('grid', 'Grid', 'robot', 'a', 'B', 'λ'),
      createdAt: fc.nat({ max: 5 }),
      revokedAt: fc.option(fc.nat({ max: 5 })),
      lastUsedAt: fc.option(fc.nat({ max: 5 })),
      total: fc.nat({ max: 5 }),
    }),
    { maxLength: 10, selector: ({ id }) => id },
  )
  .map((rows) =>
    rows.map(({ total, ...row }): AccessKey => {
      const [key] = someKeys();
      return { ...(key as AccessKey), ...row, counts: { day: 0, today: 0, total } };
    }),
  );

const someAlertList = fc
  .uniqueArray(
    fc.record({
      id: fc.nat({ max: 40 }).map(String),
      symbol: fc.constantFrom('BTCUSDT', 'SOLUSDT', 'ADAUSDT'),
      botId: fc.constantFrom('b1alarm0000', 'bgone000000', 'b8a2c4e6g80'),
      seen: fc.boolean(),
    }),
    { maxLength: 12, selector: ({ id }) => id },
  )
  .map((rows) => rows.map((row, at) => alert(row.id, { ...row, at: NOON + at })));

describe('rows', () => {
  it('keep their order among equals, and turn round as a whole when they are not sorted', () => {
    const row = fc.record({ id: fc.nat(), rank: fc.nat({ max: 3 }), text: fc.constantFrom('a b', 'A', 'c') });
    fc.assert(
      fc.property(
        fc.array(row),
        fc.boolean(),
        fc.constantFrom('', 'a', 'B a', 'x'),
        (rows, reverse, filter) => {
          const rules = {
            text: (one: (typeof rows)[number]) => one.text,
            compare: { given: null, rank: (a: { rank: number }, b: { rank: number }) => a.rank - b.rank },
          };
          const kept = rows.filter(({ text }) => hasWords(text, filterWords(filter)));
          const given = listed(rows, { filter, sort: 'given', reverse }, rules);
          expect(given).toEqual(reverse ? [...kept].reverse() : kept);
          const ranks = reverse ? [3, 2, 1, 0] : [0, 1, 2, 3];
          const sorted = listed(rows, { filter, sort: 'rank', reverse }, rules);
          expect(sorted).toEqual(ranks.flatMap((rank) => kept.filter((one) => one.rank === rank)));
        },
      ),
    );
  });

  it('a filter takes words in any order and case, each a stretch of the text', () => {
    expect(filterWords('  Btc\tLONG ')).toEqual(['btc', 'long']);
    expect(hasWords('BTCUSDT paper-futures long', filterWords('LONG btc'))).toBe(true);
    expect(hasWords('BTCUSDT paper-futures long', filterWords('long eth'))).toBe(false);
    expect(hasWords('anything', filterWords(' '))).toBe(true);
  });
});

describe('positions', () => {
  const shown = (futures: DeskState['futures'], view: Partial<PositionsView> = {}) =>
    shownPositions({ futures, instruments: deskState().instruments }, { ...FIRST_POSITIONS, ...view });
  const ORDER: Record<string, (row: PositionRow) => number> = {
    size: (row) => figure(notionalOf(row)),
    PnL: (row) => figure(row.unrealizedProfit),
    margin: (row) => figure(row.margin),
    liquidation: ({ liquidationDistance }) =>
      liquidationDistance === null ? Number.NEGATIVE_INFINITY : -Math.abs(Number(liquidationDistance)),
  };

  it('every sort shows every position once, in its order; at first they stand account by account', () => {
    fc.assert(
      fc.property(
        someAccounts,
        fc.constantFrom(...POSITION_SORTS),
        fc.boolean(),
        (futures, sort, reverse) => {
          const all = openPositions({ futures });
          const rows = shown(futures, { sort, reverse });
          expect(ids(rows).sort()).toEqual(ids(all).sort());
          expect(shown(futures)).toEqual(all);
          if (sort === 'account') expect(rows).toEqual(reverse ? [...all].reverse() : all);
          const down = reverse ? [...rows].reverse() : rows;
          if (sort === 'symbol')
            expect(down.map(({ symbol }) => symbol)).toEqual(rows.map(({ symbol }) => symbol).sort());
          const order = ORDER[sort];
          if (order) expect(falls(down.map(order))).toBe(true);
        },
      ),
    );
  });

  it('a filter finds entry, mark and liquidation prices as they are shown', () => {
    const some = position('BTCUSDT', {
      entryPrice: '60123.456789',
      markPrice: '61000',
      liquidationPrice: '48500.129',
    });
    const futures = { 'paper-futures': { hedgeMode: false, leverage: {}, positions: [some] } };
    const found = (filter: string) => shown(futures, { filter }).length;
    for (const filter of ['60,123.46', '60123.46', '61,000.00', '48,500.13 long'])
      expect(found(filter)).toBe(1);
    for (const filter of ['60,123.47', '62,000']) expect(found(filter)).toBe(0);
  });

  it('a filter knows symbol, account, side and whether stops protect it', () => {
    const futures = somePositions();
    const filtered = (filter: string) => shown(futures, { filter }).map(({ symbol }) => symbol.slice(0, 3));
    expect(filtered('long')).toEqual(['BTC', 'SOL']);
    expect(filtered('short')).toEqual(['ETH']);
    expect(filtered('no')).toEqual(['BTC']);
    expect(filtered('PART')).toEqual(['ETH']);
    expect(filtered('yes futures sol')).toEqual(['SOL']);
    expect(filtered('usdt paper-futures')).toEqual(['BTC', 'ETH', 'SOL']);
    expect(filtered('spot')).toEqual([]);
    fc.assert(
      fc.property(someAccounts, fc.constantFrom(...POSITION_SORTS), (some, sort) => {
        const long = shown(some, { filter: 'long', sort });
        expect(long).toEqual(shown(some, { sort }).filter(isLong));
      }),
    );
  });
});

describe('keys', () => {
  const shown = (keys: readonly AccessKey[], view: Partial<KeysView> = {}) =>
    shownKeys({ keys }, { ...FIRST_KEYS, ...view });

  it('every sort shows every key once, in its order; at first working ones stand first, then the newest', () => {
    fc.assert(
      fc.property(someKeyList, fc.constantFrom(...KEY_SORTS), fc.boolean(), (keys, sort, reverse) => {
        const rows = shown(keys, { sort, reverse });
        expect(ids(rows).sort()).toEqual(ids(keys).sort());
        const down = reverse ? [...rows].reverse() : rows;
        const orders: Record<string, (key: AccessKey) => number> = {
          state: (key) => (key.revokedAt === null ? 10 : 0) + key.createdAt,
          'last use': (key) => key.lastUsedAt ?? -1,
          requests: (key) => key.counts.total,
        };
        const order = orders[sort];
        if (order) expect(falls(down.map(order))).toBe(true);
        const labels = down.map(({ label }) => label.toLowerCase());
        if (sort === 'label') expect(labels).toEqual([...labels].sort());
      }),
    );
  });

  it('a filter knows label, tier, state and the accounts', () => {
    const filtered = (filter: string) => shown(someKeys(), { filter }).map(({ label }) => label);
    expect(filtered('revoked')).toEqual(['old laptop']);
    expect(filtered('active FULL')).toEqual(['execution engine, London']);
    expect(filtered('london engine')).toEqual(['execution engine, London']);
    expect(filtered('paper-spot trade')).toEqual(['stolen?']);
    expect(filtered('報告')).toEqual(['λ-報告']);
    expect(filtered('nobody')).toEqual([]);
  });
});

describe('alerts', () => {
  const bots = someBots();

  it('every sort shows every alert once, equals the newest first', () => {
    fc.assert(
      fc.property(someAlertList, fc.constantFrom(...ALERT_SORTS), fc.boolean(), (alerts, sort, reverse) => {
        const rows = shownAlerts({ alerts, bots }, { ...FIRST_ALERTS, sort, reverse });
        expect(ids(rows).sort()).toEqual(ids(alerts).sort());
        const newest = newestAlerts({ alerts });
        if (sort === 'time') expect(rows).toEqual(reverse ? alerts : newest);
        if (sort !== 'symbol') return;
        const symbols = ['ADAUSDT', 'BTCUSDT', 'SOLUSDT'];
        const order = reverse ? symbols.reverse() : symbols;
        expect(rows).toEqual(order.flatMap((symbol) => newest.filter((one) => one.symbol === symbol)));
      }),
    );
  });

  it('a filter knows the bot, the symbol, the message as it is shown, and what is new', () => {
    const alerts = [...someAlerts(), alert('a9', { message: 'BTCUSDT crossed 65000 upwards', seen: true })];
    const filtered = (filter: string) => ids(shownAlerts({ alerts, bots }, { ...FIRST_ALERTS, filter }));
    expect(filtered('new')).toEqual(['a3', 'a2']);
    expect(filtered('breaks out')).toEqual(['a9', 'a3', 'a1']);
    expect(filtered('bgone00')).toEqual(['a2']);
    expect(filtered('65,000')).toEqual(['a9']);
    expect(filtered('65000')).toEqual(['a9']);
    expect(filtered('ada moved')).toEqual(['a2']);
    expect(ids(shownAlerts({ alerts, bots }, { ...FIRST_ALERTS, sort: 'bot' }))).toEqual([
      'a2',
      'a9',
      'a3',
      'a1',
    ]);
  });
});
