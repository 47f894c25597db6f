/**
 * The two sockets of an account of OKX: what is said on them, when they count as there, what each notice means,
 * and when something may have been missed.
 */
import { describe, expect, it } from 'vitest';
import type { SocketEvents, SocketRequest, WireSocket } from '../../../src/venues/kit/net.ts';
import { Rig, type RigOptions, secretsOf } from './rig.ts';

const text = (frame: object) => JSON.stringify(frame);
const granted = (channel: string) => text({ event: 'subscribe', arg: { channel } });
const LOGIN = text({ event: 'login', code: '0', msg: '' });
const PRIVATE = ['orders', 'account', 'balance_and_position'];
const BUSINESS = ['orders-algo', 'algo-advance'];
const ORDER = {
  ...{ instId: 'BTC-USDT', instType: 'SPOT', ordId: '7', clOrdId: 'mine', side: 'buy', ordType: 'limit' },
  ...{ state: 'live', px: '50000', sz: '2', accFillSz: '0', cTime: '1', uTime: '100' },
};
const orders = text({ arg: { channel: 'orders' }, data: [ORDER] });

/** A rig whose exchange says nothing by itself on its sockets. */
function silent(options: RigOptions = {}) {
  const rig = new Rig({ ...options, faults: { messageLost: 1 } });
  const opening: { result: string | null } = { result: null };
  rig.venue.open(rig.sink).then(
    () => {
      opening.result = 'open';
    },
    (error: Error) => {
      opening.result = error.message;
    },
  );
  const grant = (which: string, ...channels: string[]) => {
    for (const channel of channels) rig.net.say(which, granted(channel));
  };
  return { rig, opening, grant };
}

/** What was said on sockets of one path, without pings. */
const said = (rig: Rig, which: string) =>
  rig.net.frames
    .filter(({ path, text: frame }) => path === `/${which}` && frame !== 'ping')
    .map(({ text: frame }) => JSON.parse(frame) as { op: string; args: object[]; id?: string });
const pings = (rig: Rig, which: string) =>
  rig.net.frames.filter(({ path, text: frame }) => path === `/${which}` && frame === 'ping').length;

