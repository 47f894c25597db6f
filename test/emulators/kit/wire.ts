/**
 * Input and output of an emulator of any exchange: requests, answers, the two ends of a socket. Nothing here
 * decides anything.
 */
import type { Dice } from '../../simulation/dice.ts';
import type { PrintedMarket, TradedSymbol } from './market.ts';

export interface EmulatorRequest {
  readonly method: string;
  /** Path and query, as received. */
  readonly path: string;
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The sender's address, for keys that are limited to some. */
  readonly ip?: string;
}

export interface EmulatorAnswer {
  readonly status: number;
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The client's end of a socket, as the emulator sees it. */
export interface SocketPeer {
  /** Sends a text frame to the client. */
  message(text: string): void;
  ping(): void;
  /** Closes the socket from the exchange's side. */
  close(code: number, reason: string): void;
}

/** The exchange's end, called by the front. */
export interface SocketSession {
  message(text: string): void;
  /** Called when the client has answered a ping. */
  ponged(): void;
  /** Called when the client is gone. */
  closed(): void;
}

/** Answers of the gate in front of an exchange, in the exchange's own words. */
export interface Gate {
  /** The answer that is documented as not executed. */
  failed(): EmulatorAnswer;
  /** The answer to one request too many. */
  limited(): EmulatorAnswer;
  /** The answer to a banned address: it lasts for a few seconds. */
  banned(): EmulatorAnswer;
  /** The answer to an executed request: it does not tell the outcome. */
  unknown(dice: Dice): EmulatorAnswer;
}

/** An exchange as the fronts (virtual network, real sockets) see it. */
export interface VenueEmulator {
  readonly gate: Gate;
  now(): number;
  /**
   * For an exchange that acknowledges before it decides: sets the function that decides whether an
   * acknowledged order is rejected.
   */
  lateRejects?(strikes: () => boolean): void;
  request(request: EmulatorRequest): EmulatorAnswer;
  /** Whether a socket exists at this path; other paths are answered 404 instead of an upgrade. */
  hasSocket(path: string): boolean;
  /** Opens a socket at path and query; null: there is none. */
  connect(path: string, peer: SocketPeer, ip?: string): SocketSession | null;
}

/** The additional interface for `serve.ts` and the random walk. */
export interface ServedEmulator extends VenueEmulator {
  markets(): { readonly kind: string; readonly market: WalkedMarket }[];
  /** Prints a trade of somebody else. */
  print(kind: string, symbol: string, price: string, qty?: string, buyerIsMaker?: boolean): void;
  /** Balances, positions and open orders, for comparisons. */
  state(): Record<string, unknown>;
  /** Shuts the exchange down for a moment: every socket is told. */
  shutdown(): void;
}

export type WalkedMarket = Pick<PrintedMarket<TradedSymbol>, 'symbols' | 'priceText'>;

/** Thrown by an emulator that refuses a handshake. */
export interface RefusedHandshake {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export function isRefusedHandshake(error: unknown): error is RefusedHandshake {
  return (
    error instanceof Error && 'status' in error && typeof error.status === 'number' && 'headers' in error
  );
}
