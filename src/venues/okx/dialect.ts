/**
 * How OKX v5 writes, signs and answers requests (OD "REST Authentication", "Login", "Demo Trading Services",
 * "Transaction timeouts"): a base64 HMAC over time, method, path with query, and body, exactly as they are
 * sent; a passphrase beside it; `code` in every answer, and in the rows of answers to changes an `sCode`,
 * which decides.
 */
import { Type } from 'typebox';
import type { Environment } from '../../domain/connection.ts';
import type { LaneClient } from '../kit/addresses.ts';
import { ANSWER } from '../kit/bounds.ts';
import type { Dialect, Parameters, ReceivedAnswer } from '../kit/caller.ts';
import { messageReader } from '../kit/messages.ts';
import { hmac } from '../kit/signing.ts';
import type { Secrets } from '../venue-kind.ts';
import type { OkxForm } from './requests.ts';

/**
 * How long after its timestamp an order or a change of one is still accepted, ms: `expTime`, checked with
 * OKX's own clock.
 */
export const EXPIRES_MS = 5_000;
/** How long every other signed request is accepted (50102), ms. */
export const SIGNED_MS = 30_000;

/** Separates the entries of a list, and the values of a list parameter. */
export const LINES = '\n';

/** Parameters sent as JSON booleans; all others are texts, figures too. */
const BOOLEANS: ReadonlySet<string> = new Set(['reduceOnly', 'banAmend', 'cxlOnFail']);
const LISTS: ReadonlySet<string> = new Set(['fromCcy']);
/** Codes that refuse a request because of its timestamp. */
const OF_TIME: ReadonlySet<string> = new Set(['50102', '50112', '50036', '50037']);
/** Codes for too many requests, to an endpoint or from a sub-account. */
const TOO_MANY: ReadonlySet<string> = new Set(['50011', '50061', '50040']);

/**
 * Makes the dialect. `doubted` is called when the exchange has refused a request because of its timestamp.
 */
export function okxDialect(environment: Environment, doubted: () => void = () => {}): Dialect {
  const demo: Record<string, string> = environment === 'demo' ? { 'x-simulated-trading': '1' } : {};
  return {
    write(form, parameters, { secrets, stamp }) {
      const { method, security, expires } = form as OkxForm;
      const query = method === 'GET' ? queryOf(parameters) : '';
      const path = query === '' ? form.path : `${form.path}?${query}`;
      const body = method === 'POST' ? bodyOf(form as OkxForm, parameters) : '';
      const headers: Record<string, string> = {
        ...demo,
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
        ...(expires ? { expTime: String(stamp + EXPIRES_MS) } : {}),
        ...(security === 'signed' ? signed(secrets, stamp, method + path + body) : {}),
      };
      return { path, headers, ...(body === '' ? {} : { body }) };
    },
    frame({ path }, parameters, { secrets, stamp, id }) {
      if (path === 'login') return loginFrame(secrets, stamp);
      return `{"id":"${id}","op":"${path}","args":${parameters.args ?? '[]'}}`;
    },
    heard: (heard, way, clock) => {
      if (!hear(heard, way)) return;
      clock.doubt();
      doubted();
    },
  };
}

function signed(secrets: Secrets, stamp: number, rest: string): Record<string, string> {
  const time = new Date(stamp).toISOString();
  return {
    'OK-ACCESS-KEY': secrets.get('apiKey').toString('latin1'),
    'OK-ACCESS-PASSPHRASE': secrets.get('passphrase').toString('utf8'),
    'OK-ACCESS-TIMESTAMP': time,
    'OK-ACCESS-SIGN': hmac(secrets.get('secret'), time + rest, 'base64'),
  };
}

/** The login message; its timestamp is in seconds. */
function loginFrame(secrets: Secrets, stamp: number): string {
  const timestamp = String(Math.floor(stamp / 1_000));
  const sign = hmac(secrets.get('secret'), `${timestamp}GET/users/self/verify`, 'base64');
  const apiKey = secrets.get('apiKey').toString('latin1');
  const passphrase = secrets.get('passphrase').toString('utf8');
  return JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] });
}