describe('a socket', () => {
  it('logs in, then asks for the channels of its market, and no more', async () => {
    const extraParams = '{"updateInterval":"0"}';
    const algos = (instType: string) => BUSINESS.map((channel) => ({ channel, instType }));
    for (const [kind, instType, positions] of [
      ['spot', 'ANY', []],
      ['swap', 'SWAP', [{ channel: 'positions', instType: 'SWAP', extraParams }]],
    ] as const) {
      const rig = await new Rig({ kind }).open();
      expect([...rig.net.dialled].sort()).toEqual(['/business', '/private']);
      expect(said(rig, 'private').map(({ op }) => op)).toEqual(['login', 'subscribe']);
      expect(said(rig, 'business').map(({ op }) => op)).toEqual(['login', 'subscribe']);
      expect(said(rig, 'private')[1]).toEqual({
        id: 'sub1',
        op: 'subscribe',
        args: [
          { channel: 'orders', instType },
          { channel: 'account', extraParams },
          { channel: 'balance_and_position' },
          ...positions,
        ],
      });
      expect(said(rig, 'business')[1]?.args).toEqual(algos(instType));
    }
  });

  it('asks for nothing before its login is granted, and is there when every channel is', async () => {
    const { rig, opening, grant } = silent();
    await rig.pass(1_000);
    expect(said(rig, 'private').map(({ op }) => op)).toEqual(['login']);
    rig.net.say('private', LOGIN);
    rig.net.say('business', LOGIN);
    await rig.pass(100);
    expect(said(rig, 'private').map(({ op }) => op)).toEqual(['login', 'subscribe']);
    grant('private', 'orders', 'orders', 'account', 'positions');
    grant('business', ...BUSINESS);
    rig.net.say('private', text({ event: 'subscribe' }));
    await rig.pass(100);
    expect([opening.result, rig.stream]).toEqual([null, []]);
    grant('private', 'balance_and_position');
    await rig.pass(100);
    expect([opening.result, rig.stream]).toEqual(['open', ['up']]);
    // A channel that is confirmed once more is no other socket.
    grant('private', 'orders');
    expect(rig.stream).toEqual(['up']);
  });

  it.each([
    ['private', 'business', BUSINESS],
    ['business', 'private', PRIVATE],
  ])(
    '%s that is missing after six seconds fails the opening, and no socket stays',
    async (_, there, channels) => {
      const { rig, opening, grant } = silent();
      await rig.pass(100);
      rig.net.say(there, LOGIN);
      await rig.pass(100);
      grant(there, ...channels);
      await rig.pass(5_700);
      expect(opening.result).toBeNull();
      await rig.pass(500);
      expect(opening.result).toBe('the socket of its events was not there in time');
      const dialled = rig.net.dialled.length;
      await rig.pass(120_000);
      expect([rig.net.sockets, rig.net.dialled.length, rig.stream]).toEqual([0, dialled, []]);
    },
  );

  it.each<[string, object, RegExp]>([
    [
      'login is refused',
      { event: 'login', code: '60024', msg: 'Wrong passphrase' },
      /passphrase is not that of the API key.*: Wrong passphrase \(60024\)/,
    ],
    ['error names a code', { event: 'error', code: '60006', msg: 'Timestamp expired' }, /clock by NTP/],
    [
      'channel has too many sockets',
      { event: 'channel-conn-count-error', channel: 'orders', connCount: '30' },
      /too many sockets for orders: close other programs/,
    ],
    ['channel has too many', { event: 'channel-conn-count-error' }, /too many sockets for a channel/],
  ])('whose %s fails the opening at once, with what to do', async (_, frame, words) => {
    const { rig, opening } = silent();
    await rig.pass(100);
    // Both sockets have had their answer.
    for (const which of ['business', 'private']) rig.net.say(which, text(frame));
    await rig.pass(10);
    expect(opening.result).toMatch(words);
    expect(rig.net.sockets).toBe(0);
  });

  it('that is refused while it is there is down with the reason, and another one is tried', async () => {
    const rig = await new Rig().open();
    const frame = { event: 'channel-conn-count-error', channel: 'orders-algo', connCount: '31' };
    rig.net.say('business', text(frame));
    expect(rig.stream).toEqual(['up', 'down']);
    expect(rig.reports).toEqual([
      'mine-spot: the line is down: the account has too many sockets for orders-algo: close other programs',
    ]);
    await rig.pass(5_000);
    expect(rig.stream).toEqual(['up', 'down', 'up']);
    expect(said(rig, 'business').map(({ op, id }) => [op, id])).toEqual([
      ['login', undefined],
      ['subscribe', 'sub1'],
      ['login', undefined],
      ['subscribe', 'sub2'],
    ]);
    expect(said(rig, 'private')).toHaveLength(2);
  });

  it('that cannot be signed for fails with the reason', async () => {
    let isLocked = false;
    const secrets = {
      get(field: 'apiKey' | 'secret' | 'passphrase') {
        if (isLocked) throw new Error('the vault is locked');
        return secretsOf().get(field);
      },
    };
    const rig = await new Rig({ secrets }).open();
    isLocked = true;
    rig.net.cut('cut', 'private');
    await rig.pass(10_000);
    expect(rig.stream).toEqual(['up', 'down']);
    isLocked = false;
    await rig.pass(60_000);
    expect(rig.stream).toEqual(['up', 'down', 'up']);
  });
});

