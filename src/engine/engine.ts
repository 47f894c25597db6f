/**
 * The order engine: one synchronous step per event, rows and effects out (architecture.md, promises). Holds
 * the only truth about orders; knows no clock, no random source, no I/O. What each event does is in the
 * module named after it.
 */
import type { Now } from '../domain/clock.ts';
import { dec } from '../domain/decimal.ts';
import { assertNever, ok, refuse } from '../domain/errors.ts';
import { namesOf } from '../domain/exchange.ts';
import { isGuardCode } from '../domain/guards.ts';
import {
  type FillRecord,
  isContradicted,
  type OrderRecord,
  type SplitPlan,
  type StoredOrder,
  TERMINAL,
  type WireId,
} from '../domain/order.ts';
import type { IdempotencyRecord, Row } from '../domain/rows.ts';
import { amend } from './amend.ts';
import { onAmended } from './amend-replies.ts';
import { bookTold } from './booking.ts';
import { cancelBrought, joinCancels } from './cancel-all.ts';
import { cancel, place } from './commands.ts';
import { compareOpen } from './compare-open.ts';
import { onCountdown } from './dead-man.ts';
import { tellDelistings } from './delistings.ts';
import { entryRefusal } from './entries.ts';
import type { EngineExtension } from './extension.ts';
import { adoptByFill, adoptByState } from './external.ts';
import { restoreEntries, setGuards } from './guard-settings.ts';
import { expireDated, fireDeferred, onPrice, tryDue } from './held.ts';
import { admit, answer, answerWaiters, logRefusal, sweepIdempotency } from './idempotency.ts';
import { idempotencyId } from './idempotency-table.ts';
import { onInstruments } from './instruments.ts';
import { onJoined, onLeft } from './joining.ts';
import { onAudit, onLedger } from './ledger.ts';
import { applyFill, applyState } from './lifecycle.ts';
import { checkLosses, liftLoss } from './loss-limit.ts';
import { EngineMemory, type Waiter } from './memory.ts';
import { onOthersCompared, onOthersFound, onOthersTaken } from './other-desk.ts';
import { answeredFor, type ParkedFill, park, parkedUntil, takeExpired } from './parked-fills.ts';
import { onConfirmed, onPermissions } from './permissions.ts';
import { lastPrice } from './prices-ahead.ts';
import { onBalances, onPositions, onSettings } from './reports.ts';
import { nextTry, restartWaits } from './resend.ts';
import { askDue, dueAt } from './resolver.ts';
import { restartOrder } from './restart.ts';
import { change, keptMarginType, onSettingDone } from './settings.ts';
import {
  checkPlans,
  nextRelease,
  onSplitOrderEnded,
  onSplitRefused,
  releaseImpatient,
  split,
} from './split.ts';
import { onStale } from './stale-prices.ts';
import type { Effect, EngineEvent, StepResult } from './step.ts';
import { StepContext } from './step-context.ts';
import { onCancelled, onQueried, onSubmitted, onWaits, placeOutcome } from './venue-replies.ts';
import { orderOf } from './views.ts';

/** Greatest age of the ended orders in `recent` of GET /orders: about one hour (specification). */
export const RECENT_MS = 3_600_000;
/** The events with which market time moves on. */
const MOVES_TIME: ReadonlySet<EngineEvent['type']> = new Set(['market', 'time', 'tick']);
/** How often old entries are removed from memory. */
const SWEEP_MS = 60_000;

/** The state that a start loads into memory; accounts and prices are added before. */
export interface EngineLoad {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  /** Wire ids of the loaded orders. */
  readonly wireIds: readonly WireId[];
  readonly splits: readonly SplitPlan[];
  readonly idempotency: readonly IdempotencyRecord[];
}

export class Engine {
  readonly memory = new EngineMemory();
  /** The bots; null until they are set. */
  extension: EngineExtension | null = null;
  private sweepAt = 0;

