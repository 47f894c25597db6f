/**
 * The API's routes as data (template, method, tier, schemas, action) and the matching of a raw path against them.
 * Matching is literal: no decoding, no case folding, no trailing or double slashes (D23, D25, D26).
 */
import type { Static, TObject } from 'typebox';
import { ROUTE_TIERS, type RouteName } from '../access/tiers.ts';
import type { ApiDesk } from '../desk/api-port.ts';
import type { Tier } from '../domain/actor.ts';
import { type Outcome, refuse } from '../domain/errors.ts';
import type { OrderCommand } from '../engine/step.ts';
import { compileValidator, type Validator } from './validate.ts';

/** Order, bot and run ids as they may stand in a path. */
export const PATH_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** What an action gets: everything checked and typed. */
export interface RouteInput<Query, Body> {
  readonly desk: ApiDesk;
  /** Owner of the key; empty on public routes. */
  readonly user: string;
  /** The path's id; empty where the template has none. */
  readonly id: string;
  readonly query: Query;
  /** Undefined when none was sent (and none is needed). */
  readonly body: Body;
}

interface RouteParts {
  /** Method and template below `/api/v2`, ids as `{id}`. Also names the route budget (D9). */
  readonly name: RouteName;
  readonly method: string;
  readonly template: string;
  /** From the one table of tiers; null = public. */
  readonly tier: Tier | null;
  readonly query: TObject;
  readonly checkQuery: Validator;
}

/** A read: answered from the desk's reads, in the envelope unless `render` says otherwise. */
export interface ReadRoute extends RouteParts {
  readonly kind: 'read';
  run(input: RouteInput<unknown, undefined>): Promise<Outcome<unknown>>;
  /** Of a route with an envelope of its own. */
  readonly render?: (data: unknown) => string;
}

/** A mutation: becomes a command, or the refusal that the desk records in its place. */
export interface CommandRoute extends RouteParts {
  readonly kind: 'command';
  readonly bodyNeeded: boolean;
  readonly checkBody: Validator;
  command(input: RouteInput<unknown, unknown>): Outcome<OrderCommand>;
}

export type Route = ReadRoute | CommandRoute;

/** Defines a read with the types of its query. */
export function read<Q extends TObject>(
  name: RouteName & `GET ${string}`,
  definition: {
    readonly query: Q;
    readonly render?: (data: unknown) => string;
    run(input: RouteInput<Static<Q>, undefined>): Promise<Outcome<unknown>>;
  },
): ReadRoute {
  return {
    ...routeParts(name, definition.query),
    kind: 'read',
    run: definition.run as ReadRoute['run'],
    render: definition.render,
  };
}

/** Defines a mutation with the types of its query and body. */
export function command<Q extends TObject, B extends TObject, Needed extends boolean>(
  name: Exclude<RouteName, `GET ${string}`>,
  definition: {
    readonly query: Q;
    readonly body: B;
    readonly bodyNeeded: Needed;
    command(
      input: RouteInput<Static<Q>, Needed extends true ? Static<B> : Static<B> | undefined>,
    ): Outcome<OrderCommand>;
  },
): CommandRoute {
  return {
    ...routeParts(name, definition.query),
    kind: 'command',
    bodyNeeded: definition.bodyNeeded,
    checkBody: compileValidator(definition.body, 'body'),
    command: definition.command as CommandRoute['command'],
  };
}

function routeParts(name: RouteName, query: TObject): RouteParts {
  const space = name.indexOf(' ');
  return {
    name,
    method: name.slice(0, space),
    template: name.slice(space + 1),
    tier: ROUTE_TIERS[name],
    query,
    checkQuery: compileValidator(query, 'query'),
  };
}

export interface RouteMatch {
  readonly route: Route;
  readonly id: string;
}

/** The route of a raw path (without query), or NOT_FOUND with what the path does take. */
export class RouteTable {
  readonly #routes: readonly { readonly route: Route; readonly segments: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ route, segments: `/api/v2${route.template}`.split('/') }));
  }

  match(method: string, path: string): Outcome<RouteMatch> {
    const segments = path.split('/');
    const others: string[] = [];
    for (const entry of this.#routes) {
      const id = matchSegments(entry.segments, segments);
      if (id === null) continue;
      if (entry.route.method === method) return { ok: true, data: { route: entry.route, id } };
      others.push(entry.route.method);
    }
    const known = others.length > 0 ? `; this path takes ${others.join(', ')}` : '';
    return refuse('NOT_FOUND', `there is no ${method} ${path.slice(0, 100)}${known}`);
  }
}

/** The id (empty without one), or null when the path is another. */
function matchSegments(template: readonly string[], path: readonly string[]): string | null {
  if (template.length !== path.length) return null;
  let id = '';
  for (let i = 0; i < template.length; i++) {
    const segment = path[i] ?? '';
    if (template[i] === '{id}') {
      if (!PATH_ID.test(segment)) return null;
      id = segment;
    } else if (template[i] !== segment) return null;
  }
  return id;
}
