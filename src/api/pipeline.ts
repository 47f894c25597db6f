/**
 * A request's way from raw bytes to answer, in the only allowed order (architecture.md, "An order's way";
 * S47). Each step refuses or lets pass; nothing is read before the steps that protect it. Knows no sockets.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addressAllowed, clientAddress } from '../access/address.ts';
import type { Authenticator } from '../access/authenticate.ts';
import { shieldProblem } from '../access/shield.ts';
import { checkTarget } from '../access/target.ts';
import { tierProblem } from '../access/tiers.ts';
import type { ApiDesk } from '../desk/api/api-port.ts';
import type { AccessKey } from '../domain/access-key.ts';
import type { Actor } from '../domain/actor.ts';
import { errorBody, successBody } from '../domain/envelope.ts';
import { HTTP_STATUS, type Outcome, ok, refuse, type ServiceError } from '../domain/errors.ts';
import type { OrderCommand, RequestContext } from '../engine/step.ts';
import { exchangeChoices } from './exchange-field.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { CompiledApiLimits } from './limits.ts';
import { convertQuery, parseQuery } from './query.ts';
import type { Allowance, RateLimits } from './rate-limits.ts';
import { readBody } from './read-body.ts';
import { checkContent, checkHeaders, headerValues, readIdempotencyKey } from './request-form.ts';
import type { CommandRoute, ReadRoute, Route, RouteMatch, RouteTable } from './route-table.ts';
import { senderOf } from './sender.ts';
import { parseJsonBody } from './strict-json.ts';
import { cleanText } from './text.ts';
import { plainRequestProblem } from './ws/upgrade.ts';

/** An answer before its headers are known. */
interface Answered {
  readonly status: number;
  /** Sent as it is. */
  readonly body: string;
  /** The answer was stored (D15). */
  readonly replayed?: boolean;
  /** Whole seconds until the request may be repeated. */
  readonly retryAfterS?: number;
}

export interface HttpAnswer extends Answered {
  /** Headers besides the common ones: the figures of the budget that last counted the request (D6). */
  readonly headers: Readonly<Record<string, string>>;
}

/** `too-large`: answer 413 and close (D33). `gone`: the client left before its request was complete. */
export type Handled = HttpAnswer | 'too-large' | 'gone';

export interface PipelineDeps {
  readonly desk: ApiDesk;
  readonly authenticator: Authenticator;
  readonly routes: RouteTable;
  readonly limits: CompiledApiLimits;
  readonly rates: RateLimits;
  readonly failedLogins: FailedLogins;
  /** CIDR ranges whose forwarded headers are trusted (D43). */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages do not count as foreign (D24). */
  readonly allowedOrigins: readonly string[];
}

/** One request in work; filled step by step. */
interface InFlight {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly method: string;
  /** As received: `/api/v2/...?...`. */
  readonly target: string;
  /** The client's address. */
  readonly from: string;
  /** The result of the last budget: the address's, after authentication the route's (D6). */
  allowance: Allowance;
}

/** What was read of the query, the body and the idempotency key. */
interface Content {
  readonly query: ReadonlyMap<string, string>;
  readonly body: Record<string, unknown> | undefined;
  readonly idempotency: RequestContext['idempotency'];
}

/** How an answer without data begins. */
const EMPTY_DATA = '{"data":null';

export class Pipeline {
  readonly #deps: PipelineDeps;
  /** JSON of frozen data, which the desk may return more than once. */
  readonly #rendered = new WeakMap<object, string>();

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  /**
   * Handles a request; never rejects. `onCounted` gets at once the result of the address's budget, and the
   * address, while the body may still arrive; it may refuse the request.
   */
  async handle(
    req: IncomingMessage,
    target: string,
    onCounted: (allowance: Allowance, from: string) => ServiceError | null,
  ): Promise<Handled> {
    const { rates, trustedProxies, allowedOrigins } = this.#deps;
    const client = clientAddress(req.socket.remoteAddress, req.rawHeaders, trustedProxies);
    const inFlight: InFlight = {
      id: randomUUID(),
      req,
      method: req.method ?? '',
      target,
      from: client.address,
      allowance: rates.takeAddress(client.address, senderOf(req.rawHeaders, allowedOrigins)),
    };
    const noPlace = onCounted(inFlight.allowance, client.address);
    const problem =
      inFlight.allowance.refusal ?? ('problem' in client ? invalid(client.problem) : null) ?? noPlace;
    const answer =
      problem === null
        ? await this.#guarded(inFlight)
        : { ...failure(problem, inFlight.id), retryAfterS: problem.retryAfterS };
    if (typeof answer === 'string') return answer;
    const { headers } = inFlight.allowance;
    const { retryAfterS } = answer;
    if (retryAfterS === undefined) return { ...answer, headers };
    return { ...answer, headers: { ...headers, 'retry-after': String(retryAfterS) } };
  }

