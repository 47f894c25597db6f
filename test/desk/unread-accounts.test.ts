/**
 * Unknown is not the same as none (S59): a desk whose exchange does not answer at the start, on an exchange
 * that is not the paper one.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import { DeskCore, recentSince } from '../../src/desk/core/desk-core.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { OPERATOR } from '../engine/support/market.ts';
import { FakeVenue } from '../support/fake-venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const FUTURES = 'binance-futures';
const LONG: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '0.5',
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
  updateTime: 0,
};

let clock: VirtualClock;
let store: Store;

beforeEach(() => {
  clock = new VirtualClock();
  store = openSqliteStore(':memory:');
});
afterEach(() => store.close());

async function started(venue: FakeVenue) {
  let ids = 0;
  const core = new DeskCore({
    store,
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
  const face = apiFacade({ core, store, version: '0', startedAt: 0, wall: () => clock.wall() });
  const ask = async (command: Parameters<DeskCore['execute']>[1], key?: string) => {
    const idempotency = key === undefined ? {} : { idempotency: { key, fingerprint: 'f' } };
    const answer = await settled(core.execute(OPERATOR, command, { requestId: 'r', ...idempotency }));
    const body = JSON.parse(answer.body) as {
      data?: { status: string; id: string };
      error?: { message: string };
    };
    return { status: answer.status, ...body };
  };
  const place = (request: Partial<CreateOrder>, key?: string) =>
    ask(
      {
        type: 'place',
        request: { exchange: venue.account.id, symbol: 'BTCUSDT', ...request } as CreateOrder,
      },
      key,
    );
  const read = <T>(promise: Promise<T>) => settled(promise);
  return { core, face, ask, place, read };
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

const LIMIT = { side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' } as const;

describe('a futures account whose positions could not be read', () => {
  // proves: S59
  it('takes a close, whatever it believes of the position: the exchange decides', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.positions = async () => null;
    const { place } = await started(venue);
    const whole = await place({ side: 'SELL', type: 'MARKET', closePosition: true });
    const part = await place({ side: 'SELL', type: 'MARKET', reduceOnly: true, quantity: '0.01' });
    expect([whole.error, part.error]).toEqual([undefined, undefined]);
    expect(venue.sent).toMatchObject([{ closePosition: true }, { reduceOnly: true, quantity: '0.01' }]);
  });

  // proves: S59, S61
  it('refuses what may open with 503 and stores nothing of it, until they are read', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.positions = async () => null;
    const { core, place } = await started(venue);
    const refused = await place(LIMIT, 'k');
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.error?.message).toContain('binance-futures');
    expect(venue.sent).toEqual([]);
    expect(store.load(0)).toMatchObject({ orders: [], idempotency: [] });
    venue.answers.positions = async () => [];
    await settled(core.links.get(FUTURES)?.reconcile() ?? Promise.resolve());
    expect(await place(LIMIT, 'k')).toMatchObject({ status: 200 });
  });

  it('takes the closing side of hedge mode while the mode itself is not read', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.hedgeMode = async () => null;
    venue.answers.positions = async () => null;
    const { place } = await started(venue);
    const close = await place({ side: 'SELL', type: 'MARKET', positionSide: 'LONG', quantity: '0.01' });
    const open = await place({ side: 'BUY', type: 'MARKET', positionSide: 'LONG', quantity: '0.01' });
    expect([close.status, open.status]).toEqual([200, 503]);
  });

  it('has no figures to show: 503 instead of zeros, which are shown once they are read', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    venue.answers.positions = async () => null;
    const { core, face, read } = await started(venue);
    const portfolio = () =>
      read(face.portfolio('owner', { exchange: FUTURES, full: false, totalOnly: false }));
    const refusal = { ok: false, error: { code: 'SERVICE_UNAVAILABLE' } };
    expect(await portfolio()).toMatchObject(refusal);
    expect(await read(face.positions('owner', FUTURES))).toMatchObject(refusal);
    venue.answers.positions = async () => [LONG];
    await settled(core.links.get(FUTURES)?.reconcile() ?? Promise.resolve());
    // A later failed reading removes nothing.
    venue.answers.positions = async () => null;
    await settled(core.links.get(FUTURES)?.reconcile() ?? Promise.resolve());
    expect(await portfolio()).toMatchObject({ ok: true });
    const positions = await read(face.positions('owner', FUTURES));
    expect(positions.ok && Object.values(positions.data)).toMatchObject([{ amount: '0.5' }]);
  });
});

describe('a spot account whose balances could not be read', () => {
  // proves: S59, S61
  it('refuses a BUY with 503, takes a SELL and a cancel', async () => {
    const venue = new FakeVenue();
    venue.answers.balances = async () => null;
    const { ask, place } = await started(venue);
    expect(await place(LIMIT)).toMatchObject({ status: 503 });
    const sold = await place({ ...LIMIT, side: 'SELL', price: '70000' });
    expect(sold).toMatchObject({ status: 200 });
    const id = sold.data?.id ?? '';
    await ask({ type: 'cancel', exchange: venue.account.id, id });
    expect(venue.cancelled).toEqual([id]);
  });

  it('is not empty once they are read: an asset that was not among them is none', async () => {
    const venue = new FakeVenue();
    const { place } = await started(venue);
    const refused = await place({ ...LIMIT, side: 'SELL', price: '70000' });
    expect(refused.status).toBe(400);
    expect(refused.error?.message).toContain('insufficient balance: 0 BTC available');
  });
});

describe('a setting that the exchange has made', () => {
  it('stays as acknowledged when the reading that would confirm it fails', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    const { ask, face, place, read } = await started(venue);
    venue.answers.hedgeMode = async () => null;
    venue.answers.leverage = async () => null;
    await ask({ type: 'setting', exchange: FUTURES, setting: { kind: 'hedgeMode', on: true } });
    await ask({
      type: 'setting',
      exchange: FUTURES,
      setting: { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 },
    });
    expect(await read(face.hedgeMode('owner', FUTURES))).toEqual({
      ok: true,
      data: { dualSidePosition: true },
    });
    const leverage = await read(face.leverage('owner', { exchange: FUTURES, symbols: ['BTCUSDT'] }));
    expect(leverage).toMatchObject({ ok: true, data: [{ leverage: '7' }, { leverage: '7' }] });
    expect(await place({ ...LIMIT, positionSide: 'LONG' })).toMatchObject({ status: 200 });
  });

  it('is not taken back by an answer to a question from before it', async () => {
    const venue = new FakeVenue({ id: FUTURES, kind: 'futures' });
    const { core, ask, face, read } = await started(venue);
    let late: (on: boolean) => void = () => {};
    venue.answers.hedgeMode = () =>
      new Promise((resolve) => {
        late = resolve;
      });
    const compared = core.links.get(FUTURES)?.reconcile();
    await clock.settle();
    venue.answers.hedgeMode = async () => null;
    await ask({ type: 'setting', exchange: FUTURES, setting: { kind: 'hedgeMode', on: true } });
    late(false);
    await settled(compared ?? Promise.resolve());
    expect(await read(face.hedgeMode('owner', FUTURES))).toEqual({
      ok: true,
      data: { dualSidePosition: true },
    });
  });
});
