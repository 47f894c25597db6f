/**
 * Which events reach which socket: every filter rule, shields, and that no event comes twice, whatever the
 * subscriptions.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Audience } from '../../../src/api/ws/audience.ts';
import type { Filter } from '../../../src/api/ws/client-message.ts';
import { Subscriptions } from '../../../src/api/ws/subscriptions.ts';
import { STREAM_CHANNELS, type StreamChannel } from '../../../src/schemas/stream.ts';

interface Event {
  readonly channel: StreamChannel;
  readonly exchange: string;
  readonly symbol?: string;
}

const SPOT = 'paper-spot';
const FUTURES = 'paper-futures';
const BTC: Event = { channel: 'orders', exchange: SPOT, symbol: 'BTCUSDT' };
const HAN: Event = { channel: 'orders', exchange: SPOT, symbol: '币安人生USDT' };
const EVENTS: readonly Event[] = [
  BTC,
  HAN,
  { channel: 'orders', exchange: SPOT, symbol: 'ETHUSDT' },
  { channel: 'orders', exchange: FUTURES, symbol: 'BTCUSDT' },
  { channel: 'balance', exchange: SPOT },
  { channel: 'balance', exchange: FUTURES },
  { channel: 'positions', exchange: FUTURES },
  { channel: 'botStatus', exchange: SPOT },
  { channel: 'botStatus', exchange: FUTURES },
];

/** How often each event reaches a socket with these subscriptions. */
function deliveries(filters: readonly Filter[], allowed: readonly string[] | null = null): number[] {
  const subscriptions = new Subscriptions(200);
  for (const filter of filters) subscriptions.add(filter);
  const audience = new Audience<string>();
  audience.listen('socket', 'owner', subscriptions.topics(allowed));
  return EVENTS.map(({ channel, exchange, symbol }) => {
    const reached = audience.reached('owner', channel, exchange, symbol);
    return reached.filter((members) => members.has('socket')).length;
  });
}

function delivered(filter: Filter, allowed: readonly string[] | null = null): Event[] {
  const counts = deliveries([filter], allowed);
  return EVENTS.filter((_, i) => counts[i] === 1);
}

const all = (channel: StreamChannel) => EVENTS.filter((event) => event.channel === channel);
const of = (channel: StreamChannel, exchange: string) =>
  all(channel).filter((event) => event.exchange === exchange);

describe('a subscription delivers', () => {
  // proves: rule ws-filter-exchange, rule ws-filter-symbol, rule ws-filter-bot-status, S45
  it.each<[string, Filter, Event[]]>([
    ['orders', { channel: 'orders' }, all('orders')],
    ['orders of an exchange', { channel: 'orders', exchange: SPOT }, of('orders', SPOT)],
    ['orders of a symbol', { channel: 'orders', exchange: SPOT, symbol: 'BTCUSDT' }, [BTC]],
    [
      'orders of a symbol of any letters',
      { channel: 'orders', exchange: SPOT, symbol: '币安人生USDT' },
      [HAN],
    ],
    [
      'no orders of a symbol in parts',
      { channel: 'orders', exchange: SPOT, symbol: '币安人生USDT\u0301' },
      [],
    ],
    ['no orders by symbol alone', { channel: 'orders', symbol: 'BTCUSDT' }, []],
    ['balances', { channel: 'balance' }, all('balance')],
    ['balances of an exchange', { channel: 'balance', exchange: FUTURES }, of('balance', FUTURES)],
    ['no balances by symbol', { channel: 'balance', exchange: FUTURES, symbol: 'BTCUSDT' }, []],
    ['no balances by symbol alone', { channel: 'balance', symbol: 'BTCUSDT' }, []],
    ['positions', { channel: 'positions' }, all('positions')],
    ['positions of an exchange', { channel: 'positions', exchange: FUTURES }, all('positions')],
    ['no positions by symbol', { channel: 'positions', exchange: FUTURES, symbol: 'BTCUSDT' }, []],
    ['no positions by symbol alone', { channel: 'positions', symbol: 'BTCUSDT' }, []],
    ['the status of bots', { channel: 'botStatus' }, all('botStatus')],
    ['no bots by exchange', { channel: 'botStatus', exchange: SPOT }, []],
    ['no bots by symbol', { channel: 'botStatus', symbol: 'BTCUSDT' }, []],
    ['no bots by exchange and symbol', { channel: 'botStatus', exchange: SPOT, symbol: 'BTCUSDT' }, []],
    ['nothing of an unknown exchange', { channel: 'orders', exchange: 'nowhere-spot' }, []],
    ['nothing of an unknown symbol', { channel: 'orders', exchange: SPOT, symbol: 'NOPE' }, []],
    ['nothing of an exchange in other case', { channel: 'orders', exchange: 'PAPER-SPOT' }, []],
    ['nothing of a name that runs into a symbol', { channel: 'orders', exchange: `${SPOT} BTCUSDT` }, []],
  ])('%s', (_what, filter, expected) => {
    expect(delivered(filter)).toEqual(expected);
  });

  // proves: D40
  it.each<[string, Filter, Event[]]>([
    ['orders of allowed exchanges only', { channel: 'orders' }, of('orders', SPOT)],
    ['balances of allowed exchanges only', { channel: 'balance' }, of('balance', SPOT)],
    ['no positions, when only spot is allowed', { channel: 'positions' }, []],
    ['bots of allowed exchanges only', { channel: 'botStatus' }, of('botStatus', SPOT)],
    ['no exchange that is not allowed, when it is named', { channel: 'orders', exchange: FUTURES }, []],
    ['no symbol there either', { channel: 'orders', exchange: FUTURES, symbol: 'BTCUSDT' }, []],
    ['an allowed exchange', { channel: 'orders', exchange: SPOT }, of('orders', SPOT)],
    ['no bots by an allowed exchange', { channel: 'botStatus', exchange: SPOT }, []],
  ])('to a shielded key %s', (_what, filter, expected) => {
    expect(delivered(filter, [SPOT])).toEqual(expected);
  });
});

