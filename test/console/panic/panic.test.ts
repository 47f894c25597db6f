/** Panic: stop all bots, cancel all orders, close all positions, after one typed word and never before. */
import { describe, expect, it } from 'vitest';
import { deskState as shownState } from '../../../src/console/app/session.ts';
import {
  botOutcomes,
  confirmPanic,
  orderOutcomes,
  panicTargets,
  positionOutcome,
  restartOutcome,
} from '../../../src/console/panic/panic.ts';
import { closesAgain } from '../../../src/console/panic/panic-request.ts';
import { remotePanic } from '../../../src/console/panic/remote-panic.ts';
import { openPositions, type PositionRow } from '../../../src/console/trading/positions.ts';
import type { BotView, DeskState, Method } from '../../../src/desk/console/protocol.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const WORD = [...'panic'];

/** A desk that obeys: stopped bots, cancelled orders and closed positions are gone. */
function panicDesk(change: Partial<DeskState> = {}, failing: ReadonlySet<string> = new Set()): FakeDesk {
  const state = deskState({ bots: someBots(), futures: somePositions(), ...change });
  const desk: FakeDesk = new FakeDesk(state, {
    'bots.batch': (request) => {
      if (request.op !== 'stop') throw new Error('only stops are expected');
      const results = request.runs.map(([id]) => ({ id, success: !failing.has(id) }));
      const bots: Record<string, BotView> = {};
      for (const { id, success } of results) {
        const found = desk.state.bots[id];
        if (success && found) bots[id] = { ...found, status: 'STOPPED', runId: undefined };
      }
      desk.push({ bots });
      return ok(
        results.map((result) =>
          result.success ? result : { ...result, error: { code: 'CONFLICT', message: 'it waits' } },
        ),
      );
    },
    'orders.cancelAll': ({ ids = [] }) => {
      const ended: Record<string, OrderView> = {};
      const results = ids.map((id) => {
        if (failing.has(id)) return { id, outcome: refuse('CONFLICT', 'the exchange is down') };
        const done: OrderView = {
          ...(desk.state.orders[id] as OrderView),
          status: 'CANCELLED',
          unresolved: undefined,
        };
        ended[id] = done;
        return { id, outcome: ok(done) };
      });
      desk.push({ orders: ended });
      return results;
    },
    'orders.place': (request) => {
      if (failing.has(request.symbol)) return refuse('CONFLICT', 'no margin for it');
      const account = desk.state.futures['paper-futures'];
      if (account) {
        const positions = account.positions.filter(({ symbol }) => symbol !== request.symbol);
        desk.push({ futures: { 'paper-futures': { ...account, positions } } });
      }
      return ok(
        order('oc-close', { symbol: request.symbol, type: 'MARKET', status: 'CLOSED', fillPrice: '61234.1' }),
      );
    },
  });
  return desk;
}

const did = (desk: FakeDesk): Method[] => desk.acting;
const idle = (screen: Rig) => () => screen.session.ui.getState().panic?.running === false;

