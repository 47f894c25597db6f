/**
 * A request's way from raw bytes to answer, in the one order that is allowed (architecture.md, "An order's way"; S47).
 * Each step either refuses or lets pass; nothing is looked at before the steps that protect it. Knows no sockets.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../access/authenticate.ts';
import { checkTarget } from '../access/target.ts';
import { tierProblem } from '../access/tiers.ts';
import type { ApiDesk } from '../desk/api-port.ts';
import type { AccessKey } from '../domain/access-key.ts';
import type { Actor } from '../domain/actor.ts';
import { errorBody, successBody } from '../domain/envelope.ts';
import { HTTP_STATUS, type Outcome, ok, refuse, type ServiceError } from '../domain/errors.ts';
import type { OrderCommand, RequestContext } from '../engine/step.ts';
import { exchangeChoices } from './exchange-field.ts';
import type { CompiledApiLimits } from './limits.ts';
import { convertQuery, parseQuery } from './query.ts';
import { readBody } from './read-body.ts';
import { checkContent, checkHeaders, headerValues, readIdempotencyKey } from './request-form.ts';
import type { CommandRoute, ReadRoute, Route, RouteMatch, RouteTable } from './route-table.ts';
import { parseJsonBody } from './strict-json.ts';
import { cleanText, clientAddress } from './text.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Sent as it is. */
  readonly body: string;
  /** A stored answer (D15). */
  readonly replayed?: boolean;
}

/** `too-large`: answer 413 and close (D33). `gone`: the client left before its request was whole. */
export type Handled = HttpAnswer | 'too-large' | 'gone';

export interface PipelineDeps {
  readonly desk: ApiDesk;
  readonly authenticator: Authenticator;
  readonly routes: RouteTable;
  readonly limits: CompiledApiLimits;
}

/** One request on its way; filled as the steps go. */
interface Passage {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly method: string;
  /** As received: `/api/v2/...?...`. */
  readonly target: string;
  readonly from: string;
}

/** What the content steps have read. */
interface Content {
  readonly query: ReadonlyMap<string, string>;
  readonly body: Record<string, unknown> | undefined;
  readonly idempotency: RequestContext['idempotency'];
}

/** How an answer without data begins. */
const EMPTY_DATA = '{"data":null';

export class Pipeline {
  readonly #deps: PipelineDeps;
  /** Frozen data, which the desk may give more than once, as JSON. */
  readonly #rendered = new WeakMap<object, string>();

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  /** Never rejects. `onWhole` is called once the request has arrived whole. */
  async handle(req: IncomingMessage, target: string, onWhole: () => void): Promise<Handled> {
    const passage: Passage = {
      id: randomUUID(),
      req,
      method: req.method ?? '',
      target,
      from: clientAddress(req),
    };
    try {
      return await this.#run(passage, onWhole);
    } catch (error) {
      return this.#failed(passage, error);
    }
  }

  async #run(passage: Passage, onWhole: () => void): Promise<Handled> {
    const { desk, limits, routes } = this.#deps;
    const { req, id, method, target } = passage;

    const form = this.#checkForm(passage) ?? this.#limitAddress(passage);
    if (form !== null) return failure(form, id);

    const question = target.indexOf('?');
    const match = routes.match(method, question < 0 ? target : target.slice(0, question));
    if (!match.ok) return failure(match.error, id);
    const { route } = match.data;

    const body = await readBody(req, limits.bodyBytes);
    if (!Buffer.isBuffer(body)) return body;
    onWhole();

    let key: AccessKey | null = null;
    if (route.tier !== null) {
      const signed = this.#authenticate(passage, route, body);
      if (!signed.ok) return failure(signed.error, id);
      key = signed.data;
      const refused =
        this.#checkIpList(passage, key) ?? this.#takeBudget(route, key) ?? checkTier(route.tier, key);
      if (refused !== null) return failure(refused, id);
    }

    const content = readContent(passage, route, question < 0 ? '' : target.slice(question + 1), body);
    if (!content.ok) return failure(content.error, id);
    const shield = key === null ? null : this.#checkShield(key, content.data);
    if (shield !== null) return failure(shield, id);

