/**
 * The stream under any sequence of drops, refusals, subscriptions and events: in the end every subscriber
 * knows the service's state. The service is in memory, messages have a delay, time is virtual.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Stream, StreamSubscription } from '../../src/client/stream.ts';
import type { OpenSocket, SocketEvents } from '../../src/client/stream-socket.ts';
import type { SubscribeArgs } from '../../src/schemas/stream.ts';
import { SIGNING } from '../access/vectors.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { orderUpdate } from './orders.ts';
import { CHALLENGE, type Sent } from './stream-server.ts';

const EXCHANGES = ['a', 'b', 'c'];
const LATENCY_MS = 20;
const READ_MS = 150;

/** One connection of the service in memory; frames arrive after the latency, in order. */
class MemoryPeer {
  readonly topics = new Map<string, SubscribeArgs>();
  isOpen = true;
  readonly #service: MemoryService;
  readonly #events: SocketEvents;
  #authenticated = false;

  constructor(service: MemoryService, events: SocketEvents) {
    this.#service = service;
    this.#events = events;
    this.say({ op: 'challenge', data: { challenge: CHALLENGE } });
  }

  say(message: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify({ ts: 1, ...message });
    this.#later(() => this.#events.message(text));
  }

  take(text: string): void {
    this.#later(() => {
      const { op, id, args } = JSON.parse(text) as Sent & { args: SubscribeArgs };
      if (op === 'auth') {
        this.#authenticated = true;
        this.say({ op, id, data: { authenticated: true, userId: 'owner' } });
        return;
      }
      if (!this.#authenticated) throw new Error(`${op} before auth`);
      const topic = JSON.stringify(args);
      if (op === 'subscribe') {
        if (this.topics.has(topic)) this.#service.doubled += 1;
        this.topics.set(topic, args);
      } else this.topics.delete(topic);
      this.say({ op: `${op}d`, id, channel: args.channel });
    });
  }

  end(code: number): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const end = { code, reason: '', httpStatus: null, retryAfterMs: null, cause: null };
    this.#service.clock.after(0, () => this.#events.ended(end));
  }

  wants(exchange: string): boolean {
    return [...this.topics.values()].some((args) => (args.exchange ?? exchange) === exchange);
  }

  #later(run: () => void): void {
    this.#service.clock.after(LATENCY_MS, () => this.isOpen && run());
  }
}

class MemoryService {
  readonly clock = new VirtualClock();
  /** The service's state: a number per exchange. */
  readonly state = new Map(EXCHANGES.map((exchange) => [exchange, 0]));
  readonly peers: MemoryPeer[] = [];
  isDown = false;
  /** Topics subscribed twice on one connection. */
  doubled = 0;

  readonly open: OpenSocket = (_url, events) => {
    const peer = new MemoryPeer(this, events);
    this.peers.push(peer);
    if (this.isDown) peer.end(1006);
    return {
      send: (text) => peer.take(text),
      close: () => peer.end(1000),
      terminate: () => peer.end(1006),
    };
  };

  get live(): MemoryPeer[] {
    return this.peers.filter(({ isOpen }) => isOpen);
  }

  change(exchange: string): void {
    const value = (this.state.get(exchange) ?? 0) + 1;
    this.state.set(exchange, value);
    for (const peer of this.live) {
      if (peer.wants(exchange)) peer.say(orderUpdate({ exchange, executedQty: String(value) }));
    }
  }
}

/** A script with one subscription: reads the state when told to, and applies the events after it. */
class Subscriber {
  readonly args: { exchange?: string };
  readonly known = new Map<string, number>();
  readonly #service: MemoryService;
  subscription: StreamSubscription | null = null;
  isGone = false;
  eventsAfterEnd = 0;
  reading = 0;

  constructor(service: MemoryService, stream: Stream, exchange: string | null) {
    this.#service = service;
    this.args = exchange === null ? {} : { exchange };
    const handlers = {
      onResync: () => this.#read(),
      onEvent: ({ order }: { order: { exchange: string; executedQty: string } }) => {
        if (this.isGone) this.eventsAfterEnd += 1;
        if (this.reading > 0) throw new Error('an event during the read');
        this.known.set(order.exchange, Number(order.executedQty));
      },
    };
    stream.subscribe('orders', { ...this.args, ...handlers }).then(
      (subscription) => {
        this.subscription = subscription;
      },
      () => {},
    );
  }

  get exchanges(): readonly string[] {
    return this.args.exchange === undefined ? EXCHANGES : [this.args.exchange];
  }

