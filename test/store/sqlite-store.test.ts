/** The store against a model of plain maps, and the guarantees of the port one by one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertRecord, BotNotice, BotRecord, RunRecord } from '../../src/domain/bot.ts';
import { marketKey } from '../../src/domain/exchange.ts';
import type { FillRecord, OrderEvent, OrderRecord, SplitPlan } from '../../src/domain/order.ts';
import type { Candle, IdempotencyRecord, LogLine, Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { anyFill, anyOrder, anyRow, event, fill, isTerminal, order } from './rows.ts';

/** The guarantees of the port, in maps. */
class Model {
  readonly orders = new Map<string, OrderRecord>();
  readonly fills = new Map<string, FillRecord>();
  readonly events: OrderEvent[] = [];
  readonly splits = new Map<string, SplitPlan>();
  readonly idempotency = new Map<string, IdempotencyRecord>();
  readonly keys = new Map<string, unknown>();
  readonly bots = new Map<string, BotRecord>();
  readonly runs = new Map<string, RunRecord>();
  notices: BotNotice[] = [];
  readonly alerts = new Map<string, AlertRecord>();
  readonly log: LogLine[] = [];
  readonly meta = new Map<string, unknown>();
  readonly paper = new Map<string, Map<string, unknown>>();
  readonly candles = new Map<string, Map<number, Candle>>();

  private dropBot({ id, keepsAlerts }: Extract<Row, { kind: 'bot-drop' }>): void {
    this.bots.delete(id);
    for (const [key, run] of this.runs) if (run.botId === id) this.runs.delete(key);
    for (const [key, alert] of this.alerts) if (alert.botId === id && !keepsAlerts) this.alerts.delete(key);
    this.notices = this.notices.filter((notice) => notice.botId !== id);
  }

  apply(row: Row): void {
    switch (row.kind) {
      case 'order':
        this.orders.set(row.order.id, row.order);
        break;
      case 'fill': {
        const { exchange, symbol, tradeId, orderId } = row.fill;
        const key = JSON.stringify([exchange, symbol, tradeId, orderId]);
        if (!this.fills.has(key)) this.fills.set(key, row.fill);
        break;
      }
      case 'event':
        this.events.push(row.event);
        break;
      case 'split':
        this.splits.set(row.plan.id, row.plan);
        break;
      case 'idempotency':
        this.idempotency.set(JSON.stringify([row.record.user, row.record.key]), row.record);
        break;
      case 'idempotency-drop':
        this.idempotency.delete(JSON.stringify([row.user, row.key]));
        break;
      case 'key':
        this.keys.set(row.key.id, row.key);
        break;
      case 'bot':
        this.bots.set(row.bot.id, row.bot);
        break;
      case 'bot-drop':
        this.dropBot(row);
        break;
      case 'run':
        this.runs.set(row.run.runId, row.run);
        break;
      case 'notice':
        this.notices.push(row.notice);
        break;
      case 'alert':
        this.alerts.set(row.alert.id, row.alert);
        break;
      case 'log':
        this.log.push(row.line);
        break;
      case 'meta':
        this.meta.set(row.name, row.value);
        break;
      case 'paper': {
        const table = this.paper.get(row.table) ?? new Map<string, unknown>();
        this.paper.set(row.table, table);
        if (row.doc === null) table.delete(row.id);
        else table.set(row.id, row.doc);
        if (table.size === 0) this.paper.delete(row.table);
        break;
      }
      case 'candle': {
        const key = marketKey(row.market, row.symbol);
        const series = this.candles.get(key) ?? new Map<number, Candle>();
        this.candles.set(key, series.set(row.candle.time, row.candle));
        break;
      }
    }
  }
}

function endOf(o: OrderRecord): number {
  return o.endedAt ?? o.updatedAt;
}

function memory(rows: readonly Row[] = []): Store {
  const store = openSqliteStore(':memory:');
  store.commit(rows);
  return store;
}

/** Everything that the store returns, for comparing two moments. */
function everything(store: Store) {
  return {
    state: store.load(0),
    paper: store.loadPaper(),
    events: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => store.orderEvents(id)),
    candles: ['paper', 'other'].map((market) => store.candles(market, 'BTCUSDT', 0, 100)),
  };
}

