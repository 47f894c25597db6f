/**
 * What the simulation needs from an exchange whose adapter it runs: the product's venue kind, an emulator
 * behind a virtual network, and the events there in the emulator's own words. One object per venue; nothing
 * here depends on a particular venue.
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

/** The two kinds of accounts. */
export type AccountKind = 'spot' | 'futures';

/** Acts of others and of the exchange itself on the account. */
export const ACTS = [
  /** Somebody places an order by hand, or ends one of theirs. */
  'stranger trades',
  /** Somebody cancels one of the desk's orders. */
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

/** How the exchange of a seed is set up; a venue ignores settings that it does not have. */
export interface VenueSettings {
  /** Its clock minus the desk's, ms. */
  readonly clockAheadMs: number;
  /** Time for which a new order cannot be queried, ms. */
  readonly hiddenMs: number;
  /** Time that a triggered order takes to be placed, ms. */
  readonly triggeringMs: number;
  readonly hedge: boolean;
  readonly futuresWallet: string;
}

export interface VenueGiven {
  /** True time: it goes on whatever happens to the desk. */
  readonly clock: Clock;
  readonly dice: (stream: string) => Dice;
  readonly symbols: readonly SimSymbol[];
  readonly settings: VenueSettings;
  /** Called for every fault of the network. */
  readonly struck: (fault: string) => void;
  /** Called when an order has reached its books, with the client id. */
  readonly taken: (account: AccountKind, clientId: string, symbol: string) => void;
}

export interface TruthOrder {
  readonly symbol: string;
  /** Its exchange ids: for a conditional order its own first, then that of the order it has made. */
  readonly venueIds: readonly string[];
  readonly clientId: string;
  readonly side: Side;
  readonly state: 'open' | 'filled' | 'ended';
  readonly qty: Dec;
  readonly executed: Dec;
  /** Null: it has no price. */
  readonly price: Dec | null;
  /** Whether it is a conditional order that still waits. */
  readonly waits: boolean;
  /** Whether somebody else than the desk made it. */
  readonly byOthers: boolean;
  /** Many orders have this client id: only the exchange ids identify it. */
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
  /** Negative: short. */
  readonly amount: Dec;
}

/** One account as its exchange has it. */
export interface Truth {
  readonly orders: readonly TruthOrder[];
  readonly trades: readonly TruthTrade[];
  /** Balances by asset: the whole, and `free` where the exchange reports it for an account. */
  readonly wallets: ReadonlyMap<string, { readonly whole: Dec; readonly free?: Dec }>;
  /** Asset -> opening plus all rows of its raw log that moved money. */
  readonly moved: ReadonlyMap<string, Dec>;
  readonly positions: readonly TruthPosition[];
  /** Null: its contracts differ. */
  readonly hedge: boolean | null;
  readonly leverage: ReadonlyMap<string, number>;
}

export interface VenueExchange {
  readonly net: Net;
  /** The product's venue kind, on a network that leads to this exchange. */
  kind(net: Net): VenueKind;
  /** Sets the faults of the network from now on. */
  faults(plan: NetFaults): void;
  down(isDown: boolean): void;
  /** Breaks every socket. */
  cut(): void;
  /** Prints a trade of somebody else on both markets. */
  print(symbol: string, price: string, volume: string): void;
  /** Performs an act; false: there was nothing to do. */
  act(act: Act, dice: Dice): boolean;
  /** Sets the interval of mark prices and tickers, ms, whether anybody trades or not. */
  beat(everyMs: number): void;
  /** Undoes what acts have broken: halts end; changed filters stay. */
  heal(): void;
  truth(account: AccountKind): Truth;
}

export interface VenueWorld {
  /** The venue's name in the configuration. */
  readonly name: string;
  readonly markets: readonly MarketKind[];
  readonly credentials: Readonly<Record<string, string>>;
  /** Accounts whose transfers may stay unexplained if no event reached the desk. */
  readonly hearsOnly: readonly AccountKind[];
  /** Whether a reducing order is made no larger than the position, instead of being refused. */
  readonly cutsExits: boolean;
  /**
   * Whether a spot stop's market order is made no larger than the balance to sell (OKX: without `banAmend`).
   */
  readonly cutsStops?: true;
  /** Whether spot and contracts share one wallet: losses of one reduce the balance of the other. */
  readonly sharesWallet: boolean;
  /**
   * Time for which the adapter avoids an address that the exchange has banned, if that is long, ms; 0: it is
   * not.
   */
  readonly banMs: number;
  /**
   * Whether an event reports a leverage that somebody else has changed, even for a contract without a
   * position.
   */
  readonly tellsLeverage: boolean;
  open(given: VenueGiven): VenueExchange;
}
