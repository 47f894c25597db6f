/** A running desk as its hosts and sessions see it (composition: `open-desk.ts`). Types only. */
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

/** Everything that can be set from outside. Compiled once by `compileDeskOptions` (options.ts), where the defaults are. */
export interface DeskOptions {
  readonly dataDir: string;
  /** A terminal hides its figures after so long without a key, ms; 0: never. Default 10 min. */
  readonly idleLockMs?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 7420; 0 = any free port. */
  readonly port?: number;
  /** `synthetic` (default), `csv:DIR@1m[,from=ISO][,loop]`, or the live prices of an exchange: `binance[:spot|:futures]`, `bybit` and `okx` likewise. */
  readonly feed?: string;
  /** Default 1. */
  readonly speed?: number | 'max';
  /** Start with the feed frozen. Default false. */
  readonly hold?: boolean;
  /** Seed of the synthetic feed. Default 1. */
  readonly seed?: number;
  /** PEM file of the API's certificate (chain); only together with `tlsKey`. Default: no TLS, which only loopback may do (D46). */
  readonly tlsCert?: string;
  /** PEM file of its private key. */
  readonly tlsKey?: string;
  /** Addresses and CIDR ranges whose forwarded headers are believed (D43), and which may do TLS in front of the API. Default none. */
  readonly trustedProxies?: readonly string[];
  /** Origins from which a browser may open the WebSocket (D24), such as `https://app.example.org`. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** The specification's limits, where they are set otherwise (S49). */
  readonly limits?: ServiceLimits;
  /** Who may be told of alerts; bots name them (S48). Default none. */
  readonly targets?: readonly TargetOptions[];
  /** Addresses of this machine at which the desk's own sshd takes operators in. Default none: there is no such sshd. */
  readonly sshListen?: readonly SshView['listen'][number][];
  /** What is told without a bot, and where. Default: what is grave, at the consoles. */
  readonly notices?: NoticeOptions;
  /** Exchanges that are connected, as the configuration file has them. Default none. */
  readonly connections?: readonly Connection[];
  /** Addresses of live feeds in place of the built-in ones: venue -> endpoint -> address. Default none. */
  readonly feeds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** False: no paper accounts. Default true. */
  readonly paper?: boolean;
  /** File of the vault's passphrase, with which it is opened at the start. Default null: it stays locked until somebody opens it. */
  readonly vaultPassphraseFile?: string | null;
  /** Time zone in which the day of the PnL of today begins. Default UTC. */
  readonly timeZone?: string;
  /** The desk that this data folder was copied or moved from is stopped: its accounts are traded from here. Default false. */
  readonly takeover?: boolean;
  /** No terminal is drawn on by this process: what the log cannot take is told on stderr. Default false. */
  readonly headless?: boolean;
  /** Each line of the log also goes to stderr, for a collector; only of a headless desk. Default false. */
  readonly logStderr?: boolean;
  /** What whoever put these options together has to tell; written into the log at the start. */
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

/** Calls that the desk answers, not what holds its terminals. */
export type DeskMethod = Exclude<Method, keyof SessionMethods>;

/** Who calls. */
export interface Caller {
  /** `s7`. */
  readonly session: string;
  readonly name: string;
  readonly role: Role;
  /** A terminal of the desk's own machine and folder. */
  readonly local: boolean;
  /** `alice/s7 10.1.2.3`, for stories and the log; left out: the desk's own console. */
  readonly by?: string;
}

export interface Roster {
  /** What an operator may do now; else why it may do nothing. */
  standing(
    name: string,
  ): { readonly role: Role; readonly expiresAt: number | null } | { readonly refused: string };
  /** Operators have changed. */
  onChange(listener: () => void): void;
}

export interface PinPort {
  readonly isSet: boolean;
  check(pin: string): Promise<Outcome<null>>;
  /** Null takes it away. */
  set(pin: string | null): Promise<Outcome<null>>;
}

/** The desk's own sshd. */
export interface SshPort {
  view(): SshView;
  /** As `ssh.rotate`. */
  rotate(now: boolean): Promise<Outcome<SshView>>;
}

export interface RunningDesk {
  readonly info: DeskInfo;
  /** `caller` left out: the owner of the data folder. What its role may do is decided by what holds its line (`method-roles.ts`). */
  call<M extends Method>(method: M, params: Params<M>, caller?: Caller): Promise<Result<M>>;
  /** Who the operators are; left out: there are none. */
  readonly roster?: Roster;
  /** Locks and unlocks local terminals; left out: there is no PIN. */
  readonly pin?: PinPort;
  /** The whole state, committed changes only. */
  state(): DeskState;
  /** The present value of what is marked; an order that is no longer open or recent comes as null. */
  delta(marks: DirtyMarks): DeskDelta;
  /** What a terminal looks at closely; `changed` is called when there is something to take. Left out: there is nothing to look at. */
  look?(request: LookRequest, changed: () => void): Outcome<Look>;
  /** Marks come after the commit of what they mark. Returns the way to stop listening. */
  onChange(listener: (mark: ChangeMark) => void): () => void;
  /** Resolves with the reason once the desk has begun to stop (asked by a terminal, or a broken store). */
  readonly stopping: Promise<{ reason: string; exitCode: 0 | 1 }>;
  /** Stops feed, API and store in order; idempotent. */
  stop(reason: string): Promise<void>;
  /** A line of the audit about terminals: who came, what was refused, who left. */
  audit?(level: LogLine['level'], text: string): void;
  /** Writes an internal failure of what surrounds the desk (sessions, transports) into its log. */
  report?(doing: string, error: unknown): void;
}
