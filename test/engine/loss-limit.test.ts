/**
 * `dailyLossLimit`: to the cent, by the day, across restarts; which orders it cancels, holds back, and never
 * touches.
 */
import { describe, expect, it } from 'vitest';
import type { LossMeter } from '../../src/domain/guards.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { loadLedger } from '../../src/engine/ledger.ts';
import { lossMeter } from '../../src/engine/loss-figure.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { BTC, KEY_ACTOR, OPERATOR } from './support/market.ts';

const DAY = 20_458;
const EMBEDDED = { pricesFirst: true } as const;

/**
 * A wallet of 10,000,000 USDT and 1,000 BTC at 60,000: five percent of 70,000,000 are 3,500,000, which is
 * 3,500 per BTC.
 */
function limited(options: ConstructorParameters<typeof Bench>[0] = {}, percent = '5'): Bench {
  const bench = new Bench({ caps: EMBEDDED, ...options });
  bench.event({ type: 'day', day: DAY });
  const change = { dailyLossLimit: percent };
  const set = bench.ask({ type: 'guards', exchange: bench.exchange, change }, { actor: OPERATOR });
  expect(set.reply().status).toBe(200);
  return bench;
}

function meter(bench: Bench): LossMeter {
  const found = lossMeter(bench.engine.memory.account(bench.exchange));
  if (!found) throw new Error('there is no limit');
  return found;
}

function isReached(bench: Bench): boolean {
  return meter(bench).reachedAt !== null;
}

/** Status and reason of the answer; `sent` while it is on its way. */
function outcome(bench: Bench, request: Partial<CreateOrder> = {}): string {
  const { token } = bench.place({ price: '50000', quantity: '0.01', ...request });
  if (!bench.isAnswered(token)) return 'sent';
  const { status, reason } = bench.reply(token);
  return `${status} ${reason ?? ''}`.trim();
}

const REFUSED = '400 GUARD_DAILY_LOSS_LIMIT';

function lift(bench: Bench) {
  return bench.ask({ type: 'lift', exchange: bench.exchange }, { actor: OPERATOR }).reply();
}

function ledger(bench: Bench, asset: string, amount: string, kind: 'transfer' | 'funding' = 'transfer') {
  const entry = { id: `${bench.wall} ${asset} ${amount}`, time: bench.wall, asset, amount, kind };
  const place = { since: 0, after: null };
  bench.event({ type: 'ledger', exchange: bench.exchange, entries: [entry], ...place });
}

function balance(bench: Bench, asset: string, free: string) {
  bench.event({ type: 'venue.balances', exchange: bench.exchange, changed: [{ asset, free, locked: '0' }] });
}

/** Two comparisons without a movement between them: the remaining difference is stored. */
function audits(bench: Bench) {
  bench.event({ type: 'ledger', exchange: bench.exchange, entries: [], since: 0, after: null });
  for (let i = 0; i < 2; i++) {
    bench.pass(1);
    bench.event({ type: 'audit', exchange: bench.exchange, askedAt: bench.mono });
  }
}

