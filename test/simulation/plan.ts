/**
 * What one seed does: every seed draws its own mix of faults, load and crashes, with most switches off in
 * most seeds ("swarm").
 */
import type { Guards } from '../../src/domain/guards.ts';
import type { FaultMix } from '../../src/venues/paper/faults.ts';
import type { PaperOptions } from '../../src/venues/paper/options.ts';
import { Dice } from './dice.ts';
import type { LargePlan } from './large-positions.ts';
import { isRough } from './rough/rough-account.ts';
import { type RoughPlans, roughPlansOf } from './rough/rough-plan.ts';

/** Where a process dies: at a port of the desk, before or after the port has done its work. */
export type CrashPoint =
  | 'idle'
  | 'commit.before'
  | 'commit.after'
  | 'paper.before'
  | 'paper.after'
  | 'call.before'
  | 'call.after'
  | 'effect'
  | 'load';

export interface CrashPlan {
  /** Time from the start at which the crash is armed, ms. */
  readonly at: number;
  readonly point: CrashPoint;
  /** Crashes at the nth such moment. */
  readonly nth: number;
  readonly downMs: number;
  /** Port operations into the next start at which that crashes again; 0: it does not. */
  readonly again: number;
}

/** `error`: SQLite's primary result code; 10 (IOERR) is a device fault, after which every commit fails. */
export interface StoreFailure {
  readonly at: number;
  readonly on: 'commit' | 'paper';
  readonly error: 5 | 10 | 13;
  readonly nth: number;
  readonly times: number;
}

/** The futures account of a seed. */
export interface FuturesPlan {
  /** Whether there is no spot account beside it. */
  readonly alone: boolean;
  /** USDT at the start. */
  readonly wallet: string;
  readonly leverages: readonly number[];
  /** Largest share of the buying power in one order. */
  readonly greed: number;
  /** Chance that a client's setting is hedge mode. */
  readonly hedge: number;
}

/** How a seed uses bots. */
export interface BotsPlan {
  /** Largest number of bots at once. */
  readonly most: number;
  readonly thinkMs: number;
  /** All bots are made and started at once, when both prices are known; no request follows for them. */
  readonly once: boolean;
  /** Every run is stopped once the faults have healed. */
  readonly stopAtEnd: boolean;
}

/** Terms of a resting order that an exchange cannot change; `raised`: the price, and a higher quantity. */
export type FixedTerms = 'nothing' | 'raised' | 'all';

/** The market that the desk trades on. */
export interface MarketPlan {
  /**
   * `live`: market time is wall time and waits for nobody; `replay`: in lock-step, and market time stops
   * while the desk is down.
   */
  readonly kind: 'live' | 'replay';
  /** Ms of market time that pass in one of wall time; 1 on a live market. */
  readonly speed: number;
}

/** A clean end of a desk, and how long it is down afterwards. */
export interface StopPlan {
  readonly at: number;
  readonly downMs: number;
}

/**
 * `sleep`: the desk's machine sleeps for `ms`, its monotonic clock stopped; `set`: its wall clock is changed
 * by `ms`.
 */
export interface ClockFault {
  readonly at: number;
  readonly kind: 'sleep' | 'set';
  readonly ms: number;
}

export interface SeedPlan {
  readonly seed: number;
  readonly market: MarketPlan;
  /** Null: the seed has no bots. */
  readonly bots: BotsPlan | null;
  /** Null: every account of the seed is the paper exchange's. */
  readonly rough: RoughPlans | null;
  /** Null: the seed has a spot account only. */
  readonly futures: FuturesPlan | null;
  /** Guards of the spot account; null: it has none. */
  readonly guards: Guards | null;
  /** `dailyLossLimit` of every account; null: none. */
  readonly lossLimit: string | null;
  /** A person at a console lifts reached limits at random moments. */
  readonly lifts: boolean;
  /** Guards that are lowered while a run holds far more; null: none. */
  readonly large: LargePlan | null;
  /** Chance that a client amends an order in addition to its other requests. */
  readonly amends: number;
  /** Terms that the seed's exchanges cannot amend in place, so that another order replaces it. */
  readonly fixed: FixedTerms;
  /** Time of day at which the world begins: funding falls due at 0, 8 and 16 h. */
  readonly startOffsetMs: number;
  /**
   * `embedded`: the exchange lives and dies with the desk, in the same database; `external`: it goes on while
   * the desk is down.
   */
  readonly hosting: 'embedded' | 'external';
  readonly activeMs: number;
  readonly tickEveryMs: number;
  /** Largest relative change of a price in one tick. */
  readonly stride: number;
  readonly clients: number;
  readonly thinkMs: number;
  /** How long a client waits before it takes the outcome as unknown. */
  readonly patienceMs: number;
  readonly shareTurn: number;
  readonly faults: Partial<FaultMix>;
  readonly paper: PaperOptions;
  readonly crashes: readonly CrashPlan[];
  readonly stops: readonly StopPlan[];
  readonly clockFaults: readonly ClockFault[];
  readonly storeFailures: readonly StoreFailure[];
  readonly outages: readonly { readonly at: number; readonly ms: number }[];
  /** Whether everything rests for over an hour in the middle: memory is swept, idempotency records expire. */
  readonly longRest: boolean;
  readonly cancelAtEnd: boolean;
}

