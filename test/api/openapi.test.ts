import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import { HTTP_STATUS } from '../../src/domain/errors.ts';
import { checkResponse, DOCUMENT, operationOf } from '../support/openapi-check.ts';
import { Bench, expectRateHeaders } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
const document = DOCUMENT as any;

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly operation: any;
}

const OPERATIONS: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as object).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method,
    path,
    operation,
  })),
);
const find = (name: string) => OPERATIONS.find((one) => one.name === name)?.operation;
const named = (operation: { parameters?: { name: string }[] }, name: string) =>
  operation.parameters?.find((parameter) => parameter.name === name);

/** Every value in a document, with its path. */
function* walk(value: unknown, at = ''): Generator<[string, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, `${at}/${name}`);
}

/** The specification's lists of errors, endpoint by endpoint. */
const SPECIFIED: Readonly<Record<string, readonly number[]>> = {
  'GET /v2/server/time': [429, 500],
  'GET /v2/server/status': [429, 500],
  'GET /v2/server/version': [429, 500],
  'GET /v2/ping': [401, 429, 500],
  'GET /v2/exchange/supported': [400, 401, 403, 429, 500],
  'GET /v2/exchange/hedge-mode': [400, 401, 403, 429, 500],
  'POST /v2/exchange/hedge-mode': [400, 401, 403, 409, 429, 500],
  'GET /v2/orders': [401, 429, 500],
  'POST /v2/orders': [400, 401, 403, 409, 429, 500],
  'DELETE /v2/orders': [400, 401, 403, 409, 429, 500],
  'DELETE /v2/orders/{id}': [400, 401, 403, 404, 409, 429, 500],
  'POST /v2/orders/{id}/split': [400, 401, 403, 404, 409, 429, 500],
  'GET /v2/orders/trades': [401, 429, 500],
  'GET /v2/portfolio': [401, 429, 500],
  'GET /v2/portfolio/positions': [401, 429, 500],
  'GET /v2/portfolio/position/leverage': [401, 429, 500],
  'POST /v2/portfolio/position/leverage': [400, 401, 403, 409, 429, 500],
  'GET /v2/portfolio/margin-mode': [401, 429, 500],
  'POST /v2/portfolio/margin-mode': [400, 401, 403, 409, 429, 500],
  'POST /v2/portfolio/position/margin-type': [400, 401, 403, 409, 429, 500],
  'GET /v2/portfolio/leverage-brackets': [401, 429, 500],
  'GET /v2/portfolio/dust': [401, 429, 500],
  'POST /v2/portfolio/dust/convert': [400, 401, 403, 409, 429, 500],
  'GET /v2/bots': [401, 429, 500],
  'POST /v2/bots': [400, 401, 403, 409, 429, 500],
  'GET /v2/bots/{id}': [401, 404, 429, 500],
};