describe('the limit', () => {
  it('is reached at exactly its share, and not a cent before', () => {
    const bench = limited();
    bench.tick('56500.01');
    expect(isReached(bench)).toBe(false);
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '3499990', limit: '3500000', left: '10' });
    expect(outcome(bench)).toBe('sent');
    bench.tick('56500');
    expect(isReached(bench)).toBe(true);
    expect(outcome(bench)).toBe(REFUSED);
    expect(outcome(bench, { side: 'SELL', price: '70000' })).toBe('sent');
  });

  it('says both figures and what to do', () => {
    const bench = limited();
    bench.tick('56000');
    expect(bench.place({ price: '50000', quantity: '1' }).reply().message).toBe(
      '4000000.00 USDT were lost and dailyLossLimit of paper-spot allows 3500000.00 USDT a day; an owner lifts it on the Accounts screen',
    );
  });

  it('cancels what rests and opens, of persons and of keys, held here or at the exchange, and nothing else', () => {
    const bench = limited();
    const entry = bench.resting({ price: '50000', quantity: '1' });
    const exit = bench.resting({ side: 'SELL', price: '70000', quantity: '1' });
    const held = (side: 'BUY' | 'SELL', stopPrice: string) =>
      bench.place({ side, type: 'STOP_MARKET', stopPrice, quantity: '1' }).order;
    const stopEntry = held('BUY', '65000');
    const stop = held('SELL', '52000');
    bench.tick('56500');
    expect(bench.order(entry.id).cancel).toMatchObject({ state: 'sent', by: 'dailyLossLimit', keep: true });
    expect(bench.order(stopEntry.id).status).toBe('CANCELLED');
    expect(
      [exit, stop].map(({ id }) => bench.order(id)).map(({ status, cancel }) => [status, cancel]),
    ).toEqual([
      ['OPENED', undefined],
      ['NEW', undefined],
    ]);
    bench.tick('52000');
    expect(bench.order(stop.id).phase).toBe('sending');
  });

  it('is counted once: what it has cancelled it does not cancel again', () => {
    const bench = limited();
    bench.tick('56500');
    const texts = () => bench.kinds('log').length;
    expect(texts()).toBe(1);
    bench.tick('56000');
    expect(texts()).toBe(0);
  });

  it('keeps back what is held and opens when it fires', () => {
    const bench = limited({ caps: {} });
    const { order } = bench.place({ side: 'BUY', type: 'STOP_MARKET', stopPrice: '61000', quantity: '1' });
    bench.tick('56000');
    // Seen once: entries wait already, and nothing is cancelled before the loss is confirmed.
    expect([isReached(bench), bench.order(order.id).status, outcome(bench)]).toEqual([false, 'NEW', REFUSED]);
    bench.pass(1_999);
    bench.tick('56000');
    expect(isReached(bench)).toBe(false);
    bench.pass(1);
    bench.tick('56000');
    expect([isReached(bench), bench.order(order.id).status]).toEqual([true, 'CANCELLED']);
  });

  it('is not reached by what was seen for a moment', () => {
    const bench = limited({ caps: {} });
    bench.tick('56000');
    bench.pass(1_000);
    bench.tick('60000');
    bench.pass(1_500);
    bench.tick('56000');
    bench.pass(1_999);
    bench.tick('56000');
    expect(isReached(bench)).toBe(false);
  });

  it('leaves an empty wallet that has lost nothing alone', () => {
    const bench = limited({ balances: [{ asset: 'USDT', free: '0', locked: '0' }] });
    bench.tick('56000');
    expect(isReached(bench)).toBe(false);
  });
});

describe('what is reached stays so', () => {
  it('when prices come back, over midnight, and after a restart', () => {
    const bench = limited();
    bench.tick('56500');
    bench.tick('70000');
    expect(outcome(bench)).toBe(REFUSED);
    bench.restart();
    expect([isReached(bench), outcome(bench)]).toEqual([true, REFUSED]);
    bench.event({ type: 'day', day: DAY + 1 });
    expect([isReached(bench), outcome(bench)]).toEqual([true, REFUSED]);
  });

  it('until an owner lifts it: then as much again may be lost, by the figures of then', () => {
    const bench = limited();
    bench.tick('56000');
    expect(lift(bench)).toMatchObject({ status: 200 });
    expect(meter(bench)).toMatchObject({ reachedAt: null, counted: '0', lost: '4000000', left: '3500000' });
    expect(outcome(bench)).toBe('sent');
    bench.tick('52500.01');
    expect(isReached(bench)).toBe(false);
    bench.restart();
    bench.tick('52500.01');
    expect(isReached(bench)).toBe(false);
    bench.tick('52500');
    expect(isReached(bench)).toBe(true);
  });

  it('and what was lifted ends with the day', () => {
    const bench = limited();
    bench.tick('56000');
    lift(bench);
    bench.event({ type: 'day', day: DAY + 1 });
    expect(meter(bench)).toMatchObject({ base: '66000000', lost: '0', counted: '0', limit: '3300000' });
    bench.tick('52700');
    expect(isReached(bench)).toBe(true);
  });

  it('nobody lifts it but at a console, and only what is reached and known', () => {
    const bench = limited();
    expect(lift(bench)).toMatchObject({ status: 409 });
    bench.tick('56000');
    const byKey = bench.ask({ type: 'lift', exchange: bench.exchange }, { actor: KEY_ACTOR });
    expect(byKey.reply().status).toBe(403);
    bench.event({ type: 'stale', market: 'paper', symbol: '', why: 'the line is down' });
    expect(lift(bench)).toMatchObject({ status: 503 });
    expect(isReached(bench)).toBe(true);
  });

  it('off is off: what is set again begins anew', () => {
    const bench = limited();
    bench.tick('56000');
    const set = (percent: string | null) =>
      bench.ask(
        { type: 'guards', exchange: bench.exchange, change: { dailyLossLimit: percent } },
        { actor: OPERATOR },
      );
    set('90');
    expect(isReached(bench)).toBe(true);
    set(null);
    expect(outcome(bench)).toBe('sent');
    bench.restart();
    expect(outcome(bench)).toBe('sent');
    set('90');
    expect(isReached(bench)).toBe(false);
    bench.restart();
    expect(isReached(bench)).toBe(false);
  });
});

