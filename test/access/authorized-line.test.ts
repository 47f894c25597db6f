/**
 * The line of `authorized_keys` that lets an operator in: nothing of a name, a key, an address or a path
 * becomes an option or a command.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttachPlace, authorizedLine } from '../../src/access/authorized-line.ts';
import { nameProblem, Operators } from '../../src/access/operators.ts';
import { attachEnv, loginFrom } from '../../src/cli/attach.ts';
import type { OperatorRecord } from '../../src/domain/operator.ts';

const PLACE: AttachPlace = {
  node: '/usr/bin/node',
  root: '/opt/outcry',
  main: '/opt/outcry/dist/main.js',
  dataDir: '/var/lib/out cry',
};
const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAICwPDWRtZbyQW5SUH5LUPqwIvfr/9E3ULhY/R6OGhrpg';
const ALICE: OperatorRecord = {
  name: 'alice',
  role: 'operator',
  ca: false,
  from: [],
  expiresAt: null,
  verify: false,
  createdAt: 0,
  key: { type: 'ssh-ed25519', blob: KEY, fingerprint: 'SHA256:x' },
};
const COMMAND =
  "'/usr/bin/node' '--permission' '--allow-fs-read=/opt/outcry' '/opt/outcry/dist/main.js' 'attach' '--as' 'alice' '--role' 'operator' '--data-dir' '/var/lib/out cry'";

const lineOf = (operator: Partial<OperatorRecord> = {}, place: Partial<AttachPlace> = {}) => {
  const made = authorizedLine({ ...ALICE, ...operator }, { ...PLACE, ...place });
  return made.ok ? made.data : null;
};

describe('the line of an operator', () => {
  it('restricts the key to a terminal and to the console as that operator', () => {
    expect(lineOf()).toBe(`restrict,pty,command="${COMMAND}" ssh-ed25519 ${KEY} alice`);
  });

  it('carries networks, the end in UTC, the PIN of a security key, and certificates of the name alone', () => {
    const line = lineOf({
      from: ['10.0.0.0/8', '2001:db8::/32'],
      expiresAt: Date.UTC(2027, 0, 31, 12, 5, 9),
      verify: true,
      ca: true,
    });
    expect(line).toContain(
      '",from="10.0.0.0/8,2001:db8::/32",expiry-time="20270131120509Z",verify-required,cert-authority,principals="alice" ssh-ed25519 ',
    );
  });

  it.each([
    "/tmp/it's",
    '/tmp/a"b',
    '/tmp/a`b',
    '/tmp/$HOME',
    '/tmp/100%',
    '/tmp/a\\b',
    '/tmp/a\nb',
    'relative',
    '',
  ])('is refused for the path %j', (path) => {
    for (const field of ['node', 'root', 'main', 'dataDir'] as const)
      expect(lineOf({}, { [field]: path })).toBeNull();
  });

  it('has four words outside its quotes, whatever is registered', () => {
    const operators = new Operators();
    fc.assert(
      fc.property(
        fc.record({ name: fc.string(), from: fc.array(fc.string(), { maxLength: 3 }), comment: fc.string() }),
        ({ name, from, comment }) => {
          const form = { name, role: 'viewer', key: `ssh-ed25519 ${KEY} ${comment}`, from };
          const made = operators.set(form, 0);
          if (!made.ok) return;
          const line = lineOf(made.data.operator) ?? '';
          expect(line.replaceAll(/"[^"]*"/g, '""').split(' ')).toHaveLength(4);
          expect(line).not.toMatch(/[\r\n]/);
        },
      ),
    );
  });
});

it.each(['', 'Alice', '1a', 'a b', 'a'.repeat(33), 'a"', 'é', 'a\n', '-a', 'local'])(
  '%j is no name of an operator',
  (name) => {
    expect(nameProblem(name)).not.toBeNull();
  },
);

it.each([
  [1_000, false],
  [1_001, true],
  [Date.UTC(9999, 11, 31) - 1, true],
  [Date.UTC(9999, 11, 31), false],
  [1_001.5, false],
  [Number.NaN, false],
])('an access that ends at %d is given at 1000: %s', (expiresAt, isGiven) => {
  const form = { name: 'bob', role: 'viewer', key: `ssh-ed25519 ${KEY}`, expiresAt };
  expect(new Operators().set(form, 1_000).ok).toBe(isGiven);
});

describe('what a login brings', () => {
  it('is taken as far as it is the kind of a terminal and a language, and no further', () => {
    const env = {
      TERM: 'xterm-256color',
      LANG: 'de_DE.UTF-8',
      COLORTERM: 'true color',
      NODE_OPTIONS: '--require x',
      PATH: '/x',
      EDITOR: 'sh',
      LC_ALL: 'x'.repeat(65),
      NO_COLOR: '\u001b[2J',
    };
    expect(attachEnv(env)).toEqual({ TERM: 'xterm-256color', LANG: 'de_DE.UTF-8' });
  });

  it.each([
    ['10.1.2.3 40000 10.0.0.1 22', '10.1.2.3'],
    ['2001:db8::1 40000 ::1 22', '2001:db8::1'],
    ['10.1.2.3', 'unknown'],
    ['alice 1 2 3', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('comes from %j as %s', (connection, from) => {
    expect(loginFrom(connection)).toBe(from);
  });
});
