/**
 * `outcry vault` on a whole desk: where passphrases come from, and that nothing of them is printed. Also the
 * hidden input line.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecretBytes } from '../../src/access/secret-file.ts';
import { parseConfig } from '../../src/cli/config.ts';
import { hiddenLine, type RawInput } from '../../src/cli/hidden-line.ts';
import type { Shell } from '../../src/cli/light-desk.ts';
import { vaultChange, vaultForget, vaultInit, vaultLock, vaultUnlock } from '../../src/cli/vault.ts';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { ok, openTestDesk, type TestDesk, temporaryFolder } from '../desk/integration/support.ts';

const GOOD = 'correct horse battery';
const OTHER = 'staple correct horse';
const vaultPorts = { vault: { cost: { memory: 64, passes: 1, lanes: 1 } } };

/**
 * A shell. `typed`: passphrases in the order in which they are asked for; null gives up; left out: nobody is
 * at the terminal.
 */
function shellOf({ desk, clock }: TestDesk, typed?: readonly (string | null)[]) {
  const said = { out: '', err: '', questions: [] as string[], given: [] as Buffer[] };
  const hub = createSessionHub({ desk, clock, report: () => {} });
  const left = [...(typed ?? [])];
  const shell: Shell = {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    ask: null,
    secret: typed
      ? async (question) => {
          said.questions.push(question);
          const next = left.shift();
          if (next == null) return null;
          const bytes = Buffer.from(next);
          said.given.push(bytes);
          return bytes;
        }
      : null,
    connect: () => connectDirect(hub.accept, clock, { state: false }),
  };
  return { shell, said };
}

const stateOf = ({ desk }: TestDesk) => desk.state().vault.state;

function fileOf(text: string, mode = 0o600): string {
  const file = join(temporaryFolder(), 'passphrase');
  writeFileSync(file, text, { mode });
  return file;
}

describe('outcry vault', () => {
  it('makes, locks, opens and changes it with what is typed', async () => {
    const t = await openTestDesk({ ports: vaultPorts });
    const typed = [GOOD, GOOD, GOOD, GOOD, OTHER, OTHER];
    const { shell, said } = shellOf(t, typed);
    expect(await vaultInit({}, shell)).toBe(0);
    expect(stateOf(t)).toBe('open');
    expect(await vaultLock({}, shell)).toBe(0);
    expect(stateOf(t)).toBe('locked');
    expect(await vaultUnlock({}, shell)).toBe(0);
    expect(stateOf(t)).toBe('open');
    expect(await vaultChange({}, shell)).toBe(0);
    expect(said.out.split('\n').slice(0, -1)).toEqual([
      'the vault is made and open',
      'the vault is locked',
      'the vault is open',
      'the vault opens with the new passphrase',
    ]);
    expect(said.questions).toHaveLength(6);
    expect(said.given.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
    for (const text of [GOOD, OTHER])
      expect(JSON.stringify([said.out, said.err, said.questions])).not.toContain(text);
    await expect(vaultUnlock({ passphraseFile: fileOf(GOOD) }, shell)).rejects.toThrow(
      /passphrase is wrong.* 1 s/,
    );
    await expect(vaultUnlock({ passphraseFile: fileOf(OTHER) }, shell)).rejects.toThrow(/try again in 1 s/);
  });

  it.each([
    ['two that differ', [GOOD, OTHER], 'the two are not the same\nnothing was done\n'],
    ['one given up', [null], 'nothing was done\n'],
    ['the second given up', [GOOD, null], 'nothing was done\n'],
  ])('does nothing after %s', async (_, typed, words) => {
    const t = await openTestDesk({ ports: vaultPorts });
    const { shell, said } = shellOf(t, typed);
    expect(await vaultInit({}, shell)).toBe(1);
    expect(said.err).toBe(words);
    expect(stateOf(t)).toBe('none');
    expect(said.given.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
  });

  it('takes files, and without a terminal nothing else', async () => {
    const t = await openTestDesk({ ports: vaultPorts });
    const { shell } = shellOf(t);
    await expect(vaultInit({}, shell)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('add --passphrase-file FILE'),
    });
    expect(await vaultInit({ passphraseFile: fileOf(`${GOOD}\n`) }, shell)).toBe(0);
    await vaultLock({}, shell);
    const change = { passphraseFile: fileOf(GOOD), newPassphraseFile: fileOf(`${OTHER}\r\n`) };
    expect(await vaultChange(change, shell)).toBe(0);
    expect(await vaultUnlock({ passphraseFile: fileOf(OTHER) }, shell)).toBe(0);
    for (const [file, words] of [
      [fileOf(OTHER, 0o644), 'others on this machine can read'],
      [join(temporaryFolder(), 'missing'), 'ENOENT'],
      [temporaryFolder(), 'is not a file'],
      [fileOf('x'.repeat(5_000)), 'larger than 4096 bytes'],
    ] as const)
      await expect(vaultUnlock({ passphraseFile: file }, shell)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(words),
      });
    const bad = join(temporaryFolder(), 'latin1');
    writeFileSync(bad, Buffer.from('passphrase \xfc\xfc', 'latin1'), { mode: 0o600 });
    await expect(vaultUnlock({ passphraseFile: bad }, shell)).rejects.toThrow(/not UTF-8/);
  });

  it('forgets after consent only', async () => {
    const t = await openTestDesk({ ports: vaultPorts });
    const { shell, said } = shellOf(t);
    await expect(vaultForget({ which: 'binance' }, shell)).rejects.toThrow(/add --yes/);
    await expect(vaultForget({ which: 'binance', yes: true }, shell)).rejects.toThrow(/nothing of binance/);
    expect(await vaultForget({ which: 'binance' }, { ...shell, ask: async () => 'y' })).toBe(1);
    expect(said.err).toBe('nothing was done\n');
    ok(await t.call('vault.init', { passphrase: GOOD }));
  });
});