/** Checks open orders and the other tables at once, ended orders and trades as history. */
function expectAccount(store: Store, model: Model, kind: 'spot' | 'futures'): void {
  const account = store.loadPaperAccount(kind);
  const table = (name: string) => [...(model.paper.get(`${kind}.${name}`) ?? [])];
  const ended = ([, doc]: [string, unknown]) => ((doc as { end?: number } | null)?.end ?? 0) > 0;
  expect(account.get(`${kind}.order`)).toEqual(new Map(table('order').filter((row) => !ended(row))));
  expect(account.get(`${kind}.trade`)).toBeUndefined();
  for (const name of ['balance', 'price', 'zone']) {
    expect(account.get(`${kind}.${name}`)).toEqual(model.paper.get(`${kind}.${name}`));
  }
  const { time, read } = account.past;
  const times = table('order').map(([, doc]) => (doc as { time?: number } | null)?.time ?? 0);
  expect(time).toBe(Math.max(0, ...times));
  const docs = (rows: [string, unknown][]) => rows.map(([, doc]) => JSON.stringify(doc)).sort();
  const past = read();
  expect(past.orders.map((doc) => JSON.stringify(doc)).sort()).toEqual(docs(table('order').filter(ended)));
  expect(past.trades.map((doc) => JSON.stringify(doc)).sort()).toEqual(docs(table('trade')));
}

function codeOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
  return 'none';
}