  /** Loads the stored state into memory. `start` then acts on it. */
  load(state: EngineLoad): void {
    const fills = new Map<string, FillRecord[]>();
    for (const fill of state.fills) {
      const list = fills.get(fill.orderId);
      if (list) list.push(fill);
      else fills.set(fill.orderId, [fill]);
    }
    for (const order of state.orders) this.memory.addOrder(order, fills.get(order.id) ?? []);
    for (const name of state.wireIds) this.memory.wireIds.add(name);
    for (const plan of state.splits) this.memory.splits.set(plan.id, plan);
    for (const record of state.idempotency) {
      // A setting that was under way when the desk stopped may be requested again.
      if (record.answer === null && !record.effect) continue;
      this.memory.idempotency.set(idempotencyId(record.user, record.key), record);
      if (record.answer !== null || !record.effect) continue;
      const { kind, orderId } = record.effect;
      // The extension resumes it.
      if (kind === 'stop') continue;
      const list = this.memory.waiters.get(orderId) ?? [];
      list.push({ kind, token: null, requestId: record.requestId, user: record.user, record });
      this.memory.waiters.set(orderId, list);
    }
  }

  /**
   * Takes over waiting requests after a failed commit and a new load: requests whose intent was stored keep
   * waiting here, also those whose response was among the `unreleased` effects. Returns the tokens of those
   * whose intent was lost with the commit.
   */
  carryOver(before: Engine, unreleased: readonly Effect[] = []): number[] {
    const lost: number[] = [];
    const carry = (orderId: string, waiter: Waiter) => {
      if (waiter.token === null) return;
      const list = this.memory.waiters.get(orderId) ?? [];
      const same = list.findIndex((w) => w.record !== null && w.record.key === waiter.record?.key);
      const keyLost = waiter.record !== null && same < 0;
      if (keyLost || !this.knowsIntent(waiter.kind, orderId)) {
        lost.push(waiter.token);
        return;
      }
      if (same >= 0) list[same] = { ...waiter, record: list[same]?.record ?? null };
      else list.push({ ...waiter, record: null });
      this.memory.waiters.set(orderId, list);
    };
    for (const [orderId, waiters] of before.memory.waiters)
      for (const waiter of waiters) carry(orderId, waiter);
    for (const effect of unreleased) {
      if (effect.kind !== 'answer') continue;
      if (effect.waited) carry(effect.waited.orderId, effect.waited.waiter);
      else lost.push(effect.token);
    }
    lost.push(...this.carrySettings(before, unreleased));
    if (!this.extension || !before.extension) return lost;
    const carried = this.extension.carryOver(before.extension);
    return [...lost.filter((token) => !carried.kept.has(token)), ...carried.lost];
  }

  /**
   * Takes over settings: those under way are answered when done; those never sent are lost with the commit.
   */
  private carrySettings(before: Engine, unreleased: readonly Effect[]): number[] {
    const unsent = new Set(unreleased.flatMap((effect) => (effect.kind === 'setting' ? [effect.id] : [])));
    const lost: number[] = [];
    for (const [id, pending] of before.memory.settings) {
      const { waiter } = pending;
      // An order that waited for its margin type ends with the start: it is never sent.
      if (!waiter) continue;
      if (unsent.has(id)) {
        if (waiter.token !== null) lost.push(waiter.token);
        continue;
      }
      this.memory.settings.set(id, pending);
      const { record } = waiter;
      if (record) this.memory.idempotency.set(idempotencyId(record.user, record.key), record);
    }
    return lost;
  }

  /** Returns whether the intent of this kind of request was stored for the order. */
  private knowsIntent(kind: Waiter['kind'], orderId: string): boolean {
    const order = this.memory.orders.get(orderId);
    if (!order) return false;
    if (kind === 'split') return this.memory.splits.has(orderId);
    if (kind === 'amend') return order.change !== undefined || this.memory.splits.has(orderId);
    // A cancel ends the split that is under way, so a cancel beside a plan was not stored.
    if (kind === 'cancel')
      return TERMINAL.has(order.status) || (order.cancel !== undefined && !this.memory.splits.has(orderId));
    return true;
  }

