/**
 * A ban of the address, in whatever form it is announced: nothing is sent and no connection is made until it
 * is over (money-at-risk.md 4).
 */
import { describe, expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';
import { marketRig } from './market-support.ts';
import { SpotCase } from './spot-support.ts';

const MINUTE = 60_000;
const LIMIT = { quantity: '0.01', price: '59000' };

/** Counts connections from now on. */
function dialsOf(net: { socket: (...given: never[]) => unknown }): { count: number } {
  const dials = { count: 0 };
  const socket = net.socket.bind(net);
  net.socket = (...given: never[]) => {
    dials.count += 1;
    return socket(...given);
  };
  return dials;
}

describe('a handshake that is refused with 418', () => {
  it('stops the requests of the address and its own dials, on spot', async () => {
    const c = await new SpotCase().open();
    const dials = dialsOf(c.net);
    c.emulator.spotLimits.ban(c.emulator.now() + 2 * MINUTE);
    c.net.cut('socket hang up');
    await c.clock.advance(2 * MINUTE - 5_000);
    expect(dials.count).toBe(1);
    expect(c.venue.canSend?.('cancel', 'BTCUSDT')).not.toBeNull();
    const before = c.requests.length;
    await c.clock.advance(4_000);
    expect(c.requests.length).toBe(before);
    await c.clock.advance(5_000);
    expect([c.stream.at(-1), c.venue.canSend?.('entry', 'BTCUSDT')]).toEqual(['up', null]);
    expect(await c.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
    expect(c.statuses.includes(418)).toBe(false);
  });

  it('does so on futures, where the key of the stream was given before', async () => {
    const rig = futuresRig();
    await rig.open();
    const dials = dialsOf(rig.net);
    const ban = rig.emulator.now() + 2 * MINUTE;
    // The listen key is received, and the ban begins before the connection.
    const connect = rig.emulator.connect.bind(rig.emulator);
    rig.emulator.connect = (...given) => {
      rig.emulator.futuresLimits.ban(ban);
      rig.emulator.connect = connect;
      return connect(...given);
    };
    rig.net.cut('socket hang up');
    await rig.clock.advance(2 * MINUTE - 5_000);
    expect(dials.count).toBe(1);
    expect(rig.venue.canSend('cancel', 'BTCUSDT')).not.toBeNull();
    await rig.clock.advance(10_000);
    expect([rig.told.stream.at(-1), rig.venue.canSend('entry', 'BTCUSDT')]).toEqual(['up', null]);
  });

  it('does so where it was of a stream of prices', async () => {
    const rig = await marketRig();
    rig.market.watch(new Map([['BTCUSDT', []]]));
    await rig.pass(2_000);
    expect(rig.told.whys.get('BTCUSDT')).toBeNull();
    const made = rig.net.made;
    rig.emulator.spotLimits.ban(rig.emulator.now() + 2 * MINUTE);
    rig.net.cut('socket hang up');
    await rig.pass(2 * MINUTE - 5_000);
    expect(rig.net.made).toBe(made + 1);
    await rig.pass(15_000);
    expect(rig.told.whys.get('BTCUSDT')).toBeNull();
  });
});

describe('a subscription that is refused with 429', () => {
  it('stops the address for as long as it says', async () => {
    const c = await new SpotCase().open();
    const dials = dialsOf(c.net);
    const over = 60_000 - (c.emulator.now() % MINUTE);
    const { limits } = { limits: c.emulator.spotLimits };
    const take = limits.take.bind(limits);
    // The handshake is still within the minute's weight, the subscription exceeds it.
    let taken = 0;
    limits.take = (weight, now) => {
      taken += 1;
      take(taken === 2 ? 7_000 : weight, now);
    };
    c.net.cut('socket hang up');
    await c.clock.advance(over - 2_000);
    expect([dials.count, taken]).toEqual([1, 2]);
    expect(c.venue.canSend?.('cancel', 'BTCUSDT')).not.toBeNull();
    await c.clock.advance(5_000);
    expect([c.stream.at(-1), c.venue.canSend?.('entry', 'BTCUSDT')]).toEqual(['up', null]);
  });
});

describe('too many orders (429 with -1015) told to a cancel', () => {
  const refusal = { code: -1015, msg: 'Too many new orders; current limit is 50 orders per 10 SECOND.' };

  /** Makes the exchange refuse the next cancels. */
  function refuseCancels(net: SpotCase['net'], times: number, headers: Record<string, string>) {
    const seen: number[] = [];
    const request = net.request.bind(net);
    net.request = (asked) => {
      if (asked.method !== 'DELETE') return request(asked);
      seen.push(0);
      if (seen.length > times) return request(asked);
      return Promise.resolve({ kind: 'answer', status: 429, headers, body: JSON.stringify(refusal) });
    };
    return seen;
  }

  it.each([
    ['for the time that it names', { 'retry-after': '4' }, 4_000],
    ['for a window where it names none', {}, 10_000],
  ])('stops new orders %s, on both markets, and the cancel is sent again', async (_, headers, ms) => {
    const c = await new SpotCase().open();
    await c.clock.advance(10_000);
    await c.submit({ ...LIMIT, clientId: 'bs-1' });
    const spot = refuseCancels(c.net, 2, headers);
    const cancelled = c.venue.cancel({ symbol: 'BTCUSDT', clientId: 'bs-1' });
    await c.clock.advance(100);
    expect(c.venue.canSend?.('entry', 'BTCUSDT')?.retryAfterMs).toBeGreaterThan(ms - 200);
    expect(c.venue.canSend?.('cancel', 'BTCUSDT')).toBeNull();
    expect(await c.result(cancelled)).toMatchObject({ kind: 'done' });
    expect(spot).toHaveLength(3);
    const rig = futuresRig();
    await rig.open();
    refuseCancels(rig.net, 1, headers);
    void rig.venue.cancel({ symbol: 'BTCUSDT', clientId: 'bf-none' });
    await rig.clock.advance(100);
    expect(rig.venue.canSend('entry', 'BTCUSDT')?.retryAfterMs).toBeGreaterThan(ms - 200);
  });

  it('stops for as long as the window that is used up, as its headers say', async () => {
    const rig = futuresRig();
    await rig.open();
    await rig.clock.advance(5_000);
    const counts = { 'x-mbx-order-count-10s': '3', 'x-mbx-order-count-1m': '1200' };
    refuseCancels(rig.net, 1, counts);
    void rig.venue.cancel({ symbol: 'BTCUSDT', clientId: 'bf-none' });
    await rig.clock.advance(100);
    expect(rig.venue.canSend('entry', 'BTCUSDT')?.retryAfterMs).toBeGreaterThan(50_000);
  });
});
