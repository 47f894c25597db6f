/**
 * The desk's line to one exchange account: performs submits, cancels and questions, turns answers and stream events into
 * engine inputs, bounds every call in time, and reconciles after a start or a gap. Never sends anything by itself.
 */
import type { Clock } from '../domain/clock.ts';
import { assertNever } from '../domain/errors.ts';
import type { ExchangeOrder } from '../domain/exchange.ts';
import type { Setting, SettingOutcome } from '../domain/position.ts';
import type { Venue } from '../venues/venue.ts';
import type { Turn } from './turn.ts';

/** A call without an answer for this long has an unknown outcome; a late answer still counts. */
export const CALL_TIMEOUT_MS = 10_000;
/** engine.md: besides start and gaps. */
export const RECONCILE_EVERY_MS = 15 * 60_000;

/** Fills this long before the last confirmed moment are asked for again: the exchange's clock is not ours. */
const FILLS_OVERLAP_MS = 60_000;

export interface VenueLinkOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  /** Something about this order has come: puts it back into memory when it had left it. False: that could not be read. */
  readonly recall: (orderId: string) => boolean;
  /** Market time up to which every fill of the account was stored when the desk stopped; 0 when nothing is known. */
  readonly fillsConfirmed: number;
  /** State or latency shown to the user has changed. */
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
}

export class VenueLink {
  readonly venue: Venue;
  state: 'up' | 'down' = 'down';
  /** Since when `state` is what it is, wall. */
  since: number;
  latencyMs: number | null = null;
  /** The last comparison with the exchange. `whole`: every question was answered. */
  reconciled: { readonly at: number; readonly whole: boolean } | null = null;
  private readonly options: VenueLinkOptions;
  private reconciling: Promise<void> | null = null;
  private again = false;
  private opened = false;
  private closed = false;
  private fillsConfirmed: number;

  constructor(venue: Venue, options: VenueLinkOptions) {
    this.venue = venue;
    this.options = options;
    this.fillsConfirmed = options.fillsConfirmed;
    this.since = options.clock.wall();
  }

  async open(): Promise<void> {
    const { turn } = this.options;
    const exchange = this.venue.account.id;
    await this.venue.open({
      order: (state) => {
        this.options.recall(state.clientId);
        turn.step({ type: 'venue.order', exchange, state });
      },
      fill: (fill) => {
        // An order that could not be read must not be taken for one of the exchange's own.
        if (this.options.recall(fill.clientId)) turn.step({ type: 'venue.fill', exchange, fill });
      },
      balances: (changed) => turn.step({ type: 'venue.balances', exchange, changed }),
      positions: (changed) => turn.step({ type: 'venue.positions', exchange, changed }),
      stream: (state) => this.onStream(state),
    });
    this.opened = true;
    this.state = 'up';
    this.since = this.options.clock.wall();
    this.options.changed();
    this.armReconcile();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.venue.close();
  }

  submit(order: ExchangeOrder): void {
    const sentAt = this.options.clock.wall();
    this.call(
      () => this.venue.submit(order),
      (outcome) => this.options.turn.step({ type: 'submitted', orderId: order.clientId, outcome, sentAt }),
    );
  }

  cancel(orderId: string, symbol: string): void {
    this.call(
      () => this.venue.cancel({ clientId: orderId, symbol }),
      (outcome) => this.options.turn.step({ type: 'cancelled', orderId, outcome }),
    );
  }

  query(orderId: string, symbol: string): void {
    const askedAt = this.options.clock.wall();
    this.call(
      () => this.venue.query({ clientId: orderId, symbol }),
      (outcome) => this.options.turn.step({ type: 'queried', orderId, outcome, askedAt }),
    );
  }

  /**
   * Open orders first, then the exchange's own fills, then balances and positions; fills of orders that differ come with the
   * questions that follow. A failed question proves nothing.
   */
  reconcile(): Promise<void> {
    if (this.reconciling) this.again = true;
    else this.reconciling = this.reconcileAll();
    return this.reconciling;
  }

  /** Asked for again meanwhile: once more, from the beginning. */
  private async reconcileAll(): Promise<void> {
    try {
      do {
        this.again = false;
        await this.compare();
      } while (this.again);
    } finally {
      this.reconciling = null;
    }
  }

  private async compare(): Promise<void> {
    const { turn, clock, changed: tell } = this.options;
    turn.begin();
    try {
      const exchange = this.venue.account.id;
      const open = await this.ask(() => this.venue.openOrders());
      if (open) turn.step({ type: 'reconciled', exchange, open });
      const fills = this.venue.futures === undefined || (await this.readFills());
      const changed = await this.ask(() => this.venue.balances());
      if (changed) turn.step({ type: 'venue.balances', exchange, changed });
      const futures = await this.readFutures();
      this.reconciled = { at: clock.wall(), whole: open !== null && fills && changed !== null && futures };
      tell();
    } finally {
      turn.end();
    }
  }

  /** A change of how the account trades; afterwards the account's settings are read again. */
  setting(id: string, setting: Setting): void {
    const { turn } = this.options;
    this.call<SettingOutcome>(
      () => makeSetting(this.venue, setting),
      (outcome) => {
        turn.step({ type: 'setting-done', id, outcome });
        if (setting.kind === 'dust' || !this.venue.futures) return;
        turn.begin();
        void this.readFutures().finally(() => turn.end());
      },
    );
  }

