/**
 * The API's routes as data (template, method, tier, schemas, words, action) and the matching of a raw path
 * with them. Matching is literal: no decoding, no case folding, no trailing or double slashes (D23, D25,
 * D26). The documentation (openapi/) is made from the same data.
 */
import type { Static, TObject, TSchema } from 'typebox';
import { ROUTE_TIERS, type RouteName } from '../access/tiers.ts';
import type { ApiDesk } from '../desk/api/api-port.ts';
import type { Tier } from '../domain/actor.ts';
import { type Outcome, refuse } from '../domain/errors.ts';
import type { OrderCommand } from '../engine/step.ts';
import { compileValidator, type Validator } from './validate.ts';

/** Form of order, bot and run ids in a path. */
export const PATH_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The input of an action: everything checked and typed. */
export interface RouteInput<Query, Body> {
  readonly desk: ApiDesk;
  /** Owner of the key; empty on public routes. */
  readonly user: string;
  /**
   * The key's shield, for answers that list accounts; accounts named in the request were checked already.
   * Null: none.
   */
  readonly allowedExchanges: readonly string[] | null;
  /** The path's ids; empty where the template has none. */
  readonly id: string;
  readonly runId: string;
  readonly query: Query;
  /** The body; undefined when none was sent (and none is needed). */
  readonly body: Body;
}

/** HTTP statuses of refusals. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503;

/** What the documentation says about a route in addition to its schemas. Markdown. */
export interface RouteWords {
  /** What the route does, in one line. */
  readonly summary: string;
  /** Rules that a schema cannot express. */
  readonly description?: string;
  /**
   * Statuses that the specification lists for the endpoint; the documentation adds those that every request
   * can get.
   */
  readonly errors: readonly RefusalStatus[];
}

interface RouteParts extends RouteWords {
  /**
   * Method and template below `/api/v2` (`pathOf`), ids as `{id}` and `{runId}`. Also the name of the route's
   * budget (D9).
   */
  readonly name: RouteName;
  readonly method: string;
  readonly template: string;
  /** The needed tier, from the table of tiers; null = public. */
  readonly tier: Tier | null;
  readonly query: TObject;
  readonly checkQuery: Validator;
  /** `data` of a success. Not checked at run time: the tests check it for every answer. */
  readonly response: TSchema;
}

/** A read: answered by the desk's reads, in the envelope unless `render` is given. */
export interface ReadRoute extends RouteParts {
  readonly kind: 'read';
  run(input: RouteInput<unknown, undefined>): Promise<Outcome<unknown>>;
  readonly own?: OwnEnvelope;
}

/** The answer of a route that does not use the envelope of v2. */
export interface OwnEnvelope {
  readonly render: (data: unknown) => string;
  /** Schema of the whole body. */
  readonly schema: TSchema;
}

/** A mutation: becomes a command, or a refusal that the desk records instead. */
export interface CommandRoute extends RouteParts {
  readonly kind: 'command';
  readonly body: TObject;
  readonly bodyNeeded: boolean;
  readonly checkBody: Validator;
  command(input: RouteInput<unknown, unknown>): Outcome<OrderCommand>;
}

export type Route = ReadRoute | CommandRoute;

/** Defines a read with the types of its query and its data. */
export function read<Q extends TObject, R extends TSchema>(
  name: RouteName & `GET ${string}`,
  definition: RouteWords & {
    readonly query: Q;
    readonly response: R;
    readonly own?: OwnEnvelope;
    run(input: RouteInput<Static<Q>, undefined>): Promise<Outcome<Static<R>>>;
  },
): ReadRoute {
  return {
    ...routeParts(name, definition),
    kind: 'read',
    run: definition.run as ReadRoute['run'],
    own: definition.own,
  };
}

