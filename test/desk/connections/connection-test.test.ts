/**
 * What a test of a connection finds, line by line: of two accounts at once, at the limits of clock and time, with
 * every answer that may be missing.
 */
import { describe, expect, it } from 'vitest';
import { TEST_QUESTION_MS, testConnection } from '../../../src/desk/connections/connection-test.ts';
import type { ConnectionTest } from '../../../src/desk/console/connection-views.ts';
import type { Environment } from '../../../src/domain/connection.ts';
import type { Permissions } from '../../../src/domain/permissions.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import { FakeVenue, type FakeVenueOptions } from '../../support/fake-venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const DAY_MS = 86_400_000;
const RIGHTS: Permissions = {
  trade: true,
  withdraw: false,
  transfer: false,
  addresses: ['192.0.2.1'],
  expiresAt: null,
};
const never = () => new Promise<never>(() => {});

type Answers = { -readonly [Name in keyof Venue]?: Venue[Name] };

/** An account that answers everything well, but for what is given. */
function account(options: FakeVenueOptions = {}, answers: Answers = {}) {
  const venue = Object.assign(new FakeVenue(options), {
    identity: async () => ({ id: '77' }),
    permissions: async () => RIGHTS,
    feeRates: async () => ({ maker: '0.0002', taker: '0.0005' }),
    closed: 0,
    close: async () => {
      venue.closed += 1;
    },
  });
  return Object.assign(venue, answers);
}

async function tested(
  venues: readonly Venue[],
  environment: Environment = 'live',
  clock = new VirtualClock(),
): Promise<ConnectionTest> {
  const test = testConnection({ venues, environment, clock });
  let result: ConnectionTest | null = null;
  void test.then((one) => {
    result = one;
  });
  for (let n = 0; n < 20 && !result; n++) await clock.advance(TEST_QUESTION_MS);
  return test;
}

/** The lines as text, without what is to be done about them. */
const words = ({ lines }: ConnectionTest) =>
  lines.map(({ name, level, text }) => `${name} ${level}: ${text}`);
/** The lines of one name. */
async function line(name: string, answers: Answers, environment?: Environment): Promise<string[]> {
  return words(await tested([account({ kind: 'futures' }, answers)], environment)).filter((text) =>
    text.startsWith(`${name} `),
  );
}

