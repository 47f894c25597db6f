/**
 * The `allowedExchanges` shield of a key (specification, "Keys and permissions"; "Bots" rule 2; D47): finds
 * the exchange account that a request names, and judges it before anything else of the request. Fails closed:
 * a route that is not in the table, a value that is no text or an unreadable list never lets a shielded key
 * through. Pure.
 */
import type { AccessKey } from '../domain/access-key.ts';
import { refuse, type ServiceError } from '../domain/errors.ts';
import { defaultAccount, type ExchangeAccount } from '../domain/exchange.ts';
import type { RouteName } from './tiers.ts';

/**
 * Where a request names its exchange account. `query`, `body`: its `exchange`; `settings`:
 * `settings.exchange` of the body; `spot`, `futures`: in the query, else the account that the route takes by
 * default; `listed`: in the query, else the answer lists accounts, and only allowed ones (`isAllowed`);
 * `none`: touches no account, or answers with data of allowed ones only. `bot`: the account of the bot in the
 * path; `changed-bot`: the same, and `config.exchange` of the body; `bots`: those of every bot in the body.
 */
export type AccountSource =
  | 'query'
  | 'body'
  | 'settings'
  | 'spot'
  | 'futures'
  | 'listed'
  | 'none'
  | 'bot'
  | 'changed-bot'
  | 'bots';

/** A route that is missing here is closed to shielded keys. */
const ACCOUNT_SOURCES: Readonly<Record<RouteName, AccountSource>> = {
  'GET /openapi.json': 'none',
  'GET /server/time': 'none',
  'GET /server/status': 'none',
  'GET /server/version': 'none',
  'GET /ping': 'none',
  'GET /exchange/supported': 'none',
  'GET /exchange/hedge-mode': 'query',
  'POST /exchange/hedge-mode': 'query',
  'GET /orders': 'listed',
  'POST /orders': 'body',
  'DELETE /orders': 'query',
  'DELETE /orders/{id}': 'query',
  'POST /orders/{id}/split': 'body',
  'GET /orders/trades': 'query',
  'GET /portfolio': 'spot',
  'GET /portfolio/positions': 'futures',
  'GET /portfolio/position/leverage': 'query',
  'POST /portfolio/position/leverage': 'body',
  'GET /portfolio/margin-mode': 'query',
  'POST /portfolio/margin-mode': 'query',
  'POST /portfolio/position/margin-type': 'query',
  'GET /portfolio/leverage-brackets': 'query',
  'GET /portfolio/dust': 'query',
  'POST /portfolio/dust/convert': 'body',
  'GET /bots': 'none',
  'POST /bots': 'settings',
  'GET /bots/{id}': 'bot',
  'PATCH /bots/{id}': 'changed-bot',
  'DELETE /bots/{id}': 'bot',
  'POST /bots/{id}/runs': 'bot',
  'DELETE /bots/{id}/runs/{runId}': 'bot',
  'POST /bots/{id}/runs/{runId}/message': 'bot',
  'POST /bots/batch/runs': 'bots',
  'DELETE /bots/batch/runs': 'bots',
  'DELETE /bots/batch': 'bots',
};

export interface ShieldedRequest {
  readonly route: string;
  /** The path's `{id}`; empty where the route has none. */
  readonly id: string;
  readonly query: ReadonlyMap<string, string>;
  /** Parsed, not yet checked. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The user's accounts, in their order. */
  readonly accounts: readonly ExchangeAccount[];
  /** Returns the account of one of the user's bots; null when the user has no such bot. */
  readonly botExchange: (id: string) => string | null;
}

type ShieldedKey = Pick<AccessKey, 'allowedExchanges'>;

/**
 * The refusal of a request that its key's shield forbids, or null. A request that does not name a required
 * account passes: the schema reports what is missing. Throws when the shield cannot be evaluated:
 * RISK_SHIELD_ERROR.
 */
export function shieldProblem(key: ShieldedKey, request: ShieldedRequest): ServiceError | null {
  const allowed = shieldOf(key);
  if (allowed === null) return null;
  if (!Object.hasOwn(ACCOUNT_SOURCES, request.route)) {
    return denied(`${request.route} is not open to keys with a shield`);
  }
  const place = ACCOUNT_SOURCES[request.route as RouteName];
  if (botAccounts(place, request).some((account) => !allowed.includes(account))) {
    return denied('the request names a bot on an exchange account that this key may not use');
  }
  const named = namedExchange(place, request);
  if (named === undefined) return null;
  if (typeof named !== 'string') return denied('the exchange that the request names is no text');
  if (allowed.includes(named)) return null;
  return denied(`this key may use ${allowed.join(', ') || 'no exchange'} only, not ${shown(named)}`);
}

/** Whether a key may see an exchange account in a list. Throws like `shieldProblem`. */
export function isAllowed(allowedExchanges: readonly string[] | null, exchange: string): boolean {
  return shieldOf({ allowedExchanges })?.includes(exchange) ?? true;
}

/** The value at a place: undefined when there is none; never text when it is not text. */
export function namedExchange(
  place: AccountSource,
  { query, body, accounts }: Pick<ShieldedRequest, 'query' | 'body' | 'accounts'>,
): unknown {
  switch (place) {
    case 'none':
    case 'bot':
    case 'bots':
      return undefined;
    case 'query':
    case 'listed':
      return query.get('exchange');
    case 'spot':
    case 'futures':
      return query.get('exchange') ?? defaultAccount(accounts, place)?.id;
    case 'body':
      return own(body, 'exchange');
    case 'settings':
    case 'changed-bot': {
      const settings = own(body, place === 'settings' ? 'settings' : 'config');
      return settings === undefined ? undefined : own(settings, 'exchange');
    }
  }
}

/** Accounts of the bots that a request names. The desk refuses a bot that the user does not have. */
function botAccounts(place: AccountSource, { id, body, botExchange }: ShieldedRequest): string[] {
  const ids =
    place === 'bots' ? botsIn(own(body, 'bots')) : place === 'bot' || place === 'changed-bot' ? [id] : [];
  return ids.flatMap((one) => botExchange(one) ?? []);
}

/** Bot ids in `[id, ...]` or `[[id, runId], ...]`; every text counts, whatever else is wrong. */
function botsIn(bots: unknown): string[] {
  if (!Array.isArray(bots)) return [];
  return bots.flat().filter((id) => typeof id === 'string');
}

/** An own field; a value that cannot have fields gives something that is no text. */
function own(holder: unknown, field: string): unknown {
  if (holder === undefined) return undefined;
  if (typeof holder !== 'object' || holder === null) return null;
  return Object.hasOwn(holder, field) ? (holder as Record<string, unknown>)[field] : undefined;
}

/** A stored shield, used only if it has the form of one. */
function shieldOf({ allowedExchanges }: ShieldedKey): readonly string[] | null {
  if (allowedExchanges === null) return null;
  if (!Array.isArray(allowedExchanges) || !allowedExchanges.every((id) => typeof id === 'string')) {
    throw new TypeError('the stored shield of the key is no list of exchange accounts');
  }
  return allowedExchanges;
}

function denied(message: string): ServiceError {
  return refuse('EXCHANGE_NOT_ALLOWED', message).error;
}

/** Text made printable and bounded. */
function shown(text: string): string {
  const cut = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  return `"${cut.replace(/[^\x20-\x7e]/g, '?')}"`;
}
