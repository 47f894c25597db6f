/**
 * Leverage, margin type and mode, hedge mode and dust: checked here, made by the exchange, answered with its
 * response. None of them moves an order, so a lost response is reported as such and the setting may be
 * requested again. Decision S40.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { assertNever, type Outcome, ok, refuse } from '../domain/errors.ts';
import { notTraded } from '../domain/lookalike.ts';
import type { OrderRecord } from '../domain/order.ts';
import { type LeverageInfo, positionKey, type Setting, type SettingOutcome } from '../domain/position.ts';
import type { CreateOrder, MarginType } from '../schemas/order.ts';
import { unknownAccount } from './accounts.ts';
import type { EngineExtension } from './extension.ts';
import { endGuarded, passGuards } from './guards.ts';
import { answer, reserve } from './idempotency.ts';
import { send } from './lifecycle.ts';
import type { AccountMemory, FuturesMemory, PendingSetting, Waiter } from './memory.ts';
import { closedToEntries } from './permissions.ts';
import { REPORTED } from './reports.ts';
import type { StepContext } from './step-context.ts';
import type { Versions } from './versions.ts';

export function change(
  step: StepContext,
  actor: Actor,
  command: { exchange: string; setting: Setting },
  entropy: string,
  waiter: Waiter,
  extension: EngineExtension | null,
): Outcome<unknown> | null {
  const { exchange, setting } = command;
  const unknown = unknownAccount(step.memory, actor, exchange);
  if (unknown) return unknown;
  const account = step.memory.account(exchange);
  const refused =
    unsupported(account, setting) ?? wrongSymbol(account, setting) ?? botsDust(account, setting);
  if (refused) return refused;
  const kept = extension?.keeps(exchange, setting) ?? null;
  if (kept !== null) return refuse('CONFLICT', kept);
  const id = `set-${step.now.wall.toString(36)}${entropy}`;
  reserve(step, waiter);
  step.memory.settings.set(id, { exchange, setting, waiter, by: actorLabel(actor) });
  step.effect({ kind: 'setting', id, exchange, setting });
  return null;
}

/** Returns the refusal of an order that would first change a margin type on which a run depends. */
export function keptMarginType(
  { memory }: StepContext,
  actor: Actor,
  extension: EngineExtension | null,
  { exchange, symbol, marginType }: Partial<CreateOrder>,
): Outcome<never> | null {
  if (exchange === undefined || symbol === undefined || marginType === undefined) return null;
  if (unknownAccount(memory, actor, exchange)) return null;
  const kept = extension?.keeps(exchange, { kind: 'marginType', symbol, marginType }) ?? null;
  return kept === null ? null : refuse('CONFLICT', kept);
}

/**
 * Sets the margin type before an order is sent (S32). The order's intent is stored; it is sent when the
 * setting is made.
 */
export function changeBeforeOrder(step: StepContext, order: OrderRecord, setting: Setting): void {
  const id = `set-${order.id}`;
  const { exchange } = order;
  step.memory.settings.set(id, { exchange, setting, waiter: null, orderId: order.id });
  step.event(order, 'held', `not sent yet: first ${words(setting)}`);
  step.effect({ kind: 'setting', id, exchange, setting });
}

export function onSettingDone(step: StepContext, id: string, outcome: SettingOutcome): string | null {
  const pending = step.memory.settings.get(id);
  if (!pending) return null;
  step.memory.settings.delete(id);
  if (outcome.kind === 'done') apply(step, pending);
  if (pending.orderId !== undefined) return releaseOrder(step, pending.orderId, pending.setting, outcome);
  if (pending.by !== undefined) logChange(step, pending, outcome);
  if (pending.waiter) answer(step, pending.waiter, answerOf(pending.setting, outcome));
  return null;
}

/**
 * Applies a setting that the exchange has confirmed, from the next request on; responses to earlier queries
 * are older (S58). The following read confirms it; if that fails, this value stays. The margin mode is
 * queried at the exchange whenever somebody wants to know it.
 */
function apply(step: StepContext, { exchange, setting }: PendingSetting): void {
  const { futures, wallet } = step.memory.account(exchange);
  const { versions } = wallet;
  if (!futures) return;
  switch (setting.kind) {
    case 'leverage': {
      const { symbol, leverage, marginType } = setting;
      setSymbol(futures, versions, symbol, { leverage, ...(marginType === undefined ? {} : { marginType }) });
      break;
    }
    case 'marginType':
      setSymbol(futures, versions, setting.symbol, { marginType: setting.marginType });
      break;
    case 'hedgeMode':
      versions.takes(REPORTED.hedge);
      futures.hedge = setting.on;
      break;
    case 'marginMode':
    case 'dust':
      return;
    default:
      assertNever(setting);
  }
  step.effect({ kind: 'position-event', user: step.memory.holder(exchange), exchange });
}

/** Sets the leverage or margin type of the symbol and of its positions, which have these fields too. */
function setSymbol(
  futures: FuturesMemory,
  versions: Versions,
  symbol: string,
  change: { readonly leverage?: number; readonly marginType?: MarginType },
): void {
  const unknown: LeverageInfo = {
    symbol,
    side: futures.hedge ? 'LONG' : 'BOTH',
    leverage: 1,
    marginType: 'CROSSED',
    realizedPnl: '0',
  };
  const known = futures.leverage.sidesOf(symbol);
  for (const info of known.length > 0 ? known : [unknown]) {
    versions.takes(REPORTED.leverage(positionKey(symbol, info.side)));
    futures.leverage.set({ ...info, ...change });
  }
  for (const [key, position] of futures.positions) {
    if (position.symbol !== symbol) continue;
    versions.takes(REPORTED.position(key));
    futures.positions.set(key, { ...position, ...change });
  }
}