describe('the base', () => {
  it('is of the day: another day takes another one, and a clock that steps back over midnight none', () => {
    const bench = limited();
    bench.tick('58000');
    bench.event({ type: 'day', day: DAY + 1 });
    expect(meter(bench)).toMatchObject({ base: '68000000' });
    bench.tick('57000');
    bench.event({ type: 'day', day: DAY });
    expect(meter(bench)).toMatchObject({ base: '68000000', lost: '1000000' });
    bench.event({ type: 'day', day: DAY + 1 });
    expect(meter(bench)).toMatchObject({ base: '68000000' });
    bench.event({ type: 'day', day: DAY - 5 });
    expect(meter(bench)).toMatchObject({ base: '67000000' });
  });

  it('survives a restart, and a day that has begun meanwhile begins with what there is', () => {
    const bench = limited();
    bench.tick('58000');
    bench.restart();
    bench.tick('58000');
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '2000000' });
    bench.event({ type: 'day', day: DAY });
    expect(meter(bench)).toMatchObject({ base: '70000000' });
    bench.restart();
    bench.tick('59000');
    bench.event({ type: 'day', day: DAY + 1 });
    expect(meter(bench)).toMatchObject({ base: '69000000', lost: '0' });
  });

  it('follows what is paid in and out, each at the price of its moment', () => {
    const bench = limited({ ledger: true });
    balance(bench, 'USDT', '4000000');
    ledger(bench, 'USDT', '-6000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '64000000', lost: '0', limit: '3200000' });
    balance(bench, 'BTC', '1100');
    ledger(bench, 'BTC', '100');
    bench.tick('59000');
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '1100000' });
    bench.restart();
    balance(bench, 'USDT', '4000000');
    balance(bench, 'BTC', '1100');
    bench.tick('59000');
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '1100000' });
  });

  it('takes in all that was paid of an asset without a price once that has one, also over a restart', () => {
    const bench = limited({ ledger: true });
    for (const amount of ['5', '3', '-1']) ledger(bench, 'ETH', amount);
    balance(bench, 'ETH', '7');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: false });
    bench.restart();
    balance(bench, 'ETH', '7');
    bench.tick('60000');
    bench.tick('2000', 'ETHUSDT');
    expect(meter(bench)).toMatchObject({ base: '70014000', lost: '0' });
    bench.tick('1000', 'ETHUSDT');
    expect(meter(bench)).toMatchObject({ base: '70014000', lost: '7000' });
  });

  it('takes no transfer for a loss, whichever of balance and ledger is told first', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    const resting = bench.resting({ price: '50000', quantity: '1' });
    balance(bench, 'USDT', '4000000');
    for (const price of ['60000', '59999']) bench.tick(price);
    expect([isReached(bench), outcome(bench)]).toEqual([false, 'sent']);
    ledger(bench, 'USDT', '-6000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '64000000', lost: '0' });
    ledger(bench, 'USDT', '1000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '64000000', lost: '0' });
    balance(bench, 'USDT', '5000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '65000000', lost: '0' });
    expect(bench.order(resting.id).cancel).toBeUndefined();
  });

  it('what its ledger does not explain for a minute is not known', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    balance(bench, 'USDT', '4000000');
    bench.tick('60000');
    bench.pass(59_999);
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: true, lost: '0' });
    bench.pass(1);
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: false, why: expect.stringMatching(/its ledger/) });
    expect([isReached(bench), outcome(bench)]).toEqual([false, REFUSED]);
    audits(bench);
    bench.tick('60000');
    expect(isReached(bench)).toBe(true);
  });

  it('counts funding and fees as what they are', () => {
    const bench = limited({ ledger: true });
    balance(bench, 'USDT', '9000000');
    ledger(bench, 'USDT', '-1000000', 'funding');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ base: '70000000', lost: '1000000' });
  });
});