describe('rows', () => {
  it('of every kind come back as they were stored, in the order of first storage, whatever the batches', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyRow, { maxLength: 12 }), { maxLength: 6 }), (batches) => {
        const store = memory();
        const model = new Model();
        for (const batch of batches) {
          store.commit(batch);
          for (const row of batch) model.apply(row);
        }
        const state = store.load(0);
        expect(state.orders).toEqual([...model.orders.values()]);
        for (const o of model.orders.values()) expect(store.order(o.id)?.order).toEqual(o);
        expect(state.fills).toEqual([...model.fills.values()].filter((f) => model.orders.has(f.orderId)));
        expect(state.splits.map((s) => s.id)).toEqual(
          [...model.splits.values()]
            .filter((s) => s.stage !== 'done')
            .map((s) => s.id)
            .sort(),
        );
        for (const plan of state.splits) expect(plan).toEqual(model.splits.get(plan.id));
        expect(new Set(state.idempotency.map((r) => JSON.stringify(r)))).toEqual(
          new Set([...model.idempotency.values()].map((r) => JSON.stringify(r))),
        );
        expect(state.keys).toEqual([...model.keys.values()]);
        expect(state.bots).toEqual([...model.bots.values()]);
        expect(state.runs).toEqual([...model.runs.values()].filter((run) => run.state !== ''));
        expect(state.alerts).toEqual([...model.alerts.values()]);
        for (const id of ['a', 'b']) {
          const runs = [...model.runs.values()].filter((run) => run.botId === id);
          expect(store.runs(id, 100)).toEqual(runs.toReversed());
          const notices = model.notices.filter((notice) => notice.botId === id);
          expect(store.notices(id, 2)).toEqual(notices.toReversed().slice(0, 2));
        }
        expect(state.meta).toEqual(model.meta);
        expect(state.log).toEqual(model.log.slice(-200));
        expect(store.loadPaper()).toEqual(model.paper);
        for (const kind of ['spot', 'futures'] as const) expectAccount(store, model, kind);
        for (const id of ['a', 'b', 'c']) {
          expect(store.orderEvents(id)).toEqual(model.events.filter((e) => e.orderId === id));
          const fills = [...model.fills.values()].filter((f) => f.orderId === id);
          expect(store.orderFills(id)).toEqual(fills.toSorted((x, y) => x.time - y.time));
        }
        for (const [key, series] of model.candles) {
          const [market = '', symbol = ''] = key.split(' ');
          const all = [...series.values()].toSorted((x, y) => x.time - y.time);
          expect(store.candles(market, symbol, 0, 21)).toEqual(all);
          expect(store.candles(market, symbol, 5, 10)).toEqual(all.filter((c) => c.time >= 5 && c.time < 10));
        }
        store.close();
      }),
      { numRuns: 150 },
    );
  });

  it('of a fill seen before are ignored: the first one stays', () => {
    const store = memory([{ kind: 'fill', fill: fill('t1', 'a', { qty: '1' }) }]);
    store.commit([{ kind: 'fill', fill: fill('t1', 'a', { qty: '2' }) }]);
    expect(store.orderFills('a').map((f) => f.qty)).toEqual(['1']);
  });

  // proves: S56
  it('of fills with the same trade id are kept apart by exchange, symbol and order', () => {
    const fills = [
      fill('t1', 'a'),
      fill('t1', 'b'),
      fill('t1', 'a', { symbol: 'ETHUSDT' }),
      fill('t1', 'a', { exchange: 'paper-futures' }),
    ];
    const store = memory(fills.map((one) => ({ kind: 'fill', fill: one })));
    expect(store.orderFills('a')).toHaveLength(3);
    expect(store.orderFills('b')).toHaveLength(1);
    const trades = (symbol: string) =>
      store.trades({ user: fills[0]?.user ?? '', exchange: 'paper-spot', symbol, limit: 9 });
    expect([trades('BTCUSDT'), trades('ETHUSDT')].map((found) => found.length)).toEqual([2, 1]);
  });

  it("that turn out to be of another order are that one's, once, whether or not it has them", () => {
    const one = fill('7', 'a');
    const two = fill('8', 'a');
    const store = memory([
      ...['a', 'b'].map((id) => ({ kind: 'order' as const, order: order(id) })),
      { kind: 'fill', fill: one },
      { kind: 'fill', fill: two },
      { kind: 'fill', fill: { ...two, orderId: 'b' } },
    ]);
    for (const own of [one, two])
      store.commit([{ kind: 'fill-moved', fill: { ...own, orderId: 'b' }, from: 'a' }]);
    expect([
      store.order('a')?.fills,
      store
        .order('b')
        ?.fills.map(({ tradeId }) => tradeId)
        .sort(),
    ]).toEqual([[], ['7', '8']]);
    expect(store.order('b')?.fills.every(({ orderId }) => orderId === 'b')).toBe(true);
  });

  // proves: S56
  it('of an order are found by what its exchange calls it, and loaded with it', () => {
    const name = { exchange: 'paper-futures', wireId: 'a', orderId: 'b' };
    const store = memory([
      { kind: 'order', order: order('a') },
      { kind: 'wire-id', name },
      { kind: 'order', order: order('b', { exchange: 'paper-futures' }) },
    ]);
    const at = (exchange: string, clientId: string, venueIds: string[] = [], symbol = 'BTCUSDT') =>
      store.orderAt(exchange, { clientId, symbol, venueIds });
    expect(at('paper-spot', 'a')).toMatchObject({ order: { id: 'a' }, wireIds: [] });
    expect(at('paper-futures', 'a')).toMatchObject({ order: { id: 'b' }, wireIds: [name] });
    expect(store.order('b')?.wireIds).toEqual([name]);
    expect(at('paper-futures', 'nobody')).toBeNull();
    expect(at('paper-futures', '')).toBeNull();
    expect(store.load(0).wireIds).toEqual([name]);
    // The exchange's own ids: they belong to a symbol, and an order can have several.
    const own = ['7', '8'].map((wireId) => ({
      exchange: 'paper-futures',
      symbol: 'BTCUSDT',
      wireId,
      orderId: 'b',
    }));
    store.commit(own.map((one) => ({ kind: 'wire-id', name: one })));
    for (const venueId of ['7', '8'])
      expect(at('paper-futures', '', [venueId])?.wireIds).toEqual([name, ...own]);
    expect(at('paper-futures', '', ['7'], 'ETHUSDT')).toBeNull();
    expect(at('paper-spot', '', ['7'])).toBeNull();
    expect(at('paper-futures', 'nobody', ['9', '7'])?.order.id).toBe('b');
    store.commit(own.map((one) => ({ kind: 'wire-id', name: { ...one, orderId: 'a' } })));
    expect(store.order('b')?.wireIds).toEqual([name]);
    expect(store.load(0).wireIds).toHaveLength(3);
    store.commit(own.map((one) => ({ kind: 'wire-id', name: { ...one, orderId: 'c' } })));
    store.commit([
      { kind: 'order', order: order('b', { exchange: 'paper-futures', status: 'CLOSED', endedAt: 5 }) },
    ]);
    expect([store.load(5).wireIds, store.load(6).wireIds]).toEqual([[name], []]);
  });

  it('know no order that was never stored', () => {
    expect(memory().order('nobody')).toBeNull();
  });
});