describe('the document', () => {
  // The file is updated by `vitest run -u`.
  // proves: S29
  it('is the one in docs/openapi.json', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
  });

  it('holds only schemas that are valid JSON Schema 2020-12, whole and without unknown words', () => {
    const ajv = new Ajv2020({
      strict: true,
      formats: { int64: true, uuid: true, 'market-name': true, 'market-names': true },
    });
    const schemas = [...walk(document)].filter(([at]) => /\/schema$|^\/components\/schemas\/\w+$/.test(at));
    expect(schemas.length).toBeGreaterThan(60);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      ajv.addSchema(schema as object, `doc#/components/schemas/${name}`);
    }
    for (const [at, schema] of schemas) {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
      expect(() => ajv.compile(JSON.parse(text)), at).not.toThrow();
    }
  });

  it('refers to nothing that is not there, and has no component that nothing refers to', () => {
    const references = new Set<string>();
    for (const [at, value] of walk(document)) {
      if (!at.endsWith('/$ref')) continue;
      references.add(String(value));
      const [, ...names] = String(value).split('/');
      let target: unknown = document;
      for (const name of names) target = (target as Record<string, unknown> | undefined)?.[name];
      expect(target, `${value} at ${at}`).toBeDefined();
    }
    for (const kind of ['schemas', 'responses', 'headers', 'parameters']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(references, `${kind} ${name}`).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it('says nothing that only our own refusals need', () => {
    for (const [at] of walk(document)) expect(at).not.toMatch(/\/(x-must-be|~\w+)$/);
  });
});

describe('the operations', () => {
  it('are the routes, each once, under an id of its own', () => {
    const routes = Object.keys(ROUTE_TIERS).map((name) =>
      name === 'GET /openapi.json' ? name : name.replace(' ', ' /v2'),
    );
    expect(OPERATIONS.map(({ name }) => name).sort()).toEqual(routes.sort());
    const ids = OPERATIONS.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it.each(OPERATIONS)('say in words what $name does and gives', ({ operation }) => {
    expect(operation.summary).toMatch(/^[A-Z][^.]+$/);
    expect(operation.responses['200'].content['application/json'].schema).toBeDefined();
    for (const { name, description, in: place } of operation.parameters ?? []) {
      if (place === 'query') expect(description, name).toMatch(/\.$/);
    }
  });

  it.each(OPERATIONS)(
    'ask for the three headers of a signature where $name is signed',
    ({ name, operation }) => {
      const tier = ROUTE_TIERS[name.replace(' /v2', ' ') as keyof typeof ROUTE_TIERS];
      expect(tier).toBeDefined();
      expect(operation.security).toEqual(tier === null ? [] : [{ key: [], signature: [], timestamp: [] }]);
      const schemes = Object.values(document.components.securitySchemes).map((scheme) => {
        const { type, in: place, name: header, description } = scheme as Record<string, string>;
        expect(description?.length).toBeGreaterThan(40);
        return [type, place, header];
      });
      expect(schemes).toEqual([
        ['apiKey', 'header', 'X-SVC-KEY'],
        ['apiKey', 'header', 'X-SVC-SIGN'],
        ['apiKey', 'header', 'X-SVC-TIMESTAMP'],
      ]);
    },
  );

  it.each(OPERATIONS)(
    'list for $name the errors of the specification, and what every request can meet',
    ({ name, method, operation }) => {
      const statuses = Object.keys(operation.responses).map(Number);
      expect(statuses).toEqual(
        expect.arrayContaining([200, 400, 413, 429, 500, 503, ...(SPECIFIED[name] ?? [])]),
      );
      const known = new Set<number>([200, ...Object.values(HTTP_STATUS)]);
      for (const status of statuses) expect(known).toContain(status);
      // A read never conflicts; a public route never answers 401.
      expect(statuses.includes(409)).toBe(method !== 'get');
      expect(statuses.includes(401)).toBe(operation.security.length > 0);
    },
  );

  it.each(OPERATIONS)('tell the headers of every answer to $name', ({ method, operation }) => {
    const rate = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    const takesKey = method === 'post' || method === 'delete';
    for (const [status, response] of Object.entries(operation.responses as object)) {
      const whole = response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response;
      const headers = Object.keys(whole.headers);
      expect(headers, status).toEqual(expect.arrayContaining(rate));
      expect(headers.includes('Retry-After'), status).toBe(status === '429' || status === '503');
      if (status === '200') expect(headers.includes('X-Idempotent-Replayed')).toBe(takesKey);
    }
    const key = { $ref: '#/components/parameters/IdempotencyKey' };
    expect((operation.parameters ?? []).some((one: object) => '$ref' in one && one.$ref === key.$ref)).toBe(
      takesKey,
    );
  });

  it('have the form of the specification where a shape is special', () => {
    const ping = find('GET /v2/ping').responses['200'].content['application/json'].schema;
    expect(ping).toEqual({ $ref: '#/components/schemas/LegacyPing' });
    expect(document.components.schemas.LegacyPing.required).toEqual(['status', 'data']);
    expect(named(find('DELETE /v2/orders/{id}'), 'id')).toMatchObject({ in: 'path', required: true });
    expect(named(find('DELETE /v2/orders'), 'exchange')).toMatchObject({ in: 'query', required: true });
    expect(find('DELETE /v2/orders').requestBody.required).toBe(false);
    expect(find('POST /v2/orders').requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateOrder' } } },
    });
    expect(named(find('GET /v2/orders/trades'), 'limit')).toMatchObject({
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    });
    expect(named(find('GET /v2/orders'), 'status')).toMatchObject({
      schema: { type: 'string', enum: ['open', 'recent'], default: 'open' },
    });
    expect(named(find('DELETE /v2/bots/{id}/runs/{runId}'), 'runId')).toMatchObject({
      in: 'path',
      required: true,
      description: 'Id of the run.',
    });
    expect(find('POST /v2/bots/{id}/runs').requestBody.required).toBe(false);
    expect(document.components.schemas.CreateBot.required).toEqual(['type', 'settings']);
    expect(document.components.schemas.CreateBot.properties.settings.required).toEqual(['exchange']);
    expect(document['x-bot-settings'].settings.FIBO).toEqual({ $ref: '#/components/schemas/FiboSettings' });
    expect(document.components.schemas.CreateOrder.required).toEqual(['exchange', 'symbol', 'side', 'type']);
    expect(document.components.schemas.Error.properties.error.properties.code.enum).toEqual(
      Object.keys(HTTP_STATUS),
    );
  });
});

describe('GET /api/openapi.json', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.start();
  });
  afterEach(() => bench.api.close());

  // proves: S29
  it('serves the document to everyone, counted by address', async () => {
    const response = await bench.send('GET', '/api/openapi.json', { signed: false });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json).toEqual(document);
    expectRateHeaders(response);
    expect(bench.desk.touched).toEqual([]);
  });

  it.each([
    ['GET', '/api/v2/openapi.json'],
    ['GET', '/openapi.json'],
    ['GET', '/api/openapi.json/'],
    ['POST', '/api/openapi.json'],
  ])('is nowhere else: %s %s', async (method, path) => {
    expect((await bench.send(method, path, { signed: false })).status).toBe(404);
  });
});