  async #guarded(inFlight: InFlight): Promise<Answered | 'too-large' | 'gone'> {
    try {
      return await this.#run(inFlight);
    } catch (error) {
      return this.#failed(inFlight, error);
    }
  }

  async #run(inFlight: InFlight): Promise<Answered | 'too-large' | 'gone'> {
    const { desk, limits, routes } = this.#deps;
    const { req, id, method, target, from } = inFlight;

    const form = this.#checkForm(inFlight);
    if (form !== null) return failure(form, id);

    const question = target.indexOf('?');
    const path = question < 0 ? target : target.slice(0, question);
    const match = routes.match(method, path);
    if (!match.ok) return failure(plainRequestProblem(method, path) ?? match.error, id);
    const { route } = match.data;

    const body = await readBody(req, limits.bodyBytes);
    if (!Buffer.isBuffer(body)) return body;

    let key: AccessKey | null = null;
    if (route.tier !== null) {
      const signed = await this.#authenticate(inFlight, route, body);
      if (!signed.ok) return failure(signed.error, id);
      key = signed.data;
      const outside = checkIpList(inFlight, key);
      if (outside !== null) return this.#turnedAway(inFlight, route, key, outside);
      this.#deps.rates.verified(key.id, from);
      const closed = this.#checkMaintenance();
      if (closed !== null) return failure(closed, id);
      const refused = this.#takeBudget(inFlight, route, key) ?? checkTier(route.tier, key);
      if (refused !== null) return this.#turnedAway(inFlight, route, key, refused);
    }

    const content = readContent(inFlight, route, question < 0 ? '' : target.slice(question + 1), body);
    if (key !== null && content.ok) {
      const shield = this.#checkShield(inFlight, match.data, key, content.data);
      if (shield !== null) return this.#turnedAway(inFlight, route, key, shield);
    }
    if (key !== null) desk.touchKey(key.id, from);
    if (!content.ok) return failure(content.error, id);

    if (route.kind === 'read') return this.#read(inFlight, match.data, route, content.data, key);
    if (key === null) throw new Error(`${route.name} changes something and is public`);
    const answer = await this.#command(inFlight, match.data, route, content.data, key);
    desk.log(
      'info',
      auditLine(inFlight, route.name, key.id, `${answer.status}${answer.replayed ? ' (replayed)' : ''}`),
    );
    return answer;
  }

  /** Checks the target's characters and the header form. */
  #checkForm({ req, target }: InFlight): ServiceError | null {
    const problem = checkTarget(target);
    if (problem !== null) return invalid(problem);
    return checkHeaders(req.rawHeaders, req.httpVersion, this.#deps.limits.headerCount);
  }

  async #authenticate(inFlight: InFlight, route: Route, body: Buffer): Promise<Outcome<AccessKey>> {
    const { desk, authenticator, failedLogins } = this.#deps;
    const { req, method, target } = inFlight;
    const signed = await authenticator.authenticate({
      method,
      target,
      rawHeaders: req.rawHeaders,
      body,
      now: desk.now(),
    });
    if (!signed.ok) {
      const claimed = headerValues(req.rawHeaders, 'x-svc-key')[0] ?? '-';
      failedLogins.note(inFlight.from, auditLine(inFlight, route.name, claimed, signed.error.code));
    }
    return signed;
  }

  /**
   * Refuses during maintenance (S39). Only authenticated keys see it, so that a stranger learns nothing, and
   * before the account's budget, since an answer without effect must not use it. Counts neither as use of the
   * key nor as its refusal.
   */
  #checkMaintenance(): ServiceError | null {
    const message = this.#deps.desk.maintenance();
    return message === null ? null : { code: 'SERVICE_UNAVAILABLE', message };
  }

  /**
   * Takes from the route's budget of the key's account (D5 to D9); the answer shows its figures from here on.
   */
  #takeBudget(inFlight: InFlight, route: Route, key: AccessKey): ServiceError | null {
    inFlight.allowance = this.#deps.rates.takeRoute(key, route.name);
    return inFlight.allowance.refusal;
  }

  /** Applies the allowedExchanges shield to query and body; what cannot be evaluated is refused (D47). */
  #checkShield(
    inFlight: InFlight,
    { route, ids }: RouteMatch,
    key: AccessKey,
    content: Content,
  ): ServiceError | null {
    const { desk } = this.#deps;
    try {
      return shieldProblem(key, {
        route: route.name,
        id: ids.id,
        query: content.query,
        body: content.body,
        accounts: desk.accounts(key.user),
        botExchange: (id) => desk.botExchange(key.user, id),
      });
    } catch (error) {
      desk.log('error', `shield of request ${inFlight.id} failed: ${cleanText(detailsOf(error), 2_000)}`);
      return {
        code: 'RISK_SHIELD_ERROR',
        message: 'the exchange shield of this key could not be evaluated; nothing was done',
      };
    }
  }

  /** Answers a request with a valid signature that is refused later: the key's holder should see that. */
  #turnedAway(inFlight: InFlight, route: Route, key: AccessKey, error: ServiceError): Answered {
    const { desk } = this.#deps;
    desk.keyRefused(key.id, error.code, inFlight.from);
    desk.log('info', auditLine(inFlight, route.name, key.id, error.code));
    return failure(error, inFlight.id);
  }

  async #read(
    { id }: InFlight,
    { ids }: RouteMatch,
    route: ReadRoute,
    content: Content,
    key: AccessKey | null,
  ): Promise<Answered> {
    const { desk } = this.#deps;
    const query = convertQuery(route.query, content.query);
    const user = key?.user ?? '';
    const valid = route.checkQuery(query, { exchange: exchangeChoices(desk, user) });
    if (!valid.ok) return failure(valid.error, id);
    const result = await route.run({
      desk,
      user,
      allowedExchanges: key?.allowedExchanges ?? null,
      ...ids,
      query,
      body: undefined,
    });
    if (key !== null && desk.activeKey(key.id) === null) {
      // The key was revoked while the read waited for its commit (D41).
      return failure({ code: 'INVALID_KEY', message: 'the key was revoked' }, id);
    }
    if (!result.ok) return failure(result.error, id);
    const body =
      route.own?.render(result.data) ?? this.#envelope(result.data, { requestId: id, timestamp: desk.now() });
    return { status: 200, body };
  }

  /** The same as `successBody`; frozen data is rendered once. */
  #envelope(data: unknown, meta: { requestId: string; timestamp: number }): string {
    if (typeof data !== 'object' || data === null || !Object.isFrozen(data)) return successBody(data, meta);
    let text = this.#rendered.get(data);
    if (text === undefined) {
      text = JSON.stringify(data);
      this.#rendered.set(data, text);
    }
    return `{"data":${text}${successBody(null, meta).slice(EMPTY_DATA.length)}`;
  }

  /**
   * Runs a command. The desk looks up the idempotency key before it reads the command, so a refusal is a
   * command like any other (S47).
   */
  async #command(
    { id }: InFlight,
    match: RouteMatch,
    route: CommandRoute,
    content: Content,
    key: AccessKey,
  ): Promise<Answered> {
    const { desk } = this.#deps;
    const made = makeCommand(desk, match, route, content, key);
    const command: OrderCommand = made.ok ? made.data : { type: 'refuse', error: made.error };
    const actor: Actor = {
      kind: 'key',
      user: key.user,
      keyId: key.id,
      tier: key.tier,
      allowedExchanges: key.allowedExchanges,
    };
    const context: RequestContext = { requestId: id, idempotency: content.idempotency };
    const { status, body, replayed, outcome } = await desk.command(actor, command, context);
    const retryAfterS = outcome && !outcome.ok ? outcome.error.retryAfterS : undefined;
    return { status, body, replayed, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
  }

  /** Answers after an internal error: the details go to the log, never to the client. */
  #failed(inFlight: InFlight, error: unknown): Answered {
    this.#deps.desk.log('error', `request ${inFlight.id} failed: ${cleanText(detailsOf(error), 2_000)}`);
    if (isUnavailable(error)) {
      return failure(
        { code: 'SERVICE_UNAVAILABLE', message: 'the service cannot answer now; try again' },
        inFlight.id,
      );
    }
    return failure({ code: 'INTERNAL_ERROR', message: 'an unexpected error occurred' }, inFlight.id);
  }
}