describe('what is not known', () => {
  const cases: [string, (bench: Bench) => void, RegExp][] = [
    [
      'a price that is old',
      (b) => b.event({ type: 'stale', market: 'paper', symbol: '', why: 'no line' }),
      /old/,
    ],
    [
      'an asset that has no price',
      (b) => {
        balance(b, 'ETH', '5');
        b.tick('60000');
      },
      /no price of ETH/,
    ],
    [
      'what was paid in without a price',
      (b) => {
        b.engine.memory.account(b.exchange).wallet.ledger = loadLedger(new Map(), b.exchange);
        ledger(b, 'ETH', '5');
        b.tick('60000');
      },
      /ETH was paid in/,
    ],
  ];
  it.each(cases)('keeps entries back, and cancels and closes nothing: %s', (_, happens, words) => {
    const bench = limited();
    const resting = bench.resting({ price: '50000', quantity: '1' });
    happens(bench);
    bench.tick('40000');
    expect(meter(bench)).toMatchObject({ known: false, why: expect.stringMatching(words) });
    expect(bench.place({ price: '50000', quantity: '1' }).reply().message).toMatch(
      /cannot be judged: .*try again/,
    );
    expect(outcome(bench, { side: 'SELL', price: '70000' })).toBe('sent');
    expect(bench.order(resting.id)).toMatchObject({ status: 'OPENED' });
    expect(bench.order(resting.id).cancel).toBeUndefined();
  });

  it('is known again by itself', () => {
    const bench = limited();
    bench.event({ type: 'stale', market: 'paper', symbol: '', why: 'no line' });
    expect(outcome(bench)).toBe(REFUSED);
    bench.event({ type: 'stale', market: 'paper', symbol: '', why: null });
    expect(outcome(bench)).toBe('sent');
  });

  it('an asset of no market counts for nothing: nobody could lose it here', () => {
    const bench = limited();
    balance(bench, 'GIFT', '1000000');
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: true, lost: '0' });
  });

  it('after a start entries wait until something has been told', () => {
    const bench = limited();
    bench.restart();
    expect(outcome(bench)).toBe(REFUSED);
    bench.tick('60000');
    expect(outcome(bench)).toBe('sent');
  });
});

const POSITION = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
} as const;

function hold(bench: Bench, amount: string, side: 'BOTH' | 'LONG' | 'SHORT' = 'BOTH') {
  const changed = [{ ...POSITION, side, amount, updateTime: bench.wall }];
  bench.event({ type: 'venue.positions', exchange: bench.exchange, changed, all: true });
}

function mark(bench: Bench, price: string) {
  bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price });
}

const statusOf = (bench: Bench, orders: readonly OrderRecord[]) =>
  orders.map(({ id }) =>
    bench.order(id).cancel || bench.order(id).status === 'CANCELLED' ? 'cancelled' : 'stays',
  );