  /** Puts a terminal order that had left memory back, because a message about it has arrived. */
  adopt({ order, fills, wireIds }: StoredOrder): void {
    if (this.memory.orders.has(order.id)) return;
    this.memory.addOrder(order, fills);
    for (const name of wireIds) this.memory.wireIds.add(name);
  }

  /**
   * Runs the first step after a load: overdue orders are cancelled first; the outcome of everything that was
   * under way when the desk stopped is unknown and is queried. No order is sent again.
   */
  start(now: Now): StepResult {
    const step = new StepContext(this.memory, now);
    this.memory.startedAt = now.mono;
    for (const order of [...this.memory.orders.values()]) restartOrder(step, order);
    for (const [orderId, waiters] of [...this.memory.waiters]) {
      const order = this.memory.orders.get(orderId);
      if (!order) continue;
      const settled = order.phase === 'live' || order.phase === 'done' || order.phase === 'held';
      if (settled && waiters.some((w) => w.kind === 'place'))
        answerWaiters(step, orderId, ['place'], placeOutcome(order));
      if (!this.memory.splits.has(orderId)) answerWaiters(step, orderId, ['amend'], ok(orderOf(order)));
      if (order.phase === 'done') answerWaiters(step, orderId, ['cancel'], ok(orderOf(order)));
    }
    restoreEntries(step);
    expireDated(step);
    restartWaits(step);
    askDue(step);
    this.extension?.start(step);
    return this.finish(step, null);
  }

  step(event: EngineEvent, now: Now): StepResult {
    const step = new StepContext(this.memory, now);
    // Checks must know the price before decisions (R10): fills at that price come before its `tick`.
    if (event.type === 'market' || event.type === 'venue.fill') lastPrice(this.memory, event);
    this.extension?.before(step, event);
    this.dispatch(step, event);
    checkLosses(step, event);
    return this.finish(step, event);
  }

  /**
   * Returns rows of the peaks that `held.ts` has not stored yet. They go with every commit: a replay resumes
   * at the stored market cursor, and an earlier peak would be lost.
   */
  movedPeaks(): Row[] {
    const rows: Row[] = [];
    for (const id of this.memory.movedPeaks) {
      const order = this.memory.orders.get(id);
      if (order?.phase === 'held') rows.push({ kind: 'order', order });
    }
    return [...rows, ...(this.extension?.moved() ?? [])];
  }

  /** Returns the earliest monotonic time at which a `wake` is due. */
  nextWake(): number {
    let next = this.sweepAt;
    for (const id of this.memory.attention) {
      const order = this.memory.orders.get(id);
      if (order) next = Math.min(next, dueAt(this, order));
    }
    return Math.min(next, nextRelease(this.memory), nextTry(this.memory), parkedUntil(this.memory));
  }

  /** The next end date, market time; Infinity without one. */
  get nextEndDate(): number {
    return this.memory.dated.next;
  }

