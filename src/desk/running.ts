/** A running desk as its hosts and sessions see it (composed in `open-desk.ts`). Types only. */
import type { Connection } from '../domain/connection.ts';
import type { Outcome } from '../domain/errors.ts';
import type { ServiceLimits } from '../domain/limits.ts';
import type { NoticeOptions } from '../domain/notices.ts';
import type { Role } from '../domain/operator.ts';
import type { LogLine } from '../domain/rows.ts';
import type { TargetOptions } from '../notify/target-options.ts';
import type { LookRequest } from './console/look-views.ts';
import type { DeskDelta, DeskInfo, DeskState, Method, Params, Result } from './console/protocol.ts';
import type { SessionMethods, SshView } from './console/session-methods.ts';
import type { Look } from './market/looks.ts';

/**
 * Everything that can be set from outside. Compiled once by `compileDeskOptions` (options.ts), where the
 * defaults are.
 */
export interface DeskOptions {
  readonly dataDir: string;
  /** A terminal hides its figures after this time without a key, ms; 0: never. Default 10 min. */
  readonly idleLockMs?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 7420; 0 = any free port. */
  readonly port?: number;
  /**
   * `synthetic` (default), `csv:DIR@1m[,from=ISO][,loop]`, or the live prices of an exchange:
   * `binance[:spot|:futures]`, `bybit` and `okx` likewise.
   */
  readonly feed?: string;
  /** Default 1. */
  readonly speed?: number | 'max';
  /** Start with the feed frozen. Default false. */
  readonly hold?: boolean;
  /** Seed of the synthetic feed. Default 1. */
  readonly seed?: number;
  /**
   * PEM file of the API's certificate (chain); only together with `tlsKey`. Default: no TLS, which is allowed
   * only on loopback (D46).
   */
  readonly tlsCert?: string;
  /** PEM file of the certificate's private key. */
  readonly tlsKey?: string;
  /**
   * Addresses and CIDR ranges whose forwarded headers are trusted (D43), and which may do TLS in front of the
   * API. Default none.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Origins from which a browser may open the WebSocket (D24), such as `https://app.example.org`. Default
   * none.
   */
  readonly allowedOrigins?: readonly string[];
  /** The specification's limits, where other values are set (S49). */
  readonly limits?: ServiceLimits;
  /** Notification targets for alerts; bots name them (S48). Default none. */
  readonly targets?: readonly TargetOptions[];
  /**
   * Addresses of this machine where the desk's own sshd lets operators log in. Default none: no sshd runs.
   */
  readonly sshListen?: readonly SshView['listen'][number][];
  /** Which notices are sent without a bot, and where. Default: serious ones, at the consoles. */
  readonly notices?: NoticeOptions;
  /** The connections of the configuration file. Default none. */
  readonly connections?: readonly Connection[];
  /** Addresses of live feeds in place of the built-in ones: venue -> endpoint -> address. Default none. */
  readonly feeds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** False: no paper accounts. Default true. */
  readonly paper?: boolean;
  /**
   * File of the vault's passphrase, with which it is opened at the start. Default null: it stays locked until
   * somebody opens it.
   */
  readonly vaultPassphraseFile?: string | null;
  /** Time zone in which the day for the PnL of today begins. Default UTC. */
  readonly timeZone?: string;
  /**
   * The desk that this data folder was copied or moved from is stopped: its accounts are traded from here.
   * Default false.
   */
  readonly takeover?: boolean;
  /** This process draws on no terminal: what cannot be logged goes to stderr. Default false. */
  readonly headless?: boolean;
  /** Each line of the log also goes to stderr, for a collector; only for a headless desk. Default false. */
  readonly logStderr?: boolean;
  /** Warnings from the code that put these options together; logged at the start. */
  readonly warnings?: readonly string[];
}

