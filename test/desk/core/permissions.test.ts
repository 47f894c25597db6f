/**
 * The permissions of an account's key: asked of its exchange; a permission that trading does not need closes
 * the account for entries.
 */
import { describe, expect, it } from 'vitest';
import { ASKED_AFTER_FAILURE_MS, ASKED_EVERY_MS } from '../../../src/desk/core/daily-question.ts';
import { marketOf } from '../../../src/domain/exchange.ts';
import { type Permissions, permissionNotices, type WideRight } from '../../../src/domain/permissions.ts';
import { orderPreview } from '../../../src/engine/order-preview.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig } from './link-rig.ts';

const PLAIN: Permissions = {
  trade: true,
  withdraw: false,
  transfer: false,
  addresses: ['203.0.113.7'],
  expiresAt: null,
};

/** A desk whose exchange tells the key's permissions; `answer` is read with each request. */
async function started(
  answer: { now: Permissions | null },
  { store = openSqliteStore(':memory:'), kind = 'spot' as 'spot' | 'futures' } = {},
) {
  let asked = 0;
  const permissions = async () => {
    asked += 1;
    return answer.now;
  };
  const rig = new LinkRig(kind, 1, store, {}, undefined, { permissions });
  await rig.until(rig.core.start());
  await rig.clock.settle();
  return { rig, asked: () => asked };
}

const account = ({ core, venue }: LinkRig) => core.engine.memory.account(venue.account.id);

async function buys(rig: LinkRig): Promise<string> {
  const { outcome } = await rig.until(rig.place());
  return outcome?.ok ? 'taken' : (outcome?.error.message ?? 'no answer');
}

async function confirm(rig: LinkRig, rights: readonly WideRight[]): Promise<void> {
  rig.core.turn.step({ type: 'permissions-confirmed', exchange: rig.venue.account.id, rights });
  await rig.clock.settle();
}

const lines = (rig: LinkRig) => rig.core.log.map(({ level, text }) => `${level}: ${text}`);

const MAY_WITHDRAW =
  'said-spot has a key that may withdraw: take that from it at the exchange, or confirm it on Accounts; nothing was done';

describe('until the exchange has said what the key may do', () => {
  it('an entry is refused with what it waits for, and nothing of it is stored or sent', async () => {
    const answer: { now: Permissions | null } = { now: null };
    const { rig, asked } = await started(answer);
    const { outcome } = await rig.until(rig.place());
    expect(outcome).toEqual({
      ok: false,
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: 'said-spot has not said yet what its key may do; nothing was done',
        retryAfterS: 5,
      },
    });
    expect(rig.orders).toEqual([]);
    expect(rig.venue.asked('submit')).toBe(0);
    const request = { exchange: 'said-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET' } as const;
    const ticket = orderPreview(rig.core.engine.memory, request, rig.clock.wall(), {
      maker: '0',
      taker: '0',
    });
    expect(ticket.problems.map(({ message }) => message)).toEqual([
      'said-spot has not said yet what its key may do; nothing was done',
    ]);
    answer.now = PLAIN;
    await rig.clock.advance(ASKED_AFTER_FAILURE_MS[0]);
    expect(asked()).toBe(2);
    expect(await buys(rig)).toBe('taken');
    // A successful answer is not logged.
    expect(lines(rig).filter((line) => /takes entries/.test(line))).toEqual([]);
  });

  it('what closes goes out', async () => {
    const { rig } = await started({ now: null });
    const { outcome } = await rig.until(rig.place({ side: 'SELL', price: '70000' }));
    // The checks of the order say whether it is covered.
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST', reason: 'BALANCE' } });
    const futures = await started({ now: null }, { kind: 'futures' });
    futures.rig.position('BTCUSDT', '0.5');
    const close = (quantity: string) =>
      futures.rig.until(futures.rig.place({ side: 'SELL', price: '70000', quantity }));
    expect((await close('0.6')).outcome).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await close('0.5')).outcome).toMatchObject({ ok: true });
  });
});

it('is asked once a day, and no more once the desk has ended', async () => {
  const { rig, asked } = await started({ now: PLAIN });
  await rig.clock.advance(ASKED_EVERY_MS - 1);
  expect(asked()).toBe(1);
  await rig.clock.advance(1);
  expect(asked()).toBe(2);
  await rig.until(rig.core.stop());
  await rig.clock.advance(3 * ASKED_EVERY_MS);
  expect(asked()).toBe(2);
});