  private dispatch(step: StepContext, event: EngineEvent): void {
    const { memory } = this;
    if (MOVES_TIME.has(event.type)) expireDated(step);
    switch (event.type) {
      case 'command':
        this.command(step, event);
        break;
      case 'submitted':
        this.withOrder(event, (order) => onSubmitted(step, order, event.outcome, event.sentAt));
        break;
      case 'waits':
        this.withOrder(event, (order) => onWaits(step, order));
        break;
      case 'cancelled':
        this.withOrder(event, (order) => {
          onCancelled(step, order, event.outcome);
          if (event.outcome.kind === 'rejected') onSplitRefused(step, order, event.outcome.message);
        });
        break;
      case 'amended':
        this.withOrder(event, (order) => onAmended(step, order, event));
        break;
      case 'queried':
        this.withOrder(event, (order) => onQueried(step, order, event.outcome, event.askedAt));
        if (event.outcome.kind !== 'unknown' || event.outcome.absent)
          answeredFor(memory, event.exchange, event.orderId, event.askedAt ?? step.now.mono);
        break;
      case 'venue.order': {
        const { exchange, state } = event;
        const order = memory.orderAt(exchange, namesOf(state)) ?? adoptByState(step, exchange, state);
        if (!order) break;
        applyState(step, order, event.state);
        bookTold(memory, order, event.state);
        break;
      }
      case 'venue.fill': {
        const { exchange, fill, asked = false } = event;
        const known = memory.orderAt(exchange, namesOf(fill));
        if (!known && fill.time < memory.account(exchange).since) break;
        if (!known && park(step, exchange, fill, asked)) break;
        this.execution(step, { exchange, fill, asked });
        break;
      }
      case 'venue.balances':
        onBalances(step, event);
        break;
      case 'tick': {
        const market = memory.market(event.market);
        const price = market.ahead.of(event.symbol) ?? dec(event.price);
        market.prices.set(event.symbol, price);
        onPrice(step, market, event.symbol, price, 'last');
        break;
      }
      // These events are only for the bots.
      case 'market':
      case 'closed':
      case 'history':
      case 'time':
        break;
      case 'compared':
        onOthersCompared(step, event.exchange);
        break;
      case 'venue.positions':
        onPositions(step, event);
        break;
      case 'venue.settings':
        onSettings(step, event);
        break;
      case 'joined':
        onJoined(step, event);
        break;
      case 'left':
        onLeft(step, event);
        break;
      case 'account':
        memory.account(event.exchange).away = event.away;
        if (event.since !== undefined) memory.account(event.exchange).since = event.since;
        if (event.instruments) onInstruments(step, event.exchange, event.instruments, event.brackets);
        break;
      case 'instruments':
        onInstruments(step, event.exchange, event.instruments, event.brackets);
        break;
      case 'day':
        memory.day = event.day;
        break;
      case 'ledger':
        onLedger(step, event);
        break;
      case 'audit':
        onAudit(step, event);
        break;
      case 'fees':
        memory.account(event.exchange).fees = event.rates;
        break;
      case 'permissions':
        if (onPermissions(step, event)) fireDeferred(step, event.exchange);
        break;
      case 'permissions-confirmed':
        if (onConfirmed(step, event)) fireDeferred(step, event.exchange);
        break;
      case 'others-found':
        onOthersFound(step, event);
        break;
      case 'others-taken':
        if (onOthersTaken(step, event)) fireDeferred(step, event.exchange);
        break;
      case 'countdown':
        onCountdown(memory, event, step.now.wall);
        break;
      case 'setting-done': {
        const orderId = memory.settings.get(event.id)?.orderId;
        const failed = onSettingDone(step, event.id, event.outcome);
        if (failed !== null && orderId !== undefined) {
          const code = memory.orders.get(orderId)?.rejectCode;
          const reason = isGuardCode(code) ? code : 'VENUE';
          answerWaiters(step, orderId, ['place', 'cancel'], refuse('INVALID_REQUEST', failed, reason));
        }
        break;
      }
      case 'link':
        this.onLink(step, event);
        break;
      case 'mark': {
        const market = memory.market(event.market);
        const price = dec(event.price);
        market.marks.set(event.symbol, price);
        onPrice(step, market, event.symbol, price, 'mark');
        break;
      }
      case 'stale':
        onStale(step, event);
        break;
      case 'price':
        memory.market(event.market).prices.set(event.symbol, dec(event.price));
        break;
      case 'wake':
        askDue(step);
        tellDelistings(step);
        tryDue(step);
        releaseImpatient(step);
        for (const parked of takeExpired(step)) this.execution(step, parked);
        this.sweep(step);
        break;
      case 'reconciled':
        compareOpen(step, event);
        break;
      default:
        assertNever(event);
    }
  }