/** What has changed; a session collects these marks in sets, so a slow terminal costs no memory. */
export type ChangeMark =
  | { readonly kind: 'order'; readonly id: string }
  | { readonly kind: 'price'; readonly market: string; readonly symbol: string }
  | { readonly kind: 'portfolio'; readonly exchange: string }
  | { readonly kind: 'positions'; readonly exchange: string }
  | { readonly kind: 'bot'; readonly id: string }
  | { readonly kind: 'instrument'; readonly exchange: string; readonly symbol: string }
  | { readonly kind: 'alerts' | 'clock' | 'accounts' | 'equity' | 'wallets' }
  | { readonly kind: 'keys' | 'vault' | 'maintenance' }
  | { readonly kind: 'log'; readonly line: LogLine };

/** Marks collected since the last message. */
export interface DirtyMarks {
  readonly orders: ReadonlySet<string>;
  /** By `marketKey`. */
  readonly prices: ReadonlySet<string>;
  readonly portfolios: ReadonlySet<string>;
  /** Futures accounts whose positions or settings changed. */
  readonly positions: ReadonlySet<string>;
  readonly bots: ReadonlySet<string>;
  /** By `instrumentKey`. */
  readonly instruments: ReadonlySet<string>;
  readonly alerts: boolean;
  readonly clock: boolean;
  readonly accounts: boolean;
  readonly equity: boolean;
  readonly wallets: boolean;
  readonly keys: boolean;
  readonly vault: boolean;
  readonly maintenance: boolean;
  readonly log: readonly LogLine[];
}

/** Methods that the desk answers, not the sessions. */
export type DeskMethod = Exclude<Method, keyof SessionMethods>;

/** The caller of a method. */
export interface Caller {
  /** Id such as `s7`. */
  readonly session: string;
  readonly name: string;
  readonly role: Role;
  /** A terminal of the desk's own machine and folder. */
  readonly local: boolean;
  /** Such as `alice/s7 10.1.2.3`, for order stories and the log; left out: the desk's own console. */
  readonly by?: string;
}

export interface Roster {
  /** Returns an operator's present role and its end; else why the operator may do nothing. */
  standing(
    name: string,
  ): { readonly role: Role; readonly expiresAt: number | null } | { readonly refused: string };
  /** Calls `listener` when operators have changed. */
  onChange(listener: () => void): void;
}

export interface PinPort {
  readonly isSet: boolean;
  check(pin: string): Promise<Outcome<null>>;
  /** Sets the PIN; null removes it. */
  set(pin: string | null): Promise<Outcome<null>>;
}

/** The desk's own sshd. */
export interface SshPort {
  view(): SshView;
  /** Does what `ssh.rotate` does. */
  rotate(now: boolean): Promise<Outcome<SshView>>;
}

export interface RunningDesk {
  readonly info: DeskInfo;
  /**
   * Carries out a method. `caller` left out: the owner of the data folder. The session checks the caller's
   * role (`method-roles.ts`).
   */
  call<M extends Method>(method: M, params: Params<M>, caller?: Caller): Promise<Result<M>>;
  /** The operators; left out: there are none. */
  readonly roster?: Roster;
  /** Locks and unlocks local terminals; left out: there is no PIN. */
  readonly pin?: PinPort;
  /** Returns the whole state, with committed changes only. */
  state(): DeskState;
  /** Returns present values of what is marked; an order that is no longer open or recent comes as null. */
  delta(marks: DirtyMarks): DeskDelta;
  /**
   * Opens a close look for a terminal; `changed` is called when there is something to take. Left out: there
   * is nothing to look at.
   */
  look?(request: LookRequest, changed: () => void): Outcome<Look>;
  /** Calls `listener` with marks after the commit of what they mark. Returns a function that ends this. */
  onChange(listener: (mark: ChangeMark) => void): () => void;
  /** Resolves with the reason once the desk begins to stop (asked by a terminal, or a broken store). */
  readonly stopping: Promise<{ reason: string; exitCode: 0 | 1 }>;
  /** Stops feed, API and store in order; idempotent. */
  stop(reason: string): Promise<void>;
  /** Writes a line of the audit about terminals: who came, what was refused, who left. */
  audit?(level: LogLine['level'], text: string): void;
  /** Logs an internal failure of the code around the desk (sessions, transports). */
  report?(doing: string, error: unknown): void;
}
