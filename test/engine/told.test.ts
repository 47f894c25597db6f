/**
 * All output on an order's way, step by step: its own history, the log, messages to subscribers, requests to
 * the exchange. Compared as a whole, so that any missing or additional line is found.
 */
import { describe, expect, it } from 'vitest';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, OPERATOR, SPOT, START } from './support/market.ts';
import { told } from './support/teller.ts';

const LIMIT = { price: '50000', quantity: '1' } as const;

const futures = () => new Bench({ futures: true });

const TERMS = {
  type: 'LIMIT',
  side: 'BUY',
  price: '50000',
  timeInForce: 'GTC',
  positionSide: 'BOTH',
  reduceOnly: false,
  closePosition: false,
  workingType: 'CONTRACT_PRICE',
} as const;

/** An order of somebody else. */
const theirs = (bench: Bench, quantity: string) =>
  ({ id: 'theirs', symbol: 'BTCUSDT', origQty: quantity, side: 'SELL' }) as OrderRecord & typeof bench;

describe('what is told of an order', () => {
  it('that is placed by hand, taken, and executed in two parts', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A created (NEW): BUY LIMIT 1 BTCUSDT at 50000, asked by operator',
      'A sent (NEW): sent to paper-spot',
      'owner hears ORDER_CREATE A NEW 0',
      'log info [A] A: BUY LIMIT 1 BTCUSDT at 50000 on paper-spot, asked by operator',
      'submit A',
    ]);
    bench.accepted(order);
    expect(told(bench)).toEqual([
      'A accepted (NEW): accepted by paper-spot',
      'A accepted (OPENED): on the book of paper-spot',
      'owner hears ORDER_UPDATE A OPENED 0',
      'answer 200',
    ]);
    bench.fill(bench.trade(order, '0.4'));
    expect(told(bench)).toEqual([
      'A fill (OPENED): maker fill 0.4 at 50000, fee 0 BTC',
      'owner hears ORDER_UPDATE A OPENED 0.4',
    ]);
    bench.fill(bench.trade(order, '0.6', { maker: false, comm: '0.0006' }));
    expect(told(bench)).toEqual([
      'A fill (OPENED): taker fill 0.6 at 50000, fee 0.0006 BTC',
      'A closed (CLOSED): filled',
      'owner hears ORDER_UPDATE A CLOSED 1',
    ]);
  });

  it('that its exchange has changed', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.stream(bench.state(order, { origQty: '0.8', terms: { ...TERMS, price: '49000' } }));
    expect(told(bench)).toEqual([
      'A amended (OPENED): paper-spot has 0.8 at 49000 now, it was 1 at 50000',
      'log warn [A] A: paper-spot has 0.8 at 49000 now, it was 1 at 50000',
      'owner hears ORDER_UPDATE A OPENED 0',
    ]);
  });

  it('without a price that its exchange has changed', () => {
    const bench = futures();
    const { order } = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '50000', quantity: '1' });
    bench.accepted(order, { status: 'PENDING' });
    bench.stream(bench.state(order, { status: 'PENDING', origQty: '0.8' }));
    expect(told(bench)).toEqual([
      'A amended (NEW): paper-futures has 0.8 now, it was 1',
      'log warn [A] A: paper-futures has 0.8 now, it was 1',
      'owner hears ORDER_UPDATE A NEW 0',
    ]);
  });

  it('that others have made, told by its state', () => {
    const bench = new Bench();
    const order = theirs(bench, '2');
    bench.stream(bench.state(order, { terms: { ...TERMS, type: 'STOP_LIMIT', stopPrice: '51000' } }));
    expect(told(bench)).toEqual([
      'A created (NEW): made elsewhere on paper-spot: BUY STOP_LIMIT 2 BTCUSDT',
      'A accepted (OPENED): on the book of paper-spot',
      'owner hears ORDER_CREATE A NEW 0',
      'log info [A] paper-spot has an order that was not made here: BUY STOP_LIMIT 2 BTCUSDT, A',
      'owner hears ORDER_UPDATE A OPENED 0',
    ]);
    expect(bench.order('theirs')).toMatchObject({
      type: 'STOP_LIMIT',
      price: '50000',
      stopPrice: '51000',
      origQty: '2',
      workingType: 'CONTRACT_PRICE',
      external: true,
      creator: 'UI',
      creatorId: SPOT,
      orderTime: START,
      createdAt: START,
    });
  });

  it('that others have made, told by its first execution', () => {
    const bench = new Bench();
    const order = theirs(bench, '2');
    bench.fill(bench.trade(order, '0.5', { price: '61000', maker: false }));
    expect(told(bench)).toEqual([
      'A created (NEW): made elsewhere on paper-spot: SELL 0.5 BTCUSDT',
      'A accepted (OPENED): executing at paper-spot',
      'A fill (OPENED): taker fill 0.5 at 61000, fee 0 BTC',
      'owner hears ORDER_CREATE A NEW 0',
      'log warn [A] paper-spot has executed an order that was not made here: SELL 0.5 BTCUSDT at 61000',
      'query A',
      'owner hears ORDER_UPDATE A OPENED 0',
      'owner hears ORDER_UPDATE A OPENED 0.5',
    ]);
  });

  it('that the exchange has made to liquidate', () => {
    const bench = futures();
    const order = theirs(bench, '2');
    bench.fill(bench.trade(order, '0.5', { price: '61000', maker: false, liquidation: true }));
    expect(told(bench)).toEqual([
      'A created (NEW): made by paper-futures itself: SELL 0.5 BTCUSDT',
      'A accepted (OPENED): executing at paper-futures',
      'A fill (OPENED): taker fill 0.5 at 61000, fee 0 BTC',
      'A closed (CLOSED): filled',
      'owner hears ORDER_CREATE A NEW 0',
      'log warn [A] paper-futures traded by itself: SELL 0.5 BTCUSDT at 61000',
      'owner hears ORDER_UPDATE A OPENED 0',
      'owner hears ORDER_UPDATE A CLOSED 0.5',
    ]);
  });

  it('that is open at the exchange, of which nothing but its name is told', () => {
    const bench = new Bench();
    bench.event({ type: 'reconciled', exchange: SPOT, open: [bench.state(theirs(bench, '2'))] });
    expect(told(bench)).toEqual(['log warn [] paper-spot has an open order theirs that is not ours']);
  });

  it('that trails here: armed, and triggered', () => {
    const bench = new Bench();
    bench.place({
      type: 'STOP_MARKET',
      side: 'SELL',
      trailingDelta: 100,
      activationPrice: '61000',
      quantity: '1',
    });
    expect(told(bench)).toEqual([
      'A created (NEW): SELL STOP_MARKET 1 BTCUSDT, trailing 100 basis points, asked by key A6EHv_PO',
      'A held (NEW): held by the engine: paper-spot has no trailing stop',
      'owner hears ORDER_CREATE A NEW 0',
      'answer 200',
    ]);
    bench.tick('61000');
    expect(told(bench)).toEqual(['A armed (NEW): armed at 61000', 'owner hears ORDER_UPDATE A NEW 0']);
    bench.tick('62000');
    expect(told(bench)).toEqual([]);
    bench.tick('61380');
    expect(told(bench)).toEqual([
      'A triggered (NEW): triggered at 61380: 1 % from 62000',
      'A sent (NEW): sent to paper-spot as a market order',
      'submit A',
    ]);
  });

  it('that trails at the exchange: armed there', () => {
    const bench = futures();
    const { order } = bench.place({
      type: 'STOP_MARKET',
      side: 'SELL',
      trailingDelta: 100,
      activationPrice: '61000',
      quantity: '1',
    });
    bench.accepted(order, { status: 'PENDING' });
    expect(told(bench)).toEqual(['A accepted (NEW): accepted by paper-futures', 'answer 200']);
    bench.stream(bench.state(order, { status: 'PENDING', armedAt: START + 5 }));
    expect(told(bench)).toEqual([
      'A armed (NEW): armed: paper-futures follows the price',
      'owner hears ORDER_UPDATE A NEW 0',
    ]);
    expect(order.trailing).toMatchObject({ armedAt: START + 5 });
  });

  it('that is split by hand', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.split(order.id, ['49000', '48000'], { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A split (OPENED): split into 2 at 49000, 48000, asked by operator',
      'A cancel-wanted (OPENED): cancelled for the split',
      'A cancel-sent (OPENED): cancel sent to paper-spot',
      'log info [A] A: split into 2, asked by operator',
      'cancel A',
    ]);
    bench.cancelDone(order, '0');
    expect(told(bench)).toEqual([
      'A cancelled (CANCELLED): cancelled (asked by operator)',
      'B created (NEW): part of A: BUY LIMIT 0.5 BTCUSDT at 49000',
      'B sent (NEW): sent to paper-spot',
      'C created (NEW): part of A: BUY LIMIT 0.5 BTCUSDT at 48000',
      'C sent (NEW): sent to paper-spot',
      'owner hears ORDER_UPDATE A CANCELLED 0',
      'owner hears ORDER_CREATE B NEW 0',
      'submit B',
      'owner hears ORDER_CREATE C NEW 0',
      'submit C',
    ]);
  });

  it('whose split a cancel ends', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.split(order.id, ['49000', '48000']);
    bench.cancel(order.id, { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A cancel-wanted (OPENED): cancelled by operator; no part of the split is placed',
      'log info [A] A: cancel, asked by operator',
      'answer 409',
      'owner hears ORDER_UPDATE A OPENED 0, to be cancelled',
    ]);
  });

  it('that waits for its margin type', () => {
    const bench = futures();
    const { order } = bench.place({ ...LIMIT, marginType: 'ISOLATED' }, { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A created (NEW): BUY LIMIT 1 BTCUSDT at 50000, asked by operator',
      'A held (NEW): not sent yet: first margin type of BTCUSDT to ISOLATED',
      'owner hears ORDER_CREATE A NEW 0',
      'log info [A] A: BUY LIMIT 1 BTCUSDT at 50000 on paper-futures, asked by operator',
      'setting marginType',
    ]);
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
    expect(told(bench)).toEqual([
      'A sent (NEW): margin type of BTCUSDT to ISOLATED; sent to paper-futures',
      'owner hears of positions of paper-futures',
      'submit A',
    ]);
  });

  it.each([
    [
      'refuses it',
      { kind: 'rejected', code: '-4047', message: 'There are orders.' } as const,
      'There are orders.',
    ],
    ['does not answer', { kind: 'unknown', cause: 'timeout' } as const, 'the answer got lost (timeout)'],
  ])('that waits for its margin type, and the exchange %s', (_name, outcome, why) => {
    const bench = futures();
    const { order } = bench.place({ ...LIMIT, marginType: 'ISOLATED' }, { actor: OPERATOR });
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome });
    const text = `not sent: margin type of BTCUSDT to ISOLATED failed: ${why}`;
    expect(told(bench)).toEqual([
      `A rejected (ERROR): ${text}`,
      `log warn [A] A: ${text}`,
      'owner hears ORDER_UPDATE A ERROR 0',
      'answer 400',
    ]);
  });

  it('that waits for its margin type when it is cancelled', () => {
    const bench = futures();
    const { order } = bench.place({ ...LIMIT, marginType: 'ISOLATED' });
    bench.cancel(order.id);
    expect(told(bench)).toEqual([
      'A cancelled (CANCELLED): cancelled by key A6EHv_PO',
      'owner hears ORDER_UPDATE A CANCELLED 0',
      'answer 200',
      'answer 200',
    ]);
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
    expect(told(bench)).toEqual(['owner hears of positions of paper-futures']);
  });
});

