/**
 * How requests to Bybit are written, signed and answered (DOC guide, rate-limit, error,
 * websocket/wss-authentication): the query or the JSON body is signed exactly as it is sent, after the time,
 * the key and the window; the `retCode` of an answer says whether it is a success, whatever its HTTP status.
 */
import type { LaneClient } from '../kit/addresses.ts';
import type { Dialect, Parameters, ReceivedAnswer } from '../kit/caller.ts';
import type { ClockOffset } from '../kit/clock-offset.ts';
import { hmac } from '../kit/signing.ts';

/** How long after its timestamp a request is still accepted, ms: the exchange's default, sent explicitly. */
export const RECV_WINDOW_MS = 5_000;
/**
 * How far in the future the expiry of a login is, ms; it must still be in the future on arrival (pybit#152,
 * #300: a second is too little).
 */
const LOGIN_AHEAD_MS = 10_000;
/** A breach of an endpoint lasts a second; its header may name another time, ms. */
const BREACH_MS = { least: 1_000, most: 5_000 } as const;

/** Codes for a wrong time (DOC error): 10002, and -1 where the request has expired on its way. */
const TIME_CODES: ReadonlySet<number> = new Set([10002, -1]);
const TOO_MANY = 10006;

/** Separates the entries of a parameter that is a list. */
export const LISTED = ',';

/** Body parameters that are not strings (DOC order/create-order and others). */
const JSON_FORMS: Readonly<Record<string, 'whole' | 'yes' | 'list'>> = {
  isLeverage: 'whole',
  triggerDirection: 'whole',
  positionIdx: 'whole',
  mode: 'whole',
  reduceOnly: 'yes',
  closeOnTrigger: 'yes',
  fromCoinList: 'list',
};

/** Makes the dialect. `doubted`: called when the exchange has refused a request for its time. */
export function bybitDialect(doubted: () => void = () => {}): Dialect {
  return {
    write({ path, method, security }, parameters, { secrets, stamp }) {
      const isQuery = method === 'GET';
      const payload = isQuery ? queryOf(parameters) : bodyOf(parameters);
      const headers: Record<string, string> = isQuery ? {} : { 'content-type': 'application/json' };
      if (security !== 'none') {
        const key = secrets.get('apiKey').toString('latin1');
        headers['X-BAPI-API-KEY'] = key;
        headers['X-BAPI-TIMESTAMP'] = String(stamp);
        headers['X-BAPI-RECV-WINDOW'] = String(RECV_WINDOW_MS);
        headers['X-BAPI-SIGN'] = hmac(secrets.get('secret'), `${stamp}${key}${RECV_WINDOW_MS}${payload}`);
      }
      if (!isQuery) return { path, headers, body: payload };
      return { path: payload === '' ? path : `${path}?${payload}`, headers };
    },
    frame({ path: op }, { args = '' }, { secrets, stamp, id }) {
      if (op === 'ping') return JSON.stringify({ req_id: id, op });
      if (op !== 'auth') return JSON.stringify({ req_id: id, op, args: args.split(LISTED) });
      const expires = stamp + LOGIN_AHEAD_MS;
      const signed = hmac(secrets.get('secret'), `GET/realtime${expires}`);
      return JSON.stringify({
        req_id: id,
        op,
        args: [secrets.get('apiKey').toString('latin1'), expires, signed],
      });
    },
    heard: (heard, way, clock) => {
      if (!hear(heard, way, clock)) return;
      clock.doubt();
      doubted();
    },
  };
}

/** The query, encoded by `encodeURIComponent`, cursors too: their percent signs are encoded again. */
function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function bodyOf(parameters: Parameters): string {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) body[name] = jsonOf(name, value);
  return JSON.stringify(body);
}

function jsonOf(name: string, value: string): unknown {
  const kind = JSON_FORMS[name];
  if (kind === 'whole') return Number(value);
  if (kind === 'yes') return value === 'true';
  return kind === 'list' ? value.split(LISTED) : value;
}

/** Takes budgets from an answer. True: the request was refused for its time. */
function hear(
  { form, status, headers, text, uid, leftAt, now }: ReceivedAnswer,
  way: LaneClient,
  clock: Pick<ClockOffset, 'now'>,
): boolean {
  const { budget } = way;
  const code = retOf(text)?.code ?? null;
  const own = form.costs({}, uid).find(({ row }) => row.scope === 'uid and endpoint');
  const limit = countOf(headers['x-bapi-limit']);
  const left = countOf(headers['x-bapi-limit-status']);
  if (own && limit !== null && left !== null && left <= limit) {
    budget.limitIs(own.row, limit);
    budget.reportUsed(own.row, own.of, limit - left, leftAt, now);
  }
  if (isAddressBan(status, text)) budget.ban(null, now);
  else if (code === TOO_MANY && own) {
    const resets = countOf(headers['x-bapi-limit-reset-timestamp']);
    const after = resets === null ? BREACH_MS.least : resets - clock.now();
    budget.reportUsed(own.row, own.of, budget.limitOf(own.row), leftAt, now);
    budget.breach(own.row, own.of, Math.min(BREACH_MS.most, Math.max(BREACH_MS.least, after)), now);
  }
  return code !== null && TIME_CODES.has(code);
}

/**
 * Whether an answer is a ban of the address (DOC rate-limit: "403, access too frequent"); a 403 with another
 * cause is not.
 */
export function isAddressBan(status: number, text: string): boolean {
  return status === 403 && /too\s+frequent/i.test(text.slice(0, RET_WITHIN));
}

function countOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

export interface Ret {
  /** Zero: success. */
  readonly code: number;
  readonly message: string;
}

/**
 * How many characters at the start of an answer contain the code; older services use `ret_msg` on a socket.
 */
const RET_WITHIN = 600;
const RET = /"retCode"\s*:\s*(-?\d{1,9})\b/;
const RET_MSG = /"retMsg"\s*:\s*("(?:[^"\\]|\\.){0,400}")/;

/** Reads the code of an answer; null: it is not an answer of the API. */
export function retOf(text: string): Ret | null {
  if (!text.trimStart().startsWith('{')) return null;
  const head = text.slice(0, RET_WITHIN);
  // The code is near the start; if not, the whole text is searched.
  const code = RET.exec(head) ?? (text.length <= WHOLE_MAX ? RET.exec(text) : null);
  if (!code) return null;
  return { code: Number(code[1]), message: wordsOf(RET_MSG.exec(head)?.[1]) };
}

const WHOLE_MAX = 65_536;

function wordsOf(quoted: string | undefined): string {
  if (quoted === undefined) return '';
  try {
    const words: unknown = JSON.parse(quoted);
    return typeof words === 'string' ? words : '';
  } catch {
    return '';
  }
}