/**
 * Whether an error means a read whose commit failed, or that the store could not serve (architecture rule 2:
 * 503). Told by name and code: the API does not know the store.
 */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'StoreError' || ('code' in error && error.code === 'SERVICE_UNAVAILABLE');
}

/** Checks the key's IP list, after the signature, so that a stranger cannot probe it (D4). */
function checkIpList({ from }: InFlight, { ipList }: AccessKey): ServiceError | null {
  if (ipList === null || addressAllowed(ipList, from)) return null;
  return {
    code: 'IP_NOT_WHITELISTED',
    message: `this key may not be used from ${from}: no entry of its IP list has it`,
  };
}

function checkTier(needed: AccessKey['tier'], key: AccessKey): ServiceError | null {
  const message = tierProblem(key.tier, needed);
  return message === null ? null : { code: 'FORBIDDEN', message };
}

/** Reads content type, JSON, query and idempotency key: a refusal for their form is never stored. */
function readContent(
  { req, method, target }: InFlight,
  route: Route,
  search: string,
  bytes: Buffer,
): Outcome<Content> {
  const label = checkContent(method, req.rawHeaders, bytes);
  if (label !== null) return { ok: false, error: label };
  const query = parseQuery(search);
  if (!query.ok) return query;
  const idempotency = readIdempotencyKey(method, target, req.rawHeaders, bytes);
  if (!idempotency.ok) return idempotency;
  let body: Record<string, unknown> | undefined;
  if (bytes.length > 0) {
    const parsed = parseJsonBody(bytes);
    if (!parsed.ok) return parsed;
    body = parsed.data;
  } else if (route.kind === 'command' && route.bodyNeeded) {
    return refuse('INVALID_REQUEST', 'the body is empty; a JSON object is needed');
  }
  return ok({ query: query.data, body, idempotency: idempotency.data });
}

