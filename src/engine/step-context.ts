/**
 * The results that one step collects: rows to store, effects to release, changed orders. Every change of an
 * order goes through here, so that a status moves only along S30 and each change has exactly one event and
 * one ORDER_UPDATE.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import type { Now } from '../domain/clock.ts';
import type { OrderEvent, OrderPhase, OrderRecord } from '../domain/order.ts';
import { TERMINAL } from '../domain/order.ts';
import type { Row } from '../domain/rows.ts';
import type { OrderStatus } from '../schemas/order.ts';
import type { EngineMemory } from './memory.ts';
import type { Effect, StepResult } from './step.ts';

/** The only allowed moves of a status (decision S30). */
const MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  NEW: ['OPENED', 'CANCELLED', 'ERROR'],
  OPENED: ['CLOSED', 'CANCELLED', 'ERROR'],
  CLOSED: [],
  CANCELLED: [],
  ERROR: [],
};

export class StepContext {
  readonly memory: EngineMemory;
  readonly now: Now;
  readonly rows: Row[] = [];
  readonly effects: Effect[] = [];
  /** Orders that ended in this step, in order; the engine looks at their plans and waiters afterwards. */
  readonly ended: OrderRecord[] = [];
  /**
   * Orders whose lost outcome became known in this step; a request from before a restart may still wait for
   * it.
   */
  readonly resolved: OrderRecord[] = [];
  private readonly touched = new Set<OrderRecord>();
  private force = false;

  constructor(memory: EngineMemory, now: Now) {
    this.memory = memory;
    this.now = now;
  }

  /**
   * Returns the wall time that belongs to a monotonic moment, unless somebody sets the clock before. For
   * display.
   */
  wallOf(mono: number): number {
    return Math.round(this.now.wall + mono - this.now.mono);
  }

  /** Marks the order's row for this step's commit. `ride`: it may wait for the next commit instead. */
  touch(order: OrderRecord, ride = false): void {
    order.updatedAt = this.now.wall;
    this.touched.add(order);
    if (!ride) this.force = true;
  }

  row(row: Row): void {
    this.rows.push(row);
    this.force = true;
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  event(order: OrderRecord, kind: OrderEvent['kind'], text: string): void {
    this.row({
      kind: 'event',
      event: {
        orderId: order.id,
        user: order.user,
        at: this.now.wall,
        market: this.now.market,
        kind,
        text,
        status: order.status,
      },
    });
  }

  /** Publishes the order to subscribers, as a copy of its state at this moment. */
  publish(order: OrderRecord, event: 'ORDER_CREATE' | 'ORDER_UPDATE'): void {
    const copy = { ...order };
    if (order.trailing) copy.trailing = { ...order.trailing };
    if (order.submission) copy.submission = structuredCloneSubmission(order.submission);
    if (order.cancel) copy.cancel = { ...order.cancel };
    if (order.change) copy.change = { ...order.change };
    if (order.contradiction) copy.contradiction = { ...order.contradiction };
    this.effect({ kind: 'order-event', user: order.user, event, order: copy });
  }

  /** Logs what a person requested for an order; requests of programs are in the order's own events. */
  logAsked(actor: Actor, order: OrderRecord, text: string): void {
    if (actor.kind !== 'operator') return;
    const line = `${order.id}: ${text}, asked by ${actorLabel(actor)}`;
    this.effect({ kind: 'log', level: 'info', text: line, orderId: order.id });
  }

  /** Moves status and phase, with its one event and one ORDER_UPDATE; every order that fails is logged. */
  move(
    order: OrderRecord,
    status: OrderStatus,
    phase: OrderPhase,
    kind: OrderEvent['kind'],
    text: string,
  ): void {
    if (!MOVES[order.status].includes(status)) {
      throw new Error(`order ${order.id} cannot go from ${order.status} to ${status}`);
    }
    order.status = status;
    order.phase = phase;
    order.isWorking = status === 'OPENED';
    if (status === 'ERROR')
      this.effect({ kind: 'log', level: 'warn', text: `${order.id}: ${text}`, orderId: order.id });
    if (TERMINAL.has(status)) {
      order.endedAt = this.now.wall;
      order.text = text;
      order.submission = undefined;
      order.cancel = undefined;
      order.change = undefined;
      order.notConnected = undefined;
      this.memory.closeOrder(order);
      this.memory.endedAt.set(order.id, this.now.mono);
      this.ended.push(order);
    }
    this.touch(order);
    this.event(order, kind, text);
    this.publish(order, 'ORDER_UPDATE');
  }

  result(): StepResult {
    for (const order of this.touched) this.rows.push({ kind: 'order', order });
    return { rows: this.rows, effects: this.effects, force: this.force };
  }
}

function structuredCloneSubmission(submission: NonNullable<OrderRecord['submission']>) {
  return submission.unresolved
    ? { ...submission, unresolved: { ...submission.unresolved } }
    : { ...submission };
}