const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '0.4',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: '0',
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};

const HEARD = ['owner hears of positions of paper-futures'];

describe('what is told of an account', () => {
  it('whose balances, positions or settings its exchange reports', () => {
    const bench = futures();
    const report = { exchange: FUTURES } as const;
    const usdt = { asset: 'USDT', free: '5', locked: '0' };
    bench.event({ ...report, type: 'venue.balances', changed: [usdt] });
    expect(told(bench)).toEqual(['owner hears of balances of paper-futures: USDT']);
    bench.event({ ...report, type: 'venue.positions', changed: [LONG] });
    expect(told(bench)).toEqual(['owner hears of positions of paper-futures']);
    bench.event({ ...report, type: 'venue.settings', hedge: false });
    expect(told(bench)).toEqual(['owner hears of positions of paper-futures']);
  });

  it.each([
    ['leverage of BTCUSDT to 5x', { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 }, HEARD],
    [
      'margin type of BTCUSDT to ISOLATED',
      { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' },
      HEARD,
    ],
    ['hedge mode on', { kind: 'hedgeMode', on: true }, HEARD],
    ['margin mode to 2', { kind: 'marginMode', mode: 2 }, []],
  ] as const)('of which somebody sets the %s', (words, setting, heard) => {
    const bench = futures();
    bench.ask({ type: 'setting', exchange: FUTURES, setting }, { actor: OPERATOR });
    const [sent] = bench.kinds('setting');
    bench.event({
      type: 'setting-done',
      id: sent?.kind === 'setting' ? sent.id : '',
      outcome: { kind: 'done' },
    });
    const text = `log info [] paper-futures: ${words}, asked by operator`;
    expect(told(bench)).toEqual([...heard, text, 'answer 200']);
  });
});
