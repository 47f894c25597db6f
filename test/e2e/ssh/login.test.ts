/**
 * Logins over the desk's own sshd with Debian's OpenSSH at both ends (remote.md 4): who can log in, who
 * cannot, and that a key opens the console and nothing else.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { gone, until } from '../../support/terminal/wait.ts';
import { processesWith, runToEnd, SshDesk, sshTests } from '../support/ssh-desk.ts';

const DENIED = /Permission denied \(publickey\)/;

sshTests('a login over SSH', () => {
  let desk: SshDesk;
  beforeAll(async () => {
    desk = await SshDesk.open();
    await desk.operator('alice');
    await desk.operator('vic', 'viewer');
  });
  afterAll(() => desk.close());

  it('shows the console under the operator’s name, and ends with it', async () => {
    const terminal = await desk.console('alice', { columns: 120, rows: 40 });
    expect(terminal.text()).toContain('alice');
    const [session] = await desk.many(1);
    expect(session).toMatchObject({ name: 'alice', role: 'operator', from: '127.0.0.1' });
    expect(session?.terminal).toBe('xterm-256color 120x40');
    terminal.press('q');
    expect((await terminal.ended).exitCode).toBe(0);
    await desk.many(0);
    const { log } = await desk.owner.state();
    const told = log.filter(({ source }) => source === 'ssh').map(({ text }) => text);
    expect(told.some((text) => /^sshd: Accepted publickey for .*ED25519 SHA256:/.test(text))).toBe(true);
    expect(told.some((text) => /^alice\/s\d+ 127\.0\.0\.1 came as operator$/.test(text))).toBe(true);
  });

  it('refuses a key that nobody has registered, and says so in the desk’s log', async () => {
    const { code, err, out } = await desk.run('mallory');
    expect([code, out]).toEqual([255, '']);
    expect(err).toMatch(DENIED);
    await desk.owner.when('the line about it', ({ log }) =>
      log.some(
        ({ source, text }) =>
          source === 'ssh' && /sshd: (Failed publickey|Connection closed by authenticating user)/.test(text),
      ),
    );
  });

  it('refuses a password, another user of the machine, and a user who is not there, alike', async () => {
    const password = await desk.run('mallory', [
      '-o',
      'PreferredAuthentications=password,keyboard-interactive',
    ]);
    expect(password.err).toMatch(DENIED);
    for (const user of ['daemon', 'nobody-here']) {
      const { code, err } = await desk.run('alice', ['-l', user]);
      expect(code).toBe(255);
      expect(err).toMatch(DENIED);
    }
  });

  it('ends the session of an operator who is removed within a second, says why, and refuses the key from then on', async () => {
    await desk.operator('bob');
    const terminal = await desk.console('bob');
    const from = performance.now();
    const removed = await desk.owner.desk.call('operators.remove', { name: 'bob' });
    expect(removed.ok).toBe(true);
    await desk.many(0);
    expect(performance.now() - from).toBeLessThan(1_000);
    await terminal.waitFor('this name is no operator of the desk', 'the reason');
    expect((await terminal.ended).exitCode).toBe(1);
    expect((await desk.run('bob')).err).toMatch(DENIED);
    expect(desk.authorizedKeys).not.toContain('bob');
  });

  it('ends the session of an operator who is lowered, and lets it in again as what it is now', async () => {
    await desk.operator('olga', 'owner');
    const terminal = await desk.console('olga');
    await desk.operator('olga', 'viewer');
    await terminal.waitFor('your role is viewer now', 'the reason');
    await terminal.ended;
    const again = await desk.console('olga');
    expect((await desk.many(1))[0]).toMatchObject({ name: 'olga', role: 'viewer' });
    again.press('q');
    await again.ended;
  });

  it('refuses a key past its end', async () => {
    await desk.operator('eve', 'viewer', { expiresAt: Date.now() + 2_500 });
    expect(desk.authorizedKeys).toMatch(/expiry-time="\d{14}Z"[^\n]* eve\n/);
    const { err } = await until('the end of the access', async () => {
      const ran = await desk.run('eve');
      return DENIED.test(ran.err) ? ran : null;
    });
    expect(err).toMatch(DENIED);
  });

  it('refuses a key from a network that it is not for', async () => {
    await desk.operator('far', 'viewer', { from: ['10.0.0.0/8', '2001:db8::/32'] });
    expect((await desk.run('far')).err).toMatch(DENIED);
    await desk.operator('far', 'viewer', { from: ['10.0.0.0/8', '127.0.0.0/8'] });
    expect((await desk.run('far')).code).toBe(2);
  });

  it('takes certificates of a CA for its operator’s name alone', async () => {
    await desk.operator('carol', 'viewer', { ca: true });
    const sign = (principal: string, name: string) => {
      const pub = `${desk.key(name)}.pub`;
      execFileSync('ssh-keygen', ['-q', '-s', desk.key('carol'), '-I', name, '-n', principal, pub], {
        stdio: 'ignore',
      });
    };
    sign('carol', 'signed');
    sign('alice', 'other');
    expect((await desk.run('signed')).code).toBe(2);
    expect((await desk.run('other')).err).toMatch(DENIED);
    expect((await desk.run('carol')).err).toMatch(DENIED);
  });

  it('runs no command: the one of the login is not looked at', async () => {
    const { code, out, err } = await desk.run('alice', [], ['id; echo pwned']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('this login shows a console and needs a terminal');
    const terminal = await desk.console('alice', { before: ['-t'], after: ['echo', 'pwned'] });
    expect(terminal.text()).not.toContain('pwned');
    terminal.press('q');
    await terminal.ended;
  });

  it('has no sftp, no other subsystem, and copies no files', async () => {
    const sftp = await desk.run('alice', ['-s'], ['sftp']);
    expect([sftp.code, sftp.out]).toEqual([255, '']);
    expect(sftp.err).toContain('subsystem request failed');
    const target = join(desk.stage.folder, 'copied');
    const args = desk.args('alice').map((arg) => (arg === '-p' ? '-P' : arg));
    const scp = await runToEnd('scp', ['-O', ...args, `${desk.address}:/etc/passwd`, target]);
    expect(scp.code).not.toBe(0);
  });

  it('forwards no port either way, no agent and no screen', async () => {
    const [local, remote] = [await freePort(), await freePort()];
    const forwards = ['-L', `${local}:127.0.0.1:${desk.port}`, '-R', `${remote}:127.0.0.1:${desk.port}`];
    const env = { ...process.env, DISPLAY: ':0', SSH_AUTH_SOCK: '/dev/null', LC_ALL: 'C.UTF-8', PWNED: '1' };
    const args = [
      ...desk.args('alice'),
      ...forwards,
      '-A',
      '-X',
      '-v',
      '-tt',
      '-o',
      'SendEnv=LC_ALL PWNED NODE_OPTIONS',
    ];
    const child = spawn('ssh', [...args, desk.address], { stdio: ['pipe', 'ignore', 'pipe'], env });
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    try {
      await desk.many(1);
      await until('the refusal', () => /remote forward failure|forwarding failed/.test(err));
      // The ssh client listens itself, and the server opens nothing for its connections.
      await until(
        'the end of a connection',
        () =>
          new Promise<boolean>((resolve) => {
            const socket = connect(local, '127.0.0.1');
            socket.on('data', () => resolve(false));
            socket.on('error', () => resolve(false));
            socket.on('close', () => resolve(true));
          }),
      );
      expect(err).toMatch(/administratively prohibited/);
      const [pid = 0] = processesWith('attach --as alice', desk.dataDir);
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((one) => one.split('=')[0]);
      expect(environ).toContain('LC_ALL');
      for (const name of ['SSH_AUTH_SOCK', 'DISPLAY', 'PWNED', 'NODE_OPTIONS'])
        expect(environ).not.toContain(name);
    } finally {
      child.kill('SIGKILL');
    }
    await desk.many(0);
  });

  it('has one channel a login', async () => {
    const control = join(desk.stage.folder, 'c');
    const terminal = await desk.console('alice', { before: ['-M', '-S', control] });
    const second = await desk.run('alice', ['-S', control, '-tt', '-o', 'ProxyCommand=/bin/false']);
    expect(second.err).toMatch(/open refused|open failed|Session open refused/i);
    expect(await desk.sessions()).toHaveLength(1);
    terminal.press('q');
    await terminal.ended;
    await runToEnd('ssh', ['-S', control, '-O', 'exit', desk.address]);
  });

  it('draws for a login whose terminal has no size', async () => {
    const child = spawn('ssh', [...desk.args('vic'), '-tt', desk.address], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    try {
      await until('the console', () => out.includes('Watchlist'), 60_000);
      child.stdin.write('q');
      await until('its end', () => child.exitCode !== null);
      expect(child.exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('holds the processes of a login to the console: it can read no file and start nothing', async () => {
    const terminal = await desk.console('alice');
    const [pid = 0] = processesWith('attach --as alice', desk.dataDir);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    expect(words.slice(1, 3)).toEqual(['--permission', expect.stringMatching(/^--allow-fs-read=\//)]);
    terminal.press('q');
    await terminal.ended;
    await gone(pid);
  });

  const HOSTILE = [
    '"',
    "'",
    '\n',
    '\r',
    '\0',
    '`id`',
    '$(id)',
    '%u',
    '\\',
    ' ',
    ',',
    'command="sh"',
    '\u2028',
    '../x',
  ];
  it('lets nothing of a name, a key, its comment and options, a network or an end into authorized_keys', async () => {
    const before = desk.authorizedKeys;
    const key = readFileSync(`${desk.key('ina')}.pub`, 'utf8').trim();
    const [type, blob] = key.split(' ');
    const set = (form: object) =>
      desk.owner.desk
        .call('operators.set', { name: 'ina', role: 'viewer', key, replace: true, ...form } as never)
        .then(
          (outcome) => outcome.ok,
          () => false,
        );
    for (const bad of HOSTILE) {
      expect(await set({ name: `ina${bad}` }), JSON.stringify(bad)).toBe(false);
      expect(await set({ name: bad })).toBe(false);
      expect(
        await set({ from: [`10.0.0.0/8${bad}`.trim() === '10.0.0.0/8' ? `${bad}x` : `10.0.0.0/8${bad}`] }),
      ).toBe(false);
      expect(await set({ key: `command="sh"${bad} ${key}` })).toBe(false);
      expect(await set({ role: `viewer${bad}` })).toBe(false);
    }
    for (const expiresAt of [-1, 1e17, 0.5, '20300101Z" ssh-rsa'])
      expect(await set({ expiresAt })).toBe(false);
    expect(await set({ key: `${key}\nssh-ed25519 ${blob} second` })).toBe(false);
    expect(await set({ key: `${type} ${blob}\0` })).toBe(false);
    expect(desk.authorizedKeys).toBe(before);
    // A comment is not a name: it is left out.
    for (const bad of HOSTILE.filter((text) => !/[\n\r\0]/.test(text)))
      expect(await set({ key: `${type} ${blob} ${bad}` })).toBe(true);
    const added = desk.authorizedKeys.split('\n').filter((line) => !before.includes(line));
    expect(added).toEqual([
      expect.stringMatching(
        new RegExp(`^restrict,pty,command="[^"]*" ${type} ${blob?.replaceAll(/[+/]/g, '.')} ina$`),
      ),
    ]);
  });
});
