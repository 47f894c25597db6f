/**
 * Commands of the Positions screen: forms and confirmations; the confirmed actions are carried out in
 * `confirm.ts`.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../app/session.ts';
import { markedIn } from '../lists/list-views.ts';
import { notAmendable } from '../orders/amend/amend-form.ts';
import { openAmendOf } from '../orders/amend/commands.ts';
import { openPair } from '../orders/exits/pair.ts';
import { checkOrder } from '../orders/ticket/commands.ts';
import { topDialog, type UiState } from '../state/ui.ts';
import {
  closedBy,
  closingOrders,
  closingSide,
  isLong,
  notionalOf,
  openPositions,
  type PositionRow,
  sizeOf,
} from '../trading/positions.ts';
import { accountsAt } from '../trading/prices.ts';
import { selectedPrice } from '../trading/watch.ts';
import { problemWords } from '../ui/labels.ts';
import { orderOf, positionOf } from './asked-order.ts';
import { confirmCloseMarked, confirmPositionOrder, confirmSetting } from './position-confirmations.ts';
import { asksOrder, type PositionAsk, type PositionForm } from './position-form.ts';
import { selectedPosition } from './position-list.ts';
import {
  closeAtMarket,
  FIRST_PART,
  leverageProblem,
  MARGIN_MODES,
  positionChoices,
  positionFields,
  reversal,
} from './position-orders.ts';
import { settingOf } from './position-settings.ts';

/**
 * Closes the marked positions, after a word is typed; without marks the one under the cursor, at market,
 * after a check with the engine's current figures.
 */
export function closePosition(session: Session): void {
  const state = deskState(session);
  const marked = state ? markedIn(state, session.ui.getState(), 'positions') : [];
  if (state && marked.length > 0) {
    const positions = openPositions(state).filter(({ id }) => marked.includes(id));
    openDialog(session, confirmCloseMarked(state, positions));
    return;
  }
  const position = state ? selectedPosition(state, session.ui.getState().positions) : null;
  if (!position) say(session, `nothing to close: ${noPosition(session)}`, 'warn');
  else void confirmOrder(session, position, closeAtMarket(position));
}

/** Closes the position and opens the same amount on the other side, in one order. */
export function reversePosition(session: Session): void {
  const state = deskState(session);
  const position = state ? selectedPosition(state, session.ui.getState().positions) : null;
  if (!position) say(session, `nothing to reverse: ${noPosition(session)}`, 'warn');
  else if (position.side !== 'BOTH')
    say(
      session,
      'with hedge mode LONG and SHORT are two positions: close this one and open the other',
      'warn',
    );
  else void confirmOrder(session, position, reversal(position));
}

/** Opens a take-profit and a stop for the whole position; one cancels the other. */
export function pairPosition(session: Session): void {
  const state = deskState(session);
  const position = state ? selectedPosition(state, session.ui.getState().positions) : null;
  if (!position) {
    say(session, noPosition(session), 'warn');
    return;
  }
  const { exchange, symbol, entryPrice } = position;
  const side = closingSide(position);
  openPair(session, { exchange, symbol, side, quantity: sizeOf(position), entry: entryPrice });
}

/** Why no position is selected. */
function noPosition(session: Session): string {
  const state = deskState(session);
  return state && openPositions(state).length > 0 ? 'the filter hides all positions' : 'no position is open';
}

/** Opens the confirmation with the check's figures, unless another dialog or screen was opened meanwhile. */
async function confirmOrder(session: Session, position: PositionRow, order: CreateOrder): Promise<void> {
  const check = await checkOrder(session, order);
  const state = deskState(session);
  const { dialogs, screen } = session.ui.getState();
  if (!check || !state || dialogs.length > 0 || screen !== 'positions') return;
  const problem = check.problems[0];
  const now = closedBy(state, order);
  if (now?.id !== position.id) say(session, `${position.symbol}: the position is gone`, 'warn');
  else if (problem) say(session, problemWords(problem), 'warn');
  else openDialog(session, confirmPositionOrder(state, now, order, check));
}

