/** The files of the desk's own sshd: a host key created once, always kept, and replaced on demand. */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SshFiles } from '../../../src/desk/ssh/ssh-files.ts';
import { ok } from '../integration/support.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-ssh-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = () => new SshFiles(folder, (size) => randomBytes(size));
const modeOf = (path: string) => statSync(path).mode & 0o777;
const key = () => join(folder, 'ssh', 'host_ed25519');

it('makes a host key once, for this account alone', () => {
  const first = ok(files().open());
  expect([modeOf(join(folder, 'ssh')), modeOf(key())]).toEqual([0o700, 0o600]);
  expect(ok(files().open())).toEqual(first);
  expect(first.next).toBeNull();
});

it.each([
  [
    'half written',
    () => writeFileSync(key(), readFileSync(key(), 'utf8').slice(0, 100)),
    /no private key of OpenSSH/,
  ],
  ['empty', () => writeFileSync(key(), ''), /no private key of OpenSSH/],
  ['open to others', () => chmodSync(key(), 0o640), /others on this machine can read/],
  [
    'a link',
    () => {
      rmSync(key());
      symlinkSync('/dev/null', key());
    },
    /cannot be read \(ELOOP\)/,
  ],
  [
    'a folder',
    () => {
      rmSync(key());
      mkdirSync(key());
    },
    /no host key/,
  ],
])('refuses a host key that is %s, and makes none in its place', (_, spoil, words) => {
  ok(files().open());
  spoil();
  const before = statSync(key(), { throwIfNoEntry: false })?.size;
  const opened = files().open();
  expect(opened.ok ? '' : opened.error.message).toMatch(words);
  expect(statSync(key(), { throwIfNoEntry: false })?.size).toBe(before);
});

it('refuses a folder that others can write to', () => {
  mkdirSync(join(folder, 'ssh'), { mode: 0o700 });
  chmodSync(join(folder, 'ssh'), 0o770);
  const opened = files().open();
  expect(opened.ok ? '' : opened.error.message).toMatch(/others on this machine can write to/);
});

it('prepares the next host key, keeps it until it is turned over, and keeps the old one then', () => {
  const one = files();
  const { now } = ok(one.open());
  const { next } = ok(one.prepareNext());
  expect(ok(one.prepareNext())).toEqual({ now, next });
  expect(ok(files().open())).toEqual({ now, next });
  expect(ok(one.rotate())).toEqual({ now: next, next: null });
  const tail = now.fingerprint
    .slice('SHA256:'.length)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12);
  expect(modeOf(`${key()}.old-${tail}`)).toBe(0o600);
});

it('replaces authorized_keys whole, also over what was left of an attempt', () => {
  const one = files();
  ok(one.open());
  writeFileSync(`${one.authorizedKeys}.new`, 'half');
  ok(one.writeAuthorizedKeys(['a', 'b']));
  ok(one.writeAuthorizedKeys(['c']));
  expect(readFileSync(one.authorizedKeys, 'utf8').split('\n').slice(1)).toEqual(['c', '']);
  expect(modeOf(one.authorizedKeys)).toBe(0o600);
});
