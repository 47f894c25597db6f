/** Settings that keep operators out of a machine are found and named, with the remedy. */
import { expect, it } from 'vitest';
import { withRemedy } from '../../../src/desk/ssh/machine.ts';
import { type CheckedFiles, machineProblems } from '../../../src/desk/ssh/machine-checks.ts';

const KEYS = '/home/t/.local/outcry/ssh/authorized_keys';
const ROOT = { name: 'root', uid: 0, home: '/root', shell: '/bin/bash' };
const USER = { name: 't', uid: 1000, home: '/home/t', shell: '/bin/sh' };

interface Machine {
  readonly texts?: Readonly<Record<string, string>>;
  readonly modes?: Readonly<Record<string, number>>;
  readonly owner?: number;
  readonly shellCode?: number | null;
}

function problems(
  account: typeof USER,
  { texts = {}, modes = {}, owner = account.uid, shellCode = 41 }: Machine = {},
) {
  const files: CheckedFiles = {
    read: (path) =>
      ({
        '/etc/group': 'root:x:0:\ntty:x:5:\n',
        '/etc/shadow': `${account.name}:*:1:::::`,
        '/proc/self/mounts': 'devpts /dev/pts devpts rw,gid=5,mode=620 0 0\n',
        ...texts,
      })[path] ?? null,
    stat: (path) => ({ mode: modes[path] ?? 0o700, uid: owner }),
  };
  return machineProblems(account, KEYS, {
    files,
    run: async () => ({ code: shellCode, out: '', err: '' }),
  });
}

it('finds nothing on a machine as Debian sets it up', async () => {
  expect(await problems(USER)).toEqual([]);
  expect(await problems(ROOT)).toEqual([]);
});

it('names a shell that runs nothing', async () => {
  expect(await problems({ ...USER, shell: '/usr/sbin/nologin' }, { shellCode: 1 })).toEqual([
    'the shell of t, /usr/sbin/nologin, runs no command; give the account one that does (usermod --shell /bin/sh t)',
  ]);
  expect(await problems(USER, { shellCode: null })).toHaveLength(1);
});

it('names an account of root that is locked, and none that only has no password', async () => {
  expect(await problems(ROOT, { texts: { '/etc/shadow': 'root:!:1::\nt:*::' } })).toEqual([
    expect.stringMatching(/^the account root is locked/),
  ]);
  expect(await problems(ROOT, { texts: { '/etc/shadow': 'root:*:1::\nother:!::' } })).toEqual([]);
});

it('names the folder that others can write to, up to the home and not beyond', async () => {
  expect(await problems(USER, { modes: { '/home/t/.local': 0o775 } })).toEqual([
    expect.stringMatching(/^others can write to \/home\/t\/\.local, .* chmod go-w/),
  ]);
  expect(await problems(USER, { modes: { '/home': 0o777 } })).toEqual([]);
  expect(await problems(ROOT, { modes: { '/home': 0o1777 } })).toEqual([
    expect.stringMatching(/\/home, and sshd/),
  ]);
  expect(await problems(USER, { owner: 1001 })).toEqual([expect.stringMatching(/authorized_keys, and sshd/)]);
  expect(await problems(USER, { owner: 0 })).toEqual([]);
});

it('names terminals without the group tty, which only root can put right', async () => {
  const texts = { '/proc/self/mounts': 'devpts /dev/pts devpts rw,mode=600 0 0\n' };
  const found = process.platform === 'linux' ? [expect.stringMatching(/mount \/dev\/pts with gid=5/)] : [];
  expect(await problems(USER, { texts })).toEqual(found);
  expect(await problems(ROOT, { texts })).toEqual([]);
});

it.each([
  ['Missing privilege separation directory: /run/sshd', 'mkdir -p -m 0755 /run/sshd'],
  ['error: Bind to port 2222 on 127.0.0.1 failed: Address already in use.', 'another program has this port'],
  ['error: Bind to port 22 on 127.0.0.1 failed: Permission denied.', 'below 1024'],
  ['error: Bind to port 2222 on 10.0.0.1 failed: Cannot assign requested address.', 'no such address'],
  ['Privilege separation user sshd does not exist', 'installing openssh-server'],
])('says what helps where sshd says %j', (said, helps) => {
  expect(withRemedy(said)).toContain(said);
  expect(withRemedy(said)).toContain(helps);
});
