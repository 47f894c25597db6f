/**
 * Checks every response of the API that a test sees against the OpenAPI document: its status must be listed
 * for the operation, its body must fit the schema, and where the specification closes a shape, an additional
 * field is a failure.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { ROUTES } from '../../src/api/routes/index.ts';
import { type Transport, undiciTransport } from '../../src/client/transport.ts';
import { type ErrorCode, HTTP_STATUS } from '../../src/domain/errors.ts';
import { areMarketNames, isMarketName } from '../../src/domain/market-name.ts';
import { MARKET_NAME_FORMAT, MARKET_NAMES_FORMAT } from '../../src/schemas/market-name.ts';
import { afterEachTest } from './after-each.ts';
import { onItsWay } from './in-flight.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

const REFERENCE = '#/components/schemas/';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Statuses of requests that never reach a route: too slow, headers too large. */
const BEFORE_ROUTES: ReadonlySet<number> = new Set([408, 431]);

/** The document that the API serves, as a plain copy for the tests. */
export const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(ROUTES.all))) as JsonObject;

/**
 * A schema for the validator: objects with listed fields may have no others, components are named directly.
 */
export function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  if (typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(REFERENCE, '');
  if (copy.type === 'object' && 'properties' in copy) copy.additionalProperties ??= false;
  return copy;
}

function member(value: Json | undefined, ...names: string[]): JsonObject {
  let found = value;
  for (const name of names) found = (found as JsonObject | undefined)?.[name];
  return (found ?? {}) as JsonObject;
}

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  formats: {
    int64: true,
    uuid: UUID,
    [MARKET_NAME_FORMAT]: isMarketName,
    [MARKET_NAMES_FORMAT]: areMarketNames,
  },
});
for (const [name, schema] of Object.entries(member(DOCUMENT, 'components', 'schemas'))) {
  ajv.addSchema(strict(schema) as object, name);
}

interface Operation {
  /** For example `GET /v2/orders`. */
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  readonly responses: JsonObject;
}

export const OPERATIONS: readonly Operation[] = Object.entries(member(DOCUMENT, 'paths')).flatMap(
  ([template, methods]) =>
    Object.entries(methods as JsonObject).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      path: new RegExp(`^/api${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[A-Za-z0-9_-]{1,64}')}$`),
      responses: member(operation, 'responses'),
    })),
);

const compiled = new Map<JsonObject, ValidateFunction>();

function validatorOf(response: JsonObject): ValidateFunction {
  const known = compiled.get(response);
  if (known) return known;
  const name = typeof response.$ref === 'string' ? response.$ref.split('/').at(-1) : undefined;
  const whole = name === undefined ? response : member(DOCUMENT, 'components', 'responses', name);
  const schema = member(whole, 'content', 'application/json', 'schema');
  const validate = ajv.compile(strict(schema) as object);
  compiled.set(response, validate);
  return validate;
}

const isRefusal = ajv.compile({ $ref: 'Error' });

function idsIn(name: string): number {
  return name.split('{').length - 1;
}

/** @param path as requested, from `/api` on */
export function operationOf(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?', 1);
  const fitting = OPERATIONS.filter(({ path: template }) => template.test(plain));
  // A path without ids takes precedence over one with ids (OpenAPI 3.1, "Path Templating Matching").
  const [fewest] = fitting.map(({ name }) => idsIn(name)).sort();
  return fitting.find((operation) => operation.method === method && idsIn(operation.name) === fewest);
}

/**
 * Throws when a response does not fit the document.
 * @param body parsed; null where the response has none
 */
export function checkResponse(method: string, path: string, status: number, body: unknown): void {
  if (method === 'HEAD' || status < 200) return;
  const what = `${method} ${path} answered ${status}`;
  if (status >= 400) checkRefusal(what, status, body);
  const operation = operationOf(method, path);
  if (operation === undefined) {
    if (status < 400) throw new Error(`${what}, but the document has no such operation`);
    return;
  }
  const response = operation.responses[String(status)] as JsonObject | undefined;
  if (response === undefined) {
    if (BEFORE_ROUTES.has(status)) return;
    const listed = Object.keys(operation.responses).join(', ');
    throw new Error(`${what}, which the document does not list (${listed})`);
  }
  const validate = validatorOf(response);
  if (!validate(body))
    throw new Error(`${what} with a body that the document does not describe: ${told(validate, body)}`);
}

/** Checks the envelope, and that the code belongs to the status. */
function checkRefusal(what: string, status: number, body: unknown): void {
  if (!isRefusal(body)) throw new Error(`${what} without the error envelope: ${told(isRefusal, body)}`);
  const { error } = body as { error: { code: ErrorCode; status: number } };
  const expected = BEFORE_ROUTES.has(status) ? status : HTTP_STATUS[error.code];
  if (error.status !== status || expected !== status) {
    throw new Error(`${what} with the code ${error.code} and the status ${error.status}`);
  }
}

function told(validate: ValidateFunction, body: unknown): string {
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
  return `${problems.join('; ')}\n${JSON.stringify(body)?.slice(0, 1_000)}`;
}

/**
 * Problems found by `checkedTransport`; if it threw them, a client would take them for a broken connection.
 */
const found: string[] = [];

afterEachTest(() => {
  const problems = found.splice(0);
  if (problems.length > 0) throw new Error(problems.slice(0, 3).join('\n'));
});

/** A client's transport that checks every response on its way back; problems fail the test at its end. */
export function checkedTransport(inner: Transport): Transport {
  return {
    async send(request) {
      const answer = await onItsWay(inner.send(request));
      try {
        checkResponse(request.method, request.path, answer.status, parsed(answer.text));
      } catch (error) {
        found.push(error instanceof Error ? error.message : String(error));
      }
      return answer;
    },
    close: () => inner.close(),
  };
}

/** The client's usual keep-alive connections, with every response checked. */
export function checkedHttp(baseUrl: string, connections = 8): Transport {
  const { origin } = new URL(baseUrl);
  return checkedTransport(undiciTransport(origin, { timeoutMs: 15_000, connections }));
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}
