/**
 * Answers of an exchange that arrive after an event they do not know of yet (S58): the event is kept, and the
 * request is repeated, on the whole core of the desk.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import { DeskCore, recentSince } from '../../src/desk/core/desk-core.ts';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangeBalance } from '../../src/domain/exchange.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { OPERATOR } from '../engine/support/market.ts';
import { FakeVenue } from '../support/fake-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const FUTURES = 'binance-futures';
const RICH: readonly ExchangeBalance[] = [{ asset: 'USDT', free: '100000', locked: '0' }];
const SPENT: readonly ExchangeBalance[] = [{ asset: 'USDT', free: '10', locked: '0' }];

function position(amount: string, updateTime = 0): ExchangePosition {
  return {
    symbol: 'BTCUSDT',
    side: 'BOTH',
    amount,
    entryPrice: '60000',
    breakEvenPrice: '60000',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: 20,
    isolatedWallet: '0',
    liquidationPrice: null,
    maintenanceMarginRate: '0.004',
    maintenanceMargin: '120',
    realizedPnl: '0',
    updateTime,
  };
}

let clock: VirtualClock;
let store: Store;
/** The next commit fails. */
let commitFails: boolean;

beforeEach(() => {
  clock = new VirtualClock();
  store = openSqliteStore(':memory:');
  commitFails = false;
});
afterEach(() => store.close());