/** The rules in other words: whether this one subscription matches this event. */
function wants(filter: Filter, event: Event, allowed: readonly string[] | null): boolean {
  if (filter.channel !== event.channel) return false;
  if (allowed !== null && !allowed.includes(event.exchange)) return false;
  if (filter.channel === 'botStatus') return filter.exchange === undefined && filter.symbol === undefined;
  if (filter.symbol !== undefined) {
    if (filter.channel !== 'orders' || filter.exchange === undefined) return false;
    if (filter.symbol !== event.symbol) return false;
  }
  return filter.exchange === undefined || filter.exchange === event.exchange;
}

const NAMES = [SPOT, FUTURES, 'nowhere-spot', `${SPOT} BTCUSDT`];
const filter: fc.Arbitrary<Filter> = fc.record(
  {
    channel: fc.constantFrom(...STREAM_CHANNELS),
    exchange: fc.constantFrom(...NAMES),
    symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT', 'NOPE'),
  },
  { requiredKeys: ['channel'] },
);
const shield = fc.option(fc.uniqueArray(fc.constantFrom(SPOT, FUTURES, 'nowhere-spot'), { minLength: 1 }));

describe('any set of subscriptions', () => {
  // proves: D39
  it('delivers each event once if any of them wants it, else not at all', () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 12 }), shield, (filters, allowed) => {
        const expected = EVENTS.map((event) => (filters.some((one) => wants(one, event, allowed)) ? 1 : 0));
        expect(deliveries(filters, allowed)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves nothing behind when its socket leaves', () => {
    fc.assert(
      fc.property(fc.array(filter), (filters) => {
        const subscriptions = new Subscriptions(200);
        for (const one of filters) subscriptions.add(one);
        const audience = new Audience<string>();
        audience.listen('socket', 'owner', subscriptions.topics(null));
        audience.leave('socket');
        expect(STREAM_CHANNELS.map((channel) => audience.hasAny('owner', channel))).not.toContain(true);
      }),
    );
  });
});

describe('an audience', () => {
  // proves: rule ws-per-user
  it('keeps users apart, those too whose names begin alike', () => {
    const audience = new Audience<string>();
    audience.listen('a', 'owner', [{ channel: 'orders', key: '' }]);
    audience.listen('b', 'owner2', [{ channel: 'orders', key: '' }]);
    expect(audience.reached('owner', 'orders', SPOT, 'BTCUSDT').map((s) => [...s])).toEqual([['a']]);
    expect(audience.reached('nobody', 'orders', SPOT, 'BTCUSDT')).toEqual([]);
    expect(audience.hasAny('owner', 'balance')).toBe(false);
  });

  it('forgets what a member listened to before', () => {
    const audience = new Audience<string>();
    audience.listen('a', 'owner', [{ channel: 'orders', key: '' }]);
    audience.listen('a', 'owner', [{ channel: 'balance', key: SPOT }]);
    expect(audience.hasAny('owner', 'orders')).toBe(false);
    expect(audience.reached('owner', 'balance', SPOT).map((s) => [...s])).toEqual([['a']]);
    audience.listen('a', 'owner', []);
    expect(audience.hasAny('owner', 'balance')).toBe(false);
  });
});
