/**
 * `outcry keys` and `outcry panic` on a whole desk: they ask for no state, act only after consent, and report
 * the result.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { keysAdd, keysList, keysRevoke } from '../../src/cli/keys.ts';
import type { Shell } from '../../src/cli/light-desk.ts';
import { panic } from '../../src/cli/panic.ts';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { LEVELS, openBots } from '../desk/integration/bots-rig.ts';
import { place, type TestDesk, temporaryFolder } from '../desk/integration/support.ts';

/** A shell. `typed`: what a person types when asked; left out: nobody is at the terminal. */
function shellOf({ desk, clock }: TestDesk, typed?: string) {
  let out = '';
  let err = '';
  const questions: string[] = [];
  // Without a state, a console could not load here.
  const stateless = {
    info: desk.info,
    call: desk.call,
    onChange: (listener: Parameters<typeof desk.onChange>[0]) => desk.onChange(listener),
    delta: (marks: Parameters<typeof desk.delta>[0]) => desk.delta(marks),
    state: () => {
      throw new Error('the state cannot be told');
    },
  };
  const hub = createSessionHub({ desk: stateless, clock, report: () => {} });
  const shell: Shell = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask:
      typed === undefined
        ? null
        : async (question) => {
            questions.push(question);
            return typed;
          },
    secret: null,
    connect: () => connectDirect(hub.accept, clock, { state: false }),
  };
  return { shell, questions, out: () => out, err: () => err };
}

const yes = { yes: true } as const;

describe('outcry keys', () => {
  it('makes a key, prints its private half once, lists it, and revokes it by its name', async () => {
    const { t } = await openBots(['100']);
    const made = shellOf(t);
    const settings = { name: 'script', tier: 'trade', ip: ['10.0.0.0/8'], exchange: ['paper-spot'] } as const;
    expect(await keysAdd({ ...settings, ...yes }, made.shell)).toBe(0);
    expect(made.out()).toMatch(/^-----BEGIN PRIVATE KEY-----\n[^-]+-----END PRIVATE KEY-----\n$/);
    expect(made.err()).toMatch(/shown this once; it is in .*script.*pem/);
    const key = t.desk.state().keys.find(({ label }) => label === 'script');
    expect(key).toMatchObject({ tier: 'trade', ipList: ['10.0.0.0/8'], allowedExchanges: ['paper-spot'] });
    const listed = shellOf(t);
    expect(await keysList({}, listed.shell)).toBe(0);
    expect(listed.out()).toMatch(/^id +name +tier/);
    expect(listed.out()).toMatch(
      new RegExp(`${key?.id} +script +trade +active +never +10\\.0\\.0\\.0/8 +paper-spot`),
    );
    const revoked = shellOf(t);
    expect(await keysRevoke({ which: 'script', ...yes }, revoked.shell)).toBe(0);
    expect(t.desk.state().keys.find(({ id }) => id === key?.id)?.revokedAt).not.toBeNull();
    await expect(keysRevoke({ which: key?.id ?? '', ...yes }, revoked.shell)).rejects.toThrow(
      /revoked already/,
    );
    const lines = shellOf(t);
    await keysList({ json: true }, lines.shell);
    const parsed = lines
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(parsed.map(({ label }) => label)).toContain('script');
  });

  it('takes a public key that was made elsewhere', async () => {
    const { t } = await openBots(['100']);
    const file = join(temporaryFolder(), 'public.pem');
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }));
    const made = shellOf(t);
    expect(await keysAdd({ name: 'other', publicKey: file, ...yes }, made.shell)).toBe(0);
    expect(made.out().trim()).toBe(t.desk.state().keys.find(({ label }) => label === 'other')?.id);
    await expect(keysAdd({ name: 'x', publicKey: `${file}x`, ...yes }, made.shell)).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  it('does nothing without consent; without a terminal it says what to add, exit code 2', async () => {
    const { t } = await openBots(['100']);
    const before = t.desk.state().keys;
    const no = shellOf(t, 'n');
    expect(await keysAdd({ name: 'script' }, no.shell)).toBe(1);
    expect(no.err()).toBe('nothing was done\n');
    await expect(keysAdd({ name: 'script' }, shellOf(t).shell)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('add --yes'),
    });
    const [first] = before;
    await expect(keysRevoke({ which: first?.label ?? '' }, shellOf(t).shell)).rejects.toMatchObject({
      exitCode: 2,
    });
    expect(t.desk.state().keys).toEqual(before);
    expect(await keysAdd({ name: 'script' }, shellOf(t, 'y').shell)).toBe(0);
  });

  it('says which key was meant, and why one is refused', async () => {
    const { t } = await openBots(['100']);
    const { shell } = shellOf(t);
    await keysAdd({ name: 'script', ...yes }, shell);
    await expect(keysRevoke({ which: 'scrip', ...yes }, shell)).rejects.toThrow(
      'there is no key scrip: did you mean script?',
    );
    await expect(keysAdd({ name: 'script', ...yes }, shell)).rejects.toThrow(/already called script/);
  });
});