describe('on futures', () => {
  const rich = [{ asset: 'USDT', free: '1000000', locked: '0' }];

  it('counts what positions have lost, and keeps every exit in one-way mode, also two of one position', () => {
    const bench = limited({ futures: true, balances: rich });
    hold(bench, '10');
    const exits = [
      bench.resting({ side: 'SELL', price: '61000', quantity: '10' }),
      bench.resting({ side: 'SELL', price: '62000', quantity: '10', reduceOnly: true }),
      bench.resting({
        side: 'SELL',
        type: 'STOP_MARKET',
        stopPrice: '50000',
        quantity: '10',
        reduceOnly: true,
      }),
    ];
    const second = bench.resting({ side: 'SELL', price: '63000', quantity: '10' });
    const entries = [
      bench.resting({ price: '50000', quantity: '1' }),
      bench.resting({ side: 'SELL', price: '64000', quantity: '10.001' }),
    ];
    mark(bench, '55000.1');
    expect(isReached(bench)).toBe(false);
    mark(bench, '55000');
    expect(isReached(bench)).toBe(true);
    expect(statusOf(bench, [...exits, second])).toEqual(Array(4).fill('stays'));
    expect(statusOf(bench, entries)).toEqual(['cancelled', 'cancelled']);
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '5', reduceOnly: true })).toBe('sent');
    expect(outcome(bench, { side: 'SELL', price: '61000', quantity: '5' })).toBe(REFUSED);
  });

  it('keeps every exit in hedge mode', () => {
    const bench = limited({ futures: true, balances: rich });
    bench.event({ type: 'venue.settings', exchange: bench.exchange, hedge: true });
    hold(bench, '10', 'LONG');
    const exit = bench.resting({ side: 'SELL', positionSide: 'LONG', price: '61000', quantity: '10' });
    const short = bench.resting({ side: 'SELL', positionSide: 'SHORT', price: '61000', quantity: '1' });
    mark(bench, '55000');
    expect(statusOf(bench, [exit, short])).toEqual(['stays', 'cancelled']);
  });
});

it('a wallet that several accounts share is counted once, and each account has its own limit', () => {
  const bench = limited();
  const { memory } = bench.engine;
  const wallet = memory.account(bench.exchange).wallet;
  const { account } = memory.account(bench.exchange);
  memory.addAccount({ ...account, id: 'paper-other', wallet: wallet.name }, bench.caps, [], {});
  const other = memory.account('paper-other');
  expect(other.wallet).toBe(wallet);
  other.unread.clear();
  const change = { dailyLossLimit: '10' };
  bench.ask({ type: 'guards', exchange: 'paper-other', change }, { actor: OPERATOR });
  bench.tick('56500');
  expect(lossMeter(other)).toMatchObject({ base: '70000000', lost: '3500000', reachedAt: null });
  expect(isReached(bench)).toBe(true);
  bench.tick('53000');
  expect(lossMeter(other)?.reachedAt).not.toBeNull();
});

describe('what the figure follows', () => {
  it('a wallet that is disconnected has no limit to show', () => {
    const bench = limited();
    bench.event({ type: 'left', exchange: bench.exchange, why: 'it was disconnected' });
    expect(lossMeter(bench.engine.memory.account(bench.exchange))).toBeNull();
  });

  it('a day that begins while balances and ledger differ is not judged by the figure of the day before', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    expect(outcome(bench)).toBe('sent');
    balance(bench, 'USDT', '9999000');
    bench.event({ type: 'day', day: DAY + 1 });
    expect([outcome(bench), meter(bench).known]).toEqual([REFUSED, false]);
  });

  it('a coin that the ledger does not know of is a difference as well', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    bench.tick('3000', 'ETHUSDT');
    balance(bench, 'ETH', '1');
    for (const [ms, known] of [
      [59_999, true],
      [1, false],
    ] as const) {
      bench.tick('60000');
      bench.pass(ms);
      bench.tick('60000');
      expect(meter(bench).known).toBe(known);
    }
  });

  it('nothing that no market here trades, such as an airdrop', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    ledger(bench, 'GIFT', '5');
    balance(bench, 'GIFT', '5');
    bench.tick('60000');
    bench.pass(60_000);
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ known: true, lost: '0' });
  });

  it('an unexplained gain is no profit', () => {
    const bench = limited({ ledger: true });
    audits(bench);
    balance(bench, 'USDT', '11000000');
    audits(bench);
    bench.tick('60000');
    expect(meter(bench)).toMatchObject({ lost: '0', base: '71000000' });
  });

  it('the price of a coin through which another one is valued, though none of it is held', () => {
    const XRP = { ...BTC, symbol: 'XRPBTC', base: 'XRP', quote: 'BTC' };
    const balances = [{ asset: 'XRP', free: '1000', locked: '0' }];
    const bench = limited({ balances, instruments: [BTC, XRP] });
    bench.tick('0.001', 'XRPBTC');
    expect(meter(bench)).toMatchObject({ base: '60000', lost: '0' });
    bench.tick('57000');
    expect(isReached(bench)).toBe(true);
  });
});
