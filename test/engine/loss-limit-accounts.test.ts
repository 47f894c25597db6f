/**
 * `dailyLossLimit` where several take part: orders of runs and of others beside those of persons, accounts
 * that share a wallet, several assets, several symbols, amounts that are locked.
 */
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import type { LossMeter } from '../../src/domain/guards.ts';
import { loadDayBase } from '../../src/engine/day-base.ts';
import { loadLedger } from '../../src/engine/ledger.ts';
import { lossMeter } from '../../src/engine/loss-figure.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench, type BenchOptions, WALLET } from './support/bench.ts';
import { ACCOUNT, BTC, ETH, FUTURES, FUTURES_BTC, OPERATOR, SPOT } from './support/market.ts';

const DAY = 20_458;
const RUN: Actor = { kind: 'bot', user: 'owner', botId: 'b1', runId: 'r1' };

function limited(options: BenchOptions = {}, exchanges: readonly string[] = []): Bench {
  const bench = new Bench({ ...options, caps: { pricesFirst: true, ...options.caps } });
  bench.event({ type: 'day', day: DAY });
  for (const exchange of exchanges.length > 0 ? exchanges : [bench.exchange]) limit(bench, exchange);
  return bench;
}

function limit(bench: Bench, exchange: string, dailyLossLimit = '5'): void {
  const asked = bench.ask({ type: 'guards', exchange, change: { dailyLossLimit } }, { actor: OPERATOR });
  expect(asked.reply().status).toBe(200);
}

function meter(bench: Bench, exchange = bench.exchange): LossMeter {
  const found = lossMeter(bench.engine.memory.account(exchange));
  if (!found) throw new Error('there is no limit');
  return found;
}

const has = (bench: Bench, asset: string, free: string, locked = '0', exchange = bench.exchange) =>
  bench.event({ type: 'venue.balances', exchange, changed: [{ asset, free, locked }] });

const mark = (bench: Bench, symbol: string, price: string) =>
  bench.event({ type: 'mark', market: 'paper', symbol, price });

const textOf = (bench: Bench) => bench.kinds('log').map((effect) => ('text' in effect ? effect.text : ''));

describe('a limit that is reached', () => {
  const placed = (count: number) => {
    const bench = limited();
    const entries = Array.from({ length: count }, (_, n) => bench.resting({ price: `${50_000 + n}` }));
    return { bench, entries };
  };

  it.each([
    [0, '0 entries are cancelled'],
    [1, '1 entry is cancelled'],
    [3, '3 entries are cancelled'],
  ])('cancels %d entries and says so: %s', (count, words) => {
    const { bench, entries } = placed(count);
    bench.tick('56000');
    expect(textOf(bench)).toEqual([expect.stringContaining(words)]);
    expect(entries.every(({ cancel }) => cancel?.keep === true)).toBe(true);
  });

  it('leaves the orders of runs and of others, of other accounts, and those that end already', () => {
    const other = { ...ACCOUNT, id: 'paper-other' };
    const bench = limited({ more: [other] });
    const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange: other.id, changed, all: true });
    const [mine, ending] = [bench.resting(), bench.resting({ price: '50001' })];
    bench.cancel(ending.id);
    const { order: ofRun } = bench.place({ price: '50002', quantity: '1' }, { actor: RUN });
    bench.accepted(ofRun);
    const elsewhere = bench.resting({ exchange: other.id });
    const terms = { side: 'BUY', type: 'LIMIT', price: '50003', timeInForce: 'GTC' } as const;
    const flags = { reduceOnly: false, closePosition: false } as const;
    const sides = { positionSide: 'BOTH', workingType: 'MARK_PRICE' } as const;
    bench.stream({
      ...bench.state({ ...mine, id: 'web-1' }),
      origQty: '1',
      terms: { ...terms, ...flags, ...sides },
    });
    bench.tick('56000');
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: mine.id }]);
    expect(ending.cancel).toMatchObject({ by: expect.stringContaining('key'), keep: true });
    for (const order of [ofRun, elsewhere, bench.order('web-1')]) expect(order.cancel).toBeUndefined();
  });

  it('keeps in hedge mode what closes of either side, and in one-way mode what can only reduce, however large', () => {
    const rich = [{ asset: 'USDT', free: '1000000', locked: '0' }];
    const hedge = limited({ futures: true, balances: rich });
    const { exchange } = hedge;
    hedge.event({ type: 'venue.settings', exchange, hedge: true });
    const sides = [
      { ...positionOf('BTCUSDT', '10', 1), side: 'LONG' },
      { ...positionOf('BTCUSDT', '1', 1), side: 'SHORT' },
    ] as const;
    hedge.event({ type: 'venue.positions', exchange, changed: sides, all: true });
    const orders = [
      hedge.resting({ side: 'SELL', positionSide: 'LONG', price: '61000', quantity: '10' }),
      hedge.resting({ side: 'BUY', positionSide: 'SHORT', price: '50000', quantity: '1' }),
      hedge.resting({ side: 'BUY', positionSide: 'LONG', price: '50000', quantity: '1' }),
      hedge.resting({ side: 'SELL', positionSide: 'SHORT', price: '61000', quantity: '1' }),
    ];
    mark(hedge, 'BTCUSDT', '54000');
    expect(orders.map(({ cancel }) => cancel !== undefined)).toEqual([false, false, true, true]);
    const oneWay = limited({ futures: true, balances: rich });
    const hold = (amount: string, updateTime: number) => {
      const changed = [positionOf('BTCUSDT', amount, updateTime)];
      oneWay.event({ type: 'venue.positions', exchange: oneWay.exchange, changed, all: true });
    };
    hold('20', 1);
    const reduces = oneWay.resting({ side: 'SELL', price: '61000', quantity: '20', reduceOnly: true });
    const opens = oneWay.resting({ side: 'SELL', price: '61000', quantity: '20' });
    hold('10', 2);
    mark(oneWay, 'BTCUSDT', '54000');
    expect([reduces.cancel, opens.cancel?.state]).toEqual([undefined, 'sent']);
  });
});

