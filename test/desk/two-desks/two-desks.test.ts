/**
 * One desk per account (money-at-risk.md 1): whole desks on one account of one exchange, one of them on a
 * copy of the other's store. The copy sends nothing; with --takeover each desk stops its entries at the first
 * order of the other that it sees.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../src/store/place.ts';
import type { Store } from '../../../src/store/store.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { copyOf, Desk, EXCHANGE, Exchange } from './rig.ts';

async function opened() {
  const exchange = new Exchange();
  await exchange.rough.open();
  await exchange.pass(5_000);
  const file = join(exchange.folder, 'outcry.db');
  const first = await Desk.start(exchange, file);
  return { exchange, file, first };
}

/** Seconds in which a desk that may send would have sent. */
const A_WHILE_MS = 120_000;

it('a desk alone trades, also after a restart, and its ids name it', async () => {
  const { exchange, file, first } = await opened();
  expect(await first.place()).toBe('taken');
  expect(first.orders.map(({ id }) => id)).toEqual(exchange.open);
  const { id: deskId } = first.memory.desk;
  expect(first.orders[0]?.id).toMatch(new RegExp(`^ro-${deskId}[0-9a-z]{17}$`));
  await first.stop();
  await exchange.pass(60_000);
  const again = await Desk.start(exchange, file);
  expect(again.shut).toBeNull();
  expect(again.memory.desk).toEqual({ id: deskId, earlier: [], held: false });
  expect(await again.place({ price: '91000' })).toBe('taken');
  expect(exchange.open).toHaveLength(2);
  expect(again.red).toEqual([]);
});

describe('a copied folder started beside its running desk', () => {
  it('sends nothing, whoever asks, until an owner has confirmed', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const copy = await Desk.start(exchange, copyOf(file));
    expect(copy.shut).toEqual({ kind: 'held', ids: [], more: false });
    expect(copy.red).toEqual([
      expect.stringMatching(/^error: rough-spot is held: this data folder was moved or copied/),
    ]);
    expect(await copy.place()).toMatch(
      /^SERVICE_UNAVAILABLE: rough-spot is not connected: this data folder was moved/,
    );
    const [known] = copy.orders;
    await copy.execute({ type: 'cancel', exchange: EXCHANGE, id: known?.id ?? '' }).catch(() => {});
    await exchange.pass(A_WHILE_MS);
    expect(copy.asked).toEqual([]);
    expect(exchange.open).toEqual([first.orders[0]?.id]);
    expect(await first.place({ price: '91000' })).toBe('taken');
    expect(first.shut).toBeNull();
  });

  it('is held after a restart, too, in its new place, and its orders are named by a new id', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const second = copyOf(file);
    const copy = await Desk.start(exchange, second);
    const { id } = copy.memory.desk;
    expect(id).not.toBe(first.memory.desk.id);
    await copy.stop();
    const again = await Desk.start(exchange, second);
    expect(again.shut?.kind).toBe('held');
    expect(again.memory.desk).toMatchObject({ id, earlier: [first.memory.desk.id] });
    await exchange.pass(A_WHILE_MS);
    expect([copy.asked, again.asked]).toEqual([[], []]);
  });

  it('trades once an owner has confirmed that the other one is stopped, which holds after a restart', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const [{ id: before = '' } = {}] = first.orders;
    const second = copyOf(file);
    await first.stop();
    const copy = await Desk.start(exchange, second);
    expect(await copy.takeOver('paused')).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    expect(await copy.takeOver('held')).toMatchObject({ ok: true });
    await exchange.pass(10_000);
    expect(copy.shut).toBeNull();
    // Orders that the desk sent from its place before are its own.
    await copy.execute({ type: 'cancel', exchange: EXCHANGE, id: before });
    expect(copy.asked).toEqual([`cancel ${before}`]);
    expect(await copy.place()).toBe('taken');
    expect(copy.orders.at(-1)?.id.startsWith(`ro-${copy.memory.desk.id}`)).toBe(true);
    await copy.stop();
    const again = await Desk.start(exchange, second);
    expect(again.shut).toBeNull();
    expect(await again.place()).toBe('taken');
    expect(await again.takeOver('held')).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    // The permission was given for this place: in the next one it must be given again.
    const third = await Desk.start(exchange, copyOf(second));
    expect(third.shut?.kind).toBe('held');
  });

  it('which dies before its new id is stored has sent nothing, and takes another', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const second = copyOf(file);
    const full = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          if (name === 'commit')
            return () => {
              throw new Error('it died');
            };
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    expect(() => new Desk(exchange, second, { store: full })).toThrow('it died');
    const copy = await Desk.start(exchange, second);
    expect(copy.shut?.kind).toBe('held');
    await exchange.pass(A_WHILE_MS);
    expect(copy.asked).toEqual([]);
  });
});