describe('a test', () => {
  it('tells of each account in turn, and closes every one', async () => {
    const [spot, futures] = [
      account({ id: 'one-spot' }),
      account(
        { id: 'one-futures', kind: 'futures' },
        {
          identity: async () => ({ id: '78', mainId: '70' }),
          permissions: async () => ({ ...RIGHTS, withdraw: true }),
          feeRates: async () => ({ maker: '-0.0001', taker: '0.0004' }),
        },
      ),
    ];
    spot.answers.balances = async () => [
      { asset: 'USDT', free: '5', locked: '0' },
      { asset: 'BTC', free: '0', locked: '0.25' },
      { asset: 'ETH', free: '0', locked: '0' },
    ];
    futures.answers.hedgeMode = async () => true;
    const found = await tested([spot, futures]);
    expect(found.lines.map(({ exchange, name, level, text }) => [exchange, name, level, text])).toEqual([
      ['one-spot', 'reachable', 'ok', '1 symbols are traded'],
      ['one-spot', 'account', 'ok', 'account 77'],
      ['one-spot', 'permissions', 'ok', 'the key may trade'],
      ['one-spot', 'balance', 'ok', 'free: 5 USDT, 0 BTC'],
      ['one-spot', 'fees', 'ok', 'maker 0.02 %, taker 0.05 %'],
      ['one-futures', 'reachable', 'ok', '1 symbols are traded'],
      ['one-futures', 'account', 'ok', 'account 78 of 70'],
      ['one-futures', 'permissions', 'ok', 'the key may trade'],
      ['one-futures', 'permissions', 'warn', 'the key may withdraw'],
      ['one-futures', 'position mode', 'ok', 'hedge: long and short side by side'],
      ['one-futures', 'margin mode', 'ok', 'mode 1, single-asset'],
      ['one-futures', 'balance', 'ok', 'free: 100000 USDT'],
      ['one-futures', 'fees', 'ok', 'maker -0.01 %, taker 0.04 %'],
    ]);
    expect(found).toMatchObject({
      passed: true,
      rights: ['withdraw'],
      account: '77 and 78',
      identities: { 'one-spot': { id: '77' }, 'one-futures': { id: '78', mainId: '70' } },
    });
    expect([spot.closed, futures.closed]).toEqual([1, 1]);
    expect([...spot.sent, ...futures.sent]).toEqual([]);
  });

  it('names an account once where all are of it, and every right that any key has once', async () => {
    const wide = { permissions: async () => ({ ...RIGHTS, withdraw: true, transfer: true }) };
    const found = await tested([account({}, wide), account({ id: 'b' }, wide), account({ id: 'c' })]);
    expect([found.account, found.rights, found.passed]).toEqual(['77', ['withdraw', 'transfer'], true]);
    expect(words(found)).toContain('permissions warn: the key may withdraw and transfer');
  });

  it('that one account fails has failed, with what the other one has told', async () => {
    const broken = account({ id: 'b' }, { open: () => Promise.reject(new Error('no route')) });
    const found = await tested([broken, account({ id: 'a' })]);
    expect([found.passed, found.account]).toEqual([false, '77']);
    expect(found.lines.filter(({ exchange }) => exchange === 'b')).toEqual([
      {
        exchange: 'b',
        name: 'reachable',
        level: 'fail',
        text: 'no route',
        todo: 'look at the network, at the addresses, and at the key and its allowed addresses',
      },
    ]);
    expect(broken.closed).toBe(1);
  });

  it('of an account that hangs ends in ten seconds, and waits ten more at most for it to close', async () => {
    const clock = new VirtualClock();
    const stuck = account({}, { open: never, close: never });
    let ended = false;
    const test = testConnection({ venues: [stuck], environment: 'live', clock });
    void test.then(() => {
      ended = true;
    });
    await clock.advance(19_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(ended).toBe(true);
    expect(words(await test)).toEqual(['reachable fail: no answer within 10 s']);
    expect(clock.pendingTimers).toBe(0);
    const slow = account({}, { open: () => new Promise((done) => void clock.after(9_999, done)) });
    const second = testConnection({ venues: [slow], environment: 'live', clock });
    await clock.advance(9_999);
    expect((await second).passed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('of the clock', () => {
  it.each([
    [0, 'clock ok: 0 ms ahead of this machine'],
    [1_000, 'clock ok: 1000 ms ahead of this machine'],
    [-1_000, 'clock ok: 1000 ms behind this machine'],
    [1_001, 'clock warn: 1001 ms ahead of this machine'],
    [-5_000, 'clock warn: 5000 ms behind this machine'],
    [5_000.4, 'clock fail: 5000 ms ahead of this machine'],
    [-5_001, 'clock fail: 5001 ms behind this machine'],
  ])('%d ms is told', async (clockOffsetMs, text) => {
    const health = () => ({ clockOffsetMs }) as never;
    expect(await line('clock', { health } as never)).toEqual([text]);
  });

  it('nothing is told where it is not known', async () => {
    expect(await line('clock', {})).toEqual([]);
  });
});

describe('of the account and its key', () => {
  it.each<[string, Answers, string[]]>([
    ['identity', { identity: async () => null }, ['account fail: it has not said which account it is']],
    ['identity', { identity: undefined } as never, []],
    ['identity', { identity: async () => ({ id: '5', mainId: '5' }) }, ['account ok: account 5']],
  ])('%s %#', async (_, answers, found) => {
    expect(await line('account', answers)).toEqual(found);
  });

  it('rights that are not told fail where there is real money, and are a warning elsewhere', async () => {
    const none = { permissions: async () => null };
    expect(await line('permissions', none)).toEqual([
      'permissions fail: the exchange has not said what the key may do',
    ]);
    for (const environment of ['testnet', 'demo'] as const)
      expect(await line('permissions', none, environment)).toEqual([
        `permissions warn: the ${environment} does not say what the key may do`,
      ]);
    expect(
      await line('permissions', { permissions: async () => ({ ...RIGHTS, trade: false }) }, 'demo'),
    ).toEqual(['permissions fail: the key may not trade']);
  });

  it('what a key lacks in safety is a warning of its own', async () => {
    const expiresAt = new VirtualClock().wall() + 3 * DAY_MS;
    const permissions = async () => ({ ...RIGHTS, addresses: [], expiresAt });
    expect(await line('key', { permissions })).toEqual([
      'key warn: the key of paper-spot may be used from any address: restrict it at the exchange',
      'key warn: the key of paper-spot expires on 2026-01-08, in 3 days',
    ]);
  });
});

describe('of how it trades', () => {
  const futures = async (change: (venue: ReturnType<typeof account>) => void) => {
    const venue = account({ kind: 'futures' });
    change(venue);
    const found = await tested([venue]);
    return { passed: found.passed, lines: words(found).filter((text) => / mode /.test(text)) };
  };

  it('the position mode must be known', async () => {
    const oneWay = 'position mode ok: one-way';
    const single = 'margin mode ok: mode 1, single-asset';
    expect(await futures(() => {})).toEqual({ passed: true, lines: [oneWay, single] });
    const unknown = await futures((venue) => {
      venue.answers.hedgeMode = async () => null;
    });
    expect(unknown).toEqual({ passed: false, lines: ['position mode fail: could not be read', single] });
  });

  it('a margin mode of many assets is a warning, an unknown one is not told', async () => {
    const inMode = (mode: number | null) =>
      futures((venue) => Object.assign(venue.futures ?? {}, { marginMode: async () => mode }));
    expect((await inMode(2)).lines).toContain('margin mode warn: mode 2: nothing new is opened in it');
    expect((await inMode(2)).passed).toBe(true);
    expect((await inMode(null)).lines).toEqual(['position mode ok: one-way']);
  });

  it('balances: none is a warning, four are named and the rest is counted, what cannot be read fails', async () => {
    const holding = async (amounts: readonly string[] | null) => {
      const venue = account();
      venue.answers.balances = async () =>
        amounts?.map((free, at) => ({ asset: `A${at}`, free, locked: '0' })) ?? null;
      const found = await tested([venue]);
      return [words(found).find((text) => text.startsWith('balance')), found.passed];
    };
    expect(await holding([])).toEqual(['balance warn: nothing is there', true]);
    expect(await holding(['0', '0'])).toEqual(['balance warn: nothing is there', true]);
    expect(await holding(['0', '1', '2', '3', '4'])).toEqual([
      'balance ok: free: 1 A1, 2 A2, 3 A3, 4 A4',
      true,
    ]);
    expect(await holding(['9', '1', '2', '3', '4', '5'])).toEqual([
      'balance ok: free: 9 A0, 1 A1, 2 A2, 3 A3 and 2 more',
      true,
    ]);
    expect(await holding(null)).toEqual(['balance fail: could not be read', false]);
  });

  it('fees that are not known are a warning, and asked for only where an account has them', async () => {
    expect(await line('fees', { feeRates: async () => null })).toEqual(['fees warn: not known']);
    expect(await line('fees', { feeRates: never })).toEqual(['fees warn: not known']);
    expect(await line('fees', { feeRates: undefined } as never)).toEqual([]);
  });

  it('what it says that cannot be read is told once, as a warning', async () => {
    const found = await line('answers', { instruments: () => [{ symbol: 5 }, { symbol: 6 }] as never });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^answers warn: ./);
  });
});