describe('a commit', () => {
  const poison: Row[] = [
    { kind: 'meta', name: 'poison', value: 1n },
    { kind: 'meta', name: 'poison', value: undefined },
    { kind: 'order', order: order('p', { user: undefined as unknown as string }) },
    { kind: 'fill', fill: fill('p', 'p', { time: null as unknown as number }) },
    { kind: 'event', event: event('p', 1.5) },
  ];

  it('with a poisoned row anywhere leaves nothing behind, and the next one works', () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 8 }),
        fc.array(anyRow, { maxLength: 8 }),
        fc.constantFrom(...poison),
        fc.nat(8),
        (first, second, bad, at) => {
          const store = memory(first);
          const before = everything(store);
          expect(codeOf(() => store.commit(second.toSpliced(at, 0, bad)))).toBe('IO');
          expect(everything(store)).toEqual(before);
          store.commit([{ kind: 'meta', name: 'after', value: 1 }]);
          expect(store.load(0).meta.get('after')).toBe(1);
          store.close();
        },
      ),
      { numRuns: 100 },
    );
  });

  it('that fails in beforeCommit leaves nothing behind', () => {
    let broken = true;
    const store = openSqliteStore(':memory:', {
      beforeCommit: () => {
        if (broken) throw new StoreError('FULL', 'no room');
      },
    });
    expect(codeOf(() => store.commit([{ kind: 'order', order: order('a') }]))).toBe('FULL');
    expect(store.order('a')).toBeNull();
    broken = false;
    store.commit([{ kind: 'order', order: order('a') }]);
    expect(store.order('a')).not.toBeNull();
  });

  it('is refused for good after a device fault, while reads go on', () => {
    let fault: Error | null = null;
    const store = openSqliteStore(':memory:', {
      beforeCommit: () => {
        if (fault) throw fault;
      },
    });
    store.commit([{ kind: 'order', order: order('a') }]);
    fault = Object.assign(new Error('disk I/O error'), { errcode: 1034 }); // SQLITE_IOERR_FSYNC
    expect(codeOf(() => store.commit([{ kind: 'order', order: order('b') }]))).toBe('IO');
    fault = null;
    expect(codeOf(() => store.commit([{ kind: 'order', order: order('c') }]))).toBe('IO');
    expect(store.load(0).orders.map((o) => o.id)).toEqual(['a']);
  });

  it('on a full disk says FULL and keeps what was there', () => {
    const db = openDatabase(':memory:');
    const store = new SqliteStore(db, ':memory:');
    store.commit([{ kind: 'order', order: order('a') }]);
    db.exec('PRAGMA max_page_count = 1');
    const big = order('b', { metadata: 'x'.repeat(1_000_000) });
    expect(codeOf(() => store.commit([{ kind: 'order', order: big }]))).toBe('FULL');
    expect(store.load(0).orders.map((o) => o.id)).toEqual(['a']);
    db.exec('PRAGMA max_page_count = 1000000');
    store.commit([{ kind: 'order', order: big }]);
    expect(store.order('b')?.order).toEqual(big);
  });
});

