/** Commands of the Positions screen: forms and confirmations; what they do is done in `confirm.ts`. */
import type { MarginMode, Setting } from '../../domain/position.ts';
import type { CreateOrder, MarginType } from '../../schemas/order.ts';
import { selectedPosition, selectedSymbol } from '../model/lists.ts';
import { confirmPositionOrder, confirmSetting, type SettingWords } from '../model/position-confirmations.ts';
import {
  closeAtMarket,
  closeByLimit,
  leverageProblem,
  MARGIN_MODES,
  maxLeverage,
  positionChoices,
  positionFields,
  protectiveStop,
} from '../model/position-orders.ts';
import { notionalOf, openPositions, type PositionRow } from '../model/positions.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../session.ts';
import { type PositionAsk, type PositionForm, topDialog } from '../state/ui.ts';
import { checkOrder } from './ticket.ts';

/** Closes at market, after a look at the engine's figures of now. */
export function closePosition(session: Session): void {
  const state = deskState(session);
  const position = state ? selectedPosition(state, session.ui.getState().positions) : null;
  if (!position) say(session, `nothing to close: ${noPosition(session)}`, 'warn');
  else void confirmOrder(session, position, closeAtMarket(position));
}

/** Why none is selected. */
function noPosition(session: Session): string {
  const state = deskState(session);
  return state && openPositions(state).length > 0 ? 'the filter hides all positions' : 'no position is open';
}

/** Opens the confirmation with the check's figures, unless something else was opened meanwhile. */
async function confirmOrder(session: Session, position: PositionRow, order: CreateOrder): Promise<void> {
  const check = await checkOrder(session, order);
  const state = deskState(session);
  const { dialogs, screen } = session.ui.getState();
  if (!check || !state || dialogs.length > 0 || screen !== 'positions') return;
  const problem = check.problems[0];
  const now = openPositions(state).find(({ id }) => id === position.id);
  if (!now) say(session, `${position.symbol}: the position is gone`, 'warn');
  else if (problem) say(session, `${problem.field}: ${problem.message}`, 'warn');
  else openDialog(session, confirmPositionOrder(state, now, order, check, session.now()));
}

export function askPosition(session: Session, what: PositionAsk): void {
  const state = deskState(session);
  if (!state) return;
  const ui = session.ui.getState();
  const position = selectedPosition(state, ui.positions);
  const account = state.accounts.find(({ kind }) => kind === 'futures');
  const exchange = position?.exchange ?? account?.id;
  if (exchange === undefined) {
    say(session, 'no futures account', 'warn');
    return;
  }
  if (!position && (what === 'limit' || what === 'stop')) {
    say(session, noPosition(session), 'warn');
    return;
  }
  const symbol = position?.symbol ?? selectedSymbol(state, ui) ?? '';
  const form: PositionForm = {
    kind: 'position-form',
    what,
    exchange,
    symbol,
    key: position?.key ?? null,
    value: '',
    focus: position || !positionFields(what).includes('symbol') ? 'value' : 'symbol',
    mode: null,
    check: null,
    brackets: null,
    stale: true,
    refusal: null,
  };
  openDialog(session, { ...form, value: firstValue(session, form) });
  session.fieldChanged('position');
}

/** What is not set now is the first choice; what is typed starts empty. */
function firstValue(session: Session, form: PositionForm): string {
  const now = settingNow(session, form);
  const choices = positionChoices(form.what);
  return choices.find((choice) => choice !== now) ?? '';
}

/** The setting that a form changes, as it is now. */
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

function positionOf(session: Session, { key, exchange, symbol }: PositionForm): PositionRow | undefined {
  const state = deskState(session);
  if (!state) return undefined;
  const rows = openPositions(state);
  const own = rows.find((row) => row.key === key);
  return own?.symbol === symbol
    ? own
    : rows.find((row) => row.exchange === exchange && row.symbol === symbol);
}

/** The order that a form asks for; null for settings, and when its position has gone. */
function orderOf(session: Session, form: PositionForm): CreateOrder | null {
  const position = positionOf(session, form);
  const price = form.value.trim();
  if (!position) return null;
  if (form.what === 'limit') return closeByLimit(position, price);
  return form.what === 'stop' ? protectiveStop(position, price) : null;
}