const POINTS: Readonly<Record<CrashPoint, number>> = {
  idle: 2,
  'commit.before': 3,
  'commit.after': 3,
  'paper.before': 2,
  'paper.after': 3,
  'call.before': 2,
  'call.after': 2,
  effect: 2,
  load: 1,
};

export const CRASH_POINTS: readonly CrashPoint[] = Object.keys(POINTS) as CrashPoint[];

export interface PlanOptions {
  /**
   * Whether bots run beside the clients; left out: in some seeds with an exchange that errs, and in no
   * others.
   */
  readonly bots?: boolean;
  /** Whether an exchange that errs exists beside the paper one. */
  readonly rough?: boolean;
  /**
   * Orders are amended all the time, mostly by replacement orders; an exchange that errs is there in even
   * seeds.
   */
  readonly amends?: boolean;
}

export function planOf(seed: number, options: PlanOptions = {}): SeedPlan {
  const { amends = false, rough = amends && seed % 2 === 0 } = options;
  const bots = options.bots ?? (rough && new Dice(seed, 'rough bots').chance(0.3));
  const drawn = planWithoutBots(seed);
  const plan = amends ? { ...drawn, ...mostlyChanged(seed) } : drawn;
  // Real accounts exist only while the market is live.
  const whole = rough ? { ...withRough(plan), guards: null } : plan;
  // Runs of bots are compared with undisturbed ones, which have no guards.
  if (!bots) return whole;
  const large = rough ? null : largeOf(seed, plan.futures ? 0.6 : 0.3);
  return { ...withBots(whole, new Dice(seed, 'bots plan')), guards: null, large };
}

function withRough(plan: SeedPlan): SeedPlan {
  const rough = roughPlansOf(plan.seed);
  const dice = new Dice(plan.seed, 'rough start');
  const funded = rough.futures && !plan.futures;
  return {
    ...plan,
    market: LIVE,
    rough,
    ...(funded ? { startOffsetMs: startOffset(dice) } : {}),
    paper: { ...plan.paper, ...(funded ? contractsOf(dice) : {}) },
  };
}

const LIVE: MarketPlan = { kind: 'live', speed: 1 };

/** Draws guards from separate dice, so that no other draw changes. */
function guardsOf(seed: number): Guards | null {
  const dice = new Dice(seed, 'guards plan');
  if (!dice.chance(0.15)) return null;
  const some = <T>(values: readonly T[]) => (dice.chance(0.6) ? dice.pick(values) : null);
  return {
    maxOrderValue: some(['500', '1500', '6000']),
    maxPositionValue: some(['2000', '10000', '30000']),
    maxOpenOrders: some([3, 8, 20]),
    maxOrdersPerMinute: some([3, 10, 30]),
    priceBand: some(['0.1', '1', '10']),
    symbols: some([['BTCUSDT']]),
    dailyLossLimit: null,
    deadManSeconds: null,
  };
}

/** Draws small limits: prices move by parts of a percent. */
function lossLimitOf(seed: number): string | null {
  const dice = new Dice(seed, 'loss plan');
  return dice.chance(0.25) ? dice.pick(['0.01', '0.1', '1']) : null;
}

function largeOf(seed: number, likely: number): LargePlan | null {
  const dice = new Dice(seed, 'large plan');
  return dice.chance(likely) ? { times: dice.int(1, 5), lifts: dice.chance(0.5) } : null;
}

