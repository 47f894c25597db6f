/**
 * The operators of a desk: each has a name and a key of its own, a change keeps what it does not name, and
 * nothing holds before it is taken.
 */
import { expect, it } from 'vitest';
import { FROM_MAX, OPERATORS_MAX, Operators } from '../../src/access/operators.ts';
import type { OperatorForm } from '../../src/domain/operator.ts';

/** A well-formed key; each number gives another one. */
function keyOf(n: number): string {
  const point = Buffer.alloc(65, n);
  point[0] = 4;
  point.writeUInt32BE(n, 1);
  const fields = ['ecdsa-sha2-nistp256', 'nistp256', point].map((value) => {
    const bytes = Buffer.from(value as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return `ecdsa-sha2-nistp256 ${Buffer.concat(fields).toString('base64')}`;
}

const form = (name: string, n: number, change: Partial<OperatorForm> = {}): OperatorForm => ({
  name,
  role: 'operator',
  key: keyOf(n),
  ...change,
});

/** Applies a change that must be right, at this time. */
function add(operators: Operators, given: OperatorForm, wall = 1_000, replace = false) {
  const made = operators.set(given, wall, replace);
  if (!made.ok) throw new Error(made.error.message);
  operators.take(made.data);
  return made.data.operator;
}

function problemOf(operators: Operators, given: OperatorForm, replace = false): string | null {
  const made = operators.set(given, 1_000, replace);
  return made.ok ? null : `${made.error.code}: ${made.error.message}`;
}

it('a name is given once; to replace its operator keeps when it began, and its own key', () => {
  const operators = new Operators();
  add(operators, form('alice', 1, { expiresAt: 9_000, from: ['10.0.0.0/8'], verify: false }));
  expect(problemOf(operators, form('alice', 2))).toBe(
    'CONFLICT: alice is an operator already; remove it first',
  );
  expect(add(operators, form('alice', 1, { role: 'viewer' }), 5_000, true)).toMatchObject({
    createdAt: 1_000,
    role: 'viewer',
    // What the form does not name is off.
    expiresAt: null,
    from: [],
  });
  expect(add(operators, form('bob', 2), 5_000, true)).toMatchObject({ createdAt: 5_000 });
  expect(operators.list().map(({ name }) => name)).toEqual(['alice', 'bob']);
});

it('a key is that of one operator, whether another is added or replaced, until that one is removed', () => {
  const operators = new Operators();
  add(operators, form('alice', 1));
  add(operators, form('bob', 2));
  const taken = 'CONFLICT: this key is that of alice; each operator has one of its own';
  expect(problemOf(operators, form('carol', 1, { key: `${keyOf(1)} another comment` }))).toBe(taken);
  expect(problemOf(operators, form('bob', 1), true)).toBe(taken);
  expect(operators.remove('alice').ok).toBe(true);
  expect(problemOf(operators, form('bob', 1), true)).toBe(taken);
  operators.drop('alice');
  expect(problemOf(operators, form('bob', 1), true)).toBeNull();
  expect(operators.remove('alice')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

it('what is made does not hold before it is taken, and what is removed holds until it is dropped', () => {
  const operators = new Operators();
  const made = operators.set(form('alice', 1), 1_000);
  expect([made.ok, operators.list()]).toEqual([true, []]);
  expect(operators.standing('alice', 2_000)).toHaveProperty('refused');
  if (made.ok) operators.take(made.data);
  operators.remove('alice');
  expect(operators.standing('alice', 2_000)).toEqual({ role: 'operator' });
});

it('an access ends at its time, not before', () => {
  const operators = new Operators();
  add(operators, form('alice', 1, { expiresAt: 5_000 }));
  expect(operators.standing('alice', 4_999)).toEqual({ role: 'operator' });
  expect(operators.standing('alice', 5_000)).toHaveProperty('refused');
});

it('there are a hundred of them at most, who can still be replaced', () => {
  const operators = new Operators();
  for (let n = 0; n < OPERATORS_MAX; n++) add(operators, form(`o${n}`, n));
  expect(problemOf(operators, form('more', 1_000))).toMatch(/^CONFLICT: a desk has at most 100 operators/);
  expect(problemOf(operators, form('more', 1_000), true)).toMatch(/at most 100 operators/);
  expect(problemOf(operators, form('o7', 1_000), true)).toBeNull();
});

it('networks are kept once each, in their one spelling, and no more than there may be', () => {
  const operators = new Operators();
  const from = (...entries: string[]) => problemOf(operators, form('alice', 1, { from: entries }));
  const { from: kept } = add(operators, form('bob', 2, { from: [' 10.0.0.0/8', '10.0.0.0/8', '::1'] }));
  expect(kept).toEqual(['10.0.0.0/8', '::1/128']);
  expect(from('10.0.0.0/8', '10.0.0.1/8')).toContain('"10.0.0.1/8" has bits set after its prefix');
  const many = (count: number) => Array.from({ length: count }, (_, n) => `10.0.0.${n}`);
  expect([from(...many(FROM_MAX)), from(...many(FROM_MAX + 1))]).toEqual([
    null,
    'INVALID_REQUEST: at most 32 networks may be named',
  ]);
});

it('only a key on a security key can be verified; a role is one of three', () => {
  const operators = new Operators();
  expect(problemOf(operators, form('alice', 1, { verify: true }))).toContain('only a key on a security key');
  expect(problemOf(operators, form('alice', 1, { role: 'admin' }))).toContain('role must be');
});
