/**
 * Conversion of small balances into the exchange's own token (BNB), as at Binance: assets worth less than a
 * limit, at most once per six hours of wall time, for a fee.
 */
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../../domain/decimal.ts';
import type { DustConversion } from '../../domain/position.ts';
import type { PaperState } from './state.ts';

export const DUST_TOKEN = 'BNB';
const QUOTE = 'USDT';
/** Only assets worth less than this many USDT can be converted. */
const DUST_LIMIT = dec('10');
const DUST_FEE = dec('0.02');
/** The smallest amount of BNB. */
const TOKEN_UNIT = dec('0.00000001');
export const DUST_INTERVAL_MS = 6 * 3_600_000;

export interface DustAsset {
  readonly asset: string;
  readonly free: string;
  /** In USDT. */
  readonly value: string;
  readonly toAsset: string;
  /** After the fee. */
  readonly toAmount: string;
}

export type DustOutcome =
  | { readonly kind: 'done'; readonly conversion: DustConversion }
  | { readonly kind: 'rejected'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly cause: string };

interface Sale {
  readonly asset: string;
  readonly free: Dec;
  readonly value: Dec;
  readonly received: Dec;
  readonly fee: Dec;
}

/** The assets that could be converted now; assets without a price are left out. */
export function dustAssets(state: PaperState): DustAsset[] {
  return sales(state).map((sale) => ({
    asset: sale.asset,
    free: str(sale.free),
    value: str(sale.value),
    toAsset: DUST_TOKEN,
    toAmount: str(sale.received),
  }));
}

/** Time until the next conversion is allowed, ms; 0: now. */
export function dustWaitMs(state: PaperState, wall: number): number {
  return state.dustAt === null ? 0 : Math.max(0, state.dustAt + DUST_INTERVAL_MS - wall);
}

/** Converts the free balances of the named assets. Refuses all of them when one cannot be converted. */
export function convertDust(state: PaperState, assets: readonly string[], wall: number): DustOutcome {
  const wait = dustWaitMs(state, wall);
  if (wait > 0)
    return no(`Small balances were converted less than 6 h ago; possible again in ${duration(wait)}.`);
  if (assets.length === 0) return no('No asset to convert.');
  const possible = new Map(sales(state).map((sale) => [sale.asset, sale]));
  const chosen: Sale[] = [];
  for (const asset of new Set(assets)) {
    const sale = possible.get(asset);
    if (!sale) return no(`${asset} is not a small balance that can be converted into ${DUST_TOKEN}.`);
    chosen.push(sale);
  }
  let received = ZERO;
  for (const sale of chosen) {
    state.balances.change(sale.asset, -sale.free, ZERO);
    state.entries.note({ kind: 'conversion', asset: sale.asset, amount: -sale.free });
    received += sale.received;
  }
  state.balances.change(DUST_TOKEN, received, ZERO);
  state.entries.note({ kind: 'conversion', asset: DUST_TOKEN, amount: received });
  state.dustAt = wall;
  const converted = chosen.map((sale) => ({
    asset: sale.asset,
    amount: str(sale.free),
    received: str(sale.received),
    fee: str(sale.fee),
  }));
  return { kind: 'done', conversion: { converted, toAsset: DUST_TOKEN, received: str(received) } };
}

function sales(state: PaperState): Sale[] {
  const token = priceOf(state, DUST_TOKEN);
  if (token === null || token === ZERO) return [];
  const found: Sale[] = [];
  for (const asset of state.balances.assets()) {
    const free = state.balances.free(asset);
    const price = priceOf(state, asset);
    if (asset === DUST_TOKEN || free === ZERO || price === null) continue;
    const value = mul(free, price);
    if (value >= DUST_LIMIT) continue;
    const gross = floorTo(div(value, token), TOKEN_UNIT);
    const fee = mul(gross, DUST_FEE);
    if (gross > ZERO) found.push({ asset, free, value, received: gross - fee, fee });
  }
  return found;
}

function priceOf(state: PaperState, asset: string): Dec | null {
  if (asset === QUOTE) return dec('1');
  return state.books.get(`${asset}${QUOTE}`)?.last() ?? null;
}

function no(message: string): DustOutcome {
  return { kind: 'rejected', code: '-32110', message };
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
