/**
 * The rows that one turn stores. The engine and the desk return rows; the store writes all rows of a turn in
 * one transaction, in order, before any effect of that turn is released. Each row is an upsert by its key, so
 * writing one twice is harmless.
 */
import type { AccessKey } from './access-key.ts';
import type { AlertRecord, BotNotice, BotRecord, RunRecord } from './bot.ts';
import type { LedgerRecord } from './ledger.ts';
import type { OperatorRecord } from './operator.ts';
import type { OperatorMemory } from './operator-memory.ts';
import type { FillRecord, OrderEvent, OrderRecord, SplitPlan, WireId } from './order.ts';
import type { SealedSecret, VaultKey } from './vault.ts';

/**
 * An idempotency record: reserved together with the effect's intent, completed with the bytes of the
 * response.
 */
export interface IdempotencyRecord {
  readonly user: string;
  /** Lower-case UUID. */
  readonly key: string;
  /** SHA-256 (hex) over method, raw target and raw body (D11). */
  readonly fingerprint: string;
  /** Wall time of arrival; the record lives one hour from here (D17). */
  readonly arrivedAt: number;
  /** Envelope id of the first request, so that a response made after a restart has it too. */
  readonly requestId: string;
  /**
   * What the running request waits for: the command, and the id of its order; for a stop of bots, as
   * `orderId`, the runs as JSON. Null: the response was immediate.
   */
  readonly effect: {
    readonly kind: 'place' | 'cancel' | 'amend' | 'split' | 'stop';
    readonly orderId: string;
  } | null;
  /** The response; null while in progress. */
  answer: { readonly status: number; readonly body: string } | null;
}

/** A line of the audit and the log. `level`: error, warn, info. */
export interface LogLine {
  readonly at: number;
  readonly level: 'error' | 'warn' | 'info';
  /** One of: order, key, api, feed, desk, exchange, vault. */
  readonly source: string;
  readonly text: string;
  readonly orderId?: string;
}

export type Row =
  | { readonly kind: 'order'; readonly order: OrderRecord }
  /**
   * Stored together with the first row of its order. `from`: the order that this id was attributed to before.
   */
  | { readonly kind: 'wire-id'; readonly name: WireId; readonly from?: string }
  | { readonly kind: 'fill'; readonly fill: FillRecord }
  /**
   * A stored fill turned out to belong to another order than `from`: it is the same execution, reported once.
   */
  | { readonly kind: 'fill-moved'; readonly fill: FillRecord; readonly from: string }
  /** Stored once per account and id. */
  | { readonly kind: 'ledger'; readonly record: LedgerRecord }
  | { readonly kind: 'event'; readonly event: OrderEvent }
  | { readonly kind: 'split'; readonly plan: SplitPlan }
  | { readonly kind: 'idempotency'; readonly record: IdempotencyRecord }
  | { readonly kind: 'idempotency-drop'; readonly user: string; readonly key: string }
  | { readonly kind: 'key'; readonly key: AccessKey }
  | { readonly kind: 'bot'; readonly bot: BotRecord }
  /**
   * Deletes a bot with its runs, notices and, unless they are kept, its alerts (S42); orders and fills stay.
   */
  | { readonly kind: 'bot-drop'; readonly id: string; readonly keepsAlerts?: true }
  | { readonly kind: 'run'; readonly run: RunRecord }
  | { readonly kind: 'notice'; readonly notice: BotNotice }
  | { readonly kind: 'alert'; readonly alert: AlertRecord }
  | { readonly kind: 'log'; readonly line: LogLine }
  /** The key of the vault: at most one. */
  | { readonly kind: 'vault-key'; readonly key: VaultKey }
  /** One for each connection and field. */
  | { readonly kind: 'vault-secret'; readonly secret: SealedSecret }
  /** Deletes all secrets of a connection. */
  | { readonly kind: 'vault-forget'; readonly connection: string }
  | { readonly kind: 'operator'; readonly operator: OperatorRecord }
  /** Also deletes what is stored for the operator. */
  | { readonly kind: 'operator-drop'; readonly name: string }
  | { readonly kind: 'memory'; readonly name: string; readonly memory: OperatorMemory }
  /** Small named documents: market cursor, engine meta, settings. Null deletes one. */
  | { readonly kind: 'meta'; readonly name: string; readonly value: unknown }
  /** State of the paper exchange, committed apart from the engine's. `doc` null deletes. */
  | { readonly kind: 'paper'; readonly table: string; readonly id: string; readonly doc: unknown }
  /** A closed candle of a market: history for later starts. `frameMs` left out: a minute. */
  | {
      readonly kind: 'candle';
      readonly market: string;
      readonly symbol: string;
      readonly frameMs?: number;
      readonly candle: Candle;
    };

/** Open time (Unix ms), prices and base volume as decimal strings. */
export interface Candle {
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}