function amendsOf(seed: number): number {
  const dice = new Dice(seed, 'amends plan');
  return dice.chance(0.4) ? dice.between(0.1, 0.6) : 0;
}

function mostlyChanged(seed: number): Pick<SeedPlan, 'amends' | 'fixed'> {
  const dice = new Dice(seed, 'mostly changed');
  return { amends: dice.between(0.3, 0.9), fixed: dice.weighted({ nothing: 5, raised: 30, all: 65 }) };
}

function fixedOf(seed: number): FixedTerms {
  const dice = new Dice(seed, 'fixed plan');
  return dice.weighted({ nothing: 40, raised: 20, all: 40 });
}

function planWithoutBots(seed: number): SeedPlan {
  const dice = new Dice(seed, 'plan');
  const activeMs = dice.int(15, 60) * 1_000;
  const moment = () => dice.int(500, activeMs);
  const crashes = list(dice.chance(0.75) ? dice.int(1, 6) : 0, () => ({
    at: moment(),
    point: dice.weighted(POINTS),
    nth: dice.int(1, 8),
    downMs: dice.chance(0.5) ? dice.int(0, 300) : dice.int(300, 12_000),
    again: dice.chance(0.3) ? dice.int(1, 12) : 0,
  }));
  const storeFailures = list(dice.chance(0.35) ? dice.int(1, 4) : 0, () => ({
    at: moment(),
    on: dice.chance(0.7) ? ('commit' as const) : ('paper' as const),
    error: dice.pick([5, 13, 13, 10] as const),
    nth: dice.int(1, 4),
    times: dice.chance(0.15) ? 2 : 1,
  }));
  const own = new Dice(seed, 'futures plan');
  const futures = own.chance(0.3) ? null : futuresOf(own);
  const hosting = dice.chance(0.5) ? 'embedded' : 'external';
  const ends = new Dice(seed, 'ends plan');
  return {
    seed,
    bots: null,
    guards: guardsOf(seed),
    lossLimit: lossLimitOf(seed),
    lifts: true,
    large: null,
    amends: amendsOf(seed),
    fixed: fixedOf(seed),
    rough: null,
    market: marketOf(ends, hosting, [1, 1, 10]),
    futures,
    startOffsetMs: futures ? startOffset(own) : 0,
    hosting,
    activeMs,
    tickEveryMs: dice.pick([300, 500, 1_000, 2_000]),
    stride: Math.max(dice.pick([0.0005, 0.002, 0.006]), futures && futures.greed > 0.5 ? 0.01 : 0),
    clients: dice.int(1, 6),
    thinkMs: dice.pick([300, 800, 2_000]),
    patienceMs: dice.pick([500, 3_000, 20_000]),
    shareTurn: dice.pick([0, 0, 0.3, 0.8]),
    faults: faultsOf(dice),
    paper: {
      ...(dice.chance(0.6) ? { latencyMs: dice.pick([1, 20, 150]), jitterMs: dice.pick([0, 30, 400]) } : {}),
      ...(dice.chance(0.3) ? { slippageBps: dice.int(1, 20) } : {}),
      ...(dice.chance(0.6) ? { participation: dice.pick(['0.05', '0.3', '1']) } : {}),
      ...(dice.chance(0.3) ? { mode: 'through' as const } : {}),
      ...contractsOf(own),
    },
    crashes,
    stops: list(ends.chance(0.4) ? ends.int(1, 3) : 0, () => ({
      at: ends.int(500, activeMs),
      downMs: ends.chance(0.5) ? ends.int(0, 300) : ends.int(300, 30_000),
    })),
    clockFaults: list(ends.chance(0.3) ? ends.int(1, 2) : 0, (): ClockFault => {
      const at = ends.int(500, activeMs);
      if (ends.chance(0.5)) return { at, kind: 'sleep', ms: ends.int(2_000, ends.pick([10_000, 600_000])) };
      // Far less than an hour: the wall clock decides how long an idempotency key holds.
      return { at, kind: 'set', ms: ends.int(1_500, 50_000) * (ends.chance(0.5) ? 1 : -1) };
    }),
    storeFailures,
    outages: list(dice.chance(0.3) ? dice.int(1, 3) : 0, () => ({ at: moment(), ms: dice.int(200, 15_000) })),
    longRest: dice.chance(0.12),
    cancelAtEnd: dice.chance(0.5),
  };
}