function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function bodyOf({ isList }: OkxForm, parameters: Parameters): string {
  if (!isList) return JSON.stringify(entryOf(Object.entries(parameters)));
  const columns = Object.entries(parameters).map(([name, value]) => [name, value.split(LINES)] as const);
  const rows = Math.max(0, ...columns.map(([, values]) => values.length));
  return JSON.stringify(
    Array.from({ length: rows }, (_, at) =>
      entryOf(columns.map(([name, values]) => [name, values[at] ?? ''] as const)),
    ),
  );
}

function entryOf(parameters: readonly (readonly [string, string])[]): Record<string, unknown> {
  return Object.fromEntries(
    parameters.map(([name, value]) => {
      if (BOOLEANS.has(name)) return [name, value === 'true'];
      return [name, LISTS.has(name) ? value.split(LINES) : value];
    }),
  );
}

/**
 * Reads refusals for lack of budget: they stop the budget rows of the request, or the address. Returns true
 * when the request was refused because of its timestamp.
 */
function hear(
  { form, status, headers, text, parameters = {}, uid, now }: ReceivedAnswer,
  way: LaneClient,
): boolean {
  const verdict = text.length <= VERDICT_MAX ? verdictOf(text) : null;
  const codes = verdict ? [verdict.code, ...verdict.rows.map(({ code }) => code)] : [];
  const isOver = codes.some((code) => TOO_MANY.has(code));
  const after = headers['retry-after'] ?? '';
  const afterMs = /^\d{1,6}$/.test(after) ? Number(after) * 1_000 : null;
  if (isOver) {
    for (const { row, of } of form.costs(parameters, uid)) way.budget.breach(row, of, afterMs, now);
  } else if (status === 429 && !verdict) way.budget.ban(afterMs ?? BAN_WITHOUT_TIME_MS, now);
  return codes.some((code) => OF_TIME.has(code));
}

/** How long a ban by a gateway lasts, ms: its answer has another form and names no time. */
const BAN_WITHOUT_TIME_MS = 10_000;
/** Longest text read as a refusal, characters: longer answers contain data rows. */
const VERDICT_MAX = 16_384;

/** The code by which one row, or a whole answer, is judged. */
export interface Coded {
  readonly code: string;
  readonly message: string;
}

export interface Verdict extends Coded {
  /** Only rows that have an `sCode`. */
  readonly rows: readonly Coded[];
}

const TEXT = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const CODE = Type.String({ pattern: '^\\d{1,9}$' });
const readVerdict = messageReader(
  Type.Object({ code: CODE, msg: TEXT, data: Type.Optional(Type.Unknown()) }),
  ANSWER,
);

/** Reads the codes of an answer. Null: it is no answer of the API. */
export function verdictOf(text: string): Verdict | null {
  if (!text.trimStart().startsWith('{')) return null;
  const read = readVerdict(text);
  if (!read.ok) return null;
  const { code, msg, data } = read.value;
  const rows = (Array.isArray(data) ? data : []).flatMap((row: unknown): Coded[] => {
    if (typeof row !== 'object' || row === null || !('sCode' in row)) return [];
    const { sCode, sMsg } = row as { readonly sCode: unknown; readonly sMsg?: unknown };
    return typeof sCode === 'string' ? [{ code: sCode, message: typeof sMsg === 'string' ? sMsg : '' }] : [];
  });
  return { code, message: msg ?? '', rows };
}

/**
 * The refusal of a whole answer: the row's word if it has one, since it says more than the outer `code`.
 * Null: not refused.
 */
export function refusalOf({ code, message, rows }: Verdict): Coded | null {
  const [row] = rows;
  if (row) return row.code === '0' ? null : row;
  return code === '0' ? null : { code, message };
}