/** Applies the schemas, then the route's own rules. */
function makeCommand(
  desk: ApiDesk,
  match: RouteMatch,
  route: CommandRoute,
  content: Content,
  { user, allowedExchanges }: AccessKey,
): Outcome<OrderCommand> {
  const hints = { exchange: exchangeChoices(desk, user) };
  const query = convertQuery(route.query, content.query);
  const queryValid = route.checkQuery(query, hints);
  if (!queryValid.ok) return queryValid;
  if (content.body !== undefined) {
    const bodyValid = route.checkBody(content.body, hints);
    if (!bodyValid.ok) return bodyValid;
  }
  return route.command({ desk, user, allowedExchanges, ...match.ids, query, body: content.body });
}

function invalid(message: string): ServiceError {
  return { code: 'INVALID_REQUEST', message };
}

function detailsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function failure(error: ServiceError, requestId: string): Answered {
  return { status: HTTP_STATUS[error.code], body: errorBody(error, requestId) };
}

/** An audit line: who, from where, what, and the outcome; the key by its first 8 characters (ASVS 16.2.5). */
function auditLine(inFlight: InFlight, route: string, keyId: string, outcome: string): string {
  const key = cleanText(keyId.slice(0, 8), 8);
  return `${route} by key ${key} from ${cleanText(inFlight.from, 45)}: ${outcome}, request ${inFlight.id}`;
}