describe('outcry panic', () => {
  async function busy() {
    const r = await openBots(['100']);
    await r.started({ ...LEVELS, tag: 'grid\u001b[2J' });
    await place(r.t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '1' });
    await r.minutes(1);
    return r;
  }
  const open = ({ desk }: TestDesk) =>
    Object.values(desk.state().orders).filter(({ status }) => status === 'NEW' || status === 'OPENED').length;

  it('stops, cancels and closes everything, says so item by item, exit code 0', async () => {
    const { t } = await busy();
    expect(open(t)).toBeGreaterThan(1);
    const { shell, out } = shellOf(t);
    const done = panic({ ...yes }, shell);
    await t.clock.settle();
    expect(await done).toBe(0);
    expect(open(t)).toBe(0);
    expect(Object.values(t.desk.state().bots).every(({ runId }) => runId === undefined)).toBe(true);
    expect(out()).toMatch(/^done {4}stop grid/m);
    expect(out()).toMatch(/^done {4}cancel BUY 1 BTCUSDT at 50/m);
    expect(out()).toMatch(/^panic: \d+ of \d+ done$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
    expect(out()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('does the parts that are named, and needs the word', async () => {
    const { t } = await busy();
    const no = shellOf(t, 'y');
    expect(await panic({}, no.shell)).toBe(1);
    expect(no.questions[0]).toMatch(/stop 1 bot, cancel \d+ orders, close 0 positions.*Type panic/);
    await expect(panic({}, shellOf(t).shell)).rejects.toMatchObject({ exitCode: 2 });
    expect(Object.values(t.desk.state().bots)[0]?.runId).toBeDefined();
    const word = shellOf(t, 'panic');
    const done = panic({ only: ['bots'] }, word.shell);
    await t.clock.settle();
    expect(await done).toBe(0);
    expect(Object.values(t.desk.state().bots)[0]?.runId).toBeUndefined();
    expect(open(t)).toBeGreaterThan(0);
  });

  it('ends with exit code 1 when something has failed, which it names', async () => {
    const { t } = await busy();
    const { shell: whole, out } = shellOf(t);
    // The desk loses a request.
    const shell: Shell = {
      ...whole,
      connect: async (folder) => {
        const line = await whole.connect(folder);
        if (!line) return null;
        const call: typeof line.call = (method, params) =>
          method === 'orders.cancelAll' ? Promise.reject(new Error('lost')) : line.call(method, params);
        return { ...line, call, close: () => line.close() };
      },
    };
    const done = panic({ only: ['orders'], ...yes }, shell);
    await t.clock.settle();
    const code = await done;
    expect([code, open(t) > 0]).toEqual([1, true]);
    expect(out()).toMatch(/^FAILED {2}cancel /m);
  });
});

describe('without a desk on the data folder', () => {
  it('each says so and starts none', async () => {
    const { t } = await openBots(['100']);
    const shell: Shell = { ...shellOf(t).shell, connect: async () => null };
    for (const run of [
      () => keysList({ dataDir: '/x' }, shell),
      () => keysAdd({ dataDir: '/x', name: 'n', ...yes }, shell),
      () => keysRevoke({ dataDir: '/x', which: 'n', ...yes }, shell),
      () => panic({ dataDir: '/x', ...yes }, shell),
    ])
      await expect(run()).rejects.toThrow('no desk runs on /x: outcry serve starts one');
  });
});

describe('the command line of keys, vault and panic', () => {
  const parse = (text: string) => parseCommandLine(text.split(' '), '1');

  it('is read as settings', () => {
    expect(parse('keys add --name a --tier full --ip ::1 --ip 10.0.0.1 --yes --data-dir d')).toEqual({
      command: 'keys add',
      settings: { name: 'a', tier: 'full', ip: ['::1', '10.0.0.1'], yes: true, dataDir: 'd' },
    });
    expect(parse('--data-dir d keys revoke abc')).toEqual({
      command: 'keys revoke',
      settings: { dataDir: 'd', which: 'abc' },
    });
    expect(parse('panic --only orders --only bots')).toMatchObject({
      settings: { only: ['orders', 'bots'] },
    });
    expect(parse('keys list --json')).toMatchObject({ command: 'keys list' });
    expect(parse('vault change --passphrase-file a --new-passphrase-file b')).toEqual({
      command: 'vault change',
      settings: { passphraseFile: 'a', newPassphraseFile: 'b' },
    });
    expect(parse('vault forget binance --yes')).toMatchObject({ settings: { which: 'binance', yes: true } });
    expect(parse('keys --help')).toMatchObject({ command: 'print', text: expect.stringContaining('revoke') });
  });

  it.each([
    ['keys', /takes add, list or revoke/],
    ['keys lst', /unknown command "keys lst": did you mean list\?/],
    ['keys list more', /outcry keys list takes no arguments/],
    ['keys revoke', /takes the key to revoke/],
    ['keys revoke a b', /takes one key/],
    ['keys add', /--name is missing/],
    ['keys add --nme x', /did you mean --name\?/],
    ['keys add --name x --tier trad', /did you mean trade\?/],
    ['vault', /outcry vault takes init, unlock, lock, change or forget/],
    ['vault unlok', /did you mean unlock\?/],
    ['vault forget', /takes the connection to forget, its name/],
    ['--data-dir d vault forget', /takes the connection to forget/],
    ['vault forget a b', /takes one connection/],
    ['vault lock now', /outcry vault lock takes no arguments/],
    ['vault unlock --passphrase secret', /unknown option --passphrase/],
    ['panic --only order', /did you mean orders\?/],
    ['panic --port 1', /unknown option --port/],
  ])('that is wrong is refused with what is right: %s', (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });
});
