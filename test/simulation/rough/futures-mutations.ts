/**
 * Planted bugs in the connection to the rough exchange: one for each thing that a desk must not take on trust
 * from an exchange's futures account.
 */
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { ExchangeBalance, ExchangeFill } from '../../../src/domain/exchange.ts';
import { type ExchangePosition, type LeverageInfo, positionKey } from '../../../src/domain/position.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import type { FuturesVenue, Venue } from '../../../src/venues/venue.ts';
import type { Mutation } from '../mutations.ts';
import { over, withSink } from '../venue-over.ts';
import { isLiquidationName, isReductionName, isRough, ROUGH_FUTURES_MARKET } from './rough-account.ts';
import { fills, states } from './tellers.ts';

export const ROUGH_FUTURES_MUTATION_NAMES = [
  'answers-are-of-now',
  'positions-are-told',
  'no-liquidations',
  'one-name',
  'fees-in-quote',
  'no-rebates',
  'one-way',
  'settings-stay',
  'wallet-by-fills',
  'last-is-mark',
] as const;

export type RoughFuturesMutationName = (typeof ROUGH_FUTURES_MUTATION_NAMES)[number];

export const ROUGH_FUTURES_MUTATIONS: Readonly<Record<RoughFuturesMutationName, Mutation>> = {
  'answers-are-of-now': {
    name: 'an answer knows of all that was told before its question',
    desk: answersAreOfNow,
  },
  'positions-are-told': { name: 'no event of a position gets lost', venue: futures(positionsAreTold) },
  'no-liquidations': {
    name: 'an exchange closes nothing by itself',
    venue: futures((venue) => {
      const ours = <T extends { readonly clientId: string }>(what: T) =>
        isLiquidationName(what.clientId) ? null : what;
      return fills(states(venue, ours), ours);
    }),
  },
  'one-name': {
    name: 'a name is of one order',
    venue: futures((venue) => {
      const named = <T extends { readonly clientId: string }>(what: T): T =>
        isReductionName(what.clientId) ? { ...what, venueId: undefined, venueIds: undefined } : what;
      return fills(states(venue, named), named);
    }),
  },
  'fees-in-quote': {
    name: 'fees are paid in the asset that is paid with',
    venue: futures((venue) => fills(venue, (fill) => ({ ...fill, commAsset: 'USDT' }))),
  },
  'no-rebates': {
    name: 'a fee is paid, never received',
    venue: futures((venue) => fills(venue, (fill) => ({ ...fill, comm: paid(fill) }))),
  },
  'one-way': {
    name: 'an account has one position a contract',
    venue: futures((venue) => withFutures(venue, { hedgeMode: async () => false })),
  },
  'settings-stay': { name: 'nobody else changes how the account trades', venue: futures(settingsStay) },
  'wallet-by-fills': { name: 'a wallet moves by executions alone', venue: futures(walletByFills) },
  'last-is-mark': { name: 'a stop watches the last price', desk: lastIsMark },
};

/** Answers about balances and positions. */
const ANSWERS: ReadonlySet<string> = new Set(['venue.balances', 'venue.positions', 'venue.settings']);

/** Changes only the connection to the futures account. */
function futures(change: (venue: Venue) => Venue): (venue: Venue) => Venue {
  return (venue) => (isRough(venue.account.id) && venue.futures ? change(venue) : venue);
}

function withFutures(venue: Venue, change: Partial<FuturesVenue>): Venue {
  const { futures } = venue;
  return futures ? over(venue, { futures: { ...futures, ...change } }) : venue;
}

function paid({ comm }: ExchangeFill): string {
  return dec(comm) < ZERO ? str(-dec(comm)) : comm;
}

function answersAreOfNow(core: DeskCore): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => {
    const isAnswer = 'askedAt' in input && input.askedAt !== undefined && ANSWERS.has(input.type);
    if (!isAnswer || !('exchange' in input)) step(input);
    else step({ ...input, askedAt: core.engine.memory.account(input.exchange).wallet.versions.heard });
  };
}

function positionsAreTold(venue: Venue): Venue {
  let known: Map<string, ExchangePosition> | null = null;
  const told = (position: ExchangePosition) =>
    known?.set(positionKey(position.symbol, position.side), position);
  const asked = over(venue, {
    open: (sink) =>
      venue.open(
        withSink(sink, {
          positions: (changed) => {
            changed.forEach(told);
            sink.positions?.(changed);
          },
        }),
      ),
  });
  return withFutures(asked, {
    positions: async () => {
      if (!known) {
        const first = await venue.futures?.positions();
        if (!first) return null;
        known = new Map();
        first.forEach(told);
      }
      return [...known.values()].filter(({ amount }) => dec(amount) !== ZERO);
    },
  });
}

function settingsStay(venue: Venue): Venue {
  let first: readonly LeverageInfo[] | null = null;
  return withFutures(venue, {
    leverage: async (symbols) => {
      first ??= (await venue.futures?.leverage(symbols)) ?? null;
      return first;
    },
    setLeverage: async (change) => {
      first = null;
      return (await venue.futures?.setLeverage(change)) ?? { kind: 'unknown', cause: 'no futures' };
    },
    setMarginType: async (symbol, type) => {
      first = null;
      return (await venue.futures?.setMarginType(symbol, type)) ?? { kind: 'unknown', cause: 'no futures' };
    },
  });
}

function walletByFills(venue: Venue): Venue {
  let first: readonly ExchangeBalance[] | null = null;
  return over(venue, {
    open: (sink) => venue.open(withSink(sink, { balances: () => {} })),
    balances: async () => {
      first ??= await venue.balances();
      return first;
    },
  });
}

function lastIsMark(core: DeskCore): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => {
    if (input.type === 'mark' && input.market === ROUGH_FUTURES_MARKET) return;
    if (input.type === 'tick' && input.market === ROUGH_FUTURES_MARKET) step({ ...input, type: 'mark' });
    step(input);
  };
}
