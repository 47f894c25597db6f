/**
 * Bad links under a login over SSH (remote.md 4): sizes that change all the time, a terminal that does not
 * read, 10 kB/s, and the shell after the end.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSlowLink, type SlowLink } from '../../support/slow-link.ts';
import { until } from '../../support/terminal/wait.ts';
import { processesWith, SshDesk, sshTests } from '../support/ssh-desk.ts';

/** Ten prices a second and more: every tick changes the screen. */
const BUSY = ['--speed', '20'];
const STILL_MS = 30_000;
/**
 * The most that a console may grow while nobody reads its output, in kB. Most of it is garbage that was not
 * collected yet: measured runs had from 1 to 87 MB of it.
 */
const GROWTH_KB = 150_000;
const SLOW_BYTES_PER_S = 10_000;
/**
 * How long the screen is watched over the slow link. If the console did not ask the terminal what it has
 * drawn, the age would grow all the time.
 */
const WATCHED_MS = 12_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function rssKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

sshTests('a line of SSH', () => {
  let desk: SshDesk;
  let link: SlowLink | null = null;
  beforeAll(async () => {
    desk = await SshDesk.open(BUSY);
    await desk.operator('alice');
  });
  afterAll(async () => {
    link?.close();
    await desk.close();
  });

  it('carries a storm of sizes, absurd ones among them, and shows the last', async () => {
    const terminal = await desk.console('alice');
    for (let n = 0; n < 100; n++) {
      terminal.resize(20 + ((n * 37) % 200), 5 + ((n * 13) % 60));
      if (n % 10 === 0) await pause(10);
    }
    terminal.resize(1, 1);
    terminal.resize(900, 400);
    terminal.resize(100, 30);
    await terminal.waitFor(
      (text, lines) =>
        /Watchlist/.test(text) &&
        (lines.at(-1) ?? '').includes('help') &&
        lines.some((line) => line.length > 95),
      'the screen of 100x30',
    );
    terminal.press('q');
    expect((await terminal.ended).exitCode).toBe(0);
  });

  it('may stand still for half a minute: the desk goes on, little is kept, and it shows the truth afterwards or says why it ended', async () => {
    const terminal = await desk.console('alice', { columns: 200, rows: 50 });
    const [pid = 0] = processesWith('attach --as alice', desk.dataDir);
    const hammer = async () => {
      for (const key of ['2', '1', 'ctrl-l']) terminal.press(key);
      await pause(100);
    };
    // Growth that comes from redrawing alone, before the measurement.
    for (let n = 0; n < 50; n++) await hammer();
    terminal.stall();
    const before = rssKb(pid);
    const time = (await desk.owner.state()).prices['paper BTCUSDT']?.time;
    const from = performance.now();
    let grown = 0;
    while (performance.now() - from < STILL_MS) {
      await hammer();
      if (processesWith('attach --as alice', desk.dataDir).length > 0)
        grown = Math.max(grown, rssKb(pid) - before);
    }
    try {
      expect(grown).toBeLessThan(GROWTH_KB);
      await desk.owner.when('prices that moved', ({ prices }) => prices['paper BTCUSDT']?.time !== time);
      terminal.unstall();
      const ended = terminal.ended.then(() => 'ended');
      const shown = terminal.waitFor(/Watchlist|The session has ended/, 'the screen').then(() => 'shown');
      expect(await Promise.race([ended, shown])).toMatch(/ended|shown/);
    } finally {
      // The tests below use other sessions.
      terminal.hangUp();
      await desk.many(0);
    }
  });

  it('of 10 kB/s shows a screen that does not grow older', async () => {
    link = await openSlowLink(desk.port, SLOW_BYTES_PER_S);
    const terminal = await desk.console('alice', { port: link.port });
    const ages: number[] = [];
    const from = performance.now();
    while (performance.now() - from < WATCHED_MS) {
      const [session] = await desk.sessions();
      if (session?.ageMs !== null && session) ages.push(session.ageMs);
      await pause(100);
    }
    const late = ages.slice(-30).sort((a, b) => a - b);
    expect(late[15]).toBeLessThan(1_000);
    terminal.press('q');
    await terminal.ended;
  });

  it('leaves nothing behind in the shell that one comes from', async () => {
    const shell = desk.stage.terminal('bash', ['--norc', '--noprofile', '-i']);
    await shell.waitFor(/\$|#/, 'a prompt');
    shell.type(
      `PS1='prompt> '; ssh ${[...desk.args('alice'), desk.address].map((word) => `'${word}'`).join(' ')}\n`,
    );
    await shell.waitFor(/Watchlist/, 'the console', 60_000);
    shell.press('q');
    await shell.waitFor(/closed\.\s+prompt> $|prompt>\s*$/, 'the prompt');
    await shell.settled(700);
    shell.type('echo done-$((20+22))\n');
    await shell.waitFor('done-42', 'the echo');
    const lines = shell.lines().filter((line) => line.includes('echo done'));
    expect(lines).toEqual(['prompt> echo done-$((20+22))']);
    await until('the end of the session', async () => (await desk.sessions()).length === 0);
    shell.type('exit\n');
  });
});
