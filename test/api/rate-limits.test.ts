/**
 * The budgets against a model that keeps every accepted request in a plain list, on a clock that tests move.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Allowance, RateLimits, routeLimit, VERIFIED_KEYS } from '../../src/api/rate-limits.ts';
import type { Tier } from '../../src/domain/actor.ts';
import { compileServiceLimits, type ServiceLimits } from '../../src/domain/limits.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const WINDOW_MS = 5_000;
const ROUTE = 'GET /orders';
/** Small limits, so that most runs are near them. */
const LIMITS = {
  addressRequests: 4,
  routeRequests: { [ROUTE]: 3 },
  tierFactors: { read: 0.7, trade: 1, full: 2 },
} satisfies ServiceLimits;
const ROUTE_LIMIT: Readonly<Record<Tier, number>> = { read: 2, trade: 3, full: 6 };

interface Real {
  readonly clock: VirtualClock;
  readonly rates: RateLimits;
}

/** The moments of accepted requests by budget, on a monotonic clock. */
interface Model {
  readonly accepted: Map<string, number[]>;
}

function start(limits: ServiceLimits = LIMITS): Real & { readonly reports: string[] } {
  const clock = new VirtualClock();
  const reports: string[] = [];
  const report = (text: string) => reports.push(text);
  return { clock, reports, rates: new RateLimits({ limits: compileServiceLimits(limits), clock, report }) };
}

/** Checks one response against the specification and D7, counted anew from the list. */
function expectTold(model: Model, budget: string, limit: number, clock: VirtualClock, told: Allowance): void {
  const now = clock.monotonic();
  const all = model.accepted.get(budget) ?? [];
  const room = all.filter((at) => at > now - WINDOW_MS).length < limit;
  if (room) all.push(now);
  model.accepted.set(budget, all);
  const counted = all.filter((at) => at > now - WINDOW_MS);
  const oldest = counted[0] ?? now - WINDOW_MS;
  const free = counted[counted.length - limit] ?? now - WINDOW_MS;
  const headers: Record<string, string> = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - counted.length)),
    'x-ratelimit-reset': String(Math.ceil((clock.wall() + oldest + WINDOW_MS - now) / 1_000)),
  };
  if (!room) headers['retry-after'] = String(Math.max(1, Math.ceil((free + WINDOW_MS - now) / 1_000)));
  expect(told.headers).toEqual(headers);
  expect(told.refusal?.code).toBe(room ? undefined : 'RATE_LIMITED');
}

class FromAddress implements fc.AsyncCommand<Model, Real> {
  readonly address: string;
  constructor(address: string) {
    this.address = address;
  }
  check = () => true;
  async run(model: Model, { clock, rates }: Real) {
    expectTold(model, this.address, LIMITS.addressRequests, clock, rates.takeAddress(this.address));
  }
  toString = () => `from ${this.address}`;
}

class ToRoute implements fc.AsyncCommand<Model, Real> {
  readonly user: string;
  readonly tier: Tier;
  constructor(user: string, tier: Tier) {
    this.user = user;
    this.tier = tier;
  }
  check = () => true;
  async run(model: Model, { clock, rates }: Real) {
    const { user, tier } = this;
    expectTold(model, user, ROUTE_LIMIT[tier], clock, rates.takeRoute({ user, tier }, ROUTE));
  }
  toString = () => `${this.user} with ${this.tier}`;
}

class Pass implements fc.AsyncCommand<Model, Real> {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run(_model: Model, { clock }: Real) {
    await clock.advance(this.ms);
  }
  toString = () => `pass ${this.ms} ms`;
}

/** Passes time up to the moment at which a budget's oldest request leaves the window, or just beside it. */
class PassToBorder implements fc.AsyncCommand<Model, Real> {
  readonly budget: string;
  readonly beside: number;
  constructor(budget: string, beside: number) {
    this.budget = budget;
    this.beside = beside;
  }
  check = (model: Readonly<Model>) => model.accepted.has(this.budget);
  async run(model: Model, { clock }: Real) {
    const now = clock.monotonic();
    const oldest = model.accepted.get(this.budget)?.find((at) => at > now - WINDOW_MS) ?? now - WINDOW_MS;
    await clock.advance(Math.max(0, oldest + WINDOW_MS - now + this.beside));
  }
  toString = () => `pass to the border of ${this.budget} ${this.beside}`;
}

class SetWall implements fc.AsyncCommand<Model, Real> {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run(_model: Model, { clock }: Real) {
    clock.jump(this.ms);
  }
  toString = () => `the wall clock is set by ${this.ms} ms`;
}

