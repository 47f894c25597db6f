/** Applies a delta to a terminal's mirror of the desk's state. Pure. */

import {
  type BotView,
  type DeskDelta,
  type DeskState,
  LOG_LINES,
  type LookPart,
  type LookView,
} from '../../desk/console/protocol.ts';
import { TAPE_LENGTH } from '../../domain/depth.ts';
import { type Instrument, instrumentKey } from '../../domain/instrument.ts';
import type { OrderView } from '../../domain/order.ts';

export function applyDelta(state: DeskState, delta: DeskDelta): DeskState {
  const next = { ...state } as { -readonly [K in keyof DeskState]: DeskState[K] };
  if (delta.clock) next.clock = delta.clock;
  if (delta.accounts) next.accounts = delta.accounts;
  if (delta.instruments) next.instruments = withInstruments(state.instruments, delta.instruments);
  if (delta.prices) next.prices = { ...state.prices, ...delta.prices };
  if (delta.portfolios) next.portfolios = { ...state.portfolios, ...delta.portfolios };
  if (delta.futures) next.futures = { ...state.futures, ...delta.futures };
  if (delta.equity) next.equity = delta.equity;
  if (delta.wallets) next.wallets = { ...state.wallets, ...delta.wallets };
  if (delta.alerts) next.alerts = delta.alerts;
  if (delta.mutes) next.mutes = delta.mutes;
  if (delta.bots) {
    const bots: Record<string, BotView> = { ...state.bots };
    for (const [id, bot] of Object.entries(delta.bots)) {
      if (bot) bots[id] = bot;
      else delete bots[id];
    }
    next.bots = bots;
  }
  if (delta.keys) next.keys = delta.keys;
  if (delta.vault) next.vault = delta.vault;
  if (delta.maintenance !== undefined) next.maintenance = delta.maintenance;
  if (delta.look === null) delete next.look;
  else if (delta.look) next.look = withLook(state.look, delta.look);
  if (delta.log) next.log = [...state.log, ...delta.log].slice(-LOG_LINES);
  if (delta.orders) {
    const orders: Record<string, OrderView> = { ...state.orders };
    for (const [id, order] of Object.entries(delta.orders)) {
      if (order) orders[id] = order;
      else delete orders[id];
    }
    next.orders = orders;
  }
  return next;
}

/**
 * The look after a part of it has arrived. A part without a look to change belongs to one that has ended: it
 * is dropped.
 */
function withLook(look: LookView | undefined, { whole, ...part }: LookPart): LookView | undefined {
  if (whole) return part as LookView;
  if (!look) return undefined;
  return { ...look, ...part, tape: [...(part.tape ?? []), ...look.tape].slice(0, TAPE_LENGTH) };
}

function withInstruments(all: readonly Instrument[], changed: readonly Instrument[]): Instrument[] {
  const byKey = new Map(all.map((one) => [instrumentKey(one), one]));
  for (const one of changed) byKey.set(instrumentKey(one), one);
  return [...byKey.values()];
}