describe('what it does', () => {
  it('stops bots by force, then cancels orders, then closes positions, and tells of each', async () => {
    const desk = panicDesk();
    const screen = await open(desk, { rows: 40, columns: 120 });
    await screen.press('P');
    expect(screen.screenText()).toContain('[x] stop all bots');
    expect(did(desk)).toEqual([]);
    await screen.press(ENTER, ...WORD);
    expect(did(desk)).toEqual([]);
    await screen.press('y');
    await screen.until(idle(screen));
    expect(did(desk)).toEqual([
      'bots.batch',
      'orders.cancelAll',
      'orders.place',
      'orders.place',
      'orders.place',
    ]);
    const { params } = desk.calls.find(({ method }) => method === 'bots.batch') ?? {};
    expect(params).toMatchObject({ op: 'stop', way: { cleanup: 'cancelAllOrders', force: true } });
    expect(desk.calls.filter(({ method }) => method === 'orders.place').map((call) => call.params)).toEqual([
      { exchange: 'paper-futures', symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', closePosition: true },
      { exchange: 'paper-futures', symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', closePosition: true },
      { exchange: 'paper-futures', symbol: 'SOLUSDT', side: 'SELL', type: 'MARKET', closePosition: true },
    ]);
    await screen.shows('10 of 10 done');
    const text = screen.screenText();
    expect(text).toMatch(/bots {7}█+ {2}3 of 3 done · none left/);
    expect(text).toMatch(/orders {5}█+ {2}4 of 4 done · none left/);
    expect(text).toMatch(/✓.*close SHORT 4 ETHUSDT +│? *closed at 61,234\.1/);
  });

  it('does the chosen parts only', async () => {
    const desk = panicDesk();
    const screen = await open(desk);
    // From the review up to the positions and the bots: both off.
    await screen.press('P', '\x1b[A', ' ', '\x1b[A', '\x1b[A', ' ', '\x12');
    expect(screen.screenText()).toContain('left alone');
    await screen.press(...WORD, 'y');
    await screen.until(idle(screen));
    expect(did(desk)).toEqual(['orders.cancelAll']);
  });

  it('leaves the orders of bots where orders are to stay', async () => {
    const desk = panicDesk();
    const screen = await open(desk);
    await screen.press('P', '\x1b[A', ' ', '\x1b[A', ' ', '\x12', ...WORD, 'y');
    await screen.until(idle(screen));
    expect(desk.calls.find(({ method }) => method === 'bots.batch')?.params).toMatchObject({
      way: { cleanup: 'leaveAllOrders' },
    });
    expect(did(desk)).toEqual(['bots.batch']);
  });

  it('also does what has come to be there while it was at work', async () => {
    const desk = panicDesk({ bots: {}, futures: {} });
    let late = false;
    const cancelAll = desk.answers['orders.cancelAll'];
    desk.answers['orders.cancelAll'] = (params) => {
      const results = cancelAll?.(params) ?? [];
      if (!late) desk.push({ orders: { 'oc-late': order('oc-late') } });
      late = true;
      return results;
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(desk.state.orders['oc-late']?.status).toBe('CANCELLED');
    await screen.shows('5 of 5 done');
  });

  it('looks again although there was nothing at the first look', async () => {
    const desk = panicDesk({ bots: {}, futures: {}, orders: { first: order('first') } });
    const screen = await open(desk);
    desk.answers['desk.panic'] = ({ phase }) => {
      if (phase === 'start') {
        desk.push({ orders: { first: null } });
        const gone = () => Object.keys(shownState(screen.session)?.orders ?? {}).length === 0;
        return screen.until(gone).then(() => {
          setTimeout(() => desk.push({ orders: { late: order('late') } }), 80);
          return ok(null);
        }) as never;
      }
      return ok(null);
    };
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(desk.state.orders.late?.status).toBe('CANCELLED');
  });

  it('goes through all parts at each look, though bots come up again and again', async () => {
    const desk = panicDesk();
    const batch = desk.answers['bots.batch'];
    let looks = 0;
    desk.answers['bots.batch'] = (params) => {
      const results = batch?.(params);
      const [first] = Object.values(someBots());
      const id = `bagain${looks++}0000`;
      desk.push({ bots: { [id]: { ...(first as BotView), id } } });
      return results ?? ok([]);
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(did(desk).slice(0, 3)).toEqual(['bots.batch', 'orders.cancelAll', 'orders.place']);
    expect(did(desk).filter((method) => method === 'bots.batch')).toHaveLength(4);
  });

  it('does not cancel a close of its own that is still under way at the next look', async () => {
    const desk = panicDesk({ bots: {}, orders: {} });
    const place = desk.answers['orders.place'];
    desk.answers['orders.place'] = (params) => {
      const answer = place?.(params) ?? refuse('CONFLICT', 'no answer');
      desk.push({ orders: { 'oc-close': order('oc-close', { type: 'MARKET', status: 'OPENED' }) } });
      return answer;
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(did(desk)).not.toContain('orders.cancelAll');
    expect(desk.state.orders['oc-close']?.status).toBe('OPENED');
  });

  it('keeps bots from starting again by themselves', async () => {
    const [first] = Object.values(someBots());
    const due = {
      ...(first as BotView),
      status: 'STOPPED',
      runId: undefined,
      restartAt: NOON + 60_000,
    } as const;
    const desk = panicDesk({ bots: { [due.id]: due }, orders: {}, futures: {} });
    desk.answers['bots.patch'] = ({ id }) => {
      const bot: BotView = { ...due, restartAt: null };
      desk.push({ bots: { [id]: bot } });
      return ok({ bot, old: due });
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(desk.calls.filter(({ method }) => did(desk).includes(method)).map((call) => call.params)).toEqual([
      { id: due.id, change: { restart: false } },
    ]);
    await screen.shows('1 of 1 done');
    expect(screen.screenText()).toContain('does not start again');
  });

  it('stands in the desk’s log: before anything is done, and what came of it', async () => {
    const desk = panicDesk({}, new Set(['ETHUSDT']));
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(() => desk.calls.filter(({ method }) => method === 'desk.panic').length === 2);
    const told = desk.calls.filter(({ method }) => did(desk).includes(method) || method === 'desk.panic');
    expect(told[0]).toEqual({
      method: 'desk.panic',
      params: { phase: 'start', parts: ['bots', 'orders', 'positions'], again: false },
    });
    expect(told.at(-1)).toEqual({
      method: 'desk.panic',
      params: { phase: 'end', all: 10, done: 9, failed: 1 },
    });
  });

  it('is done though its line in the log cannot be stored', async () => {
    const desk = panicDesk();
    desk.answers['desk.panic'] = () => refuse('SERVICE_UNAVAILABLE', 'not stored');
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.shows('10 of 10 done');
  });

  it('is there on every screen by its name', async () => {
    const desk = panicDesk();
    const screen = await open(desk);
    await screen.press('9', ':', 'p', 'a', 'n', 'i', 'c', ENTER);
    await screen.shows('[x] cancel all orders');
    expect(did(desk)).toEqual([]);
  });
});

describe('without its word', () => {
  it.each([
    ['Enter alone', [ENTER, ENTER, ENTER, ENTER]],
    ['y without the word', [ENTER, 'y', 'y']],
    ['a part of the word', [ENTER, ...'pani', 'y']],
    ['the word and y in one event', [ENTER, 'panicy']],
    ['another word', [ENTER, ...'Panic', 'y']],
    ['the word and Enter', [ENTER, ...WORD, ENTER]],
    ['the word and esc', [ENTER, ...WORD, ESC, 'y']],
  ])('%s does nothing', async (_name, keys) => {
    const desk = panicDesk();
    const screen = await open(desk);
    await screen.press('P', ...keys);
    expect(did(desk)).toEqual([]);
    expect(screen.session.ui.getState().panic).toBeNull();
  });

  it('says when there is nothing to do, and when nothing is chosen', async () => {
    const screen = await open(panicDesk({ bots: {}, orders: {}, futures: {} }));
    await screen.press('P', ENTER);
    expect(screen.screenText()).toContain('there is nothing to stop, to cancel or to close');
    await screen.press('\x1b[A', ' ', '\x1b[A', ' ', '\x1b[A', ' ', '\x12');
    expect(screen.screenText()).toContain('nothing is chosen');
  });
});

describe('what fails', () => {
  it('stays shown, first in the list, and is tried again after the word alone', async () => {
    const failing = new Set(['oc-7f3k2m9q1a2c', 'b8a2c4e6g80', 'ETHUSDT']);
    const desk = panicDesk({}, failing);
    const screen = await open(desk, { rows: 40, columns: 120 });
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    await screen.shows('7 of 10 done, 3 failed');
    expect(screen.screenText()).toContain('the exchange is down');
    expect(screen.screenText()).toContain('it waits');
    expect(screen.screenText()).toContain('no margin for it');
    await screen.press(ESC);
    expect(screen.screenText()).not.toContain('no margin for it');
    await screen.press('P');
    await screen.shows('no margin for it');
    expect(screen.screenText()).toMatch(/✗.*close SHORT 4 ETHUSDT/);
    const before = did(desk).length;
    await screen.press('r', 'y', ENTER);
    expect(did(desk)).toHaveLength(before);
    failing.clear();
    await screen.press('\x15', ...WORD, 'y');
    await screen.shows('10 of 10 done');
    await screen.until(idle(screen));
    expect(did(desk).slice(before)).toEqual(['bots.batch', 'orders.cancelAll', 'orders.place']);
    const [again] = desk.calls.filter(({ method }) => method === 'orders.cancelAll').slice(-1);
    expect(again?.params).toEqual({ ids: ['oc-7f3k2m9q1a2c'] });
  });

  it('a close that the exchange gives back before it is whole is a failure', async () => {
    const desk = panicDesk({ bots: {}, orders: {} });
    desk.answers['orders.place'] = ({ symbol }) =>
      ok(
        order('oc-close', { symbol, type: 'MARKET', status: 'CANCELLED', origQty: '4', executedQty: '1.5' }),
      );
    const screen = await open(desk, { rows: 40, columns: 120 });
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    await screen.shows('0 of 3 done, 3 failed');
    expect(screen.screenText()).toContain('cancelled after 1.5 of 4');
  });

  it('a lost answer is a failure of all it was about', async () => {
    const desk = panicDesk({ bots: {}, futures: {} });
    desk.answers['orders.cancelAll'] = () => Promise.reject(new Error('the line was cut'));
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    await screen.shows('0 of 4 done, 4 failed');
    expect(screen.screenText()).toContain('no answer');
  });

  it.each(['CANCELLED', 'ERROR'] as const)('is a close that has ended as %s', (status) => {
    const item = { part: 'positions', id: 'one', name: 'one', state: 'working', text: '' } as const;
    const ended = { unresolved: false, status, fillPrice: null, executedQty: '0.5', origQty: '2' };
    const came = positionOutcome(item, { ok: true, data: ended as never });
    expect([...came.values()]).toEqual([{ state: 'failed', text: `${status.toLowerCase()} after 0.5 of 2` }]);
  });

  it('is each request of which no answer came or that was refused, a restart to be taken back too', () => {
    const item = { id: 'one', name: 'one', state: 'working', text: '' } as const;
    const refused = refuse('CONFLICT', 'it waits');
    const came = [
      botOutcomes([{ ...item, part: 'bots' }], null),
      restartOutcome({ ...item, part: 'bots' }, null),
      orderOutcomes([{ ...item, part: 'orders' }], null),
      positionOutcome({ ...item, part: 'positions' }, null),
      botOutcomes([{ ...item, part: 'bots' }], refused),
      restartOutcome({ ...item, part: 'bots' }, refused),
      orderOutcomes([{ ...item, part: 'orders' }], [{ id: 'one', outcome: refused }]),
      positionOutcome({ ...item, part: 'positions' }, refused),
    ].map((outcomes) => [...outcomes.values()]);
    const lost = [{ state: 'failed', text: 'no answer' }];
    const words = [{ state: 'failed', text: 'it waits' }];
    const close = (came: object[], refused: boolean) => came.map((one) => ({ ...one, refused }));
    expect(came).toEqual([lost, lost, lost, close(lost, false), words, words, words, close(words, true)]);
  });

  it('does not try again what is gone meanwhile', async () => {
    const failing = new Set(['ETHUSDT']);
    const desk = panicDesk({ bots: {}, orders: {} }, failing);
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    desk.push({ futures: { 'paper-futures': { hedgeMode: false, leverage: {}, positions: [] } } });
    await screen.shows('none left');
    const before = did(desk).length;
    await screen.press('r', ...WORD, 'y');
    await screen.shows('3 of 3 done');
    await screen.until(idle(screen));
    expect(did(desk)).toHaveLength(before);
    expect(screen.screenText()).toContain('is not there any more');
  });

  it('counts an unknown outcome as not done', async () => {
    const desk = panicDesk({ bots: {}, orders: {} });
    const unresolved = { since: NOON, cause: 'timeout', asked: 1, nextAskAt: NOON, settlesAt: NOON };
    desk.answers['orders.place'] = ({ symbol }) => ok(order('oc-x', { symbol, status: 'NEW', unresolved }));
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    await screen.shows('0 of 3 done, 3 failed');
    expect(screen.screenText()).toContain('outcome unknown');
  });
});

describe('with a thousand orders', () => {
  /** A thousand orders, spread over this number of symbols. */
  const thousand = (symbols = 20) =>
    Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [
        `oc-${at}`,
        order(`oc-${at}`, { symbol: `S${at % symbols}USDT`, price: `${60_000 - at}.00` }),
      ]),
    );

  it('asks for those of one symbol together, so that the exchange can be asked once for all of them', async () => {
    const desk = panicDesk({ bots: {}, futures: {}, orders: thousand(3) });
    const asked: Set<string>[] = [];
    const cancelAll = desk.answers['orders.cancelAll'];
    desk.answers['orders.cancelAll'] = (params) => {
      asked.push(new Set(params.ids?.map((id) => desk.state.orders[id]?.symbol ?? '')));
      return cancelAll?.(params) ?? [];
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    expect(asked.map((symbols) => [...symbols])).toEqual([['S0USDT'], ['S1USDT'], ['S2USDT']]);
  });

  it('hears keys while it goes on: the dialog closes, screens change, the progress comes back', async () => {
    const desk = panicDesk({ bots: {}, futures: {}, orders: thousand() });
    const gates: (() => void)[] = [];
    const cancelAll = desk.answers['orders.cancelAll'];
    desk.answers['orders.cancelAll'] = async (params) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return (await cancelAll?.(params)) ?? [];
    };
    const screen = await open(desk, { rows: 40, columns: 120 });
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.shows('at work, 0 of 1,000 done');
    gates.shift()?.();
    await screen.shows('at work, 50 of 1,000 done');
    await screen.press('j', 'G', 'g', ESC, '2');
    expect(screen.screenText()).toContain('─ Orders');
    await screen.press('1');
    await screen.shows('50 of 1,000 done');
    while (!idle(screen)()) {
      gates.shift()?.();
      await screen.settle();
    }
    expect(did(desk)).toHaveLength(20);
    expect(Object.values(desk.state.orders).every(({ status }) => status === 'CANCELLED')).toBe(true);
    await screen.shows('panic: 1,000 of 1,000 done');
  });

  it('does not start a second time while it is at work', async () => {
    const desk = panicDesk({ bots: {}, futures: {}, orders: thousand() });
    const gates: (() => void)[] = [];
    desk.answers['orders.cancelAll'] = async ({ ids = [] }) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return ids.map((id) => ({ id, outcome: refuse('CONFLICT', 'no') }));
    };
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.shows('at work');
    await screen.press('n', 'r', ESC, 'P');
    await screen.shows('at work, 0 of 1,000');
    expect(did(desk)).toHaveLength(1);
  });
});

it('the confirmation says accounts, counts, what is left alone and what happens next', () => {
  const state = deskState({ bots: someBots(), futures: somePositions() });
  const { rows, next, word, verb } = confirmPanic(state, ['orders', 'positions']);
  expect(rows.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'accounts: paper-spot, paper-futures',
    'holdings: left alone',
    'bots: left alone',
    'orders: 4 open: 2 BUY, 2 SELL, 51,990.50 USDT',
    'positions: 3 open, PnL now +756.48; at market',
  ]);
  expect(next).toBe(
    'Orders are cancelled, protective stops too, then positions are closed at market. Spot balances stay as they are. What fails is shown and can be tried again.',
  );
  expect([word, verb]).toEqual(['panic', 'cancel 4 orders, close 3 positions']);
  expect(panicTargets(state, 'bots')).toHaveLength(3);
});

// proves: S62
it('cancels what has ended here and is open at its exchange, and nothing else that has ended', () => {
  const ended = order('ended', { status: 'ERROR' });
  const alive = order('alive', { status: 'ERROR', contradiction: true });
  const state = deskState({ orders: { ended, alive } });
  expect(panicTargets(state, 'orders').map(({ id }) => id)).toEqual(['alive']);
});

it('cancels a market order only while it waits to be sent', () => {
  const orders = {
    resting: order('resting'),
    waits: order('waits', { type: 'MARKET', status: 'NEW', waiting: true }),
    sent: order('sent', { type: 'MARKET', status: 'NEW' }),
    ended: order('ended', { status: 'CLOSED' }),
  };
  const found = panicTargets({ bots: {}, futures: {}, orders }, 'orders').map(({ id }) => id);
  expect(found).toEqual(['resting', 'waits']);
});

describe('a close that is refused', () => {
  const [held] = openPositions({ futures: somePositions() }) as [PositionRow];
  const item = {
    part: 'positions',
    id: held.id,
    name: 'close it',
    state: 'failed',
    text: 'no',
    refused: true,
  } as const;

  /** Runs the second try. `amount`: the position at its exchange by then. */
  async function again(
    amount: string,
    answer = ok({ status: 'CLOSED', executedQty: '1', origQty: '1' } as OrderView),
  ) {
    const calls: [Method, object][] = [];
    let futures = somePositions();
    const ask = async (method: Method, params: object) => {
      calls.push([method, params]);
      if (method === 'panic.targets') return { bots: {}, orders: {}, futures, next: null };
      if (method === 'orders.place') return answer;
      const account = futures[held.exchange];
      const positions = (account?.positions ?? []).map((one) =>
        one.key === held.id ? { ...one, amount } : one,
      );
      futures = { ...futures, [held.exchange]: { ...account, positions } } as typeof futures;
      return ok({});
    };
    const outcomes = await closesAgain({ ask: ask as never }, [item]);
    return { outcomes: [...outcomes.values()], calls };
  }

  it.each(['before it is compared', 'after it', 'about this account'])(
    'is not tried without an answer of the desk %s, and stays refused',
    async (which) => {
      const calls: Method[] = [];
      const ask = async (method: Method) => {
        calls.push(method);
        if (method !== 'panic.targets') return ok({});
        const second = calls.filter((one) => one === 'panic.targets').length > 1;
        if (which === (second ? 'after it' : 'before it is compared')) return null;
        const futures = second && which === 'about this account' ? {} : somePositions();
        return { bots: {}, orders: {}, futures, next: null };
      };
      expect([...(await closesAgain({ ask: ask as never }, [item]))]).toEqual([]);
      expect(calls).not.toContain('orders.place');
    },
  );

  it('is done where the exchange, asked again, knows of no such position', async () => {
    const { outcomes, calls } = await again('0');
    expect(outcomes).toEqual([{ state: 'done', text: 'had been closed' }]);
    expect(calls.map(([method]) => method)).toEqual(['panic.targets', 'exchange.reconcile', 'panic.targets']);
    expect(calls[1]?.[1]).toEqual({ exchange: held.exchange });
  });

  it('is tried once more where the position is still open, and fails for good where that is refused, too', async () => {
    const sign = held.amount.startsWith('-') ? '-' : '';
    const closed = await again(`${sign}0.5`);
    expect(closed.outcomes).toEqual([{ state: 'done', text: 'closed' }]);
    expect(closed.calls.at(-1)).toMatchObject(['orders.place', { symbol: held.symbol, closePosition: true }]);
    const { outcomes } = await again(`${sign}0.5`, refuse('CONFLICT', 'still not'));
    expect(outcomes).toEqual([{ state: 'failed', text: 'still not', refused: true }]);
  });

  it('is one of nobody else: lost answers and other parts are not tried by themselves', async () => {
    const never = () => Promise.reject(new Error('nothing is asked'));
    const others = [
      { ...item, refused: false },
      { ...item, part: 'orders' as const },
    ];
    expect(await closesAgain({ ask: never }, others)).toEqual(new Map());
  });

  it.each(['console', 'shell'])('is looked at again by the panic of the %s', async (of) => {
    const desk = panicDesk({ bots: {}, orders: {} });
    let refusals = 0;
    const place = desk.answers['orders.place'];
    desk.answers['orders.place'] = (request) =>
      refusals++ < 1 ? refuse('CONFLICT', 'ReduceOnly Order is rejected.') : (place?.(request) as never);
    desk.answers['panic.targets'] = () => ({ bots: {}, orders: {}, futures: desk.state.futures, next: null });
    desk.answers['exchange.reconcile'] = () => ok({} as never);
    if (of === 'shell') {
      const run = await remotePanic(desk, ['positions'], () => {});
      expect(run.items.map(({ state }) => state)).toEqual(run.items.map(() => 'done'));
      return;
    }
    const screen = await open(desk);
    await screen.press('P', ENTER, ...WORD, 'y');
    await screen.until(idle(screen));
    await screen.shows('none left');
    expect(screen.screenText()).not.toContain('failed');
  });
});
