/**
 * Orders at an exchange with ids in this program's form that this store does not know: another desk trades on
 * the account, or this store is an older copy of one that did (money-at-risk.md 1). Found before anything is
 * sent, they close the account; found later, they stop its entries; an owner has to confirm that the other
 * desk is stopped. Rows are stored before effects, so none of the desk's own orders can be unknown here.
 * Pure.
 */
import type { AccountMemory, EngineMemory } from './memory.ts';
import { deskOf, isOwnForm } from './order-ids.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

/** How many of these ids are stored and shown; more would add no information. */
export const OTHERS_MAX = 10;

/**
 * `closed`: such orders existed before anything was sent, and nothing is sent. `paused`: found later: no
 * entries. `taking`: an owner takes over the existing orders; until the account has been compared as a whole,
 * such orders count as part of them.
 */
export type OthersState = 'none' | 'paused' | 'closed' | 'taking';

export interface OtherDeskMemory {
  state: OthersState;
  /** The first of the ids. */
  ids: readonly string[];
  /** There are more ids than stored. */
  more: boolean;
}

/** Loads the state from its row. */
export function loadOthers(meta: ReadonlyMap<string, unknown>, exchange: string): OtherDeskMemory {
  const stored = meta.get(rowName(exchange)) ?? null;
  if (stored === null) return { state: 'none', ids: [], more: false };
  const { state, ids, more } = stored as Partial<OtherDeskMemory>;
  const known = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, OTHERS_MAX) : [];
  // An unreadable row does not count as a permission.
  const read = state === 'paused' || state === 'taking' ? state : 'closed';
  return { state: read, ids: known, more: more === true };
}

/**
 * Returns whether an unknown order has an id that only a desk of this program makes. All orders of the store
 * must be in memory.
 */
export function isOfOtherDesk(memory: EngineMemory, exchange: string, clientId: string): boolean {
  const { others, caps } = memory.account(exchange);
  return others !== null && isOwnForm(caps.idPrefix, clientId) && !memory.orders.has(clientId);
}

/**
 * Returns why the account takes no entries, as the end of a sentence that begins with its name; null: it
 * does.
 */
export function otherDeskWhy({ others }: AccountMemory): string | null {
  if (others?.state !== 'paused') return null;
  return `is traded by another desk too (${idsText(others)}): stop that one, then confirm it on Accounts`;
}

/** Returns why nothing is sent to a closed account, for whoever asks. */
export function closedByOthersWhy(others: OtherDeskMemory): string {
  return `ANOTHER DESK trades it, or this data folder is older than its orders (${idsText(others)}): stop that one, then take the account over on Accounts`;
}

/** Notes that an unknown order was reported while the account trades. */
export function noteOther(step: StepContext, exchange: string, clientId: string): void {
  if (!isOfOtherDesk(step.memory, exchange, clientId)) return;
  const { others } = step.memory.account(exchange);
  if (!others || others.state === 'taking' || others.ids.includes(clientId)) return;
  const isNew = others.state === 'none';
  if (isNew) others.state = 'paused';
  // A desk that keeps trading makes many.
  if (add(others, [clientId])) store(step, exchange, others);
  if (!isNew) return;
  const text = `ANOTHER DESK trades ${exchange}: ${clientId}, of ${deskText(step.memory, exchange, clientId)}, was not made here. No entries are sent until an owner confirms on Accounts that it is stopped`;
  step.effect({ kind: 'log', level: 'error', source: 'exchange', text });
}

/** Handles orders that existed before anything was sent. */
export function onOthersFound(
  step: StepContext,
  { exchange, ids }: Extract<EngineEvent, { type: 'others-found' }>,
): void {
  const { others } = step.memory.account(exchange);
  if (!others || ids.length === 0) return;
  others.state = 'closed';
  add(others, ids);
  store(step, exchange, others);
}

/**
 * Handles an owner's confirmation that the other desk is stopped: its orders are external orders here. True:
 * entries are taken again.
 */
export function onOthersTaken(
  step: StepContext,
  { exchange }: Extract<EngineEvent, { type: 'others-taken' }>,
): boolean {
  const { others } = step.memory.account(exchange);
  if (others?.state !== 'paused' && others?.state !== 'closed') return false;
  const isPaused = others.state === 'paused';
  const text = `${exchange} was taken over (${idsText(others)}): no other desk may trade it from now on`;
  step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
  if (isPaused) forget(step, exchange, others);
  else {
    others.state = 'taking';
    store(step, exchange, others);
  }
  return isPaused;
}

/** Ends the takeover: all orders that existed are known now. */
export function onOthersCompared(step: StepContext, exchange: string): void {
  const { others } = step.memory.account(exchange);
  if (others?.state === 'taking') forget(step, exchange, others);
}

function forget(step: StepContext, exchange: string, others: OtherDeskMemory): void {
  Object.assign(others, { state: 'none', ids: [], more: false } satisfies OtherDeskMemory);
  store(step, exchange, others);
}

/** Adds ids. True: something has changed. */
function add(others: OtherDeskMemory, ids: readonly string[]): boolean {
  const { ids: before, more } = others;
  const all = [...new Set([...before, ...ids])];
  others.more ||= all.length > OTHERS_MAX;
  others.ids = all.slice(0, OTHERS_MAX);
  return others.more !== more || others.ids.length !== before.length;
}

function idsText({ ids, more }: OtherDeskMemory): string {
  return `${ids.join(', ')}${more ? ' and more' : ''}`;
}

function deskText(memory: EngineMemory, exchange: string, id: string): string {
  const { desk } = memory;
  const named = deskOf(memory.account(exchange).caps.idPrefix, id);
  return desk.id === named || desk.earlier.includes(named)
    ? 'this data folder at another time or place'
    : `desk ${named}`;
}

function store(step: StepContext, exchange: string, others: OtherDeskMemory): void {
  const value = others.state === 'none' ? null : { ...others };
  step.row({ kind: 'meta', name: rowName(exchange), value });
  step.effect({ kind: 'others-event', exchange });
}

function rowName(exchange: string): string {
  return `other desk ${exchange}`;
}