export function askPosition(session: Session, what: PositionAsk): void {
  const state = deskState(session);
  if (!state) return;
  const ui = session.ui.getState();
  const position = selectedPosition(state, ui.positions);
  const watched = selectedPrice(state, ui);
  const futures = state.accounts.filter(({ kind }) => kind === 'futures');
  const [account] = accountsAt(futures, watched);
  const exchange = position?.exchange ?? account?.id;
  if (exchange === undefined) {
    say(session, 'no futures account', 'warn');
    return;
  }
  if (!position && asksOrder(what)) {
    say(session, noPosition(session), 'warn');
    return;
  }
  const symbol = position?.symbol ?? watched?.symbol ?? '';
  const stop = what === 'stop' && position ? restingStop(state, position) : null;
  if (stop) {
    openAmendOf(session, stop);
    say(session, 'this changes the stop that rests; a ticket places another one beside it');
    return;
  }
  const form: PositionForm = {
    kind: 'position-form',
    what,
    exchange,
    symbol,
    key: position?.key ?? null,
    long: position ? isLong(position) : null,
    value: '',
    focus: position || !positionFields(what).includes('symbol') ? 'value' : 'symbol',
    mode: null,
    check: null,
    brackets: null,
    stale: true,
    refusal: null,
  };
  openDialog(session, { ...form, value: firstValue(session, form) });
  session.fieldChanged('position-form');
}

/** The only stop of a position, if it can be amended; null where there is none, or more than one. */
function restingStop(state: DeskState, position: PositionRow): OrderView | null {
  const stops = closingOrders(position, state.orders).filter(
    ({ type, trailing }) => (type === 'STOP_MARKET' || type === 'STOP_LIMIT') && !trailing,
  );
  const [only, ...more] = stops;
  if (!only || more.length > 0 || only.creator === 'BOT') return null;
  return notAmendable(only) === null ? only : null;
}

/** The value at first: the first choice that is not the current setting; empty where the value is typed. */
function firstValue(session: Session, form: PositionForm): string {
  if (form.what === 'part') return FIRST_PART;
  const now = settingNow(session, form);
  const choices = positionChoices(form.what);
  return choices.find((choice) => choice !== now) ?? '';
}

/** The current value of the setting that a form changes. */
export function settingNow(session: Session, form: PositionForm): string {
  const futures = deskState(session)?.futures[form.exchange];
  const set = futures?.leverage[form.symbol];
  switch (form.what) {
    case 'leverage':
      return set ? `${set.leverage}x` : 'not set';
    case 'marginType':
      return set?.marginType ?? 'CROSSED';
    case 'hedgeMode':
      return futures?.hedgeMode ? 'on' : 'off';
    case 'marginMode':
      return form.mode === null ? 'unknown' : (MARGIN_MODES[form.mode - 1] ?? `mode ${form.mode}`);
    default:
      return '';
  }
}

/**
 * The desk's facts for a form: the check of an order, the brackets for a leverage, the current margin mode.
 */
async function judged(session: Session, form: PositionForm): Promise<Partial<PositionForm>> {
  const { value, symbol, exchange, what } = form;
  if (what === 'marginMode') {
    const answer = await ask(session, 'futures.marginMode', { exchange });
    return { mode: answer?.mode ?? null, stale: false };
  }
  if (what === 'leverage') {
    const brackets = await loadBrackets(session, exchange, symbol);
    return { brackets: brackets ?? null, stale: false };
  }
  const order = orderOf(session, form);
  const check = order && value.trim() !== '' ? await checkOrder(session, order) : null;
  return { check, stale: false };
}

/** The fields that identify a form, without its value. */
const ABOUT = ['what', 'exchange', 'symbol', 'key', 'long'] as const;

function isSameForm(a: PositionForm, b: PositionForm): boolean {
  return ABOUT.every((part) => a[part] === b[part]);
}

/**
 * Adds a response for `asked` to the form; a response for another form, or for an older value, is dropped.
 */
function answered(
  session: Session,
  asked: PositionForm,
  news: Partial<PositionForm>,
  now: PositionForm,
): Partial<PositionForm> {
  if (!isSameForm(asked, now)) return {};
  // The margin mode of the account does not depend on the value; a value chosen by hand is kept.
  if (now.what !== 'marginMode') return now.value === asked.value ? news : {};
  const fresh = now.mode === null && now.value === asked.value;
  return { ...news, value: fresh ? firstValue(session, { ...now, ...news }) : now.value };
}

/** Checks the open form with the desk. */
export async function checkPosition(session: Session): Promise<void> {
  const form = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'position-form');
  if (!form) return;
  const news = await judged(session, form);
  patchDialog(session, 'position-form', (now) => answered(session, form, news, now));
}