describe('what a wallet is worth', () => {
  it('counts what is locked as what is free', () => {
    const bench = limited();
    has(bench, 'USDT', '4000000', '6000000');
    has(bench, 'BTC', '400', '600');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '0' });
    bench.tick('59000');
    expect(meter(bench)).toMatchObject({ lost: '1000000' });
  });

  it('is the same as its ledger says also while part of it is locked', () => {
    const bench = limited({ ledger: true });
    bench.event({ type: 'ledger', exchange: bench.exchange, entries: [], since: 0, after: null });
    for (let n = 0; n < 2; n++) {
      bench.pass(1);
      bench.event({ type: 'audit', exchange: bench.exchange, askedAt: bench.mono });
    }
    has(bench, 'BTC', '400', '600');
    bench.tick('59000');
    expect(meter(bench)).toMatchObject({ known: true, lost: '1000000' });
    bench.pass(60_000);
    bench.tick('58000');
    expect(meter(bench)).toMatchObject({ known: true, lost: '2000000' });
  });

  it('is not known where only the quote of a symbol has no price', () => {
    const inEuro = { ...BTC, symbol: 'BTCEUR', quote: 'EUR' };
    const bench = limited({ instruments: [BTC, inEuro] });
    has(bench, 'EUR', '5');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: false, why: 'no price of EUR is known' });
    has(bench, 'EUR', '0');
    bench.tick('60000');
    expect(meter(bench).known).toBe(true);
  });

  it('is not known while a position has an old price, and known again with it', () => {
    const bench = limited({ futures: true });
    const { exchange } = bench;
    const changed = [positionOf('BTCUSDT', '1', 1)];
    bench.event({ type: 'venue.positions', exchange, changed, all: true });
    const stale = (symbol: string, why: string | null) =>
      bench.event({ type: 'stale', market: 'paper', symbol, why });
    stale('ETHUSDT', 'no line');
    expect(meter(bench).known).toBe(true);
    stale('BTCUSDT', 'no line');
    expect(meter(bench)).toMatchObject({ known: false, why: 'prices of BTCUSDT are old: no line' });
    stale('BTCUSDT', null);
    expect(meter(bench).known).toBe(true);
  });

  it('follows the mark of each contract that is held, though no coin of it is', () => {
    const eth = { ...FUTURES_BTC, symbol: 'SOLUSDT', base: 'SOL' };
    const rich = [{ asset: 'USDT', free: '100000', locked: '0' }];
    const bench = limited({ futures: true, instruments: [FUTURES_BTC, eth], balances: rich });
    const { exchange } = bench;
    const held = { ...positionOf('SOLUSDT', '-10', 1), entryPrice: '200', markPrice: '200' };
    bench.event({ type: 'venue.positions', exchange, changed: [held], all: true });
    mark(bench, 'SOLUSDT', '699.99');
    expect(meter(bench)).toMatchObject({ lost: '4999.9', reachedAt: null });
    mark(bench, 'SOLUSDT', '700');
    expect(meter(bench).reachedAt).toBe(bench.wall);
  });

  it('is looked at for the price of what is held alone', () => {
    const sol = { ...BTC, symbol: 'SOLUSDT', base: 'SOL' };
    const bench = limited({ instruments: [BTC, ETH, sol], caps: { pricesFirst: false } });
    bench.tick('56000');
    bench.pass(2_000);
    bench.tick('100', 'SOLUSDT');
    expect(meter(bench).reachedAt).toBeNull();
    bench.tick('3000', 'ETHUSDT');
    expect(meter(bench).reachedAt).toBe(bench.wall);
  });
});