describe('with --takeover', () => {
  it('each side stops its entries at the first order of the other that it sees, and closes go on', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const copy = await Desk.start(exchange, copyOf(file), { takeover: true });
    expect(copy.shut).toBeNull();
    await exchange.pass(10_000);
    expect([first.shut, copy.shut]).toEqual([null, null]);
    const told: string[] = [];
    first.trading.core.onChange(({ kind }) => told.push(kind));
    // The first order of the copy.
    expect(await copy.place({ price: '89000' })).toBe('taken');
    await exchange.pass(1_000);
    const theirs = copy.orders.at(-1)?.id ?? '';
    expect(first.shut).toEqual({ kind: 'paused', ids: [theirs], more: false });
    expect(told).toContain('accounts');
    expect(first.red).toEqual([
      `error: ANOTHER DESK trades rough-spot: ${theirs}, of desk ${copy.memory.desk.id}, was not made here. No entries are sent until an owner confirms on Accounts that it is stopped`,
    ]);
    expect(await first.place({ price: '88000' })).toMatch(
      /^SERVICE_UNAVAILABLE: rough-spot is traded by another desk too/,
    );
    // It is an external order like any other: nobody cancels it from here unasked.
    expect(first.orders.find(({ id }) => id === theirs)).toMatchObject({ external: true, status: 'OPENED' });
    // Closing orders go out, and the other desk sees that.
    expect(await first.place({ side: 'SELL', price: '120000' })).toBe('taken');
    await exchange.pass(1_000);
    const ours = first.orders.at(-1)?.id ?? '';
    expect(copy.shut).toEqual({ kind: 'paused', ids: [ours], more: false });
    expect(copy.red[0]).toContain('of this data folder at another time or place');
    expect(await copy.place()).toMatch(/^SERVICE_UNAVAILABLE/);
    const before = [first.asked.length, copy.asked.length];
    await first.execute({ type: 'cancel', exchange: EXCHANGE, id: ours });
    expect(exchange.open).not.toContain(ours);
    await exchange.pass(A_WHILE_MS);
    expect([first.asked.length, copy.asked.length]).toEqual([(before[0] ?? 0) + 1, before[1]]);
  });

  it('goes on without it after a restart, and what paused its entries does too, until an owner lifts it', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const second = copyOf(file);
    const copy = await Desk.start(exchange, second, { takeover: true });
    await first.place({ price: '89000' });
    await exchange.pass(1_000);
    expect(copy.shut?.kind).toBe('paused');
    await copy.stop();
    await first.stop();
    const again = await Desk.start(exchange, second);
    expect(again.shut?.kind).toBe('paused');
    expect(await again.place()).toMatch(/^SERVICE_UNAVAILABLE/);
    expect(await again.takeOver('paused')).toMatchObject({ ok: true });
    expect(again.shut).toBeNull();
    expect(await again.place()).toBe('taken');
    await again.stop();
    const last = await Desk.start(exchange, second);
    expect(last.shut).toBeNull();
    expect(last.red).toEqual([]);
  });
});