  /** Fills since the last confirmed one: a liquidation whose fill got lost is told by nothing else. False: not all are known. */
  private async readFills(): Promise<boolean> {
    const { turn, recall } = this.options;
    const exchange = this.venue.account.id;
    const askedAt = turn.now().market;
    const from = Math.max(0, this.fillsConfirmed - FILLS_OVERLAP_MS);
    let whole = true;
    for (const { symbol } of this.venue.instruments()) {
      const fills = await this.ask(() => this.venue.fills({ symbol, from }));
      if (!fills) whole = false;
      for (const fill of fills ?? []) {
        if (recall(fill.clientId)) turn.step({ type: 'venue.fill', exchange, fill });
        else whole = false;
      }
    }
    if (!whole) return false;
    turn
      .read(() => {
        this.fillsConfirmed = askedAt;
        turn.store([{ kind: 'meta', name: fillsConfirmedName(exchange), value: askedAt }], false);
      })
      // They were not stored: the reconciliation that follows asks again.
      .catch(() => {});
    return true;
  }

  /** Hedge mode, leverage and positions; false: a question failed. */
  private async readFutures(): Promise<boolean> {
    const { futures, account } = this.venue;
    if (!futures) return true;
    const { turn } = this.options;
    const exchange = account.id;
    const hedge = await this.ask(() => futures.hedgeMode());
    const symbols = this.venue.instruments().map(({ symbol }) => symbol);
    const leverage = await this.ask(() => futures.leverage(symbols));
    turn.step({
      type: 'venue.settings',
      exchange,
      ...(hedge === null ? {} : { hedge }),
      ...(leverage === null ? {} : { leverage }),
    });
    const positions = await this.ask(() => futures.positions());
    if (positions) turn.step({ type: 'venue.positions', exchange, changed: positions, all: true });
    return hedge !== null && leverage !== null && positions !== null;
  }

  private onStream(state: 'up' | 'down' | 'gap'): void {
    // The start reconciles by itself once everything is loaded.
    if (!this.opened) return;
    if (state !== 'gap' && state !== this.state) {
      this.state = state;
      this.since = this.options.clock.wall();
      this.options.changed();
      this.options.report(state === 'up' ? 'info' : 'warn', `${this.venue.account.id} is ${state}`);
    }
    if (state !== 'down') void this.reconcile();
  }

  private armReconcile(): void {
    this.options.clock.after(RECONCILE_EVERY_MS, () => {
      if (this.closed) return;
      void this.reconcile();
      this.armReconcile();
    });
  }

  /** One question of a reconciliation, bounded in time; null when it failed, which proves nothing. */
  private ask<T>(run: () => Promise<T | null>): Promise<T | null> {
    return new Promise((resolve) => {
      const timer = this.options.clock.after(CALL_TIMEOUT_MS, () => resolve(null));
      started(run).then(
        (answer) => {
          timer.cancel();
          resolve(answer);
        },
        (error: unknown) => {
          timer.cancel();
          this.options.report('error', `${this.venue.account.id}: adapter failure: ${String(error)}`);
          resolve(null);
        },
      );
    });
  }

  /** One call: the first of answer and time-out counts as its end, but a late answer is still an input. */
  private call<T>(
    run: () => Promise<T>,
    step: (outcome: T | { kind: 'unknown'; cause: string }) => void,
  ): void {
    const { clock, turn } = this.options;
    const startedAt = clock.wall();
    let open = true;
    turn.begin();
    const close = () => {
      if (!open) return;
      open = false;
      turn.end();
    };
    const timer = clock.after(CALL_TIMEOUT_MS, () => {
      if (!open) return;
      step({ kind: 'unknown', cause: `no answer within ${CALL_TIMEOUT_MS / 1_000} s` });
      close();
    });
    started(run).then(
      (outcome) => {
        timer.cancel();
        this.latencyMs = clock.wall() - startedAt;
        this.options.changed();
        step(outcome);
        close();
      },
      (error: unknown) => {
        timer.cancel();
        this.options.report('error', `${this.venue.account.id}: adapter failure: ${String(error)}`);
        step({ kind: 'unknown', cause: 'the exchange adapter failed' });
        close();
      },
    );
  }
}

/** Meta row of an account's confirmed fills. */
export function fillsConfirmedName(exchange: string): string {
  return `fills-confirmed ${exchange}`;
}

/** An adapter that throws at once is one whose promise is rejected. */
function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** One setting of an account. What the account does not have was refused before. */
async function makeSetting(venue: Venue, setting: Setting): Promise<SettingOutcome> {
  const { futures, conversion } = venue;
  const missing = {
    kind: 'rejected',
    code: 'UNSUPPORTED',
    message: `${venue.account.id} has no such setting`,
  } as const;
  switch (setting.kind) {
    case 'leverage': {
      if (!futures) return missing;
      const { symbol, leverage, marginType, side } = setting;
      if (marginType !== undefined) {
        const outcome = await futures.setMarginType(symbol, marginType);
        if (outcome.kind !== 'done') return outcome;
      }
      return futures.setLeverage({ symbol, leverage, ...(side === undefined ? {} : { side }) });
    }
    case 'marginType':
      return futures?.setMarginType(setting.symbol, setting.marginType) ?? missing;
    case 'marginMode':
      return futures?.setMarginMode(setting.mode) ?? missing;
    case 'hedgeMode':
      return futures?.setHedgeMode(setting.on) ?? missing;
    case 'dust':
      return conversion?.convert(setting.assets, setting.toAsset) ?? missing;
    default:
      return assertNever(setting);
  }
}