/** Defines a mutation with the types of its query and body. */
export function command<Q extends TObject, B extends TObject, Needed extends boolean>(
  name: Exclude<RouteName, `GET ${string}`>,
  definition: RouteWords & {
    readonly query: Q;
    readonly body: B;
    readonly bodyNeeded: Needed;
    readonly response: TSchema;
    command(
      input: RouteInput<Static<Q>, Needed extends true ? Static<B> : Static<B> | undefined>,
    ): Outcome<OrderCommand>;
  },
): CommandRoute {
  return {
    ...routeParts(name, definition),
    kind: 'command',
    body: definition.body,
    bodyNeeded: definition.bodyNeeded,
    checkBody: compileValidator(definition.body, 'body'),
    command: definition.command as CommandRoute['command'],
  };
}

function routeParts(
  name: RouteName,
  definition: RouteWords & { readonly query: TObject; readonly response: TSchema },
): RouteParts {
  const { summary, description, errors, query, response } = definition;
  const space = name.indexOf(' ');
  return {
    name,
    method: name.slice(0, space),
    template: name.slice(space + 1),
    tier: ROUTE_TIERS[name],
    summary,
    description,
    errors,
    query,
    checkQuery: compileValidator(query, 'query'),
    response,
  };
}

/** Paths served outside the versions of the API. */
const UNVERSIONED: ReadonlySet<string> = new Set(['/openapi.json']);

/** Returns the path (or path template) below `/api`: `/v2/orders`. */
export function pathOf(template: string): string {
  return UNVERSIONED.has(template) ? template : `/v2${template}`;
}

/** Ids in a path; empty where the template has none. */
export interface PathIds {
  readonly id: string;
  readonly runId: string;
}

export interface RouteMatch {
  readonly route: Route;
  readonly ids: PathIds;
}

interface Entry {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Finds the route of a raw path (without query), or NOT_FOUND with the methods that the path accepts. */
export class RouteTable {
  readonly #routes: readonly Entry[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ route, segments: `/api${pathOf(route.template)}`.split('/') }));
  }

  get all(): readonly Route[] {
    return this.#routes.map(({ route }) => route);
  }

  /** Finds a route. If several templates fit, a literal wins over an id: `batch` is no bot. */
  match(method: string, path: string): Outcome<RouteMatch> {
    const segments = path.split('/');
    const fitting = this.#routes.filter((entry) => idsOf(entry.segments, segments) !== null);
    const template = mostLiteral(fitting)?.route.template;
    const entries = fitting.filter(({ route }) => route.template === template);
    const found = entries.find(({ route }) => route.method === method);
    const ids = found && idsOf(found.segments, segments);
    if (found && ids) return { ok: true, data: { route: found.route, ids } };
    const others = entries.map(({ route }) => route.method);
    const known = others.length > 0 ? `; this path takes ${others.join(', ')}` : '';
    return refuse('NOT_FOUND', `there is no ${method} ${path.slice(0, 100)}${known}`);
  }
}

/** The entry with the fewest ids; entries that fit the same path differ only in that. */
function mostLiteral(entries: readonly Entry[]): Entry | undefined {
  const ids = ({ segments }: Entry) => segments.filter(isId).length;
  return entries.reduce<Entry | undefined>(
    (best, entry) => (best === undefined || ids(entry) < ids(best) ? entry : best),
    undefined,
  );
}

function isId(segment: string): boolean {
  return segment === '{id}' || segment === '{runId}';
}

/** The ids of a path; null: it does not fit the template. */
function idsOf(template: readonly string[], path: readonly string[]): PathIds | null {
  if (template.length !== path.length) return null;
  const ids = { id: '', runId: '' };
  for (let i = 0; i < template.length; i++) {
    const segment = path[i] ?? '';
    const wanted = template[i] ?? '';
    if (!isId(wanted)) {
      if (wanted !== segment) return null;
    } else {
      if (!PATH_ID.test(segment)) return null;
      ids[wanted === '{id}' ? 'id' : 'runId'] = segment;
    }
  }
  return ids;
}