describe('a secret file', () => {
  it('of systemd may be read by its group, and only below its folder', () => {
    const folder = temporaryFolder();
    const credentials = join(folder, 'credentials');
    mkdirSync(credentials);
    const inside = join(credentials, 'vault');
    writeFileSync(inside, GOOD);
    chmodSync(inside, 0o440);
    const outside = fileOf(GOOD, 0o440);
    symlinkSync(outside, join(credentials, 'link'));
    const read = (path: string, set?: string) => {
      const found = readSecretBytes(path, set);
      return 'bytes' in found ? found.bytes.toString() : found.problem;
    };
    expect(read('$CREDENTIALS_DIRECTORY/vault', credentials)).toBe(GOOD);
    expect(read(inside, credentials)).toBe(GOOD);
    expect(read('$CREDENTIALS_DIRECTORY/vault')).toContain('is not set');
    expect(read(inside)).toContain('others on this machine');
    expect(read(outside, credentials)).toContain('others on this machine');
    expect(read('$CREDENTIALS_DIRECTORY/link', credentials)).toContain('others on this machine');
    expect(read(join(folder, 'credentials-not', 'x'), credentials)).toContain('ENOENT');
  });

  it('is named in config.toml from its folder, or below the credentials of a service', () => {
    const option = (path: string) =>
      parseConfig('/data/config.toml', `[vault]\npassphrase_file = "${path}"\n`).options.vaultPassphraseFile;
    expect(option('vault.pass')).toBe('/data/vault.pass');
    expect(option('/run/vault.pass')).toBe('/run/vault.pass');
    expect(option('$CREDENTIALS_DIRECTORY/vault')).toBe('$CREDENTIALS_DIRECTORY/vault');
    expect(() => option('')).toThrow(/vault.passphrase_file cannot be ""/);
    expect(parseConfig('/data/config.toml', '').options).not.toHaveProperty('vaultPassphraseFile');
  });
});

describe('a line that is typed unseen', () => {
  function typing() {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) });
    let shown = '';
    const ask = () =>
      hiddenLine(input as unknown as RawInput, 'Passphrase: ', (text) => {
        shown += text;
      });
    return { input, modes, ask, shown: () => shown };
  }

  it.each([
    ['plain text', 'secret words\r', 'secret words'],
    ['letters of several bytes', 'grüße 🔑\n', 'grüße 🔑'],
    ['a mistake', 'secrex\x7ft\r', 'secret'],
    ['a mistake in a letter of several bytes', 'aü🔑\x7f\x7fb\r', 'ab'],
    ['more backspaces than text', 'a\x7f\x7f\x7fb\r', 'b'],
    ['a new beginning', 'wrong\x15right\r', 'right'],
    ['arrows and other keys', 'a\x1b[D\x1b[1;5Cb\x1bOPc\x01\x02\r', 'abc'],
    ['Ctrl-D within', 'ab\x04c\r', 'abc'],
    ['nothing', '\r', ''],
    ['a give-up', 'secret\x03', null],
    ['Ctrl-D at the beginning', '\x04', null],
  ])('takes %s', async (_, typed, expected) => {
    const { input, modes, ask, shown } = typing();
    const line = ask();
    const chunk = Buffer.from(typed);
    input.write(chunk);
    const got = await line;
    expect(got?.toString() ?? null).toBe(expected);
    expect(shown()).toBe('Passphrase: \n');
    expect(modes).toEqual([true, false]);
    expect(chunk.every((byte) => byte === 0)).toBe(true);
    expect(input.listenerCount('data')).toBe(0);
  });

  it('takes keys one by one, the end of the input as a give-up, and leaves the next line for the next question', async () => {
    const slow = typing();
    const line = slow.ask();
    for (const byte of Buffer.from('one ü\r')) slow.input.write(Buffer.from([byte]));
    expect((await line)?.toString()).toBe('one ü');
    const over = typing();
    const none = over.ask();
    over.input.end();
    expect(await none).toBeNull();
    const two = typing();
    const first = two.ask();
    two.input.write('first\rsecond\r');
    expect((await first)?.toString()).toBe('first');
    expect((await two.ask())?.toString()).toBe('second');
  });

  it('takes no more than a line can have', async () => {
    const { input, ask } = typing();
    const line = ask();
    input.write(`${'x'.repeat(5_000)}\r`);
    expect((await line)?.length).toBe(4_096);
  });
});