it('is asked at once when an order is refused because of the key, which is taken again when that is right', async () => {
  const answer: { now: Permissions | null } = { now: PLAIN };
  const { rig, asked } = await started(answer);
  expect(await buys(rig)).toBe('taken');
  await rig.clock.advance(15 * 60_000);
  answer.now = null;
  rig.venue.submitted = async () => ({
    kind: 'rejected',
    reason: 'BAD_CREDENTIALS',
    code: '-2015',
    message: 'Invalid API-key',
  });
  expect(await buys(rig)).toBe('Invalid API-key');
  await rig.clock.settle();
  expect(asked()).toBe(2);
  const about = () => lines(rig).filter((line) => line.includes('its key'));
  expect(about()).toHaveLength(1);
  answer.now = PLAIN;
  await rig.clock.advance(ASKED_AFTER_FAILURE_MS[0]);
  expect(about().at(-1)).toBe('info: said-spot takes its key again');
});

it('what cannot be read is no answer', async () => {
  const answer = { now: { ...PLAIN, withdraw: 'no' } as unknown as Permissions };
  const { rig } = await started(answer);
  expect(account(rig).permissions?.told).toBeNull();
  answer.now = { ...PLAIN, addresses: Array.from({ length: 101 }, () => '203.0.113.7') };
  await rig.clock.advance(ASKED_AFTER_FAILURE_MS[0]);
  expect(account(rig).permissions?.told).toBeNull();
});

describe('a right that trading does not need', () => {
  it('closes the account for entries until it is confirmed, which holds after a restart', async () => {
    const store = openSqliteStore(':memory:');
    const answer = { now: { ...PLAIN, withdraw: true } };
    const { rig } = await started(answer, { store });
    expect(await buys(rig)).toBe(MAY_WITHDRAW);
    expect(lines(rig).filter((line) => line.startsWith('error:'))).toEqual([
      'error: said-spot has a key that may withdraw: take that from it at the exchange, or confirm it on Accounts; it takes no entries until then',
    ]);
    // The operator confirms another permission than the one asked about.
    await confirm(rig, ['transfer']);
    expect(await buys(rig)).toBe(MAY_WITHDRAW);
    await confirm(rig, ['withdraw']);
    expect(await buys(rig)).toBe('taken');
    await rig.until(rig.core.stop());
    const { rig: later } = await started(answer, { store });
    expect(await buys(later)).toBe('taken');
  });

  it('that grows is found within a day; one that comes back is asked about again', async () => {
    const answer = { now: PLAIN };
    const { rig } = await started(answer);
    const nextDay = () => rig.clock.advance(ASKED_EVERY_MS);
    expect(await buys(rig)).toBe('taken');
    answer.now = { ...PLAIN, withdraw: true, transfer: true };
    await nextDay();
    await confirm(rig, ['withdraw']);
    expect(await buys(rig)).toMatch(/^said-spot has a key that may transfer:/);
    await confirm(rig, ['transfer']);
    expect(await buys(rig)).toBe('taken');
    answer.now = { ...PLAIN, transfer: true };
    await nextDay();
    expect(await buys(rig)).toBe('taken');
    answer.now = { ...PLAIN, withdraw: true, transfer: true };
    await nextDay();
    expect(await buys(rig)).toBe(MAY_WITHDRAW);
  });

  it('that was lost while the desk was down is asked about when it is back', async () => {
    const store = openSqliteStore(':memory:');
    const answer = { now: { ...PLAIN, withdraw: true } };
    const { rig } = await started(answer, { store });
    await confirm(rig, ['withdraw']);
    await rig.until(rig.core.stop());
    const without = await started({ now: PLAIN }, { store });
    await without.rig.until(without.rig.core.stop());
    const { rig: back } = await started(answer, { store });
    expect(await buys(back)).toBe(MAY_WITHDRAW);
  });

  it('a key that may not trade takes no entries, and nobody is asked to confirm that', async () => {
    const answer = { now: { ...PLAIN, trade: false } };
    const { rig } = await started(answer);
    await confirm(rig, ['withdraw', 'transfer']);
    expect(await buys(rig)).toBe(
      'said-spot has a key that may not trade: allow it at the exchange; nothing was done',
    );
    answer.now = PLAIN;
    await rig.clock.advance(ASKED_EVERY_MS);
    expect(await buys(rig)).toBe('taken');
    expect(lines(rig)).toContain('info: said-spot takes entries again');
  });
});

