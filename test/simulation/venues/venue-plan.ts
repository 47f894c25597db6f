/**
 * What one seed does with a connected exchange: the desk's own faults as in other worlds, and a mix of the
 * network's and the exchange's.
 */
import type { NetFaults } from '../../emulators/kit/faults.ts';
import { Dice } from '../dice.ts';
import { type FuturesPlan, planOf, type SeedPlan } from '../plan.ts';
import { ACTS, type Act, type VenueSettings } from './venue-world.ts';

export interface VenuePlan {
  /**
   * The desk, its clients and bots, its crashes, as in every world; nothing in it concerns the paper
   * exchange.
   */
  readonly seed: SeedPlan;
  readonly net: NetFaults;
  /** Whether the network errs only after a desk has connected. */
  readonly calmStart: boolean;
  readonly settings: VenueSettings;
  /** Acts of others, with their mean time in ms. */
  readonly acts: readonly (readonly [act: Act, everyMs: number])[];
  /** Times at which the vault is locked for a while; every connection is then made again. */
  readonly locks: readonly { readonly at: number; readonly ms: number }[];
}

const LIVE = { kind: 'live', speed: 1 } as const;

export function venuePlanOf(seed: number): VenuePlan {
  const dice = new Dice(seed, 'venue plan');
  const drawn = planOf(seed, { bots: dice.chance(0.45) });
  const futures = futuresOf(dice);
  // With bots a live market takes its real minutes.
  const { activeMs } = drawn;
  return {
    seed: {
      ...drawn,
      clients: drawn.bots ? drawn.clients : drawn.clients + 1,
      // The seconds of a start are a large part of a short life.
      activeMs: Math.max(drawn.activeMs, 30_000),
      market: LIVE,
      hosting: 'external',
      futures: { ...futures, alone: false },
      guards: null,
      lossLimit: null,
      rough: null,
      faults: {},
      paper: {},
      longRest: drawn.longRest && dice.chance(0.5),
    },
    net: netOf(dice),
    calmStart: dice.chance(0.75),
    settings: {
      clockAheadMs: dice.chance(0.4) ? dice.int(-900, 900) : 0,
      hiddenMs: dice.chance(0.4) ? dice.pick([200, 1_500, 4_000]) : 0,
      triggeringMs: dice.chance(0.4) ? dice.pick([50, 800, 6_000]) : 0,
      hedge: dice.chance(0.25),
      futuresWallet: futures.wallet,
    },
    acts: ACTS.flatMap((act) => (dice.chance(LIKELY[act]) ? [[act, dice.pick(EVERY[act])] as const] : [])),
    locks: dice.chance(0.2) ? [{ at: dice.int(500, activeMs), ms: dice.int(200, 15_000) }] : [],
  };
}

const LIKELY: Readonly<Record<Act, number>> = {
  'stranger trades': 0.45,
  'stranger cancels ours': 0.3,
  transfer: 0.35,
  'filters change': 0.15,
  'symbol halts': 0.12,
  'exchange shuts its sockets': 0.15,
  'price jumps': 0.25,
  'reduced by the exchange': 0.3,
  'leverage changed elsewhere': 0.2,
};

const EVERY: Readonly<Record<Act, readonly number[]>> = {
  'stranger trades': [2_000, 6_000],
  'stranger cancels ours': [3_000, 9_000],
  transfer: [3_000, 15_000],
  'filters change': [8_000, 20_000],
  'symbol halts': [8_000, 20_000],
  'exchange shuts its sockets': [10_000, 30_000],
  'price jumps': [5_000, 15_000],
  'reduced by the exchange': [2_000, 8_000],
  'leverage changed elsewhere': [4_000, 15_000],
};

function futuresOf(dice: Dice): FuturesPlan {
  const high = dice.chance(0.4);
  return {
    alone: false,
    wallet: dice.pick(['400', '3000', '60000']),
    leverages: high ? [75, 100, 125] : [1, 3, 10, 20, 50],
    greed: high ? 0.9 : 0.25,
    hedge: dice.pick([0, 0.05, 0.2]),
  };
}

function netOf(dice: Dice): NetFaults {
  const delayMs = dice.pick([
    [1, 5],
    [5, 60],
    [20, 400],
  ] as const);
  if (dice.chance(0.1)) return { delayMs };
  const hit = (likely: number, high: number) => (dice.chance(likely) ? dice.between(0.005, high) : 0);
  return {
    delayMs,
    unsent: hit(0.3, 0.1),
    requestLost: hit(0.35, 0.12),
    answerLost: hit(0.4, 0.15),
    executedUnknown: hit(0.35, 0.12),
    failed: hit(0.3, 0.1),
    htmlPage: hit(0.2, 0.06),
    limited: hit(0.15, 0.03),
    banned: hit(0.12, 0.01),
    ...(dice.chance(0.3)
      ? {
          lateAnswer: dice.pick([
            [0, 800],
            [500, 4_000],
          ] as const),
        }
      : {}),
    cutEveryMs: dice.chance(0.45) ? dice.pick([4_000, 12_000, 40_000]) : 0,
    socketRefused: hit(0.3, 0.4),
    duplicate: hit(0.35, 0.3),
    swapped: hit(0.35, 0.3),
    ...(dice.chance(0.3)
      ? {
          stall: dice.pick([
            [200, 2_000],
            [2_000, 8_000],
          ] as const),
        }
      : {}),
    messageLost: hit(0.2, 0.05),
  };
}