describe('orders in our form that the store does not know', () => {
  /** A store that is older than the account's last order. */
  async function olderStore() {
    const { exchange, file, first } = await opened();
    await first.place();
    const older = copyOf(file);
    await first.place({ price: '89000' });
    const [, { id: unknown = '' } = {}] = first.orders;
    await first.stop();
    // Put back where it was: its place is the same as before.
    const place = placeOf(file);
    return { exchange, older, unknown, place };
  }

  it('keep an account closed before anything is sent, also after a restart and once they are gone', async () => {
    const { exchange, older, unknown, place } = await olderStore();
    const desk = await Desk.start(exchange, older, { place });
    expect(desk.shut).toEqual({ kind: 'others', ids: [unknown], more: false });
    expect(desk.red).toEqual([
      `error: rough-spot is closed: ANOTHER DESK trades it, or this data folder is older than its orders (${unknown}): stop that one, then take the account over on Accounts`,
    ]);
    expect(await desk.place()).toMatch(
      /^SERVICE_UNAVAILABLE: rough-spot is not connected: ANOTHER DESK trades it/,
    );
    expect(await desk.place({ side: 'SELL', price: '120000' })).toMatch(/^SERVICE_UNAVAILABLE/);
    await exchange.pass(A_WHILE_MS);
    await desk.stop();
    void exchange.rough.inner.venue.cancel({ clientId: unknown, symbol: 'BTCUSDT' });
    await exchange.pass(5_000);
    expect(exchange.open).not.toContain(unknown);
    const again = await Desk.start(exchange, older, { place });
    expect(again.shut?.kind).toBe('others');
    await exchange.pass(A_WHILE_MS);
    expect([desk.asked, again.asked]).toEqual([[], []]);
  });

  it('are found by what they have executed, too', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    const older = copyOf(file);
    const place = placeOf(file);
    await first.place({ type: 'MARKET', price: undefined });
    const [, { id: unknown = '' } = {}] = first.orders;
    await first.stop();
    const desk = await Desk.start(exchange, older, { place });
    expect(desk.shut).toEqual({ kind: 'others', ids: [unknown], more: false });
    expect(desk.asked).toEqual([]);
  });

  it('become orders of others when an owner takes the account over, and it trades', async () => {
    const { exchange, older, unknown, place } = await olderStore();
    const desk = await Desk.start(exchange, older, { place });
    expect(await desk.takeOver('others')).toMatchObject({ ok: true });
    await exchange.pass(10_000);
    expect(desk.shut).toBeNull();
    expect(desk.orders.find(({ id }) => id === unknown)).toMatchObject({ external: true, status: 'OPENED' });
    expect(await desk.place({ price: '87000' })).toBe('taken');
    await desk.stop();
    const again = await Desk.start(exchange, older, { place });
    expect(again.shut).toBeNull();
    expect(await again.place({ price: '86000' })).toBe('taken');
    // Later orders are not those that were taken over.
    exchange.made('ro-0123456789012345678901');
    await exchange.pass(1_000);
    expect(again.shut).toMatchObject({ kind: 'paused', ids: ['ro-0123456789012345678901'] });
  });

  it('are taken over however many they are, and ten of them are named', async () => {
    const { exchange, older, place } = await olderStore();
    for (let n = 10; n < 30; n++) exchange.made(`ro-01234567890123456789${n}`);
    await exchange.pass(1_000);
    const desk = await Desk.start(exchange, older, { place });
    expect(desk.shut).toMatchObject({ kind: 'others', more: true });
    expect(desk.shut?.ids).toHaveLength(10);
    expect(await desk.takeOver('others')).toMatchObject({ ok: true });
    await exchange.pass(10_000);
    expect(desk.shut).toBeNull();
    expect(desk.orders.filter(({ external }) => external)).toHaveLength(21);
  });

  it('are taken over after a death right after that was stored', async () => {
    const { exchange, older, unknown, place } = await olderStore();
    const desk = await Desk.start(exchange, older, { place });
    exchange.lists = false;
    expect(await desk.takeOver('others')).toMatchObject({ ok: true });
    desk.kill();
    exchange.lists = true;
    const again = await Desk.start(exchange, older, { place });
    await exchange.pass(10_000);
    expect(again.shut).toBeNull();
    expect(again.orders.find(({ id }) => id === unknown)).toMatchObject({ external: true });
    expect(again.red).toEqual([]);
  });

  it('of others that only look alike are no sign of another desk', async () => {
    const { exchange, first } = await opened();
    for (const clientId of [
      'web-1',
      'ro-1',
      'rf-0123456789012345678901',
      'ro-01234567890123456789012',
      'ro-0123456789ABCDEFGHIJ01',
    ])
      exchange.made(clientId);
    await exchange.pass(5_000);
    expect(first.orders).toHaveLength(5);
    expect(first.shut).toBeNull();
    exchange.made('ro-0123456789012345678901');
    await exchange.pass(5_000);
    expect(first.shut?.kind).toBe('paused');
  });
});