/** The brackets of a symbol, requested once. */
export async function loadBrackets(session: Session, exchange: string, symbol: string) {
  const id = `${exchange} ${symbol}`;
  const known = session.ui.getState().positions.brackets[id];
  if (known) return known;
  const instruments = deskState(session)?.instruments ?? [];
  if (!instruments.some((entry) => entry.exchange === exchange && entry.symbol === symbol)) return undefined;
  const brackets = await ask(session, 'futures.brackets', { exchange, symbol });
  if (!brackets) return undefined;
  session.ui.setState(({ positions }) => ({
    positions: { ...positions, brackets: { ...positions.brackets, [id]: brackets } },
  }));
  return brackets;
}

/** Why a form cannot be confirmed; null when it can. */
export function formProblem(session: Session, form: PositionForm): string | null {
  const { what, value, check, exchange, symbol } = form;
  if (asksOrder(what)) {
    if (!positionOf(session, form)) return 'the position is gone';
    if (value.trim() === '') return what === 'trail' ? 'write how many percent' : 'write a price';
    if (!orderOf(session, form))
      return what === 'part'
        ? `${value} of it is less than one step`
        : 'write percent, 0.01 to 100, for example 1';
    const problem = check?.problems[0];
    return problem ? problemWords(problem) : null;
  }
  const instruments = deskState(session)?.instruments ?? [];
  const known = instruments.some(
    (entry) => entry.exchange === exchange && entry.symbol === symbol && !entry.delisted,
  );
  if (positionFields(what).includes('symbol') && !known)
    return `${symbol || 'nothing'} is not traded on ${exchange}`;
  if (settingNow(session, form) === (what === 'leverage' ? `${value.trim()}x` : value))
    return 'it is set so already';
  if (what !== 'leverage') return null;
  const position = positionOf(session, form);
  return leverageProblem(value, form.brackets, position ? notionalOf(position) : null);
}

/** Opens the confirmation, if a new check by the desk finds no problem with exactly this form. */
export async function reviewPosition(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'position-form') return;
  const early = formProblem(session, { ...form, check: null });
  if (early !== null) {
    say(session, early, 'warn');
    return;
  }
  const order = orderOf(session, form);
  const news = await judged(session, form);
  patchDialog(session, 'position-form', (now) => answered(session, form, news, now));
  const state = deskState(session);
  const now = topDialog(session.ui.getState());
  if (!state || now?.kind !== 'position-form' || !isSameForm(form, now) || now.value !== form.value) return;
  // A message has already said why the mode is unknown.
  if (now.what === 'marginMode' && now.mode === null) return;
  const problem = formProblem(session, now);
  const position = positionOf(session, now);
  if (problem !== null) say(session, problem, 'warn');
  else if (!order) reviewSetting(session, now, position);
  else if (position && now.check)
    openDialog(session, confirmPositionOrder(state, position, order, now.check));
}

/** The question whether to close or protect a position, when it is the innermost dialog. */
function openQuestion({ dialogs }: UiState) {
  const [form, asked] = dialogs.length > 1 ? dialogs.slice(-2) : [undefined, dialogs[0]];
  if (form?.kind === 'ticket' || asked?.kind !== 'confirm' || asked.busy) return null;
  const { action } = asked;
  return action.type === 'place' || action.type === 'reverse' ? { ...asked, order: action.order } : null;
}

/** Whether a form or a question shows market figures of a position and its order. */
export function showsPosition(ui: UiState): boolean {
  const top = topDialog(ui);
  if (top?.kind === 'position-form') return asksOrder(top.what);
  return openQuestion(ui) !== null;
}

/**
 * Updates the figures of market and position in the innermost form or question; its order does not change.
 */
export async function recheckPosition(session: Session): Promise<void> {
  const asked = openQuestion(session.ui.getState());
  if (!asked) {
    if (showsPosition(session.ui.getState())) await checkPosition(session);
    return;
  }
  const check = await checkOrder(session, asked.order);
  const state = deskState(session);
  if (!check || !state) return;
  const position = closedBy(state, asked.order);
  const { rows, next } = confirmPositionOrder(state, position, asked.order, check);
  patchDialog(session, 'confirm', (now) => (now.action === asked.action ? { rows, next } : {}));
}

function reviewSetting(session: Session, form: PositionForm, position: PositionRow | undefined): void {
  const state = deskState(session);
  const found = settingOf(form, settingNow(session, form));
  if (!state || !found) return;
  const about = positionFields(form.what).includes('symbol') ? position : undefined;
  const { setting, words } = found;
  openDialog(session, confirmSetting(state, form.exchange, setting, words, about));
}