describe('load', () => {
  it('gives open orders and those that ended since, with exactly their fills', () => {
    const since = 4e15;
    fc.assert(
      fc.property(
        fc.array(anyOrder, { maxLength: 15 }),
        fc.array(anyFill, { maxLength: 15 }),
        (orders, fills) => {
          const rows: Row[] = [
            ...orders.map((o) => ({ kind: 'order' as const, order: o })),
            ...fills.map((f) => ({ kind: 'fill' as const, fill: f })),
          ];
          const model = new Model();
          for (const row of rows) model.apply(row);
          const store = memory(rows);
          const wanted = [...model.orders.values()].filter((o) => !isTerminal(o) || endOf(o) >= since);
          const ids = new Set(wanted.map((o) => o.id));
          const state = store.load(since);
          expect(state.orders).toEqual(wanted);
          expect(state.fills).toEqual([...model.fills.values()].filter((f) => ids.has(f.orderId)));
          store.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives idempotency records since then and every unanswered one', () => {
    const record = (key: string, arrivedAt: number, answered: boolean): Row => ({
      kind: 'idempotency',
      record: {
        user: 'owner',
        key,
        fingerprint: 'f',
        arrivedAt,
        requestId: 'r',
        effect: { kind: 'place', orderId: 'a' },
        answer: answered ? { status: 200, body: '{"é":"\\u0000"}' } : null,
      },
    });
    const store = memory([record('old', 9, true), record('waiting', 1, false), record('new', 10, true)]);
    expect(store.load(10).idempotency.map((r) => r.key)).toEqual(['waiting', 'new']);
    expect(store.load(10).idempotency[1]?.answer).toEqual({ status: 200, body: '{"é":"\\u0000"}' });
  });

  it('gives the newest 200 alerts, and each older one that is still to be delivered', () => {
    const alert = (n: number, state: 'waiting' | 'done'): Row => ({
      kind: 'alert',
      alert: {
        id: `alert-${n}`,
        botId: 'bot',
        runId: 'run',
        user: 'owner',
        market: n,
        at: n,
        symbol: 'BTCUSDT',
        condition: 'range[0]',
        message: 'crossed',
        price: null,
        seen: false,
        deliveries: [{ target: 'hook', state, tries: 0, nextAt: null, error: null }],
      },
    });
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `alert-${from + i}`);
    /** An alert's row with one delivery for each of these states. */
    const of = (n: number, states: readonly ('waiting' | 'done')[]): Row => {
      const row = alert(n, 'done');
      if (row.kind !== 'alert') return row;
      const [one] = row.alert.deliveries;
      const deliveries = states.flatMap((state) => (one ? [{ ...one, state }] : []));
      return { ...row, alert: { ...row.alert, id: `many-${n}`, deliveries } };
    };
    const many = memory([
      of(1, ['done', 'waiting']),
      of(2, []),
      of(3, ['waiting', 'done']),
      of(4, ['done', 'done']),
      ...Array.from({ length: 200 }, (_, n) => alert(n, 'done')),
    ]);
    expect(many.load(0).alerts.map(({ id }) => id)).toEqual(['many-1', 'many-3', ...ids(0, 199)]);
    const store = memory(
      Array.from({ length: 205 }, (_, n) => alert(n, n === 1 || n === 3 ? 'waiting' : 'done')),
    );
    const loaded = () => store.load(0).alerts.map(({ id }) => id);
    expect(loaded()).toEqual(['alert-1', 'alert-3', ...ids(5, 204)]);
    store.commit([alert(1, 'done')]);
    expect(loaded()).toEqual(['alert-3', ...ids(5, 204)]);
  });

  it('gives the newest 200 log lines, oldest first', () => {
    const lines = Array.from({ length: 250 }, (_, n) => ({
      kind: 'log' as const,
      line: { at: 1, level: 'info' as const, source: 'desk', text: `line ${n}` },
    }));
    const { log } = memory(lines).load(0);
    expect([log.length, log[0]?.text, log.at(-1)?.text]).toEqual([200, 'line 50', 'line 249']);
  });
});

describe('closedOrders', () => {
  it('pages through every closed order once, newest first, whatever the filter and page size', () => {
    const closed = anyOrder.map((o) => ({ ...o, endedAt: (o.endedAt ?? o.updatedAt) % 5 }));
    const query = fc.record({
      user: fc.constantFrom('owner', 'other'),
      exchange: fc.constantFrom(undefined, 'paper-spot'),
      symbol: fc.constantFrom(undefined, 'BTCUSDT'),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(closed, { selector: (o) => o.id, maxLength: 40 }), query, (orders, q) => {
        const store = memory(orders.map((o) => ({ kind: 'order', order: o })));
        const seen: OrderRecord[] = [];
        let before: string | undefined;
        do {
          const page = store.closedOrders({ ...q, before });
          expect(page.orders.length).toBeLessThanOrEqual(q.limit);
          seen.push(...page.orders);
          before = page.next ?? undefined;
        } while (before !== undefined);
        const wanted = orders.filter(
          (o) =>
            isTerminal(o) &&
            o.user === q.user &&
            (q.exchange === undefined || o.exchange === q.exchange) &&
            (q.symbol === undefined || o.symbol === q.symbol),
        );
        expect(new Set(seen.map((o) => o.id))).toEqual(new Set(wanted.map((o) => o.id)));
        expect(seen.length).toBe(wanted.length);
        const ends = seen.map(endOf);
        expect(ends).toEqual(ends.toSorted((x, y) => y - x));
        store.close();
      }),
      { numRuns: 150 },
    );
  });

  it('that fill a page promise no other, but one more does', () => {
    const ended = (id: string): Row => ({
      kind: 'order',
      order: order(id, { status: 'CLOSED', phase: 'done', endedAt: 1 }),
    });
    const store = memory([ended('a'), ended('b')]);
    expect(store.closedOrders({ user: 'owner', limit: 2 }).next).toBeNull();
    store.commit([ended('c')]);
    expect(store.closedOrders({ user: 'owner', limit: 2 }).next).toBe('1-b');
    expect(store.closedOrders({ user: 'owner', limit: 3 }).next).toBeNull();
  });

  it('are paged through whatever is in their ids', () => {
    const ids = ['a-1', 'a-2', '3-a-4', '--', 'a\nb', 'a'];
    const store = memory(
      ids.map((id) => ({ kind: 'order', order: order(id, { status: 'CLOSED', phase: 'done', endedAt: 1 }) })),
    );
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = store.closedOrders({ user: 'owner', limit: 1, before });
      seen.push(...page.orders.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual(ids.toSorted().reverse());
  });

  it('that end between two pages do not disturb the paging', () => {
    const ended = (id: string, endedAt: number): Row => ({
      kind: 'order',
      order: order(id, { status: 'CLOSED', phase: 'done', endedAt }),
    });
    const store = memory([ended('a', 1), ended('b', 2), ended('c', 3)]);
    const first = store.closedOrders({ user: 'owner', limit: 2 });
    store.commit([ended('d', 4)]);
    const second = store.closedOrders({ user: 'owner', limit: 2, before: first.next ?? '' });
    expect([...first.orders, ...second.orders].map((o) => o.id)).toEqual(['c', 'b', 'a']);
    expect(second.next).toBeNull();
  });

  it('answers an unknown cursor with an empty page', () => {
    const store = memory([{ kind: 'order', order: order('a', { status: 'ERROR', endedAt: 1 }) }]);
    for (const before of ['', 'x', '-a', '99999999999999999-a', "1'; DROP TABLE orders --"])
      expect(store.closedOrders({ user: 'owner', limit: 5, before })).toEqual({ orders: [], next: null });
  });
});

describe('trade pages', () => {
  it('go through every trade of all markets once, newest first, whatever the filter and page size', () => {
    const query = fc.record({
      user: fc.constantFrom('owner', 'other'),
      exchange: fc.constantFrom(undefined, 'paper-spot'),
      symbol: fc.constantFrom(undefined, 'BTCUSDT'),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    fc.assert(
      fc.property(fc.array(anyFill, { maxLength: 60 }), query, (fills, q) => {
        const rows = fills.map((f): Row => ({ kind: 'fill', fill: { ...f, time: f.time % 7 } }));
        const model = new Model();
        for (const row of rows) model.apply(row);
        const store = memory(rows);
        const seen: FillRecord[] = [];
        let before: string | undefined;
        do {
          const page = store.tradePage({ ...q, before });
          expect(page.trades.length).toBeLessThanOrEqual(q.limit);
          seen.push(...page.trades);
          before = page.next ?? undefined;
        } while (before !== undefined);
        const wanted = [...model.fills.values()]
          .filter((f) => f.user === q.user)
          .filter((f) => q.exchange === undefined || f.exchange === q.exchange)
          .filter((f) => q.symbol === undefined || f.symbol === q.symbol);
        const id = (f: FillRecord) => `${f.exchange} ${f.symbol} ${f.tradeId} ${f.orderId}`;
        expect(seen.map(id).toSorted()).toEqual(wanted.map(id).toSorted());
        const times = seen.map(({ time }) => time);
        expect(times).toEqual(times.toSorted((x, y) => y - x));
        store.close();
      }),
      { numRuns: 150 },
    );
  });

  it('that are full promise no other, but one more trade does', () => {
    const store = memory(['t1', 't2'].map((id) => ({ kind: 'fill', fill: fill(id, 'a') })));
    expect(store.tradePage({ user: 'owner', limit: 2 }).next).toBeNull();
    store.commit([{ kind: 'fill', fill: fill('t3', 'a') }]);
    expect(store.tradePage({ user: 'owner', limit: 2 }).next).not.toBeNull();
    expect(store.tradePage({ user: 'owner', limit: 3 }).next).toBeNull();
  });

  it('answer an unknown cursor with an empty page', () => {
    const store = memory([]);
    for (const before of ['', 'x', '-1', '5-x', '99999999999999999-1', "1'; DROP TABLE fills --"])
      expect(store.tradePage({ user: 'owner', limit: 5, before })).toEqual({ trades: [], next: null });
  });
});

describe('trades (S37)', () => {
  const bound = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined });
  const asked = <T extends object>(fill: T) => ({
    ...fill,
    user: 'owner',
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
  });

  // proves: S37, param GET /orders/trades startTime, param GET /orders/trades endTime
  // proves: param GET /orders/trades limit
  it('ascend by time: with startTime the first from there, else the last', () => {
    fc.assert(
      fc.property(
        // Most fills match the question, or a page would rarely have to leave one out.
        fc.array(fc.oneof(anyFill.map(asked), anyFill.map(asked), anyFill), { maxLength: 40 }),
        fc.record({ startTime: bound, endTime: bound, limit: fc.integer({ min: 1, max: 10 }) }),
        (fills, range) => {
          const rows = fills.map((f): Row => ({ kind: 'fill', fill: f }));
          const model = new Model();
          for (const row of rows) model.apply(row);
          const store = memory(rows);
          const { startTime, endTime, limit } = range;
          const all = [...model.fills.values()]
            .filter((f) => f.user === 'owner' && f.exchange === 'paper-spot' && f.symbol === 'BTCUSDT')
            .filter((f) => f.time >= (startTime ?? 0) && f.time <= (endTime ?? 99))
            .toSorted((x, y) => x.time - y.time);
          const wanted = startTime === undefined ? all.slice(-limit) : all.slice(0, limit);
          const q = { user: 'owner', exchange: 'paper-spot', symbol: 'BTCUSDT', ...range };
          expect(store.trades(q)).toEqual(wanted);
          store.close();
        },
      ),
      { numRuns: 200 },
    );
  });
});

it('a candle that is stored again has everything of the later one', () => {
  const store = openSqliteStore(':memory:');
  const at = { kind: 'candle', market: 'paper', symbol: 'BTCUSDT' } as const;
  const first = { time: 60_000, open: '1', high: '2', low: '0.5', close: '1.5', volume: '7' };
  const later = { time: 60_000, open: '1.1', high: '2.2', low: '0.4', close: '1.6', volume: '9' };
  for (const candle of [first, later]) store.commit([{ ...at, candle }]);
  expect(store.candles('paper', 'BTCUSDT', 0, 100_000)).toEqual([later]);
  store.close();
});