  async #read(): Promise<void> {
    if (++this.reading > 1) throw new Error('two reads at once');
    const read = this.exchanges.map(
      (exchange) => [exchange, this.#service.state.get(exchange) ?? 0] as const,
    );
    await new Promise<void>((resolve) => this.#service.clock.after(READ_MS, resolve));
    for (const [exchange, value] of read) this.known.set(exchange, value);
    this.reading -= 1;
  }
}

type Step =
  | { kind: 'subscribe'; exchange: string | null }
  | { kind: 'unsubscribe'; which: number }
  | { kind: 'drop'; code: number }
  | { kind: 'down' | 'up' }
  | { kind: 'change'; exchange: string }
  | { kind: 'wait'; ms: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('subscribe' as const), exchange: fc.constantFrom(null, ...EXCHANGES) }),
  fc.record({ kind: fc.constant('unsubscribe' as const), which: fc.nat(9) }),
  fc.record({
    kind: fc.constant('drop' as const),
    code: fc.constantFrom(1000, 1001, 1006, 1008, 1009, 4001),
  }),
  fc.record({ kind: fc.constantFrom('down' as const, 'up' as const) }),
  fc.record({ kind: fc.constant('change' as const), exchange: fc.constantFrom(...EXCHANGES) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 25, 50, 200, 1_000, 20_000) }),
);

async function run(steps: readonly Step[], lastClose: number | null) {
  const service = new MemoryService();
  const { clock } = service;
  const client = createClient({
    baseUrl: 'http://memory/api',
    key: { privateKeyPem: SIGNING.pkcs8_pem },
    random: () => 0.5,
    now: () => clock.wall(),
  });
  const errors: Error[] = [];
  const opening = client.stream({
    open: service.open,
    after: (ms, go) => clock.after(ms, go),
    onError: (error) => errors.push(error),
    // The service in memory sends no pings.
    silenceMs: 10_000_000,
    heldEvents: 4,
  });
  await clock.advance(100);
  const stream = await opening;
  const subscribers: Subscriber[] = [];
  for (const step of steps) {
    if (step.kind === 'subscribe') subscribers.push(new Subscriber(service, stream, step.exchange));
    else if (step.kind === 'unsubscribe') unsubscribe(subscribers[step.which]);
    else if (step.kind === 'drop') for (const peer of service.live) peer.end(step.code);
    else if (step.kind === 'change') service.change(step.exchange);
    else if (step.kind === 'wait') await clock.advance(step.ms);
    else service.isDown = step.kind === 'down';
  }
  service.isDown = false;
  await clock.advance(120_000);
  if (lastClose !== null) {
    for (const peer of service.live) peer.end(lastClose);
    await clock.advance(120_000);
  }
  return { service, stream, subscribers, errors, client };
}

function unsubscribe(subscriber: Subscriber | undefined): void {
  if (!subscriber?.subscription) return;
  subscriber.isGone = true;
  void subscriber.subscription.unsubscribe();
}

describe('a stream', () => {
  // proves: rule ws-reconnect
  it('ends up subscribed to what is wanted, once each, and every subscriber knows the state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 40, size: 'max' }), async (steps) => {
        const { service, stream, subscribers, errors, client } = await run(steps, null);
        expect(stream.state.status).toBe('open');
        expect(service.live).toHaveLength(1);
        const wanted = subscribers.filter(({ isGone }) => !isGone);
        const topics = [...(service.live[0]?.topics.values() ?? [])].map(({ exchange }) => exchange ?? '*');
        expect(topics.sort()).toEqual([...new Set(wanted.map(({ args }) => args.exchange ?? '*'))].sort());
        expect(service.doubled).toBe(0);
        for (const { exchanges, known, subscription } of wanted) {
          expect(subscription).not.toBeNull();
          for (const exchange of exchanges) expect(known.get(exchange)).toBe(service.state.get(exchange));
        }
        expect(subscribers.filter(({ eventsAfterEnd }) => eventsAfterEnd > 0)).toEqual([]);
        expect(errors.filter(({ name }) => name === 'Error')).toEqual([]);
        const closing = client.close();
        await service.clock.advance(1);
        await closing;
        expect(service.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  // proves: rule ws-reconnect
  it('is at rest after 4003, whatever came before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 20, size: 'max' }), async (steps) => {
        const { service, stream, client } = await run(steps, 4003);
        expect(await stream.closed).toMatchObject({ code: 'KEY_REVOKED' });
        expect(service.live).toEqual([]);
        expect(service.clock.pendingTimers).toBe(0);
        await client.close();
      }),
      { numRuns: 100 },
    );
  });
});