async function started(venue: FakeVenue) {
  let ids = 0;
  const commit: Store['commit'] = (rows) => {
    if (commitFails) {
      commitFails = false;
      throw new Error('the disk is full');
    }
    store.commit(rows);
  };
  const core = new DeskCore({
    store: new Proxy(store, {
      get: (target, name) => {
        const value: unknown = name === 'commit' ? commit : Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    initial: store.load(recentSince(clock.wall())),
    clock,
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    venues: [venue],
    market: () => clock.wall(),
    deferredRows: () => [],
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  core.turn.step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  await settled(core.start());
  const { id } = venue.account;
  const face = apiFacade({ core, store, version: '0', startedAt: 0, wall: () => clock.wall() });
  return {
    core,
    face,
    free: () => str(core.engine.memory.account(id).wallet.balances.get('USDT')?.free ?? -1n),
    held: () => [...(core.engine.memory.account(id).futures?.positions.values() ?? [])].map((p) => p.amount),
  };
}

/** The answer, once enough time has passed. */
async function settled<T>(promise: Promise<T>): Promise<T> {
  let out: { readonly value: T } | null = null;
  void promise.then((value) => {
    out = { value };
  });
  for (let n = 0; n < 1_000 && out === null; n++) await clock.advance(20);
  if (out === null) throw new Error('no answer');
  return (out as { readonly value: T }).value;
}

/** A request that is answered when the test says so, each time it is made. */
function onDemand<T>() {
  const open: ((value: T) => void)[] = [];
  let asked = 0;
  return {
    ask: (): Promise<T> => {
      asked += 1;
      return new Promise((resolve) => open.push(resolve));
    },
    answer: async (value: T) => {
      open.shift()?.(value);
      await clock.settle();
    },
    get asked() {
      return asked;
    },
  };
}

describe('an answer about balances', () => {
  // proves: S58
  it('that was made before an event and comes after it does not bring back what was spent, and the question is asked again', async () => {
    const venue = new FakeVenue();
    const { free, core } = await started(venue);
    const balances = onDemand<readonly ExchangeBalance[]>();
    venue.answers.balances = balances.ask;
    venue.sink?.stream('gap');
    await clock.settle();
    venue.sink?.balances(SPENT);
    await balances.answer(RICH);
    expect(free()).toBe('10');
    // Every request was answered: no entry waits for the repeated one.
    expect(core.links.get(venue.account.id)?.hasGap).toBe(false);
    await clock.advance(1_000);
    expect(balances.asked).toBe(2);
    await balances.answer([{ asset: 'USDT', free: '9', locked: '0' }]);
    expect(free()).toBe('9');
    await clock.advance(10 * 60_000);
    expect(balances.asked).toBe(2);
  });

  it('that always comes too late is asked for ever more seldom, not in a loop', async () => {
    const venue = new FakeVenue();
    const { free } = await started(venue);
    let asked = 0;
    venue.answers.balances = async () => {
      asked += 1;
      venue.sink?.balances(SPENT);
      return RICH;
    };
    venue.sink?.stream('gap');
    await clock.advance(10 * 60_000);
    expect(asked).toBe(7);
    expect(free()).toBe('10');
  });

  it('that tells its time counts when it is newer than the event, and is not asked for again', async () => {
    const venue = new FakeVenue();
    const { free } = await started(venue);
    const balances = onDemand<readonly ExchangeBalance[]>();
    venue.answers.balances = balances.ask;
    venue.sink?.stream('gap');
    await clock.settle();
    venue.sink?.balances(SPENT.map((one) => ({ ...one, time: 2_000 })));
    await balances.answer([{ asset: 'USDT', free: '4', locked: '0', time: 2_001 }]);
    venue.sink?.balances([{ asset: 'USDT', free: '5', locked: '0', time: 1_999 }]);
    expect(free()).toBe('4');
    await clock.advance(60_000);
    expect(balances.asked).toBe(1);
  });

  it('that is on its way while the store fails is still older than the event that came meanwhile', async () => {
    const venue = new FakeVenue();
    const { core, free } = await started(venue);
    for (let n = 0; n < 5; n++) venue.sink?.balances(RICH);
    const balances = onDemand<readonly ExchangeBalance[]>();
    venue.answers.balances = balances.ask;
    venue.sink?.stream('gap');
    await clock.settle();
    const { engine } = core;
    commitFails = true;
    core.turn.store([{ kind: 'meta', name: 'x', value: 1 }], true);
    await clock.settle();
    expect(core.engine).not.toBe(engine);
    venue.sink?.balances(SPENT);
    await balances.answer(RICH);
    expect(free()).toBe('10');
  });

  it('with a time that cannot be read is none', async () => {
    const venue = new FakeVenue();
    const { free } = await started(venue);
    venue.sink?.balances([{ asset: 'USDT', free: '10', locked: '0', time: 'soon' as never }]);
    expect(free()).toBe('100000');
  });
});

describe('an answer about positions', () => {
  // proves: S58
  it('neither brings back what was closed meanwhile nor takes away what was opened', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.positions = async () => [position('0.5')];
    const { held } = await started(venue);
    const positions = onDemand<readonly ExchangePosition[]>();
    venue.answers.positions = positions.ask;
    venue.sink?.stream('gap');
    await clock.settle();
    venue.sink?.positions?.([position('0')]);
    await positions.answer([position('0.5')]);
    expect(held()).toEqual([]);
    await clock.advance(1_000);
    venue.sink?.positions?.([position('0.2')]);
    await positions.answer([]);
    expect(held()).toEqual(['0.2']);
    await clock.advance(2_000);
    await positions.answer([position('0.3')]);
    expect(held()).toEqual(['0.3']);
    expect(positions.asked).toBe(3);
  });

  it('that belongs to a setting and came too late is asked for again as well', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    const { core, held } = await started(venue);
    const positions = onDemand<readonly ExchangePosition[]>();
    venue.answers.positions = positions.ask;
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 } as const;
    const command = { type: 'setting', exchange: FUTURES, setting } as const;
    await settled(core.execute(OPERATOR, command, { requestId: 'r' }));
    await clock.settle();
    expect(positions.asked).toBe(1);
    venue.sink?.positions?.([position('0.2')]);
    await positions.answer([]);
    expect(held()).toEqual(['0.2']);
    await clock.advance(1_000);
    await positions.answer([position('0.3')]);
    expect(held()).toEqual(['0.3']);
    await clock.advance(60_000);
    expect(positions.asked).toBe(2);
  });

  it('from before a setting does not bring back its old value', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.positions = async () => [position('0.5')];
    const { core, face } = await started(venue);
    const positions = onDemand<readonly ExchangePosition[]>();
    venue.answers.positions = positions.ask;
    venue.sink?.stream('gap');
    await clock.settle();
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 } as const;
    const command = { type: 'setting', exchange: FUTURES, setting } as const;
    await settled(core.execute(OPERATOR, command, { requestId: 'r' }));
    await positions.answer([position('0.5')]);
    const shown = await settled(face.positions('owner', FUTURES));
    expect(shown.ok && Object.values(shown.data)).toMatchObject([{ leverage: '7' }]);
  });
});
