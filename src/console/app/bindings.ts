/**
 * All key bindings of the console, put together from the tables of the features: footer, help, palette and
 * docs/keys.md are made from them, and the key pipeline matches against them. Data only, so that the
 * configuration can be read without the console.
 */
import { ACCOUNT_KEYS } from '../accounts/bindings.ts';
import { ALERT_KEYS } from '../alerts/bindings.ts';
import { API_KEY_KEYS } from '../api-keys/bindings.ts';
import { BOT_KEYS } from '../bots/bindings.ts';
import { DESK_KEYS } from '../desk/bindings.ts';
import { HELP_KEYS } from '../help/bindings.ts';
import type { BoundBinding, Keys, KeyTable, KeyTables } from '../input/binding.ts';
import { SHARED_KEYS } from '../input/bindings.ts';
import { LOCK_KEYS } from '../lock/bindings.ts';
import { LOG_KEYS } from '../log/bindings.ts';
import { MARKET_KEYS } from '../market/bindings.ts';
import { ONE_ACCOUNT_KEYS } from '../one-account/bindings.ts';
import { PEOPLE_KEYS } from '../operators/bindings.ts';
import { ORDER_KEYS } from '../orders/bindings.ts';
import { OVERVIEW_KEYS } from '../overview/bindings.ts';
import { PALETTE_KEYS } from '../palette/bindings.ts';
import { PANIC_KEYS } from '../panic/bindings.ts';
import { PNL_KEYS } from '../pnl/bindings.ts';
import { PORTFOLIO_KEYS } from '../portfolio/bindings.ts';
import { POSITION_KEYS } from '../positions/bindings.ts';

const TABLES: { readonly [F in keyof KeyTables]: KeyTable } = {
  shared: SHARED_KEYS,
  'one-account': ONE_ACCOUNT_KEYS,
  overview: OVERVIEW_KEYS,
  orders: ORDER_KEYS,
  market: MARKET_KEYS,
  bots: BOT_KEYS,
  portfolio: PORTFOLIO_KEYS,
  pnl: PNL_KEYS,
  positions: POSITION_KEYS,
  'api-keys': API_KEY_KEYS,
  accounts: ACCOUNT_KEYS,
  operators: PEOPLE_KEYS,
  alerts: ALERT_KEYS,
  log: LOG_KEYS,
  panic: PANIC_KEYS,
  lock: LOCK_KEYS,
  palette: PALETTE_KEYS,
  help: HELP_KEYS,
  desk: DESK_KEYS,
};
const ALL = Object.values<KeyTable>(TABLES);

function scopes(which: 'screens' | 'texts' | 'apart'): ReadonlySet<string> {
  return new Set(ALL.flatMap((table) => table[which] ?? []));
}

/** The bindings of all tables, without the user's own keys. */
export const ALL_BINDINGS = ALL.flatMap(({ bindings }) => bindings) as readonly BoundBinding[];

export const KEYS: Keys = {
  bindings: ALL_BINDINGS,
  screens: scopes('screens'),
  texts: scopes('texts'),
  apart: scopes('apart'),
  parts: ALL.flatMap(({ parts }) => parts),
};