/** Logs what was requested, by whom, and the outcome. */
function logChange(
  step: StepContext,
  { exchange, setting, by }: PendingSetting,
  outcome: SettingOutcome,
): void {
  const asked = `${exchange}: ${words(setting)}, asked by ${by}`;
  if (outcome.kind === 'done') step.effect({ kind: 'log', level: 'info', text: asked });
  else {
    const why =
      outcome.kind === 'rejected' ? `refused: ${outcome.message}` : `outcome unknown (${outcome.cause})`;
    step.effect({ kind: 'log', level: 'warn', text: `${asked}: ${why}` });
  }
}

/**
 * Returns the refusal of a setting that the market kind does not have: an unsupported feature (500), but
 * hedge mode on spot is a bad request (S40).
 */
export function unsupported(
  account: AccountMemory,
  setting: Pick<Setting, 'kind'>,
): { ok: false; error: { code: 'INTERNAL_ERROR' | 'INVALID_REQUEST'; message: string } } | null {
  const { id, kind } = account.account;
  const no = (code: 'INTERNAL_ERROR' | 'INVALID_REQUEST', what: string) => ({
    ok: false as const,
    error: { code, message: `${id} has no ${what}` },
  });
  switch (setting.kind) {
    case 'leverage':
      return kind === 'spot' ? no('INTERNAL_ERROR', 'leverage') : null;
    case 'marginType':
      return kind === 'spot' ? no('INTERNAL_ERROR', 'margin type') : null;
    case 'marginMode':
      return kind === 'spot' ? no('INTERNAL_ERROR', 'margin mode') : null;
    case 'hedgeMode':
      return kind === 'spot' ? no('INVALID_REQUEST', 'hedge mode; name a futures exchange') : null;
    case 'dust':
      return kind === 'futures' ? no('INTERNAL_ERROR', 'dust conversion') : null;
    default:
      return assertNever(setting.kind);
  }
}

function wrongSymbol(account: AccountMemory, setting: Setting): Outcome<never> | null {
  if (!('symbol' in setting) || account.instruments.has(setting.symbol)) return null;
  const text = notTraded(setting.symbol, account.account.id, [...account.instruments.keys()]);
  return refuse('INVALID_REQUEST', text, 'SYMBOL');
}

/** Refuses a dust conversion of an asset that a run holds, however small (S25). */
function botsDust(account: AccountMemory, setting: Setting): Outcome<never> | null {
  if (setting.kind !== 'dust') return null;
  const kept = setting.assets.filter((asset) => account.wallet.reserved.has(asset));
  if (kept.length === 0) return null;
  return refuse('INVALID_REQUEST', `${kept.join(', ')}: reserved by bots, not to be converted`, 'RESERVED');
}

function answerOf(setting: Setting, outcome: SettingOutcome): Outcome<unknown> {
  if (outcome.kind === 'rejected') return refuse('INVALID_REQUEST', outcome.message, 'VENUE');
  if (outcome.kind === 'unknown') {
    const text = `whether the exchange made the change is unknown (${outcome.cause}); read it and try again`;
    return refuse('SERVICE_UNAVAILABLE', text);
  }
  switch (setting.kind) {
    case 'leverage':
      return ok(null);
    case 'marginType':
      return ok({ symbol: setting.symbol, marginType: setting.marginType });
    case 'marginMode':
      return ok({ mode: setting.mode });
    case 'hedgeMode':
      return ok({ dualSidePosition: setting.on });
    case 'dust':
      return ok(outcome.dust ?? null);
    default:
      return assertNever(setting);
  }
}

/**
 * Sends the order that waited for the setting; returns the reason when it cannot be sent: it was never sent,
 * so it ends here.
 */
function releaseOrder(
  step: StepContext,
  orderId: string,
  setting: Setting,
  outcome: SettingOutcome,
): string | null {
  const order = step.memory.orders.get(orderId);
  // Cancelled meanwhile, or ended by a restart: it stays unsent (S54).
  if (order?.phase !== 'waiting') return null;
  if (outcome.kind === 'done') {
    const problem = passGuards(step, order, { byHand: order.creator !== 'BOT' });
    if (problem) return endGuarded(step, order, problem);
    // The account may have stopped taking entries meanwhile. The order itself counts among those that would
    // close.
    const closed = closedToEntries(step.memory, step.memory.account(order.exchange), {
      ...order,
      quantity: '0',
    });
    if (closed) return endGuarded(step, order, closed.error);
    send(step, order);
    step.event(order, 'sent', `${words(setting)}; sent to ${order.exchange}`);
    return null;
  }
  const why = outcome.kind === 'rejected' ? outcome.message : `the answer got lost (${outcome.cause})`;
  const text = `not sent: ${words(setting)} failed: ${why}`;
  order.rejectCode = 'MARGIN_TYPE';
  step.move(order, 'ERROR', 'done', 'rejected', text);
  return text;
}

function words(setting: Setting): string {
  switch (setting.kind) {
    case 'leverage':
      return `leverage of ${setting.symbol} to ${setting.leverage}x`;
    case 'marginType':
      return `margin type of ${setting.symbol} to ${setting.marginType}`;
    case 'marginMode':
      return `margin mode to ${setting.mode}`;
    case 'hedgeMode':
      return `hedge mode ${setting.on ? 'on' : 'off'}`;
    case 'dust':
      return `dust conversion of ${setting.assets.join(', ')}`;
    default:
      return assertNever(setting);
  }
}
