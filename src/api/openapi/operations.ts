/** Routes as paths and operations of the OpenAPI document. Pure. */
import type { TObject } from 'typebox';
import { Meta, WriteMeta } from '../../schemas/envelope.ts';
import { PATH_ID, pathOf, type RefusalStatus, type Route } from '../route-table.ts';
import { COMPONENTS, headersWith, IDEMPOTENCY_PARAMETER, refusalReference, SIGNED } from './components.ts';
import type { Json, JsonObject } from './schema-document.ts';

/**
 * Refusals that any request can get: wrong form, too large a body, the limiter, an internal failure,
 * maintenance.
 */
const ANY: readonly RefusalStatus[] = [400, 413, 429, 500, 503];
const SIGNED_ONES: readonly RefusalStatus[] = [401, 403];
const CHANGES: readonly RefusalStatus[] = [409, 422];

/** Makes `paths` of the document, in the order of the routes. */
export function pathsOf(routes: readonly Route[]): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = pathOf(route.template);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route);
  }
  return paths;
}

/** The first part of the path: the group in which documentation shows the route. */
function tagOf({ template }: Route): string {
  const [, first = ''] = template.split('/');
  return ['exchange', 'orders', 'portfolio', 'bots'].includes(first) ? first : 'server';
}

function operation(route: Route): JsonObject {
  const parameters = parametersOf(route);
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: route.tier === null ? [] : [SIGNED],
    ...(parameters.length > 0 && { parameters }),
    ...(route.kind === 'command' && { requestBody: requestBody(route.body, route.bodyNeeded) }),
    responses: responsesOf(route),
  };
}

/** The operation's id: `DELETE /orders/{id}` -> `deleteOrdersById`. */
function operationId({ method, template }: Route): string {
  const words = template.split(/[/\-.]/).map((word) => word.replace(/^\{(.*)\}$/, 'by-$1'));
  const name = words
    .flatMap((word) => word.split('-'))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + name.join('');
}

function parametersOf(route: Route): Json[] {
  const inPath = [...route.template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `Id of the ${name === 'runId' ? 'run' : tagOf(route).replace(/s$/, '')}.`,
    schema: { type: 'string', pattern: PATH_ID.source },
  }));
  const needed = new Set((route.query as { required?: readonly string[] }).required ?? []);
  const inQuery = Object.entries(route.query.properties).map(([name, property]) => {
    // The parameter has the description; the schema needs none.
    const { description, ...schema } = COMPONENTS.schema(property);
    return {
      name,
      in: 'query',
      required: needed.has(name),
      ...(description !== undefined && { description }),
      schema,
    };
  });
  return [...inPath, ...inQuery, ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_PARAMETER] : [])];
}

/** Whether a route takes an idempotency key. Specification, "Idempotency" rule 1. */
function takesIdempotencyKey({ kind, method }: Route): boolean {
  return kind === 'command' && method !== 'PATCH';
}

function requestBody(body: TObject, required: boolean): JsonObject {
  return { required, content: { 'application/json': { schema: COMPONENTS.schema(body) } } };
}

function responsesOf(route: Route): JsonObject {
  const headers = takesIdempotencyKey(route) ? headersWith('X-Idempotent-Replayed') : headersWith();
  const statuses = new Set([
    ...route.errors,
    ...ANY,
    ...(route.tier === null ? [] : SIGNED_ONES),
    ...(route.kind === 'command' ? CHANGES : []),
  ]);
  return {
    200: { description: 'Done.', headers, content: { 'application/json': { schema: answerSchema(route) } } },
    ...Object.fromEntries(
      [...statuses].sort((a, b) => a - b).map((status) => [status, refusalReference(status)]),
    ),
  };
}

function answerSchema(route: Route): JsonObject {
  if (route.kind === 'read' && route.own !== undefined) return COMPONENTS.schema(route.own.schema);
  return {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: COMPONENTS.schema(route.response),
      meta: COMPONENTS.schema(takesIdempotencyKey(route) ? WriteMeta : Meta),
    },
  };
}
