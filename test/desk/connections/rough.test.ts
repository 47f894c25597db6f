/**
 * The rough exchange, connected as a kind of its own while the desk runs: its own faults, replicas that lag,
 * late refusals. In the end the desk knows what the exchange has, also after the vault was locked and the
 * desk was killed.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Connections } from '../../../src/desk/connections/connections.ts';
import { openTrading, type Trading } from '../../../src/desk/trading.ts';
import type { Connection } from '../../../src/domain/connection.ts';
import { str } from '../../../src/domain/decimal.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { Dice } from '../../simulation/dice.ts';
import type { RoughPlan } from '../../simulation/rough/rough-plan.ts';
import { RoughPrices } from '../../simulation/rough/rough-prices.ts';
import { RoughSpot } from '../../simulation/rough/rough-spot.ts';
import { RoughLine } from '../../simulation/rough/rough-venue.ts';
import { type Life, SimClock } from '../../simulation/sim-clock.ts';
import { SimFaults } from '../../simulation/sim-faults.ts';
import { HandFeed } from '../../support/hand-feed.ts';

const START = Date.UTC(2026, 0, 5);
const PASSPHRASE = 'correct horse battery';
const SECONDS = 1_000;

const PLAN: RoughPlan = {
  eventDelayMs: 1_500,
  lagMs: 800,
  priceDelayMs: 200,
  driftMs: 60,
  page: 3,
  forgetMs: Number.POSITIVE_INFINITY,
  lateRefusal: 0.2,
  strangersEveryMs: 9_000,
  transfersEveryMs: 20_000,
  triggersMakeOrders: true,
  nativeStops: true,
  waitingMax: 3,
  emptyFigures: 0.2,
  makerFee: '0.001',
  takerFee: '0.001',
  feeAsset: null,
  hides: 0,
  symbolsEveryMs: 0,
  namesCancelled: 1,
  limits: null,
};

/** One exchange with one account; desks start and end. */
class World {
  readonly clock: SimClock;
  readonly rough: RoughSpot;
  readonly line: RoughLine;
  readonly prices: RoughPrices;
  readonly folder = mkdtempSync(join(tmpdir(), 'outcry-rough-'));
  readonly configured: Connection[] = [];
  healed = false;
  readonly kind: VenueKind;

  constructor(seed: number) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    const dice = (name: string) => new Dice(seed, name);
    this.clock = new SimClock(START, dice('clock'), 0);
    const common = { clock: this.clock, healed: () => this.healed, struck: () => {}, isKnown: () => true };
    const faults = new SimFaults(dice('faults'), new Map());
    faults.set({
      loseAnswer: 0.1,
      loseRequest: 0.05,
      lateArrival: 0.05,
      dropEvent: 0.05,
      duplicateEvent: 0.1,
    });
    this.rough = new RoughSpot({
      ...common,
      plan: PLAN,
      paper: {},
      stride: 0.004,
      tickEveryMs: () => 500,
      faults,
      stored: () => {},
      dice: dice('exchange'),
      marketDice: dice('market'),
      ledgerDice: dice('ledger'),
    });
    this.line = new RoughLine({
      ...common,
      exchange: this.rough,
      dice: dice('line'),
      symbolDice: dice('symbols'),
      ledgerDice: dice('ledger line'),
    });
    this.prices = new RoughPrices({
      ...common,
      exchange: this.rough,
      dice: dice('prices'),
      queryFails: 0.05,
    });
    this.kind = this.#kind();
  }

  heal(): void {
    this.healed = true;
    this.rough.inner.venue.faults.heal();
    this.line.heal();
  }

  pass(ms: number): Promise<void> {
    return this.clock.runUntil(this.clock.now + ms, () => false);
  }

  async until<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    await this.clock.runUntil(this.clock.now + 120 * SECONDS, () => isDone);
    return promise;
  }

  #kind(): VenueKind {
    return {
      name: 'rough',
      title: 'Rough',
      markets: ['spot'],
      environments: { live: [['spot']] },
      sharedWallet: false,
      endpoints: [{ name: 'rest', protocol: 'http', addresses: { live: 'https://rough.example' } }],
      credentials: [{ name: 'apiKey', label: 'API key', help: 'A key.' }],
      open: ({ accounts: [account], secrets }) => {
        const { venue } = this.line;
        const rights = {
          trade: true,
          withdraw: false,
          transfer: false,
          addresses: ['192.0.2.1'],
          expiresAt: null,
        };
        return [
          {
            ...venue,
            account: account ?? venue.account,
            open: async (sink) => {
              if (String(secrets.get('apiKey')) !== 'the key') throw new Error('this key is not known');
              await venue.open(sink);
            },
            close: async () => this.line.disconnect(),
            identity: async () => ({ id: '77' }),
            permissions: async () => rights,
          },
        ];
      },
      marketData: ({ accounts: [account] }) => [
        { ...this.prices.market(() => true), market: account?.market ?? '' },
      ],
    };
  }
}

interface Desk {
  readonly trading: Trading;
  readonly connections: Connections;
  readonly store: Store;
  readonly life: Life;
}

