/**
 * How Bybit writes, signs and answers requests (DOC guide, rate-limit, error, websocket/wss-authentication): the query or the JSON body
 * is signed exactly as it goes, behind the time, the key and the window; whether an answer is a success says its `retCode`, whatever
 * its HTTP status.
 */
import type { Way } from '../kit/addresses.ts';
import type { Dialect, Heard, Parameters } from '../kit/caller.ts';
import type { ClockOffset } from '../kit/clock-offset.ts';
import { hmac } from '../kit/signing.ts';

/** How long after its stamp a request is still taken, ms: the exchange's own default, sent all the same. */
export const RECV_WINDOW_MS = 5_000;
/** A login has to be of the future when it arrives (pybit#152, #300: a second is too little), ms. */
const LOGIN_AHEAD_MS = 10_000;
/** A breach of an endpoint lasts a second; its header may name another moment, ms. */
const BREACH_MS = { least: 1_000, most: 5_000 } as const;

/** Codes of the time window (DOC error): 10002, and -1 where the request has expired on its way. */
const TIME_CODES: ReadonlySet<number> = new Set([10002, -1]);
const TOO_MANY = 10006;

/** Between the entries of a parameter that is a list. */
export const LISTED = ',';

/** Parameters of a body that are no texts (DOC order/create-order and others). */
const JSON_FORMS: Readonly<Record<string, 'whole' | 'yes' | 'list'>> = {
  isLeverage: 'whole',
  triggerDirection: 'whole',
  positionIdx: 'whole',
  mode: 'whole',
  reduceOnly: 'yes',
  closeOnTrigger: 'yes',
  fromCoinList: 'list',
};

/** `doubted`: the exchange has refused something for its time. */
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

/** As `encodeURIComponent` has it, cursors too: their own percent signs are encoded again. */
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

/** True: it was refused for its time. */
function hear(
  { form, status, headers, text, uid, leftAt, now }: Heard,
  way: Way,
  clock: Pick<ClockOffset, 'now'>,
): boolean {
  const { budget } = way;
  const code = retOf(text)?.code ?? null;
  const own = form.costs({}, uid).find(({ row }) => row.scope === 'uid and endpoint');
  const limit = countOf(headers['x-bapi-limit']);
  const left = countOf(headers['x-bapi-limit-status']);
  if (own && limit !== null && left !== null && left <= limit) {
    budget.limitIs(own.row, limit);
    budget.told(own.row, own.of, limit - left, leftAt, now);
  }
  if (isAddressBan(status, text)) budget.ban(null, now);
  else if (code === TOO_MANY && own) {
    const resets = countOf(headers['x-bapi-limit-reset-timestamp']);
    const after = resets === null ? BREACH_MS.least : resets - clock.now();
    budget.told(own.row, own.of, budget.limitOf(own.row), leftAt, now);
    budget.breach(own.row, own.of, Math.min(BREACH_MS.most, Math.max(BREACH_MS.least, after)), now);
  }
  return code !== null && TIME_CODES.has(code);
}

/** DOC rate-limit: "403, access too frequent"; a 403 of another cause is no ban. */
export function isAddressBan(status: number, text: string): boolean {
  return status === 403 && /too\s+frequent/i.test(text.slice(0, RET_WITHIN));
}

function countOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

export interface Ret {
  /** Zero: it is a success. */
  readonly code: number;
  readonly message: string;
}

/** What stands first in an answer; on a socket of older services `ret_msg`. */
const RET_WITHIN = 600;
const RET = /"retCode"\s*:\s*(-?\d{1,9})\b/;
const RET_MSG = /"retMsg"\s*:\s*("(?:[^"\\]|\\.){0,400}")/;

/** Null: it is no answer of the API. */
export function retOf(text: string): Ret | null {
  if (!text.trimStart().startsWith('{')) return null;
  const head = text.slice(0, RET_WITHIN);
  // It stands in front; where it does not, the whole is looked at.
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
