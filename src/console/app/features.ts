/**
 * The features of the console. A new feature is a line in this list and, for its keys, one in `bindings.ts`;
 * the compiler reports a command, dialog, place or action that no feature handles.
 */
import type { StoreApi } from 'zustand/vanilla';
import { ACCOUNTS } from '../accounts/index.ts';
import { ALERTS } from '../alerts/index.ts';
import { API_KEYS } from '../api-keys/index.ts';
import { BOTS } from '../bots/index.ts';
import { DESK } from '../desk/index.ts';
import { HELP } from '../help/index.ts';
import { LOCKING } from '../lock/index.ts';
import { LOG } from '../log/index.ts';
import { MARKET } from '../market/index.ts';
import { ONE_ACCOUNT } from '../one-account/index.ts';
import { PEOPLE } from '../operators/index.ts';
import { ORDERS } from '../orders/index.ts';
import { OVERVIEW } from '../overview/index.ts';
import { PALETTE } from '../palette/index.ts';
import { PANIC } from '../panic/index.ts';
import { PNL } from '../pnl/index.ts';
import { PORTFOLIO } from '../portfolio/index.ts';
import { POSITIONS } from '../positions/index.ts';
import { createUi, type Lists, type Parts, type Slices, type UiState } from '../state/ui.ts';
import { ALL_BINDINGS } from './bindings.ts';
import type { Feature } from './feature.ts';
import { FRAME } from './frame.ts';

const ALL = [
  FRAME,
  ONE_ACCOUNT,
  OVERVIEW,
  ORDERS,
  MARKET,
  BOTS,
  PORTFOLIO,
  PNL,
  POSITIONS,
  API_KEYS,
  ACCOUNTS,
  PEOPLE,
  ALERTS,
  LOG,
  PANIC,
  LOCKING,
  PALETTE,
  HELP,
  DESK,
] as const;

export const FEATURES: readonly Feature[] = ALL;

/** The names that all features together have in a part (`commands`, ...). */
type Had<P extends keyof Feature, F = (typeof ALL)[number]> = F extends { readonly [K in P]: infer T }
  ? keyof T
  : never;
/** The names of a part that no feature has; if there are any, this file does not compile. */
type Missing<P extends keyof Feature, Wanted> = Exclude<Wanted, Had<P>>;

function merged<P extends 'state' | Exclude<keyof Parts, 'bindings'>, T>(
  part: P,
  ..._missing: [Missing<P, keyof T>] extends [never] ? [] : [missing: Missing<P, keyof T>]
): T {
  return Object.assign({}, ...FEATURES.map((feature) => feature[part] ?? {}));
}

/** Everything that the console consists of. */
export const PARTS: Parts = {
  bindings: ALL_BINDINGS,
  commands: merged<'commands', Parts['commands']>('commands'),
  forms: merged<'forms', Parts['forms']>('forms'),
  places: merged<'places', Parts['places']>('places'),
  actions: merged<'actions', Parts['actions']>('actions'),
};

/** The first state of a terminal, with all features in it. */
export function newUi(columns: number, rows: number): StoreApi<UiState> {
  return createUi(columns, rows, PARTS, merged<'state', Lists & Slices>('state'));
}
