/**
 * All output about an order during faults: lost answers, refusals, orders that an exchange forgets or reports
 * too late, restarts in the middle. As in told.test.ts, compared as a whole.
 */
import { describe, expect, it } from 'vitest';
import { Bench } from './support/bench.ts';
import { OPERATOR, SPOT, START } from './support/market.ts';
import { told } from './support/teller.ts';

const LIMIT = { price: '50000', quantity: '1' } as const;
const BUSY = { kind: 'rejected', reason: 'OVERLOADED', code: '-1008', message: 'Busy.' } as const;
const LOST = { kind: 'unknown', cause: 'HTTP 502' } as const;

const futures = () => new Bench({ futures: true });

describe('what is told of an order in trouble', () => {
  it('whose outcome gets lost, and that is found', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    expect(told(bench)).toEqual([
      'A unknown (NEW): the outcome is unknown: HTTP 502; asking paper-spot',
      'log warn [A] A is unresolved: HTTP 502',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'answer 200',
    ]);
    bench.passToWake();
    bench.wake();
    expect(told(bench)).toEqual([
      'A asked (NEW): asked paper-spot (1)',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'query A',
    ]);
    bench.passToWake();
    bench.wake();
    expect(told(bench)).toEqual([
      'A asked (NEW): asked paper-spot (2)',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'query A',
    ]);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(told(bench)).toEqual([
      'A accepted (NEW): found at paper-spot',
      'A accepted (OPENED): on the book of paper-spot',
      'log info [A] A is no longer unresolved: found at paper-spot',
      'owner hears ORDER_UPDATE A NEW 0',
      'owner hears ORDER_UPDATE A OPENED 0',
    ]);
  });

  it('whose outcome gets lost, and that never arrived', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT, { key: 'k' });
    bench.lost(order);
    bench.pass(6_000);
    bench.queried(order, { kind: 'absent' });
    expect(told(bench)).toEqual([
      'A rejected (ERROR): the order never reached paper-spot (HTTP 502); asked 0 times until no late arrival was possible',
      'log warn [A] A: the order never reached paper-spot (HTTP 502); asked 0 times until no late arrival was possible',
      'owner hears ORDER_UPDATE A ERROR 0',
    ]);
  });

  it('whose cancel gets lost, did not arrive, and is sent again', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id, { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A cancel-wanted (OPENED): cancelled by operator',
      'A cancel-sent (OPENED): cancel sent to paper-spot',
      'log info [A] A: cancel, asked by operator',
      'cancel A',
    ]);
    bench.cancelled(order, LOST);
    expect(told(bench)).toEqual([
      'A unknown (OPENED): the outcome of the cancel is unknown: HTTP 502; asking paper-spot',
      'owner hears ORDER_UPDATE A OPENED 0, to be cancelled',
      'answer 200',
    ]);
    bench.wake();
    expect(told(bench)).toEqual(['query A']);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(told(bench)).toEqual(['A cancel-sent (OPENED): cancel sent to paper-spot', 'cancel A']);
    bench.cancelDone(order);
    expect(told(bench)).toEqual([
      'A cancelled (CANCELLED): cancelled (asked by operator)',
      'owner hears ORDER_UPDATE A CANCELLED 0',
    ]);
  });

  it('whose cancel the exchange refuses', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.cancelled(order, BUSY);
    expect(told(bench)).toEqual([
      'A cancel-refused (OPENED): paper-spot refused the cancel: Busy. (-1008)',
      'owner hears ORDER_UPDATE A OPENED 0',
      'answer 400',
    ]);
  });

  it('whose cancel is kept although the exchange refuses it', () => {
    const bench = new Bench();
    const order = bench.resting({ timeInForce: 'GTD', goodTillDate: START + 1_000 });
    bench.pass(1_000);
    bench.tick('60000');
    expect(told(bench)).toEqual([
      'A cancel-wanted (OPENED): good till 1767571201000: expired',
      'A cancel-sent (OPENED): cancel sent to paper-spot',
      'cancel A',
    ]);
    bench.cancelled(order, BUSY);
    expect(told(bench)).toEqual([
      'A cancel-refused (OPENED): paper-spot refused the cancel: Busy. (-1008)',
      'owner hears ORDER_UPDATE A OPENED 0, to be cancelled',
      'log warn [A] A: paper-spot refused the cancel: Busy. (-1008); asked again until it is done',
    ]);
    bench.pass(1_000);
    bench.wake();
    expect(told(bench)).toEqual(['A cancel-sent (OPENED): cancel sent to paper-spot', 'cancel A']);
    bench.cancelled(order, BUSY);
    expect(told(bench)).toEqual([
      'A cancel-refused (OPENED): paper-spot refused the cancel: Busy. (-1008)',
      'owner hears ORDER_UPDATE A OPENED 0, to be cancelled',
    ]);
    bench.cancel(order.id, { actor: OPERATOR });
    expect(told(bench)).toEqual(['A cancel-sent (OPENED): cancel sent to paper-spot', 'cancel A']);
  });

  it('that is held, met while the line is down, fires, is refused and is tried again', () => {
    const bench = new Bench();
    const stop = { type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' } as const;
    const { order } = bench.place(stop, { actor: OPERATOR });
    expect(told(bench)).toEqual([
      'A created (NEW): SELL STOP_MARKET 1 BTCUSDT, stop 55000, asked by operator',
      'A held (NEW): held by the engine: paper-spot has no STOP_MARKET',
      'owner hears ORDER_CREATE A NEW 0',
      'log info [A] A: SELL STOP_MARKET 1 BTCUSDT, stop 55000 on paper-spot, asked by operator',
      'answer 200',
    ]);
    bench.event({ type: 'link', exchange: SPOT, up: false, gap: true });
    bench.tick('54000');
    expect(told(bench)).toEqual([
      'A held (NEW): met at 54000 while the connection to paper-spot is down: fires when it is up and still holds',
      'log warn [A] A: met at 54000 while the connection to paper-spot is down: fires when it is up and still holds',
    ]);
    bench.event({ type: 'link', exchange: SPOT, up: true, gap: true });
    expect(told(bench)).toEqual([
      'A triggered (NEW): triggered at 54000: at or beyond 55000',
      'A sent (NEW): sent to paper-spot as a market order',
      'submit A',
    ]);
    bench.submitted(order, BUSY);
    expect(told(bench)).toEqual([
      'A rejected (ERROR): paper-spot refused: Busy. (-1008)',
      'B created (NEW): in place of A, which is not at paper-spot: paper-spot refused: Busy. (-1008)',
      'B held (NEW): held by the engine: tried again in 1 s while its condition holds',
      'log warn [A] A: paper-spot refused: Busy. (-1008)',
      'owner hears ORDER_UPDATE A ERROR 0',
      'owner hears ORDER_CREATE B NEW 0',
      'log warn [B] B takes the place of A: SELL STOP_MARKET 1 BTCUSDT is tried again',
    ]);
    bench.pass(1_000);
    bench.wake();
    expect(told(bench)).toEqual([
      'B triggered (NEW): triggered at 54000: at or beyond 55000',
      'B sent (NEW): sent to paper-spot as a market order',
      'submit B',
    ]);
  });

  it('that its exchange does not know any more', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.fill(bench.trade(order, '0.4'));
    bench.event({ type: 'reconciled', exchange: SPOT, open: [] });
    expect(told(bench)).toEqual(['query A']);
    bench.queried(order, { kind: 'absent' });
    expect(told(bench)).toEqual([
      'log warn [A] paper-spot does not know A, which is OPENED here; asked again until that is certain',
    ]);
    bench.pass(30_000);
    bench.wake();
    expect(told(bench)).toEqual(['query A']);
    bench.queried(order, { kind: 'absent' });
    expect(told(bench)).toEqual([]);
    bench.pass(30_000);
    bench.queried(order, { kind: 'absent' });
    expect(told(bench)).toEqual([
      'A cancelled (CANCELLED): no longer known to paper-spot; 0.4 executed as far as known',
      'log error [A] A: no longer known to paper-spot; 0.4 executed as far as known',
      'owner hears ORDER_UPDATE A CANCELLED 0.4',
    ]);
  });

  it('whose execution is inferred, and told late', () => {
    const bench = new Bench();
    const order = bench.resting();
    const state = bench.state(order, { status: 'FILLED', cumQty: '1' });
    bench.stream(state);
    expect(told(bench)).toEqual([]);
    for (let n = 0; n < 4; n++) {
      bench.pass(15_000);
      bench.queried(order, { kind: 'found', state, fills: [] });
    }
    bench.pass(15_000);
    bench.queried(order, { kind: 'found', state, fills: [] });
    expect(told(bench)).toEqual([
      'A fill (OPENED): 1 at 50000 inferred: the exchange counts it and does not tell of it, its fee is not known',
      'A closed (CLOSED): filled',
      'owner hears ORDER_UPDATE A CLOSED 1',
    ]);
    bench.fill(bench.trade(order, '1', { price: '49999' }));
    expect(told(bench)).toEqual([
      'log warn [A] A: paper-spot tells late of 1 at 49999: it was inferred before',
    ]);
  });

  it('that proves to be alive after its end: cancelled, refused for a while, asked about, gone', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.cancelDone(order);
    bench.stream(bench.state(order));
    expect(told(bench)).toEqual([
      'A contradiction (CANCELLED): not ended at paper-spot: paper-spot says WORKING, 0 executed',
      'A cancel-sent (CANCELLED): cancel sent to paper-spot',
      'log error [A] CONTRADICTION: A (BUY LIMIT 1 BTCUSDT) is CANCELLED here, but paper-spot says WORKING, 0 executed; it is being cancelled',
      'cancel A',
      'owner hears ORDER_UPDATE A CANCELLED 0, to be cancelled, unresolved, alive after its end',
    ]);
    bench.cancelled(order, BUSY);
    expect(told(bench)).toEqual([
      'A cancel-refused (CANCELLED): paper-spot refused the cancel: Busy. (-1008)',
      'log error [A] A is still open: paper-spot refused the cancel: Busy. (-1008)',
      'owner hears ORDER_UPDATE A CANCELLED 0, to be cancelled, unresolved, alive after its end',
    ]);
    bench.wake();
    bench.passToWake();
    bench.wake();
    expect(told(bench)).toEqual(['query A']);
    bench.queried(order, { kind: 'found', state: bench.state(order), fills: [] });
    expect(told(bench)).toEqual(['A cancel-sent (CANCELLED): cancel sent to paper-spot', 'cancel A']);
    bench.cancelled(order, LOST);
    expect(told(bench)).toEqual([
      'A unknown (CANCELLED): the outcome of the cancel is unknown: HTTP 502; asking paper-spot',
      'owner hears ORDER_UPDATE A CANCELLED 0, to be cancelled, unresolved, alive after its end',
    ]);
    bench.pass(6_000);
    bench.queried(order, { kind: 'absent' });
    expect(told(bench)).toEqual([
      'A contradiction (CANCELLED): paper-spot does not know it any more',
      'log info [A] A: paper-spot does not know it any more',
      'owner hears ORDER_UPDATE A CANCELLED 0, alive after its end',
    ]);
  });

  it('by a start that finds it on its way', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.pass(1_000);
    bench.restart();
    expect(told(bench)).toEqual([
      'A unknown (NEW): the outcome is unknown: the desk stopped before the answer came; asking paper-spot',
      'A asked (NEW): asked paper-spot (1)',
      'log warn [A] A is unresolved: the desk stopped before the answer came',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'query A',
    ]);
    expect(bench.order(order.id).submission).toMatchObject({ sentAt: START + 1_000 });
  });

  it('by a start that finds its cancel on its way', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.restart();
    expect(told(bench)).toEqual([
      'A unknown (OPENED): the outcome of the cancel is unknown: the desk stopped before the answer came; asking paper-spot',
      'owner hears ORDER_UPDATE A OPENED 0, to be cancelled',
      'query A',
    ]);
  });

  it('by a start that finds it waiting for its margin type', () => {
    const bench = futures();
    bench.place({ ...LIMIT, marginType: 'ISOLATED' });
    bench.restart();
    expect(told(bench)).toEqual([
      'A rejected (ERROR): not sent: the desk stopped before what had to be set first was known to be set',
      'log warn [A] A: not sent: the desk stopped before what had to be set first was known to be set',
      'owner hears ORDER_UPDATE A ERROR 0',
    ]);
  });

  it('by a start that finds it proved alive', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.cancelDone(order);
    bench.stream(bench.state(order));
    bench.restart();
    expect(told(bench)).toEqual(['query A']);
    expect(bench.order(order.id).contradiction).toMatchObject({ cancel: 'unknown' });
  });
});