describe('a run', () => {
  /** A bot with its one BUY open. */
  async function running() {
    const { exchange, file, first } = await opened();
    const bot = await first.startBot();
    expect(first.orders).toMatchObject([{ creator: 'BOT', side: 'BUY', status: 'OPENED' }]);
    return { exchange, file, first, bot };
  }

  it('waits on a desk that is held, and goes on when that is confirmed', async () => {
    const { exchange, file, first, bot } = await running();
    const [{ id = '' } = {}] = first.orders;
    const second = copyOf(file);
    await first.stop();
    // The order has ended meanwhile at the exchange: the run would place it again.
    void exchange.rough.inner.venue.cancel({ clientId: id, symbol: 'BTCUSDT' });
    await exchange.pass(1_000);
    const copy = await Desk.start(exchange, second);
    await exchange.pass(A_WHILE_MS);
    expect(copy.asked).toEqual([]);
    expect(copy.bot(bot)).toMatchObject({ status: 'STARTED' });
    expect(await copy.takeOver('held')).toMatchObject({ ok: true });
    await exchange.pass(A_WHILE_MS);
    expect(copy.bot(bot)).toMatchObject({ status: 'STARTED' });
    expect(copy.orders.find((order) => order.id === id)?.status).toBe('CANCELLED');
    expect(copy.asked).toEqual([expect.stringMatching(/^submit BUY ro-/)]);
    expect(exchange.open).toEqual([copy.orders.at(-1)?.id]);
  });

  it('ends where the account is taken over from another desk, and what is open stays', async () => {
    const { exchange, file, first, bot } = await running();
    const older = copyOf(file);
    await first.place();
    await first.stop();
    const desk = await Desk.start(exchange, older, { place: placeOf(file) });
    await exchange.pass(A_WHILE_MS);
    expect(desk.bot(bot)).toMatchObject({ status: 'STARTED' });
    expect(await desk.takeOver('others')).toMatchObject({ ok: true });
    await exchange.pass(A_WHILE_MS);
    expect(desk.bot(bot)).toMatchObject({ status: 'STOPPED' });
    expect(exchange.open).toHaveLength(2);
    expect(desk.asked).toEqual([]);
    expect(desk.orders.map(({ status }) => status)).toEqual(['OPENED', 'OPENED']);
  });

  it('places no entry while the account is paused, without counting it, and does once that is lifted', async () => {
    const { exchange, file, first, bot } = await running();
    const [{ id = '' } = {}] = first.orders;
    const copy = await Desk.start(exchange, copyOf(file), { takeover: true });
    await copy.place();
    await exchange.pass(1_000);
    expect(first.shut?.kind).toBe('paused');
    const before = first.asked.length;
    void exchange.rough.inner.venue.cancel({ clientId: id, symbol: 'BTCUSDT' });
    await exchange.pass(A_WHILE_MS);
    expect(first.asked.slice(before)).toEqual([]);
    expect(first.bot(bot)).toMatchObject({ status: 'STARTED' });
    await copy.stop();
    expect(await first.takeOver('paused')).toMatchObject({ ok: true });
    await exchange.pass(A_WHILE_MS);
    expect(first.asked.slice(before)).toEqual([expect.stringMatching(/^submit BUY ro-/)]);
  });
});

