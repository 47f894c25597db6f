/**
 * What the simulation needs of an exchange whose adapter it runs: the kind of the product, a stand-in behind a virtual network, and
 * what happened there in the stand-in's own words. One object a venue; nothing here knows any of them.
 */
import type { Clock } from '../../../src/domain/clock.ts';
import type { MarketKind } from '../../../src/domain/connection.ts';
import type { Dec } from '../../../src/domain/decimal.ts';
import type { Side } from '../../../src/schemas/order.ts';
import type { Net } from '../../../src/venues/kit/net.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import type { NetFaults } from '../../emulators/kit/faults.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';

/** Which of its two kinds of accounts something is of. */
export type AccountKind = 'spot' | 'futures';

/** What others and the exchange itself do to the account. */
export const ACTS = [
  /** Somebody places an order by hand, or ends one of theirs. */
  'stranger trades',
  /** Somebody ends an order of ours. */
  'stranger cancels ours',
  'transfer',
  'filters change',
  'symbol halts',
  'exchange shuts its sockets',
  /** The market jumps so far that a greedy position is liquidated. */
  'price jumps',
  'reduced by the exchange',
  'leverage changed elsewhere',
] as const;
export type Act = (typeof ACTS)[number];

/** How the exchange of a seed is; a venue leaves alone what it does not have. */
export interface VenueSettings {
  /** Its clock less ours. */
  readonly clockAheadMs: number;
  /** So long an order that was taken cannot be asked for. */
  readonly hiddenMs: number;
  /** So long a trigger that was met takes to make its order. */
  readonly triggeringMs: number;
  readonly hedge: boolean;
  readonly futuresWallet: string;
}

export interface VenueGiven {
  /** True time: it goes on whatever becomes of the desk. */
  readonly clock: Clock;
  readonly dice: (stream: string) => Dice;
  readonly symbols: readonly SimSymbol[];
  readonly settings: VenueSettings;
  /** Hears of every fault of the network. */
  readonly struck: (fault: string) => void;
  /** An order has come to its books, by the id that its maker has given it. */
  readonly taken: (account: AccountKind, clientId: string, symbol: string) => void;
}

export interface TruthOrder {
  readonly symbol: string;
  /** Its numbers as the port calls them: of a conditional order its own first, then that of what it has made. */
  readonly venueIds: readonly string[];
  readonly clientId: string;
  readonly side: Side;
  readonly state: 'open' | 'filled' | 'ended';
  readonly qty: Dec;
  readonly executed: Dec;
  /** Null: it has none. */
  readonly price: Dec | null;
  /** Of a conditional order that waits. */
  readonly waits: boolean;
  /** Its maker is not the desk. */
  readonly byOthers: boolean;
  /** Many have this client id: only its numbers name it. */
  readonly nameless?: true;
}

export interface TruthTrade {
  /** Unique within its symbol. */
  readonly id: string;
  readonly symbol: string;
  readonly venueId: string;
  readonly qty: Dec;
  readonly price: Dec;
  readonly comm: Dec;
  readonly commAsset: string;
}

export interface TruthPosition {
  readonly symbol: string;
  readonly side: 'BOTH' | 'LONG' | 'SHORT';
  /** Below zero: short. */
  readonly amount: Dec;
}

/** One account as its exchange has it. */
export interface Truth {
  readonly orders: readonly TruthOrder[];
  readonly trades: readonly TruthTrade[];
  /** Of an asset the whole; `free` where it tells that of an account. */
  readonly wallets: ReadonlyMap<string, { readonly whole: Dec; readonly free?: Dec }>;
  /** Asset -> opening, and all of its raw log that moved money, summed. */
  readonly moved: ReadonlyMap<string, Dec>;
  readonly positions: readonly TruthPosition[];
  /** Null: its contracts differ. */
  readonly hedge: boolean | null;
  readonly leverage: ReadonlyMap<string, number>;
}

export interface VenueExchange {
  readonly net: Net;
  /** The product's own, on a network that leads to this exchange. */
  kind(net: Net): VenueKind;
  /** From now on. */
  faults(plan: NetFaults): void;
  down(isDown: boolean): void;
  /** Every socket breaks. */
  cut(): void;
  /** Somebody else's trade, on both markets. */
  print(symbol: string, price: string, volume: string): void;
  /** False: there was nothing to do it to. */
  act(act: Act, dice: Dice): boolean;
  /** From now on marks and tickers come so often, ms, whether anybody trades or not. */
  beat(everyMs: number): void;
  /** What an act has broken is whole again: filters stay, a halt ends. */
  heal(): void;
  truth(account: AccountKind): Truth;
}

export interface VenueWorld {
  /** As the configuration calls the venue. */
  readonly name: string;
  readonly markets: readonly MarketKind[];
  readonly credentials: Readonly<Record<string, string>>;
  /** An account whose transfers may go unexplained where nobody heard of them. */
  readonly hearsOnly: readonly AccountKind[];
  /** It makes an order that is to reduce a position no larger than that is, instead of refusing it. */
  readonly cutsExits: boolean;
  /** What a spot stop sends to the market is made no larger than what there is to sell (OKX: without `banAmend`). */
  readonly cutsStops?: true;
  /** Spot and contracts have one wallet: what one loses is taken from what the other has. */
  readonly sharesWallet: boolean;
  /** So long an address that it has shut out is not to be used, where its product waits longer than for moments, ms; 0: it does not. */
  readonly banMs: number;
  /** An event tells of a leverage that somebody else has changed, also of a contract without a position. */
  readonly tellsLeverage: boolean;
  open(given: VenueGiven): VenueExchange;
}