describe('what is asked of an order whose outcome got lost', () => {
  const lost = () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.lost(order);
    return { bench, order };
  };

  it('goes on after a start', () => {
    const { bench } = lost();
    bench.pass(3_000);
    bench.restart();
    expect(told(bench)).toEqual([
      'A asked (NEW): asked paper-spot (1)',
      'owner hears ORDER_UPDATE A NEW 0, unresolved',
      'query A',
    ]);
    bench.pass(249);
    bench.wake();
    expect(bench.kinds('query')).toEqual([]);
    bench.pass(1);
    bench.wake();
    expect(bench.kinds('query')).toHaveLength(1);
  });

  it('is not asked by a comparison as well', () => {
    const { bench } = lost();
    bench.event({ type: 'reconciled', exchange: SPOT, open: [] });
    expect(told(bench)).toEqual([]);
  });

  it('is shown with the moments of the next question and of the last', () => {
    const { bench, order } = lost();
    const shown = () => order.submission?.unresolved;
    const settlesAt = START + 6_000;
    expect(shown()).toEqual({ since: START, cause: 'HTTP 502', asked: 0, nextAskAt: START, settlesAt });
    bench.wake();
    expect(shown()).toMatchObject({ asked: 1, nextAskAt: START + 250, settlesAt });
    // Somebody sets the wall clock: the times shown next are by the new one.
    bench.setWall(START + 100_000);
    bench.pass(250);
    bench.wake();
    expect(shown()).toMatchObject({
      asked: 2,
      nextAskAt: START + 100_750,
      settlesAt: START + 106_000,
    });
    // The query that settles it comes exactly when "not found" begins to count.
    for (let n = 0; n < 3; n++) {
      bench.passToWake();
      bench.wake();
    }
    expect(shown()).toMatchObject({ asked: 5, nextAskAt: START + 106_000 });
    bench.passToWake();
    bench.wake();
    expect(shown()).toMatchObject({ asked: 6, nextAskAt: START + 116_000 });
  });
});

describe('what an exchange counts and does not tell', () => {
  it('is the most that any state of it counts, until it is here', () => {
    const bench = new Bench();
    const order = bench.resting();
    for (const cumQty of ['0.3', '0.5', '0.4']) bench.stream(bench.state(order, { cumQty }));
    bench.fill(bench.trade(order, '0.3'));
    expect(bench.engine.memory.owedFills.get(order.id)?.state.cumQty).toBe('0.5');
    bench.fill(bench.trade(order, '0.2'));
    expect(bench.engine.memory.owedFills.size).toBe(0);
  });

  it('is what its end says, once it has ended, whatever was counted before', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.stream(bench.state(order, { cumQty: '0.5' }));
    bench.stream(bench.state(order, { status: 'CANCELLED', cumQty: '0.4' }));
    bench.stream(bench.state(order, { cumQty: '0.9' }));
    bench.fill(bench.trade(order, '0.4'));
    expect(order).toMatchObject({ status: 'CANCELLED', executedQty: '0.4' });
  });
});
