/**
 * How Binance writes, signs and answers requests, on both of its markets (SPOTDOC: binance-spot-api-docs
 * rest-api.md "Request security", "Limits"; web-socket-api.md "Request security"): all parameters are in the
 * query, percent-encoded before signing.
 */

import type { LaneClient } from '../kit/addresses.ts';
import type { BudgetRow } from '../kit/budget.ts';
import type { Dialect, Parameters, ReceivedAnswer } from '../kit/caller.ts';
import type { LineGate } from '../kit/line.ts';
import { signature } from '../kit/signing.ts';
import type { Secrets } from '../venue-kind.ts';

/** How long after its timestamp a request is still accepted, ms: the exchange's default, sent explicitly. */
export const RECV_WINDOW_MS = 5_000;
/**
 * How long a ban without Retry-After lasts, ms. The documents have no such case; limits are counted per
 * minute.
 */
const BAN_WITHOUT_TIME_MS = 120_000;

/** The budget rows whose use the headers of one market report. */
export interface TellingRows {
  /** The weight budget, whose use `X-MBX-USED-WEIGHT-1M` gives. */
  readonly weight: BudgetRow;
  /** Order budgets, keyed by the end of the header's name in lower case: `10s` of `X-MBX-ORDER-COUNT-10S`. */
  readonly orders: Readonly<Record<string, BudgetRow>>;
}

/**
 * Makes the dialect of one market. `doubted` is called when the exchange has refused a request because of its
 * timestamp.
 */
export function binanceDialect(rows: TellingRows, doubted: () => void = () => {}): Dialect {
  return {
    write({ path, security }, parameters, { secrets, stamp }) {
      const headers: Record<string, string> =
        security === 'none' ? {} : { 'X-MBX-APIKEY': secrets.get('apiKey').toString('latin1') };
      const query = queryOf(security === 'signed' ? stamped(parameters, stamp) : parameters);
      if (security !== 'signed') return { path: query === '' ? path : `${path}?${query}`, headers };
      const signed = signature(secrets.get('secret'), query);
      return { path: `${path}?${query}&signature=${encodeURIComponent(signed)}`, headers };
    },
    frame: ({ path, security }, parameters, { secrets, stamp, id }) =>
      JSON.stringify({ id, method: path, params: paramsOf(security, parameters, secrets, stamp) }),
    heard: (heard, way, clock) => {
      if (!hear(heard, way, rows)) return;
      clock.doubt();
      doubted();
    },
  };
}

function stamped(parameters: Parameters, stamp: number): Parameters {
  return { ...parameters, recvWindow: String(RECV_WINDOW_MS), timestamp: String(stamp) };
}

/** The query, encoded by `encodeURIComponent`: a space becomes `%20`, never a plus. */
function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => value.split(REPEATED).map((one) => `${name}=${encodeURIComponent(one)}`))
    .join('&');
}

/** Separates the values of a parameter that is sent several times (`asset` of a conversion). */
export const REPEATED = '\n';

/** The parameters on a socket: sorted by name for the signature, nothing encoded. */
function paramsOf(
  security: 'none' | 'key' | 'signed',
  parameters: Parameters,
  secrets: Secrets,
  stamp: number,
): Record<string, string | number> {
  if (security === 'none') return { ...parameters };
  const apiKey = secrets.get('apiKey').toString('latin1');
  if (security === 'key') return { ...parameters, apiKey };
  const params = { ...parameters, apiKey, recvWindow: RECV_WINDOW_MS, timestamp: stamp };
  const payload = Object.entries(params)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return { ...params, signature: signature(secrets.get('secret'), payload) };
}

/**
 * Reads used weight and order counts from the headers; 429 and 418 stop the address, -1015 stops new orders.
 * Returns true when a request was refused because of its timestamp.
 */
function hear(heard: ReceivedAnswer, way: LaneClient, rows: TellingRows): boolean {
  const { status, headers, text, uid, leftAt, now } = heard;
  const { budget } = way;
  const told = (row: BudgetRow, of: string, header: string | undefined) => {
    if (header !== undefined && /^\d{1,9}$/.test(header))
      budget.reportUsed(row, of, Number(header), leftAt, now);
  };
  told(rows.weight, '', headers['x-mbx-used-weight-1m']);
  for (const [end, row] of Object.entries(rows.orders)) told(row, uid, headers[`x-mbx-order-count-${end}`]);
  const code = errorOf(text)?.code ?? null;
  if (code === -1015) stopOrders(heard, way, rows);
  else hearBan(way, status, retryAfterMs(headers));
  return code === -1021 || code === -5028;
}

/**
 * Handles "too many orders", which also a cancel may get. The windows that the headers show as used up are
 * stopped; if they show none, only the shortest, since stopping the daily one would stop orders for a day.
 */
function stopOrders(
  { headers, uid, now }: ReceivedAnswer,
  { budget }: LaneClient,
  { orders }: TellingRows,
): void {
  const all = Object.values(orders).toSorted((a, b) => a.windowMs - b.windowMs);
  const usedUp = all.filter((row) => budget.window({ row, of: uid }, now).used(now) >= budget.limitOf(row));
  const afterMs = retryAfterMs(headers);
  for (const row of usedUp.length > 0 ? usedUp : all.slice(0, 1)) budget.breach(row, uid, afterMs, now);
}

function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const after = headers['retry-after'] ?? '';
  return /^\d{1,9}$/.test(after) ? Number(after) * 1_000 : null;
}

/**
 * Notes a ban. 429 and 418 hold for the address, whatever was refused: a request, a handshake or a message on
 * a socket (SPOTDOC web-socket-api.md "IP limits": requests, messages and connections are counted together).
 */
export function hearBan(way: LaneClient, status: number, afterMs: number | null): void {
  if (status === 429 || status === 418) way.budget.ban(afterMs ?? BAN_WITHOUT_TIME_MS, way.now);
}

/**
 * Ties a socket's connections to the address's ban: no dialling during a ban, and a refused handshake may
 * begin one.
 */
export function gateOf(way: LaneClient): LineGate {
  return {
    shutMs: () => way.budget.bannedMs(way.now),
    refused: ({ status, headers }) => hearBan(way, status, retryAfterMs(headers)),
  };
}

export interface BinanceError {
  readonly code: number;
  readonly message: string;
}

/**
 * Reads an error body, `{"code":-1121,"msg":"Invalid symbol."}`. Null: the body is something else, or
 * unreadable.
 */
export function errorOf(text: string): BinanceError | null {
  if (text.length > ERROR_MAX || !text.trimStart().startsWith('{')) return null;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('code' in body) || !('msg' in body)) return null;
    const { code, msg } = body;
    return Number.isSafeInteger(code) && typeof msg === 'string'
      ? { code: Number(code), message: msg }
      : null;
  } catch {
    return null;
  }
}

/**
 * Longest error body, characters: the error of `cancelReplace` contains two answers; a gateway's error page
 * is longer.
 */
const ERROR_MAX = 16_384;