/** Adapts a plan to bots: slow markets leave bots idle, and clients with many orders leave them no room. */
function withBots(given: SeedPlan, dice: Dice): SeedPlan {
  const drawn = marketOf(dice, given.hosting, [1, 10, 60]);
  const market = given.rough ? LIVE : drawn;
  // The minutes of a live market cannot be shortened: everything but the connection to the exchange takes
  // longer instead.
  const slow = market.kind === 'live' ? dice.pick([1, 10, 40]) : 1;
  const plan = slower(given, slow);
  return {
    ...plan,
    market,
    stride: Math.max(plan.stride, dice.pick([0.002, 0.004])),
    tickEveryMs: Math.min(given.tickEveryMs, 500) * slow,
    ...(plan.futures ? { futures: { ...plan.futures, alone: plan.futures.alone && dice.chance(0.4) } } : {}),
    clients: dice.int(0, 2),
    thinkMs: Math.max(given.thinkMs, 800) * slow,
    bots: {
      most: dice.int(2, 7),
      thinkMs: dice.pick([400, 1_000]) * slow,
      once: false,
      stopAtEnd: dice.chance(0.4),
    },
  };
}

/** Draws the market. One that the desk cannot drive itself never waits for it. */
function marketOf(dice: Dice, hosting: SeedPlan['hosting'], speeds: readonly number[]): MarketPlan {
  const replay = dice.chance(0.5);
  const speed = dice.pick(speeds);
  return hosting === 'embedded' && replay ? { kind: 'replay', speed } : { kind: 'live', speed: 1 };
}

function slower(plan: SeedPlan, times: number): SeedPlan {
  const later = <T extends { readonly at: number }>(one: T): T => ({ ...one, at: one.at * times });
  return {
    ...plan,
    activeMs: plan.activeMs * times,
    crashes: plan.crashes.map(later),
    stops: plan.stops.map(later),
    clockFaults: plan.clockFaults.map(later),
    storeFailures: plan.storeFailures.map(later),
    outages: plan.outages.map(later),
  };
}

const FUNDING_MS = 8 * 3_600_000;

function startOffset(dice: Dice): number {
  return dice.pick([0, FUNDING_MS - 20_000, FUNDING_MS - 120_000, FUNDING_MS - 2_400_000]);
}

/** Paper options that only contracts have. */
function contractsOf(dice: Dice): PaperOptions {
  return {
    ...(dice.chance(0.4) ? { markLagMs: dice.pick([1_000, 30_000]) } : {}),
    ...(dice.chance(0.6) ? { fundingRate: dice.pick(['0.0005', '0.01', '-0.01']) } : {}),
  };
}

/** How the owner of a futures account trades on it; null: the seed has no such account. */
export function tasteOf({ futures, rough }: SeedPlan, exchange: string): FuturesPlan | null {
  return isRough(exchange) ? (rough?.futures?.taste ?? null) : futures;
}

function futuresOf(dice: Dice): FuturesPlan {
  const high = dice.chance(0.5);
  return {
    alone: dice.chance(0.6),
    wallet: dice.pick(['400', '3000', '60000']),
    leverages: high ? [75, 100, 125] : [1, 3, 10, 20, 50],
    greed: high ? 0.9 : 0.25,
    hedge: dice.pick([0, 0.05, 0.3]),
  };
}

function faultsOf(dice: Dice): Partial<FaultMix> {
  if (dice.chance(0.1)) return {};
  const hit = (likely: number, high: number) => (dice.chance(likely) ? dice.between(0.01, high) : 0);
  return {
    rejectNth: dice.chance(0.2) ? dice.int(3, 15) : 0,
    loseRequest: hit(0.4, 0.2),
    lateArrival: hit(0.4, 0.25),
    loseAnswer: hit(0.4, 0.25),
    serverErrorAfterAccept: hit(0.4, 0.25),
    delay: hit(0.3, 0.4),
    delayMs: dice.pick([200, 3_000, 8_000]),
    answerTimeoutMs: dice.pick([0, 300, 3_000, 12_000]),
    dropEvent: hit(0.4, 0.4),
    duplicateEvent: hit(0.4, 0.4),
    reorderEvent: hit(0.4, 0.4),
    queryFails: hit(0.3, 0.5),
    acceptUsedId: dice.chance(0.5),
  };
}

function list<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