    if (route.kind === 'read') return this.#read(passage, route, content.data, key);
    if (key === null) throw new Error(`${route.name} changes something and is public`);
    const answer = await this.#command(passage, match.data, route, content.data, key);
    desk.log(
      'info',
      auditLine(passage, route.name, key.id, `${answer.status}${answer.replayed ? ' (replayed)' : ''}`),
    );
    return answer;
  }

  /** Target characters and header form. */
  #checkForm({ req, target }: Passage): ServiceError | null {
    const problem = checkTarget(target);
    if (problem !== null) return { code: 'INVALID_REQUEST', message: problem };
    return checkHeaders(req.rawHeaders, req.httpVersion, this.#deps.limits.headerCount);
  }

  /** Place of the IP limiter: 100 requests in 5 s per address, before the route is known (later issue). */
  #limitAddress(_passage: Passage): ServiceError | null {
    return null;
  }

  #authenticate(passage: Passage, route: Route, body: Buffer): Outcome<AccessKey> {
    const { desk, authenticator } = this.#deps;
    const { req, method, target, from } = passage;
    const signed = authenticator.authenticate({
      method,
      target,
      rawHeaders: req.rawHeaders,
      body,
      now: desk.now(),
    });
    if (signed.ok) desk.touchKey(signed.data.id, from);
    else {
      const claimed = headerValues(req.rawHeaders, 'x-svc-key')[0] ?? '-';
      desk.log('info', auditLine(passage, route.name, claimed, signed.error.code));
    }
    return signed;
  }

  /** Place of the key's IP list: IP_NOT_WHITELISTED, after the signature (D4; later issue). */
  #checkIpList(_passage: Passage, _key: AccessKey): ServiceError | null {
    return null;
  }

  /** Place of the route's budget per account: RATE_LIMITED and the X-RateLimit headers (D5 to D9; later issue). */
  #takeBudget(_route: Route, _key: AccessKey): ServiceError | null {
    return null;
  }

  /** Place of the allowedExchanges shield over query and body: EXCHANGE_NOT_ALLOWED (D47; later issue). */
  #checkShield(_key: AccessKey, _content: Content): ServiceError | null {
    return null;
  }

  async #read(
    { id }: Passage,
    route: ReadRoute,
    content: Content,
    key: AccessKey | null,
  ): Promise<HttpAnswer> {
    const { desk } = this.#deps;
    const query = convertQuery(route.query, content.query);
    const valid = route.checkQuery(query, { exchange: exchangeChoices(desk) });
    if (!valid.ok) return failure(valid.error, id);
    const result = await route.run({ desk, user: key?.user ?? '', id: '', query, body: undefined });
    if (key !== null && desk.activeKey(key.id) === null) {
      // Revoked while the read waited for its commit (D41).
      return failure({ code: 'INVALID_KEY', message: 'the key was revoked' }, id);
    }
    if (!result.ok) return failure(result.error, id);
    const body =
      route.render?.(result.data) ?? this.#envelope(result.data, { requestId: id, timestamp: desk.now() });
    return { status: 200, body };
  }

  /** As `successBody`; frozen data is rendered once. */
  #envelope(data: unknown, meta: { requestId: string; timestamp: number }): string {
    if (typeof data !== 'object' || data === null || !Object.isFrozen(data)) return successBody(data, meta);
    let text = this.#rendered.get(data);
    if (text === undefined) {
      text = JSON.stringify(data);
      this.#rendered.set(data, text);
    }
    return `{"data":${text}${successBody(null, meta).slice(EMPTY_DATA.length)}`;
  }

  /** The desk looks the idempotency key up before it looks at the command, so a refusal is a command like any other (S47). */
  async #command(
    { id }: Passage,
    match: RouteMatch,
    route: CommandRoute,
    content: Content,
    key: AccessKey,
  ): Promise<HttpAnswer> {
    const { desk } = this.#deps;
    const made = makeCommand(desk, match, route, content, key.user);
    const command: OrderCommand = made.ok ? made.data : { type: 'refuse', error: made.error };
    const actor: Actor = {
      kind: 'key',
      user: key.user,
      keyId: key.id,
      tier: key.tier,
      allowedExchanges: key.allowedExchanges,
    };
    const context: RequestContext = { requestId: id, idempotency: content.idempotency };
    const { status, body, replayed } = await desk.command(actor, command, context);
    return { status, body, replayed };
  }

  /** Our own fault: the details go to the log, never to the client. */
  #failed(passage: Passage, error: unknown): HttpAnswer {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#deps.desk.log('error', `request ${passage.id} failed: ${cleanText(details, 2_000)}`);
    if (isUnavailable(error)) {
      return failure(
        { code: 'SERVICE_UNAVAILABLE', message: 'the service cannot answer now; try again' },
        passage.id,
      );
    }
    return failure({ code: 'INTERNAL_ERROR', message: 'an unexpected error occurred' }, passage.id);
  }
}

/** A read whose commit failed, or that the store could not serve (architecture rule 2: 503). By name and code: the API does not know the store. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'StoreError' || ('code' in error && error.code === 'SERVICE_UNAVAILABLE');
}

function checkTier(needed: AccessKey['tier'], key: AccessKey): ServiceError | null {
  const message = tierProblem(key.tier, needed);
  return message === null ? null : { code: 'FORBIDDEN', message };
}

/** Content type, JSON syntax, query syntax, form of the idempotency key: what is wrong here is never stored. */
function readContent(
  { req, method, target }: Passage,
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

/** Schemas, then the route's own rules. */
function makeCommand(
  desk: ApiDesk,
  match: RouteMatch,
  route: CommandRoute,
  content: Content,
  user: string,
): Outcome<OrderCommand> {
  const hints = { exchange: exchangeChoices(desk) };
  const query = convertQuery(route.query, content.query);
  const queryValid = route.checkQuery(query, hints);
  if (!queryValid.ok) return queryValid;
  if (content.body !== undefined) {
    const bodyValid = route.checkBody(content.body, hints);
    if (!bodyValid.ok) return bodyValid;
  }
  return route.command({ desk, user, id: match.id, query, body: content.body });
}

function failure(error: ServiceError, requestId: string): HttpAnswer {
  return { status: HTTP_STATUS[error.code], body: errorBody(error, requestId) };
}

/** Who, from where, what, how it ended; the key by its first 8 characters (ASVS 16.2.5). */
function auditLine(passage: Passage, route: string, keyId: string, outcome: string): string {
  const key = cleanText(keyId.slice(0, 8), 8);
  return `${route} by key ${key} from ${cleanText(passage.from, 45)}: ${outcome}, request ${passage.id}`;
}