it('is still known after a commit that failed, and a confirmation that was not stored does not count', async () => {
  const { rig } = await started({ now: { ...PLAIN, withdraw: true } });
  const commit = rig.store.commit.bind(rig.store);
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  const { engine } = rig.core;
  await confirm(rig, ['withdraw']);
  expect(rig.core.engine).not.toBe(engine);
  expect(await buys(rig)).toBe(MAY_WITHDRAW);
});

it('an order is not split while its parts could not be placed, and stays', async () => {
  const { rig } = await started({ now: PLAIN });
  await rig.until(rig.place());
  const told = { ...PLAIN, withdraw: true };
  rig.core.turn.step({ type: 'permissions', exchange: 'said-spot', told });
  const [order] = rig.orders;
  const prices = ['49000', '49500'];
  const split = { type: 'split' as const, exchange: 'said-spot', id: order?.id ?? '', prices };
  const { outcome } = await rig.until(rig.core.execute(OPERATOR, split, { requestId: 's' }));
  expect(outcome?.ok === false && outcome.error.message).toBe(MAY_WITHDRAW);
  expect(order).toMatchObject({ status: 'OPENED' });
  expect(order?.cancel).toBeUndefined();
});

describe('an order that the desk holds', () => {
  const stop = { type: 'STOP_MARKET', stopPrice: '61000', price: undefined, quantity: '0.01' } as const;
  const priceIs = (rig: LinkRig, price: string) =>
    rig.core.turn.step({
      type: 'price',
      market: marketOf(account(rig).account),
      symbol: 'BTCUSDT',
      price,
    });

  it('is not sent as an entry while none is taken, and goes out when its condition still holds then', async () => {
    const answer = { now: PLAIN };
    const { rig } = await started(answer);
    await rig.until(rig.place({ ...stop, side: 'BUY' }));
    await rig.until(rig.place({ ...stop, side: 'BUY', stopPrice: '61500' }));
    expect(rig.orders.map(({ phase }) => phase)).toEqual(['held', 'held']);
    answer.now = { ...PLAIN, withdraw: true };
    await rig.clock.advance(ASKED_EVERY_MS);
    rig.venue.asked('submit');
    priceIs(rig, '61600');
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(0);
    priceIs(rig, '61200');
    await confirm(rig, ['withdraw']);
    expect(rig.venue.asked('submit')).toBe(1);
    expect(rig.orders.map(({ phase }) => phase === 'held')).toEqual([false, true]);
  });
});

describe('what an owner should know of a key', () => {
  const DAY = 24 * 3_600_000;
  const now = Date.UTC(2026, 10, 24, 12);
  const at = (expiresAt: number | null, addresses = PLAIN.addresses) =>
    permissionNotices('x-spot', { ...PLAIN, expiresAt, addresses }, now);

  it('an end within 14 days, and one that is past', () => {
    expect(at(null)).toEqual([]);
    expect(at(now + 14 * DAY)).toEqual([]);
    expect(at(now + 14 * DAY - 1)).toEqual(['the key of x-spot expires on 2026-12-08, in 13 days']);
    expect(at(now + DAY)).toEqual(['the key of x-spot expires on 2026-11-25, in 1 day']);
    expect(at(now + 1)).toEqual(['the key of x-spot expires on 2026-11-24, in 0 days']);
    expect(at(now)).toEqual(['the key of x-spot expired on 2026-11-24']);
  });

  it('that it may be used from anywhere', () => {
    expect(at(null, [])).toEqual([
      'the key of x-spot may be used from any address: restrict it at the exchange',
    ]);
  });

  it('is in the log when the account is connected', async () => {
    const clock = new VirtualClock();
    const { rig } = await started({ now: { ...PLAIN, addresses: [], expiresAt: clock.wall() + DAY } });
    expect(lines(rig).filter((line) => line.startsWith('warn:'))).toEqual([
      'warn: the key of said-spot may be used from any address: restrict it at the exchange',
      expect.stringMatching(/^warn: the key of said-spot expires on .* in [01] days?$/),
    ]);
  });

  it('is in the log once while it stays, and again when it is back', async () => {
    const answer = { now: { ...PLAIN, addresses: [] as string[] } };
    const { rig } = await started(answer);
    const told = () => lines(rig).filter((line) => line.includes('from any address')).length;
    await rig.clock.advance(ASKED_EVERY_MS);
    expect(told()).toBe(1);
    answer.now = PLAIN as typeof answer.now;
    await rig.clock.advance(ASKED_EVERY_MS);
    answer.now = { ...PLAIN, addresses: [] };
    await rig.clock.advance(ASKED_EVERY_MS);
    expect(told()).toBe(2);
  });
});
