/** A run's orders as orders of the engine, and their changes as a run sees them. Pure. */
import { str } from '../../domain/decimal.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { isGuardCode } from '../../domain/guards.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { type RejectCode, rejectKind } from '../../domain/reject-code.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import type { OrderChange, RunOrder } from '../run/contract.ts';
import type { Run } from '../run/run.ts';
import type { CompiledSettings } from '../settings/compiled.ts';

type RejectedWhy = Extract<OrderChange, { kind: 'rejected' }>['why'];

/** The request that places an order of a run; `hedge`: the account is in hedge mode. */
export function requestOf(order: RunOrder, exchange: string, run: Run, hedge: boolean): CreateOrder {
  const futures = run.rules.kind === 'futures';
  return {
    exchange,
    symbol: run.rules.symbol,
    side: order.side,
    type: order.type,
    quantity: str(order.qty),
    ...(order.price === null ? {} : { price: str(order.price) }),
    ...(order.stopPrice === null ? {} : { stopPrice: str(order.stopPrice) }),
    ...(futures && hedge ? { positionSide: sideOf(run.settings) } : {}),
    ...(futures && order.reduceOnly && !hedge ? { reduceOnly: true } : {}),
    ...(futures && order.stopPrice !== null ? { workingType: order.workingType ?? 'CONTRACT_PRICE' } : {}),
  };
}

/** The position that a run trades in hedge mode: the one it names, else the one of its direction. */
export function sideOf(settings: CompiledSettings): 'LONG' | 'SHORT' {
  if (settings.positionSide !== 'BOTH') return settings.positionSide;
  return settings.short ? 'SHORT' : 'LONG';
}

/** The run's key for its own order, read from the metadata that was stored with the order. */
export function keyOf(order: OrderRecord): string | null {
  if (order.creator !== 'BOT' || order.metadata === '') return null;
  const { key } = JSON.parse(order.metadata) as { key?: unknown };
  return typeof key === 'string' ? key : null;
}

/** Returns the change of an order as its run sees it. `delisted`: its symbol is not traded any more. */
export function changeOf(key: string, order: OrderRecord, delisted = false): OrderChange | null {
  switch (order.status) {
    case 'NEW':
      return null;
    case 'OPENED':
      // An order that rests and waits for its stop price is NEW.
      return { key, kind: 'accepted', triggered: order.type === 'STOP_LIMIT' };
    case 'CLOSED':
    case 'CANCELLED':
      return { key, kind: 'ended' };
    case 'ERROR': {
      const reason = order.text ?? 'rejected';
      const why = delisted ? 'later' : whyOf(order.rejectCode);
      return { key, kind: 'rejected', reason, why, sent: true };
    }
  }
}

/** Classifies a rejection (strategies.md 2, run rule 3): one that retries cannot help ends a run. */
function whyOf(code: RejectCode | undefined): RejectedWhy {
  if (isGuardCode(code)) return 'guard';
  // A refused key may not be valid yet; a key that had worked fails the run in another way (R12).
  if (code === 'BAD_CREDENTIALS') return 'later';
  if (rejectKind(code) === 'final') return 'final';
  // A limit on how many requests are sent at once is not the order's fault.
  if (code === 'BUDGET' || code === 'RATE_LIMITED') return 'later';
  if (code === 'STOP_PASSED') return 'passed';
  return code === 'BALANCE' ? 'balance' : 'other';
}

/**
 * Why the engine itself refuses an order; `later`: it cannot be judged yet. A run has begun on a symbol that
 * was traded: if it is not traded now, it may be again.
 */
export function whyRefused({ code, reason }: ServiceError): RejectedWhy {
  if (isGuardCode(reason)) return 'guard';
  if (code === 'SERVICE_UNAVAILABLE' || reason === 'SYMBOL') return 'later';
  if (reason === 'BALANCE' || reason === 'RESERVED') return 'balance';
  return reason === 'STOP_SIDE' ? 'passed' : 'other';
}