  private command(step: StepContext, event: Extract<EngineEvent, { type: 'command' }>): void {
    const waiter = admit(step, event);
    if (!waiter) return;
    const { actor, command, entropy } = event;
    const refused = (() => {
      switch (command.type) {
        case 'place': {
          const unable = entryRefusal(this.memory, actor, command.request, event.retryAfterMs);
          if (unable) return { ok: false as const, error: unable };
          const kept = keptMarginType(step, actor, this.extension, command.request);
          if (kept) return kept;
          return place(step, actor, command.request, entropy, waiter);
        }
        case 'cancel':
          cancelBrought(step, actor, command);
          return cancel(step, actor, command.exchange, command.id, waiter, command.keep);
        case 'amend':
          return amend(step, event, command, waiter, this.extension);
        case 'split':
          return split(step, actor, command, entropy, waiter, this.extension);
        case 'setting':
          return change(step, actor, command, entropy, waiter, this.extension);
        case 'guards':
          return setGuards(step, actor, command, waiter);
        case 'lift':
          return liftLoss(step, actor, command.exchange, waiter);
        case 'refuse':
          return { ok: false as const, error: command.error };
        default:
          return this.extension
            ? this.extension.command(step, event, command, waiter)
            : refuse('INTERNAL_ERROR', 'there are no bots here');
      }
    })();
    if (!refused) return;
    logRefusal(step, event, refused);
    answer(step, waiter, refused);
  }

  private onLink(step: StepContext, { exchange, up, gap }: Extract<EngineEvent, { type: 'link' }>): void {
    const { link } = this.memory.account(exchange);
    const isBack = up && !link.up;
    const isNewGap = gap && !link.gap;
    link.up = up;
    link.gap = gap;
    // After a sleep of the machine, before any query or send: time has gone on meanwhile.
    if (isNewGap) expireDated(step);
    if (isBack) fireDeferred(step, exchange);
  }

  /** Handles an execution of an order that is known, or that becomes known by it. */
  private execution(
    step: StepContext,
    { exchange, fill, asked }: Pick<ParkedFill, 'exchange' | 'fill' | 'asked'>,
  ): void {
    const known = this.memory.orderAt(exchange, namesOf(fill));
    const order = known ?? adoptByFill(step, exchange, fill);
    applyFill(step, order, fill, asked);
    if (!asked) bookTold(this.memory, order, fill);
  }

  private withOrder(
    { exchange, orderId }: { exchange: string; orderId: string },
    run: (order: OrderRecord) => void,
  ): void {
    const order = this.memory.orders.get(orderId);
    if (order?.exchange === exchange) run(order);
  }

  private sweep(step: StepContext): void {
    if (step.now.mono < this.sweepAt) return;
    this.sweepAt = step.now.mono + SWEEP_MS;
    sweepIdempotency(step);
    for (const order of this.memory.orders.values()) {
      if (order.endedAt === undefined || step.now.wall - order.endedAt < RECENT_MS) continue;
      if (this.memory.splits.has(order.id) || this.memory.waiters.has(order.id)) continue;
      if (isContradicted(order) || this.memory.parked.some(({ fill }) => fill.clientId === order.id))
        continue;
      this.memory.forget(order.id);
      step.effect({ kind: 'forgotten', orderId: order.id });
    }
  }

  /** Handles the consequences of orders that ended in this step, until there are no more. */
  private finish(step: StepContext, event: EngineEvent | null): StepResult {
    for (const order of step.resolved) answerWaiters(step, order.id, ['place'], placeOutcome(order));
    let seen = 0;
    do {
      for (; seen < step.ended.length; seen++) {
        const order = step.ended[seen];
        if (!order) continue;
        onSplitOrderEnded(step, order);
        answerWaiters(step, order.id, ['cancel'], ok(orderOf(order)));
      }
      if (this.memory.splits.size > 0) checkPlans(step);
    } while (this.extension?.after(step, event));
    if (event?.type === 'command') joinCancels(step, this.extension);
    return step.result();
  }
}
