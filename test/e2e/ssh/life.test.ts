/**
 * The desk's own sshd across deaths and restarts (remote.md 4): of a client, of its console, of sshd, of the
 * desk; and its host key through a rotation.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { ROOMY_CONFIG } from '../../support/roomy-limits.ts';
import { Stage } from '../../support/terminal/stage.ts';
import { gone, until } from '../../support/terminal/wait.ts';
import { processesWith, SshDesk, sshTests } from '../support/ssh-desk.ts';

function listenerOf(desk: SshDesk): number[] {
  return processesWith('sshd: ', '[listener]', desk.dataDir);
}

function told(desk: SshDesk, pattern: RegExp) {
  return desk.owner.when(`a line like ${pattern}`, ({ log }) => log.some(({ text }) => pattern.test(text)));
}

sshTests('the desk’s own sshd', () => {
  let desk: SshDesk;
  let stage: Stage;
  let blocking: Server | null = null;
  beforeEach(() => {
    stage = new Stage({ parent: homedir() });
  });
  afterEach(async () => {
    blocking?.close();
    blocking = null;
    await stage.close();
  });

  it('forgets a login whose client, or whose console, is killed', async () => {
    desk = await SshDesk.openOn(stage, stage.dataDir(), await freePort());
    await desk.operator('alice');
    const first = await desk.console('alice');
    process.kill(first.pid, 'SIGKILL');
    await desk.many(0);
    const second = await desk.console('alice');
    const [pid = 0] = processesWith('attach --as alice', desk.dataDir);
    process.kill(pid, 'SIGKILL');
    expect((await second.ended).exitCode).not.toBe(0);
    await desk.many(0);
    expect(processesWith('attach --as alice', desk.dataDir)).toEqual([]);
  });

  it('is started again when it is killed, with the logins that are there untouched', async () => {
    desk = await SshDesk.openOn(stage, stage.dataDir(), await freePort());
    await desk.operator('alice');
    const terminal = await desk.console('alice');
    const [listener = 0] = listenerOf(desk);
    process.kill(listener, 'SIGKILL');
    await told(desk, /nobody can log in over SSH: sshd has ended and is started again in 1 s/);
    terminal.press('2');
    await terminal.waitFor(/Orders/, 'another screen');
    await until('a new sshd', () => listenerOf(desk).find((pid) => pid !== listener));
    await desk.listening();
    const second = await desk.console('alice');
    expect(await desk.sessions()).toHaveLength(2);
    for (const one of [terminal, second]) one.press('q');
  });

  it('ends with the desk, also when that is killed, and so do its logins; the next desk has the same host key', async () => {
    const port = await freePort();
    desk = await SshDesk.openOn(stage, stage.dataDir(), port);
    await desk.operator('alice');
    const [key, listener = 0] = [readFileSync(desk.knownHosts, 'utf8'), ...listenerOf(desk)];
    const terminal = await desk.console('alice');
    const pid = await stage.deskPid(desk.dataDir);
    process.kill(pid, 'SIGKILL');
    await gone(listener);
    expect((await terminal.ended).exitCode).not.toBe(0);
    const next = await SshDesk.openOn(stage, desk.dataDir, port);
    expect(readFileSync(next.knownHosts, 'utf8')).toBe(key);
    (await next.console('alice')).press('q');
    const [second = 0] = listenerOf(next);
    process.kill(await stage.deskPid(desk.dataDir), 'SIGTERM');
    await gone(second);
  });

  it('says what to do when its port is taken, while the desk trades, and listens once it is free', async () => {
    const port = await freePort();
    const server = createServer();
    blocking = server;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const dataDir = stage.dataDir();
    const opening = SshDesk.openOn(stage, dataDir, port);
    const owner = await until('the desk', () => stage.attach(dataDir).catch(() => null));
    await owner.when('the sentence', ({ log }) =>
      log.some(({ text }) => /Address already in use.*another program has this port/.test(text)),
    );
    const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
    await owner.desk.call('feed.control', { action: 'step' });
    const placed = await owner.desk.call('orders.place', { ...order, quantity: '0.01', price: '20000' });
    expect(placed.ok).toBe(true);
    expect((await owner.desk.call('ssh.view', {})).problem).toMatch(/another program has this port/);
    server.close();
    desk = await opening;
    expect((await owner.desk.call('ssh.view', {})).problem).toBeNull();
  });

  it('is named by the configuration file as by the command line, and teaches clients its next host key', async () => {
    const [port, dataDir] = [await freePort(), stage.dataDir()];
    desk = await SshDesk.openOn(stage, dataDir, port);
    process.kill(await stage.deskPid(dataDir), 'SIGTERM');
    await desk.terminal.ended;
    writeFileSync(join(dataDir, 'config.toml'), `${ROOMY_CONFIG}\n[ssh]\nlisten = ["127.0.0.1:${port}"]\n`, {
      mode: 0o600,
    });
    desk = await SshDesk.openOn(stage, dataDir, port, ['--hold'], { ssh: false });
    await desk.operator('alice');
    const learn = ['-o', 'UpdateHostKeys=yes'];
    const { desk: line } = desk.owner;
    const staged = await line.call('ssh.rotate', { now: false });
    const next = staged.ok ? staged.data.nextHostKey?.line : undefined;
    expect(next).toMatch(/^ssh-ed25519 /);
    // The old sshd has ended; the state stays `down` until the new one listens.
    expect(staged.ok && staged.data.state).toBe('down');
    await until('sshd with two keys', async () => (await line.call('ssh.view', {})).state === 'listening');
    const terminal = await desk.console('alice', { before: learn });
    await until('the second key', () => readFileSync(desk.knownHosts, 'utf8').includes(String(next)));
    const turned = await line.call('ssh.rotate', { now: true });
    expect(turned.ok && turned.data.hostKey?.line).toBe(next);
    terminal.press('r');
    await until('sshd with one key', async () => (await line.call('ssh.view', {})).state === 'listening');
    const second = await desk.console('alice');
    for (const one of [terminal, second]) one.press('q');
    await told(desk, /^the host key of the desk's sshd is SHA256:/);
  });
});