async function startDesk(world: World): Promise<Desk> {
  const life: Life = { alive: true };
  const clock = world.clock.of(life);
  const store = openSqliteStore(join(world.folder, 'outcry.db'));
  let ids = 0;
  const trading = openTrading({
    options: {
      feed: 'by hand',
      seed: 1,
      speed: 1,
      hold: false,
      timeZone: 'UTC',
      connections: [...world.configured],
    },
    ports: {
      openFeed: () => ({
        feed: new HandFeed({ symbols: ['BTCUSDT'], startTime: world.clock.wall, live: true }),
        samplePrices: () => ['100.00'],
      }),
      kinds: [world.kind],
      vault: {
        derive: async (passphrase, salt) => createHash('sha256').update(passphrase).update(salt).digest(),
      },
    },
    config: {
      append: async (connection) => void world.configured.push(connection),
      remove: async (name) =>
        void world.configured.splice(
          world.configured.findIndex((one) => one.name === name),
          1,
        ),
    },
    clock,
    random: {
      id: (length) => (world.clock.wall + ++ids).toString(32).padStart(length, '0').slice(-length),
      next: () => 0.5,
    },
    store,
    targets: new Map(),
    logFile: () => {},
    fatal: (reason) => {
      if (life.alive) throw new Error(reason);
    },
  });
  await world.until(trading.start());
  trading.run();
  return { trading, connections: trading.connections, store, life };
}

function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.data;
}

/** Places orders near the price, some of them far: only the exchange knows what becomes of each. */
async function trade(world: World, { trading }: Desk, rounds: number, dice: Dice): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const [symbol] = [...trading.core.engine.memory.account('rough-spot').instruments.keys()];
    const last = world.rough.last(symbol ?? '');
    if (symbol === undefined || last === null) throw new Error('no price');
    const price = String(Math.round(last * dice.between(0.995, 1.005)));
    const request = {
      exchange: 'rough-spot',
      symbol,
      side: 'BUY',
      type: 'LIMIT',
      price,
      quantity: '0.001',
    } as const;
    void trading.core.execute(OPERATOR, { type: 'place', request }, { requestId: `r${round}` });
    await world.pass(1_000);
  }
}

/** Differences between the desk's own orders and the exchange's books. */
function differences(world: World, { trading }: Desk): string[] {
  const wrong: string[] = [];
  for (const order of trading.core.engine.memory.orders.values()) {
    if (order.exchange !== 'rough-spot' || order.external) continue;
    const doc = world.rough.doc(trading.core.engine.memory.wireIds.of(order.id));
    const filled = doc ? Number(doc.cum) : 0;
    if (Number(order.executedQty) !== filled)
      wrong.push(`${order.id} has ${order.executedQty}, there ${filled}`);
    const isOpenThere = doc?.status === 'WORKING' || doc?.status === 'PENDING';
    if (isOpenThere !== (order.status === 'OPENED'))
      wrong.push(`${order.id} is ${order.status}, there ${doc?.status}`);
  }
  const { balances } = trading.core.engine.memory.account('rough-spot').wallet;
  for (const [asset, { free, locked }] of balances) {
    const there = world.rough.figure('balance', asset);
    if (str(free + locked) !== there) wrong.push(`${asset}: ${str(free + locked)}, there ${there}`);
  }
  return wrong;
}

it.each([1, 2, 3])(
  'is traded on through locks and a kill, and nothing is lost or doubled (seed %i)',
  async (seed) => {
    const world = new World(seed);
    const dice = new Dice(seed, 'orders');
    await world.rough.open();
    await world.pass(5_000);
    const first = await startDesk(world);
    granted(await world.until(first.trading.vault.init(Buffer.from(PASSPHRASE))));
    const request = {
      name: 'rough',
      venue: 'rough',
      markets: ['spot'],
      environment: 'live',
      rights: [],
    } as const;
    // The account holds more than that already.
    const guards = { maxPositionValue: null };
    const wrongKey = await world.until(
      first.connections.add({ ...request, secrets: { apiKey: 'another key' } }),
    );
    expect(wrongKey).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('this key is not known') },
    });
    expect(world.configured).toEqual([]);
    // A request may fail: then it is sent again.
    let added = await world.until(
      first.connections.add({ ...request, guards, secrets: { apiKey: 'the key' } }),
    );
    for (let tries = 0; !added.ok && tries < 20; tries++) {
      await world.pass(1_000);
      added = await world.until(
        first.connections.add({ ...request, guards, secrets: { apiKey: 'the key' } }),
      );
    }
    granted(added);
    expect(first.trading.core.engine.memory.account('rough-spot').guards?.set.maxOrderValue).toBe('1000');
    await world.pass(10 * SECONDS);
    await trade(world, first, 15, dice);
    const count = () =>
      [...first.trading.core.engine.memory.orders.values()].filter(({ external }) => !external).length;
    expect(count()).toBeGreaterThan(5);
    // While orders are on their way.
    first.trading.vault.lock();
    await world.pass(20 * SECONDS);
    expect(first.trading.core.links.get('rough-spot')?.away).toBe('the vault is locked');
    const before = count();
    await trade(world, first, 3, dice);
    expect(count()).toBe(before);
    granted(await world.until(first.trading.vault.unlock(Buffer.from(PASSPHRASE))));
    await world.pass(10 * SECONDS);
    await trade(world, first, 10, dice);
    // kill -9: nothing more is done or received.
    first.life.alive = false;
    world.line.disconnect();
    first.store.close();
    await world.pass(15 * SECONDS);
    const second = await startDesk(world);
    expect(second.connections.list().connections).toMatchObject([{ name: 'rough', state: 'locked' }]);
    granted(await world.until(second.trading.vault.unlock(Buffer.from(PASSPHRASE))));
    await world.pass(10 * SECONDS);
    await trade(world, second, 10, dice);
    world.heal();
    await world.pass(30 * 60 * SECONDS);
    expect(second.connections.list().connections).toMatchObject([{ name: 'rough', state: 'ready' }]);
    expect(differences(world, second)).toEqual([]);
    await second.trading.halt();
    await world.until(second.trading.close('the test is over'));
    second.store.close();
  },
);
