/**
 * Checks a call of a terminal before anything else does: its method, how deep its parameters are nested,
 * their form.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { CALL_PARAMS } from './call-params.ts';
import { shortened } from './mirrored.ts';
import type { Method } from './protocol.ts';

/** Most levels of nested objects and lists: code that stores and shows parameters is recursive. */
export const MAX_CALL_DEPTH = 64;

const ajv = new Ajv({
  strict: true,
  verbose: true,
  ownProperties: true,
  // Only for readers of the documentation; the validator ignores it.
  formats: { int64: true },
  keywords: ['x-must-be'],
});
const checks = new Map<Method, ValidateFunction>();

export function isMethod(method: string): method is Method {
  return Object.hasOwn(CALL_PARAMS, method);
}

/** Returns what is wrong with the parameters of a call, as a sentence; null: their form is right. */
export function callProblem(method: Method, params: unknown): string | null {
  if (isDeeper(params, MAX_CALL_DEPTH)) return `parameters are nested more than ${MAX_CALL_DEPTH} deep`;
  // Compiled at the first use: compiling all of them would slow down every start.
  let check = checks.get(method);
  if (!check) {
    check = ajv.compile(CALL_PARAMS[method]);
    checks.set(method, check);
  }
  return check(params) ? null : wordsOf(check.errors ?? []);
}

/** Whether a value is nested deeper; not recursive itself. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let left = depth; level.length > 0; left--) {
    const inner = level.filter((one): one is object => typeof one === 'object' && one !== null);
    if (inner.length > 0 && left === 0) return true;
    level = inner.flatMap((one) => Object.values(one) as unknown[]);
  }
  return false;
}

/**
 * Describes the first error. For a union, every branch reports an error and none is known to be the intended
 * one, so one short text stands for all.
 */
function wordsOf(errors: readonly ErrorObject[]): string {
  const error = errors.find(({ keyword }) => keyword === 'anyOf') ?? errors[0];
  if (!error) return 'the parameters are not understood';
  const where = error.instancePath.slice(1).replaceAll('/', '.') || 'parameters';
  if (error.keyword === 'anyOf') return `${where} have none of the forms that they can have`;
  if (error.keyword === 'additionalProperties')
    return `${where}: there is no field ${JSON.stringify(shortened(String(error.params.additionalProperty)))}`;
  if (error.keyword === 'enum') {
    const known = (error.params as { allowedValues: readonly unknown[] }).allowedValues;
    return `${where} must be one of ${known.join(', ')}`;
  }
  return `${where} ${error.message ?? 'are wrong'}`;
}
