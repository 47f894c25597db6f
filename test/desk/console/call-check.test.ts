/** Errors in the parameters of a call, reported before anything uses the parameters. */
import { describe, expect, it } from 'vitest';
import { callProblem, isMethod } from '../../../src/desk/console/call-check.ts';

/** Objects or lists nested to this depth. */
function nested(depth: number, of: (inner: unknown) => unknown): unknown {
  let value: unknown = 'leaf';
  for (let n = 0; n < depth; n++) value = of(value);
  return value;
}

describe('parameters', () => {
  it.each([
    ['objects', (inner: unknown) => ({ inner })],
    ['lists', (inner: unknown) => [inner]],
    ['objects beside smaller ones', (inner: unknown) => ({ a: 1, inner, z: 'text' })],
  ])('may be 64 %s deep and no more', (_what, of) => {
    // The parameters and the settings are two of the levels.
    const problem = (depth: number) =>
      callProblem('bots.create', { type: 'CHANNEL', settings: { x: nested(depth - 2, of) } });
    expect(problem(64)).not.toBe('parameters are nested more than 64 deep');
    expect(problem(65)).toBe('parameters are nested more than 64 deep');
    expect(problem(100_000)).toBe('parameters are nested more than 64 deep');
  });

  it('of none of the methods there are have no form', () => {
    for (const name of ['toString', '__proto__', 'constructor', '']) expect(isMethod(name)).toBe(false);
  });

  it.each([
    ['a field that there is not', { ids: [], more: 1 }, 'parameters: there is no field "more"'],
    ['no field that there must be', {}, "parameters must have required property 'ids'"],
    ['a wrong form', { ids: [1] }, 'ids.0 must be string'],
  ])('are refused with %s', (_what, params, words) => {
    expect(callProblem('alerts.seen', params)).toBe(words);
    expect(callProblem('alerts.seen', { ids: ['a'] })).toBeNull();
  });
});