/** The live check: the engine's word on an order, the brackets of a leverage, the margin mode of now. */
export async function checkPosition(session: Session): Promise<void> {
  const form = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'position-form');
  if (!form) return;
  const { value, symbol, exchange, what } = form;
  if (what === 'marginMode') {
    const answer = await ask(session, 'futures.marginMode', { exchange });
    patchDialog(session, 'position-form', (now) => {
      const mode = answer?.mode ?? null;
      const other = now.mode === null ? firstValue(session, { ...now, mode }) : now.value;
      return { mode, value: other, stale: false };
    });
  } else if (what === 'leverage') {
    const brackets = await loadBrackets(session, exchange, symbol);
    patchDialog(session, 'position-form', (now) =>
      now.symbol === symbol ? { brackets: brackets ?? null, stale: false } : {},
    );
  } else {
    const order = orderOf(session, form);
    const check = order && value.trim() !== '' ? await checkOrder(session, order) : null;
    patchDialog(session, 'position-form', (now) => (now.value === value ? { check, stale: false } : {}));
  }
}

/** Brackets of a symbol, asked for once. */
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

/** What stands in the way of a form's confirmation; null when nothing does. */
export function formProblem(session: Session, form: PositionForm): string | null {
  const { what, value, check, exchange, symbol } = form;
  if (what === 'limit' || what === 'stop') {
    if (value.trim() === '') return 'write a price';
    const problem = check?.problems[0];
    if (problem) return `${problem.field}: ${problem.message}`;
    return orderOf(session, form) ? null : 'the position is gone';
  }
  const instruments = deskState(session)?.instruments ?? [];
  const known = instruments.some((entry) => entry.exchange === exchange && entry.symbol === symbol);
  if (positionFields(what).includes('symbol') && !known)
    return `${symbol || 'nothing'} is not traded on ${exchange}`;
  if (settingNow(session, form) === (what === 'leverage' ? `${value.trim()}x` : value))
    return 'it is set so already';
  if (what !== 'leverage') return null;
  const position = positionOf(session, form);
  return leverageProblem(value, form.brackets, position ? notionalOf(position) : null);
}

export function reviewPosition(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'position-form') return;
  const problem = formProblem(session, form);
  const checked = form.what === 'hedgeMode' || form.what === 'marginType' || !form.stale;
  if (problem !== null) say(session, problem, 'warn');
  else if (!checked) {
    say(session, 'still checking; press again');
    session.fieldChanged('position');
  } else {
    const order = orderOf(session, form);
    const position = positionOf(session, form);
    if (order && position && form.check)
      openDialog(session, confirmPositionOrder(state, position, order, form.check, session.now()));
    else if (!order) reviewSetting(session, form, position);
  }
}

function reviewSetting(session: Session, form: PositionForm, position: PositionRow | undefined): void {
  const state = deskState(session);
  const found = settingOf(form, settingNow(session, form));
  if (!state || !found) return;
  const about = positionFields(form.what).includes('symbol') ? position : undefined;
  const { setting, words } = found;
  openDialog(session, confirmSetting(state, form.exchange, setting, words, about, session.now()));
}

/** The setting a form asks for, and how its confirmation says it. */
function settingOf(form: PositionForm, now: string): { setting: Setting; words: SettingWords } | null {
  const { what, symbol, value, exchange } = form;
  switch (what) {
    case 'leverage': {
      const leverage = Number(value);
      return {
        setting: { kind: 'leverage', symbol, leverage },
        words: {
          title: 'Leverage',
          now: ['leverage', now],
          wanted: `${leverage}x of at most ${maxLeverage(form.brackets) ?? '?'}x`,
          next: 'Margin and liquidation price of the symbol are counted anew; no order is sent.',
          done: `${symbol}: leverage ${leverage}x`,
        },
      };
    }
    case 'marginType':
      return {
        setting: { kind: 'marginType', symbol, marginType: value as MarginType },
        words: {
          title: 'Margin type',
          now: ['margin type', now],
          wanted: value,
          next:
            value === 'ISOLATED'
              ? 'New positions of the symbol risk the margin set aside for them only.'
              : 'New positions of the symbol share the whole margin of the account.',
          done: `${symbol}: margin type ${value}`,
        },
      };
    case 'hedgeMode':
      return {
        setting: { kind: 'hedgeMode', on: value === 'on' },
        words: {
          title: 'Hedge mode',
          now: ['hedge mode', now],
          wanted: value,
          next:
            value === 'on'
              ? 'A long and a short of one symbol can stand side by side; every order names LONG or SHORT.'
              : 'One position a symbol: a sell shrinks a long before it opens a short.',
          done: `${exchange}: hedge mode ${value}`,
        },
      };
    case 'marginMode':
      return {
        setting: { kind: 'marginMode', mode: (MARGIN_MODES.indexOf(value) + 1) as MarginMode },
        words: {
          title: 'Margin mode',
          now: ['margin mode', now],
          wanted: value,
          next: 'What counts as margin of the account changes; no order is sent.',
          done: `${exchange}: margin mode ${value}`,
        },
      };
    default:
      return null;
  }
}
