/** Looks at a call of a terminal before anything else does: its method, how deep its parameters are nested, their form. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { CALL_PARAMS } from './call-params.ts';
import { shortened } from './mirrored.ts';
import type { Method } from './protocol.ts';

/** Objects and lists within each other: what is stored and shown is walked by functions that call themselves. */
export const MAX_CALL_DEPTH = 64;

const ajv = new Ajv({
  strict: true,
  verbose: true,
  ownProperties: true,
  // Says something to the reader of the documentation, nothing to the validator.
  formats: { int64: true },
  keywords: ['x-must-be'],
});
const checks = new Map<Method, ValidateFunction>();

export function isMethod(method: string): method is Method {
  return Object.hasOwn(CALL_PARAMS, method);
}

/** What is wrong with the parameters of a call, in a sentence; null: they have their form. */
export function callProblem(method: Method, params: unknown): string | null {
  if (isDeeper(params, MAX_CALL_DEPTH)) return `parameters are nested more than ${MAX_CALL_DEPTH} deep`;
  // Compiled at the first use: all of them would be a part of every start.
  let check = checks.get(method);
  if (!check) {
    check = ajv.compile(CALL_PARAMS[method]);
    checks.set(method, check);
  }
  return check(params) ? null : wordsOf(check.errors ?? []);
}

/** Without calling itself. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let left = depth; level.length > 0; left--) {
    const inner = level.filter((one): one is object => typeof one === 'object' && one !== null);
    if (inner.length > 0 && left === 0) return true;
    level = inner.flatMap((one) => Object.values(one) as unknown[]);
  }
  return false;
}

/** Of a union every branch says what it misses; the branch that was meant comes last in none, so all say it shortly. */
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