describe('the check that every answer goes through', () => {
  const meta = { requestId: '3f2b8c1e-7d4a-4c5b-9e6f-0a1b2c3d4e5f', timestamp: 1, version: '2.0.0' };
  const time = { data: { serverTime: 1, timezone: 'UTC' }, meta };
  const refusal = (code: string, status: number) => ({
    error: { code, status, message: 'no' },
    meta: { requestId: meta.requestId },
  });

  it('passes what the document describes', () => {
    checkResponse('GET', '/api/v2/server/time', 200, time);
    checkResponse('GET', '/api/v2/server/time?x=1', 429, refusal('RATE_LIMITED', 429));
    checkResponse('GET', '/api/v2/nothing', 404, refusal('NOT_FOUND', 404));
    checkResponse('POST', '/api/v2/orders', 408, refusal('INVALID_REQUEST', 408));
    checkResponse('HEAD', '/api/v2/server/time', 404, null);
    expect(operationOf('DELETE', '/api/v2/orders/a_b-1?exchange=x')).toBeDefined();
  });

  it.each<[string, string, string, number, unknown]>([
    ['a field too many', 'GET', '/api/v2/server/time', 200, { ...time, more: 1 }],
    ['one inside', 'GET', '/api/v2/server/time', 200, { data: { ...time.data, x: 1 }, meta }],
    ['one too few', 'GET', '/api/v2/server/time', 200, { data: { serverTime: 1 }, meta }],
    [
      'a number as text',
      'GET',
      '/api/v2/server/time',
      200,
      { data: { ...time.data, serverTime: '1' }, meta },
    ],
    ['no envelope', 'GET', '/api/v2/server/time', 200, time.data],
    ['an envelope on ping', 'GET', '/api/v2/ping', 200, { data: { message: 'pong', timestamp: 1 }, meta }],
    ['money as a number', 'GET', '/api/v2/portfolio', 200, { data: { total: { usd: 1 } }, meta }],
    ['a status that is not listed', 'GET', '/api/v2/server/time', 409, refusal('CONFLICT', 409)],
    ['a code of another status', 'GET', '/api/v2/server/time', 500, refusal('NOT_FOUND', 500)],
    ['an unknown code', 'GET', '/api/v2/server/time', 500, refusal('OOPS', 500)],
    ['a refusal without its envelope', 'GET', '/api/v2/server/time', 500, { message: 'no' }],
    ['a success of an unknown route', 'GET', '/api/v2/nothing', 200, time],
    ['a secret in an order', 'DELETE', '/api/v2/orders/x', 200, { data: { id: 'x', phase: 'live' }, meta }],
  ])('fails on %s', (_what, method, path, status, body) => {
    expect(() => checkResponse(method, path, status, body)).toThrow();
  });
});