const ADDRESSES = ['203.0.113.7', '2001:db8::1'];
const USERS = ['owner', 'alice'];
const commands = [
  fc.constantFrom(...ADDRESSES).map((address) => new FromAddress(address)),
  fc
    .tuple(fc.constantFrom(...USERS), fc.constantFrom<Tier>('read', 'trade', 'full'))
    .map(([user, tier]) => new ToRoute(user, tier)),
  fc
    .oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 6_000 }),
      fc.constantFrom(4_999, 5_000, 5_001),
    )
    .map((ms) => new Pass(ms)),
  fc
    .tuple(fc.constantFrom(...USERS, ...ADDRESSES), fc.integer({ min: -1, max: 1 }))
    .map(([budget, beside]) => new PassToBorder(budget, beside)),
  fc.integer({ min: -3_600_000, max: 3_600_000 }).map((ms) => new SetWall(ms)),
];

// proves: rule sliding-window, rule address-limit, rule budgets-per-account, rule tier-factor, D5, D7
describe('the budgets', () => {
  it('follow a plain list of accepted requests, whatever happens to the clocks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (run) => {
        const model: Model = { accepted: new Map() };
        await fc.asyncModelRun(() => ({ model, real: start() }), run);
        for (const address of ADDRESSES) {
          const all = model.accepted.get(address) ?? [];
          const crowded = all.filter(
            (at, i) => at - (all[i - LIMITS.addressRequests] ?? -Infinity) < WINDOW_MS,
          );
          expect(crowded).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are the specified ones by default', () => {
    const limits = compileServiceLimits();
    expect(routeLimit(limits, 'trade', 'POST /orders')).toBe(10);
    expect(routeLimit(limits, 'read', 'GET /exchange/supported')).toBe(5);
    expect(start({}).rates.takeAddress('203.0.113.7').headers['x-ratelimit-limit']).toBe('100');
  });

  it('never fall to nothing by a small factor', () => {
    const limits = compileServiceLimits({ tierFactors: { read: 0.01 } });
    expect(routeLimit(limits, 'read', 'POST /portfolio/margin-mode')).toBe(1);
  });

  it('count IPv6 by its /64 and mapped addresses as IPv4', () => {
    const { rates } = start();
    const remaining = (address: string) => rates.takeAddress(address).headers['x-ratelimit-remaining'];
    expect(['2001:db8::1', '2001:db8::2:3', '2001:db8:0:1::1'].map(remaining)).toEqual(['3', '2', '3']);
    expect(['192.0.2.1', '::ffff:192.0.2.1'].map(remaining)).toEqual(['3', '2']);
  });

  it('name what is full and how long that lasts', () => {
    const { rates } = start({ addressRequests: 1, otherRouteRequests: 1 });
    const key = { user: 'owner', tier: 'read' } as const;
    for (const _ of [1, 2]) rates.takeAddress('2001:db8::1');
    rates.takeRoute(key, 'GET /portfolio/dust');
    expect(rates.takeAddress('2001:db8::1').refusal?.message).toBe(
      'the limit is 1 request from 2001:db8::/64 within 5 s; try again in 5 s',
    );
    expect(rates.takeRoute(key, 'GET /portfolio/dust').refusal?.message).toBe(
      'the limit is 1 request to GET /portfolio/dust from this account within 5 s; try again in 5 s',
    );
  });

  it('keep a share for a key that goes on verifying, however many others verify meanwhile', () => {
    const { rates } = start();
    const address = '192.0.2.1';
    rates.verified('own', address);
    for (let i = 1; i < VERIFIED_KEYS; i++) rates.verified(`other ${i}`, address);
    rates.verified('own', address);
    rates.verified('one more', address);
    for (let i = 0; i < LIMITS.addressRequests; i++) rates.takeAddress(address);
    expect(rates.takeAddress(address).refusal?.code).toBe('RATE_LIMITED');
    expect(rates.takeAddress(address, { foreign: false, keyId: 'own' }).refusal).toBeNull();
  });

  const OWN = { foreign: false, keyId: 'own' };
  const full = (rates: RateLimits, address: string) => {
    for (let i = 0; i < LIMITS.addressRequests; i++) expect(rates.takeAddress(address).refusal).toBeNull();
    expect(rates.takeAddress(address).refusal).not.toBeNull();
  };

  it('count for the kept half all that its key was let make, also while the address had room', async () => {
    const { clock, rates } = start();
    const address = '192.0.2.1';
    rates.verified('own', address);
    for (let i = 0; i < LIMITS.addressRequests; i++) {
      expect(rates.takeAddress(address, OWN).refusal).toBeNull();
      await clock.advance(1_000);
    }
    // The first request leaves the window, and another client takes its place: three of the key are in the
    // window, more than half.
    await clock.advance(1_000);
    expect(rates.takeAddress(address).refusal).toBeNull();
    expect(rates.takeAddress(address, OWN).refusal?.code).toBe('RATE_LIMITED');
    await clock.advance(1_000);
    expect(rates.takeAddress(address).refusal).toBeNull();
    expect(rates.takeAddress(address, OWN).refusal?.code).toBe('RATE_LIMITED');
    await clock.advance(1_000);
    expect(rates.takeAddress(address).refusal).toBeNull();
    expect(rates.takeAddress(address, OWN).refusal).toBeNull();
  });

  it('say so of the kept half, too, where that has room first', async () => {
    const { clock, rates } = start();
    const address = '192.0.2.1';
    rates.verified('own', address);
    full(rates, address);
    await clock.advance(1_000);
    for (const _ of [1, 2]) expect(rates.takeAddress(address, OWN).refusal).toBeNull();
    // The other clients' requests have left the window, and new ones have come.
    await clock.advance(4_000);
    full(rates, address);
    await clock.advance(200);
    expect(rates.takeAddress(address, OWN).headers['retry-after']).toBe('1');
    await clock.advance(800);
    expect(rates.takeAddress(address, OWN).refusal).toBeNull();
  });

  it('keep half for a verified key beside a full address, and say when the first of both has room', async () => {
    const { clock, rates } = start();
    const address = '192.0.2.1';
    rates.verified('own', address);
    full(rates, address);
    await clock.advance(1_000);
    for (const _ of [1, 2]) expect(rates.takeAddress(address, OWN).refusal).toBeNull();
    await clock.advance(500);
    const told = rates.takeAddress(address, OWN);
    expect(told.refusal?.code).toBe('RATE_LIMITED');
    // The others' requests leave after 3.5 s, the key's own after 4.5 s.
    expect(told.headers['retry-after']).toBe('4');
    await clock.advance(3_500);
    expect(rates.takeAddress(address, OWN).refusal).toBeNull();
  });

  it('keep nothing for another key, from another address, or for a page of another origin that names the key', () => {
    const { rates } = start();
    rates.verified('own', '192.0.2.1');
    for (const address of ['192.0.2.1', '192.0.2.2']) full(rates, address);
    for (let i = 0; i < LIMITS.addressRequests; i++)
      expect(rates.takeAddress('192.0.2.1', { ...OWN, foreign: true }).refusal).toBeNull();
    expect(rates.takeAddress('192.0.2.1', { ...OWN, foreign: true }).refusal).not.toBeNull();
    expect(rates.takeAddress('192.0.2.1', { ...OWN, keyId: 'other' }).refusal).not.toBeNull();
    expect(rates.takeAddress('192.0.2.2', OWN).refusal).not.toBeNull();
    expect(rates.takeAddress('192.0.2.1', OWN).refusal).toBeNull();
  });

  it('keep one half for all keys that have verified from an address together', () => {
    const { rates } = start();
    const address = '192.0.2.1';
    for (const key of ['own', 'second']) rates.verified(key, address);
    full(rates, address);
    const taken = ['own', 'second', 'own', 'second'].map(
      (keyId) => rates.takeAddress(address, { ...OWN, keyId }).refusal === null,
    );
    expect(taken).toEqual([true, true, false, false]);
  });

  it('keep it for five minutes after the last verification, less by a millisecond', async () => {
    for (const [pause, keeps] of [
      [299_999, true],
      [300_000, false],
    ] as const) {
      const { clock, rates } = start();
      rates.verified('own', '192.0.2.1');
      await clock.advance(pause);
      full(rates, '192.0.2.1');
      expect(rates.takeAddress('192.0.2.1', OWN).refusal === null).toBe(keeps);
    }
  });

  it('keep nothing for a key that was revoked, from wherever it was used, and still what others have', () => {
    const { rates } = start();
    const addresses = ['192.0.2.1', '2001:db8::1'];
    for (const address of addresses) for (const key of ['own', 'own2']) rates.verified(key, address);
    rates.forgetKey('own');
    for (const address of addresses) {
      full(rates, address);
      expect(rates.takeAddress(address, OWN).refusal).not.toBeNull();
      expect(rates.takeAddress(address, { ...OWN, keyId: 'own2' }).refusal).toBeNull();
    }
  });

  it('report a flood once a minute, with how much of it there was', async () => {
    const { clock, rates, reports } = start({ addressRequests: 1 });
    const flood = (address: string) => {
      for (let i = 0; i < 50; i++) rates.takeAddress(address);
    };
    flood('192.0.2.1');
    expect(reports).toEqual(['requests refused by the limit of their address: 1, the last from 192.0.2.1']);
    await clock.advance(59_999);
    flood('192.0.2.1');
    expect(reports).toHaveLength(1);
    await clock.advance(1);
    rates.takeAddress('192.0.2.1');
    expect(reports[1]).toBe('requests refused by the limit of their address: 98, the last from 192.0.2.1');
  });
});