describe('pings', () => {
  it('go out every 15 s on each socket that is there, and on no other', async () => {
    const rig = await new Rig().open();
    await rig.pass(14_000);
    expect([pings(rig, 'private'), pings(rig, 'business')]).toEqual([0, 0]);
    await rig.pass(1_100);
    expect([pings(rig, 'private'), pings(rig, 'business')]).toEqual([1, 1]);
    await rig.pass(30_000);
    expect([pings(rig, 'private'), pings(rig, 'business')]).toEqual([3, 3]);
    rig.net.cut('cut', 'private');
    await rig.pass(60_000);
    expect(pings(rig, 'business')).toBe(7);
    expect(pings(rig, 'private')).toBeGreaterThanOrEqual(6);
    expect(pings(rig, 'private')).toBeLessThanOrEqual(7);
    await rig.venue.close();
    const before = rig.net.frames.length;
    await rig.pass(60_000);
    expect(rig.net.frames.length).toBe(before);
  });

  it('come from the new socket alone after a change', async () => {
    const rig = await new Rig().open();
    await rig.pass(10_000);
    rig.net.say('private', text({ event: 'notice', code: '64008', msg: 'upgrade' }));
    await rig.pass(2_000);
    expect(rig.net.dialled).toHaveLength(4);
    const [one, two] = [pings(rig, 'private'), pings(rig, 'business')];
    await rig.pass(60_000);
    expect([pings(rig, 'private') - one, pings(rig, 'business') - two]).toEqual([4, 4]);
  });
});

describe('a change of sockets', () => {
  it('comes with the notice of an upgrade, of both, and with no other notice', async () => {
    const rig = await new Rig().open();
    rig.net.say('private', text({ event: 'notice', code: '64009', msg: 'something else' }));
    rig.net.say('private', text({ event: 'channel-conn-count', channel: 'orders', connCount: '2' }));
    await rig.pass(5_000);
    expect([rig.net.dialled.length, rig.stream, rig.reports]).toEqual([2, ['up'], []]);
    rig.net.say('private', text({ event: 'notice', code: '64008', msg: 'upgrade' }));
    await rig.pass(5_000);
    expect(rig.net.dialled.slice(2).sort()).toEqual(['/business', '/private']);
    expect([rig.net.sockets, rig.stream]).toEqual([2, ['up', 'gap', 'gap']]);
  });

  it('while the other one is down is no gap: all is compared when both are there', async () => {
    const rig = await new Rig().open();
    rig.net.faults = { socketRefused: 1 };
    rig.net.cut('cut', 'business');
    await rig.pass(1_000);
    rig.net.faults = {};
    rig.net.say('private', text({ event: 'notice', code: '64008', msg: 'upgrade' }));
    await rig.pass(30_000);
    expect(rig.stream).toEqual(['up', 'down', 'up']);
  });
});

describe('the stream', () => {
  it('is down once while both sockets are, and up when both are there again', async () => {
    const rig = await new Rig().open();
    rig.net.faults = { socketRefused: 1 };
    rig.net.cut('the first', 'private');
    rig.net.cut('the second', 'business');
    await rig.pass(5_000);
    expect(rig.stream).toEqual(['up', 'down']);
    expect(rig.reports).toEqual(['mine-spot: the line is down: the first']);
    rig.net.faults = {};
    await rig.pass(30_000);
    expect(rig.stream).toEqual(['up', 'down', 'up']);
    rig.net.cut('again', 'business');
    await rig.pass(30_000);
    expect(rig.stream).toEqual(['up', 'down', 'up', 'down', 'up']);
  });

  it.each([
    ['what is no message', '{'],
    ['neither an event nor data', '{}'],
    ['an event that is new', text({ event: 'dance' })],
  ])('that brings %s asks for a comparison and goes on', async (_, frame) => {
    const rig = await new Rig().open();
    rig.net.say('private', frame);
    expect(rig.stream).toEqual(['up', 'gap']);
    expect(rig.reports).toEqual([expect.stringMatching(/^mine-spot: a frame of the user stream: /)]);
    rig.net.say('private', orders);
    rig.net.say('private', 'pong');
    expect([rig.orders.length, rig.stream]).toEqual([1, ['up', 'gap']]);
  });
});

it('no more than three sockets are opened in a second, however often they break', async () => {
  const first = new Rig();
  const at: number[] = [];
  const { net, clock } = first;
  const dial = net.socket.bind(net);
  net.socket = (request: SocketRequest, events: SocketEvents): WireSocket => {
    at.push(clock.monotonic());
    return dial(request, events);
  };
  await first.open();
  for (let n = 0; n < 4; n++) {
    net.cut('cut');
    await first.pass(700);
  }
  await first.pass(20_000);
  expect(at.length).toBeGreaterThanOrEqual(6);
  for (const [n, time] of at.entries())
    expect(time - (at[n - 3] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(1_000);
});
