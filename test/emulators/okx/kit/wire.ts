/** What goes in and out of an emulator of any exchange: requests, answers, the two ends of a socket. Nothing here decides anything. */
import type { Dice } from '../../../simulation/dice.ts';
import type { PrintedMarket, TradedSymbol } from './market.ts';

export interface EmulatorRequest {
  readonly method: string;
  /** With its query, as it came over the wire. */
  readonly path: string;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The sender's address, for keys that are bound to some. */
  readonly ip?: string;
}

export interface EmulatorAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The client's end of a socket, as the emulator sees it. */
export interface SocketPeer {
  /** A text frame to the client. */
  message(text: string): void;
  ping(): void;
  /** The exchange ends it. */
  close(code: number, reason: string): void;
}

/** The exchange's end, as the front drives it. */
export interface SocketSession {
  message(text: string): void;
  /** The client's answer to a ping. */
  ponged(): void;
  /** The client has gone. */
  closed(): void;
}

/** What the gate in front of an exchange says instead of it, in the exchange's own words. */
export interface Gate {
  /** Documented as not executed. */
  failed(): EmulatorAnswer;
  /** One request too many. */
  limited(): EmulatorAnswer;
  /** Shut out, and so is what follows for a few seconds. */
  banned(): EmulatorAnswer;
  /** Said of a request that was executed: its outcome is unknown to who reads this. */
  unknown(dice: Dice): EmulatorAnswer;
}

/** An exchange as the fronts see it: virtual network and real sockets. */
export interface VenueEmulator {
  readonly gate: Gate;
  now(): number;
  request(request: EmulatorRequest): EmulatorAnswer;
  /** Whether there is a socket at all; everything else is answered 404 instead of an upgrade. */
  hasSocket(path: string): boolean;
  /** A socket at path and query; null: there is nothing. */
  connect(path: string, peer: SocketPeer, ip?: string): SocketSession | null;
}

/** What `serve.ts` and the random walk need beside. */
export interface ServedEmulator extends VenueEmulator {
  markets(): { readonly kind: string; readonly market: WalkedMarket }[];
  /** Somebody else's trade. */
  print(kind: string, symbol: string, price: string, qty?: string, buyerIsMaker?: boolean): void;
  /** What accounts hold and what is open, for whoever compares. */
  state(): Record<string, unknown>;
  /** The exchange goes down for a moment: every socket hears of it. */
  shutdown(): void;
}

export type WalkedMarket = Pick<PrintedMarket<TradedSymbol>, 'symbols' | 'priceText'>;