describe('who the account is', () => {
  it('is kept, and another one is sent nothing at all', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    expect(first.trading.core.links.get(EXCHANGE)?.gate?.identity).toEqual({ id: '1234' });
    await first.stop();
    exchange.identity = { id: '5678' };
    const desk = await Desk.start(exchange, file);
    expect(desk.shut?.kind).toBe('another');
    expect(desk.red).toEqual(['error: rough-spot was account 1234 and is 5678 now; choose another name']);
    expect(await desk.place({ side: 'SELL', price: '120000' })).toMatch(/^SERVICE_UNAVAILABLE/);
    const [{ id = '' } = {}] = desk.orders;
    void desk.trading.core.execute(OPERATOR, { type: 'cancel', exchange: EXCHANGE, id }, { requestId: 'r' });
    expect(await desk.takeOver('held')).toMatchObject({ ok: false });
    await exchange.pass(A_WHILE_MS);
    expect(desk.asked).toEqual([]);
    // The other account's own events change nothing here.
    exchange.made('web-1');
    await exchange.pass(5_000);
    expect(desk.orders).toMatchObject([{ id, status: 'OPENED' }]);
    await desk.stop();
    exchange.identity = { id: '1234' };
    const again = await Desk.start(exchange, file);
    expect(again.shut).toBeNull();
    // The cancel that waited is sent now.
    expect(again.asked).toEqual([`cancel ${id}`]);
  });

  it('is asked until it is answered: nothing is sent before, and then all goes on', async () => {
    const { exchange, file, first } = await opened();
    await first.place();
    await first.stop();
    exchange.identity = null;
    const desk = await Desk.start(exchange, file);
    const [{ id = '' } = {}] = desk.orders;
    void desk.trading.core.execute(OPERATOR, { type: 'cancel', exchange: EXCHANGE, id }, { requestId: 'r' });
    await exchange.pass(A_WHILE_MS);
    expect(await desk.place({ side: 'SELL', price: '120000' })).toMatch(/has not said which account it is/);
    expect(desk.asked).toEqual([]);
    exchange.identity = { id: '1234', mainId: '1' };
    await exchange.pass(A_WHILE_MS);
    expect(desk.asked).toEqual([`cancel ${id}`]);
    expect(await desk.place()).toBe('taken');
  });

  it('must be readable', async () => {
    const { exchange, file, first } = await opened();
    await first.stop();
    for (const id of ['', '\u001b[31m', 'x'.repeat(65)]) {
      exchange.identity = { id };
      const desk = await Desk.start(exchange, file);
      expect(await desk.place()).toMatch(/has not said which account it is/);
      await desk.stop();
    }
  });
});

it('the exchange in this process is never held, nor is what was connected after the copy was made', async () => {
  const exchange = new Exchange();
  await exchange.rough.open();
  await exchange.pass(5_000);
  const file = join(exchange.folder, 'outcry.db');
  // A store that has never known the account.
  const before = new Desk(exchange, file);
  before.kill();
  const copy = await Desk.start(exchange, copyOf(file));
  expect(copy.memory.desk).toMatchObject({ held: true });
  expect(copy.shut).toBeNull();
  const { core } = copy.trading;
  expect(core.links.get('paper-spot')?.gate).toBeNull();
  expect(core.links.get('paper-spot')?.away).toBeNull();
  await copy.stop();
  const again = await Desk.start(exchange, `${file}.copy`);
  expect(again.shut).toBeNull();
  expect(await again.place()).toBe('taken');
});