describe('a wallet of a spot and a futures account', () => {
  const rich = [{ asset: 'USDT', free: '1000000', locked: '0' }];

  const unified = () => {
    const bench = limited({ unified: true, balances: rich }, [SPOT]);
    limit(bench, FUTURES, '10');
    bench.event({
      type: 'venue.positions',
      exchange: FUTURES,
      changed: [positionOf('BTCUSDT', '10', 1)],
      all: true,
    });
    return bench;
  };

  /** A mark that stands for as long as that other account wants to see it. */
  const seen = (bench: Bench, price: string) => {
    mark(bench, 'BTCUSDT', price);
    expect(meter(bench, FUTURES).reachedAt).toBeNull();
    bench.pass(2_000);
    mark(bench, 'BTCUSDT', price);
  };

  it('has lost for each of them what positions of the one have lost, once, each by its own limit', () => {
    const bench = unified();
    const entries = [bench.resting(), bench.resting({ exchange: FUTURES, quantity: '0.1' })] as const;
    mark(bench, 'BTCUSDT', '55000.01');
    for (const exchange of [SPOT, FUTURES])
      expect(meter(bench, exchange)).toMatchObject({ base: '1000000', lost: '49999.9', reachedAt: null });
    mark(bench, 'BTCUSDT', '55000');
    expect([meter(bench, SPOT).reachedAt, meter(bench, FUTURES).reachedAt]).toEqual([bench.wall, null]);
    expect(entries.map(({ cancel }) => cancel?.by)).toEqual(['dailyLossLimit', undefined]);
    seen(bench, '50000');
    expect(meter(bench, FUTURES).reachedAt).toBe(bench.wall);
    expect(entries[1].cancel?.by).toBe('dailyLossLimit');
  });

  it('is lifted for one of them alone', () => {
    const bench = unified();
    seen(bench, '50000');
    const lift = (exchange: string) =>
      bench.ask({ type: 'lift', exchange }, { actor: OPERATOR }).reply().status;
    expect(lift(FUTURES)).toBe(200);
    expect([meter(bench, SPOT).reachedAt !== null, meter(bench, FUTURES).reachedAt]).toEqual([true, null]);
    expect([meter(bench, SPOT).known && meter(bench, SPOT)]).toMatchObject([{ counted: '100000' }]);
    expect(meter(bench, FUTURES)).toMatchObject({ counted: '0', lost: '100000' });
    expect(lift(FUTURES)).toBe(409);
  });

  it('has one base of the day, whichever of them is paid into, and keeps it by its own name', () => {
    const bench = unified();
    const { wallet } = bench.engine.memory.account(SPOT);
    wallet.ledger = loadLedger(new Map(), WALLET);
    const entry = { id: 'e1', time: bench.wall, asset: 'USDT', amount: '-500000', kind: 'transfer' } as const;
    bench.event({ type: 'ledger', exchange: FUTURES, entries: [entry], since: 0, after: null });
    has(bench, 'USDT', '500000', '0', FUTURES);
    mark(bench, 'BTCUSDT', '60000');
    for (const exchange of [SPOT, FUTURES])
      expect(meter(bench, exchange)).toMatchObject({ base: '500000', lost: '0' });
    expect(loadDayBase(bench.store.meta, WALLET)).toMatchObject({
      usd: '1000000',
      paid: '-500000',
      day: DAY,
    });
    expect([SPOT, FUTURES].map((name) => loadDayBase(bench.store.meta, name))).toEqual([null, null]);
  });

  it('is not known while either of them is not read', () => {
    const bench = unified();
    bench.engine.memory.account(FUTURES).unread.add('positions');
    bench.tick('60000');
    for (const exchange of [SPOT, FUTURES])
      expect(meter(bench, exchange)).toMatchObject({ known: false, why: /of paper-futures are not read/ });
  });
});

describe('the turn of the day', () => {
  it.each([
    ['before', '57000', '70000000', '3000000'],
    ['after', '57000', '67000000', '0'],
  ])('a fall %s it is of that day', (when, price, base, lost) => {
    const bench = limited();
    const turn = () => bench.event({ type: 'day', day: DAY + 1 });
    if (when === 'after') {
      bench.tick(price);
      turn();
    } else bench.tick(price);
    expect(meter(bench)).toMatchObject({ base, lost });
  });

  it('counts what was lifted on the day before no more, not even if as much is lost again', () => {
    const bench = limited();
    bench.tick('56000');
    bench.ask({ type: 'lift', exchange: SPOT }, { actor: OPERATOR });
    bench.tick('60000');
    bench.event({ type: 'day', day: DAY + 1 });
    bench.tick('56500');
    expect(meter(bench)).toMatchObject({ base: '70000000', counted: '3500000', reachedAt: bench.wall });
  });

  it('a second day of limits is as the first, with what was paid in on the first in its base', () => {
    const bench = limited({ ledger: true });
    const pay = (amount: string) => {
      const entry = { id: amount, time: bench.wall, asset: 'USDT', amount, kind: 'transfer' } as const;
      bench.event({ type: 'ledger', exchange: SPOT, entries: [entry], since: 0, after: null });
    };
    pay('1000000');
    has(bench, 'USDT', '11000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '71000000', lost: '0' });
    bench.event({ type: 'day', day: DAY + 1 });
    expect(meter(bench)).toMatchObject({ base: '71000000', lost: '0' });
    pay('2000000');
    has(bench, 'USDT', '13000000');
    bench.tick('59000');
    expect(meter(bench)).toMatchObject({ base: '73000000', lost: '1000000', limit: '3650000' });
    expect(loadDayBase(bench.store.meta, SPOT)).toMatchObject({
      day: DAY + 1,
      usd: '71000000',
      paid: '2000000',
    });
  });
});
