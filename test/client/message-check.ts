/** Checks messages of the WebSocket against their schemas; fields that are not listed are an error. */
import { Ajv, type ValidateFunction } from 'ajv';
import { ClientMessage, ServerMessage } from '../../src/schemas/stream.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true, formats: { int64: true } });

/** The validators by op. */
function validators(union: unknown): ReadonlyMap<string, ValidateFunction> {
  const { anyOf } = JSON.parse(JSON.stringify(union)) as {
    anyOf: { properties: { op: { const: string } } }[];
  };
  return new Map(
    anyOf.map((schema) => [schema.properties.op.const, ajv.compile(closed(schema as Json) as object)]),
  );
}

function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  if (copy.type === 'object' && 'properties' in copy) copy.additionalProperties ??= false;
  return copy;
}

const SERVER = validators(ServerMessage);
const CLIENT = validators(ClientMessage);

/** What is wrong with a message of the service (or of a client); empty when nothing is. */
export function messageProblems(message: unknown, from: 'server' | 'client' = 'server'): string[] {
  const { op } = message as { op: string };
  const validate = (from === 'server' ? SERVER : CLIENT).get(op);
  if (!validate) return [`no message with op ${op}`];
  return validate(message) ? [] : (validate.errors ?? []).map((e) => `${op}${e.instancePath} ${e.message}`);
}
