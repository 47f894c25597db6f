/**
 * `outcry connect` and `disconnect` on a whole desk: where keys come from, what is printed about them, and
 * what is asked first.
 */
import { createPublicKey } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { connect, disconnect } from '../../src/cli/connect.ts';
import type { Shell } from '../../src/cli/light-desk.ts';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { KEY, openRig, type Rig, SECRET } from '../desk/connections/rig.ts';
import { acme } from '../desk/connections/test-kind.ts';
import { openTestDesk, type TestDesk, temporaryFolder } from '../desk/integration/support.ts';

interface Typed {
  readonly ask?: readonly string[];
  readonly secret?: readonly string[];
}

function shellOf({ desk, clock }: TestDesk, typed: Typed = {}) {
  let out = '';
  let err = '';
  const questions: string[] = [];
  const answers = [...(typed.ask ?? [])];
  const hidden = [...(typed.secret ?? [])];
  const hub = createSessionHub({ desk, clock, report: () => {} });
  const asked = (question: string, list: string[]) => {
    questions.push(question);
    return list.shift() ?? '';
  };
  const shell: Shell = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask: typed.ask ? async (question) => asked(question, answers) : null,
    secret: typed.secret ? async (question) => Buffer.from(asked(question, hidden)) : null,
    connect: () => connectDirect(hub.accept, clock, { state: false }),
  };
  return { shell, questions, said: () => out + err };
}

const NO_INPUT = { json: null };
const json = (value: unknown) => ({
  json: async () => (typeof value === 'string' ? value : JSON.stringify(value)),
});
const WHICH = { which: 'acme' };
const ids = ({ desk }: Rig) => desk.state().accounts.map(({ id }) => id);

function files(): { apiKeyFile: string; secretFile: string } {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    return file;
  };
  return { apiKeyFile: write('key', KEY), secretFile: write('secret', SECRET) };
}

describe('outcry connect', () => {
  it('takes keys from files, prints each line of the test and the guards, and connects', async () => {
    const rig = await openRig();
    const { shell, said } = shellOf(rig);
    const bounds = { maxOrderValue: '250', dailyLossLimit: '2.5', symbols: 'BTCUSDT,ETHUSDT' };
    const settings = { ...WHICH, ...files(), yes: true, ...bounds };
    expect(await rig.wait(connect(settings, shell, NO_INPUT))).toBe(0);
    expect(said()).toContain('ok    acme-spot  account: account 1234');
    expect(said()).toContain('ok    acme-futures  position mode: one-way');
    expect(said()).toContain('guards of acme-spot: maxOrderValue 250, maxPositionValue 5000');
    expect(said()).toContain('acme is connected (LIVE): acme-spot, acme-futures');
    expect(ids(rig)).toContain('acme-futures');
    const set = rig.desk.state().accounts.find(({ id }) => id === 'acme-spot')?.guards?.set;
    expect(set).toMatchObject({ ...bounds, maxPositionValue: '5000', symbols: ['BTCUSDT', 'ETHUSDT'] });
    expect(said()).not.toMatch(/key-0|secret-0/);
  });

  it('takes one JSON object on standard input, and says what it takes where it gets another', async () => {
    const rig = await openRig();
    for (const bad of [
      '{"apiKey":"hidden-text"',
      '[]',
      { apiKey: 'hidden-text' },
      { apiKey: 'k', secret: 's', other: 'hidden-text' },
      { apiKey: 1, secret: 's' },
    ]) {
      const { shell } = shellOf(rig);
      const trying = rig.wait(connect({ ...WHICH, yes: true }, shell, json(bad)));
      await expect(trying).rejects.toThrow('one JSON object with apiKey, secret');
      await expect(trying).rejects.not.toThrow('hidden-text');
    }
    const { shell } = shellOf(rig);
    const settings = { ...WHICH, markets: 'spot', yes: true };
    expect(await rig.wait(connect(settings, shell, json({ apiKey: KEY, secret: SECRET })))).toBe(0);
    expect(ids(rig)).toEqual(['paper-spot', 'paper-futures', 'acme-spot']);
  });

  it('makes a key whose private half stays in the vault, and connects with what the exchange gives for it', async () => {
    const exchange = acme();
    const rig = await openRig({
      exchange: { ...exchange, kind: { ...exchange.kind, makesKey: true as const } },
    });
    const settings = { ...WHICH, makeKey: true, yes: true };
    const first = shellOf(rig);
    expect(await rig.wait(connect(settings, first.shell, NO_INPUT))).toBe(0);
    const [publicKey = ''] =
      /-----BEGIN PUBLIC KEY-----[\s\S]+-----END PUBLIC KEY-----/.exec(first.said()) ?? [];
    expect(first.said()).toContain('Register this public key at Acme; its private half stays in the vault.');
    expect(first.said()).toContain('outcry connect acme --make-key --api-key-file FILE');
    expect(ids(rig)).toHaveLength(2);
    const { apiKeyFile } = files();
    const second = shellOf(rig);
    expect(await rig.wait(connect({ ...settings, apiKeyFile }, second.shell, NO_INPUT))).toBe(0);
    expect(second.said()).toContain('acme is connected (LIVE): acme-spot, acme-futures');
    const used = exchange.line('acme-spot').keys[1] as Buffer;
    expect(createPublicKey(used.toString()).export({ format: 'pem', type: 'spki' }).toString().trim()).toBe(
      publicKey,
    );
    expect(first.said() + second.said()).not.toContain('PRIVATE KEY');
  });

  it('at a terminal goes on from the key that is made to what the exchange gives for it', async () => {
    const exchange = acme();
    const rig = await openRig({
      exchange: { ...exchange, kind: { ...exchange.kind, makesKey: true as const } },
    });
    const { shell, said, questions } = shellOf(rig, { ask: ['acme'], secret: [KEY] });
    expect(await rig.wait(connect({ ...WHICH, makeKey: true }, shell, NO_INPUT))).toBe(0);
    expect(said()).toContain('-----BEGIN PUBLIC KEY-----');
    expect(questions).toEqual(['API key: ', expect.stringContaining('Type acme to go on')]);
    expect(ids(rig)).toHaveLength(4);
  });

  it('asks for keys unseen, and connects real money only when the name is typed', async () => {
    const rig = await openRig();
    const no = shellOf(rig, { ask: ['yes'], secret: [KEY, SECRET] });
    expect(await rig.wait(connect(WHICH, no.shell, NO_INPUT))).toBe(1);
    expect(no.questions.at(-1)).toBe(
      'acme (account 1234) is about to be connected, with real money. Type acme to go on: ',
    );
    expect(no.said()).toContain('API key: Made under API Management.');
    expect(ids(rig)).toHaveLength(2);
    const yes = shellOf(rig, { ask: ['acme'], secret: [KEY, SECRET] });
    expect(await rig.wait(connect(WHICH, yes.shell, NO_INPUT))).toBe(0);
    expect(ids(rig)).toHaveLength(4);
  });

  it('uses a key that may withdraw only when that is typed or said in an option', async () => {
    const rig = await openRig();
    rig.acme.account.permissions = async () => ({
      trade: true,
      withdraw: true,
      transfer: true,
      addresses: [],
      expiresAt: null,
    });
    const headless = shellOf(rig);
    await expect(
      rig.wait(connect({ ...WHICH, ...files(), yes: true }, headless.shell, NO_INPUT)),
    ).rejects.toThrow('--allow-withdrawals');
    const typed = shellOf(rig, { ask: ['withdraw', 'acme'] });
    expect(await rig.wait(connect({ ...WHICH, ...files() }, typed.shell, NO_INPUT))).toBe(1);
    const right = shellOf(rig, { ask: ['withdraw transfer', 'acme'] });
    expect(await rig.wait(connect({ ...WHICH, ...files() }, right.shell, NO_INPUT))).toBe(0);
    expect(right.said()).toContain('may be used from any address');
  });

  it('stops at a test that fails, and at a file that others can read', async () => {
    const rig = await openRig();
    rig.acme.account.open = async (key) => {
      throw new Error(`no such key: ${key}`);
    };
    const { shell, said } = shellOf(rig);
    expect(await rig.wait(connect({ ...WHICH, ...files(), yes: true }, shell, NO_INPUT))).toBe(1);
    expect(said()).toContain('FAIL  acme-spot  reachable: no such key: (hidden)');
    expect(said()).not.toContain(KEY);
    const open = files();
    chmodSync(open.secretFile, 0o644);
    await expect(rig.wait(connect({ ...WHICH, ...open, yes: true }, shell, NO_INPUT))).rejects.toThrow(
      'chmod 600',
    );
    expect(ids(rig)).toHaveLength(2);
  });

  it('says what is built in where nothing else is, and reads no key for that', async () => {
    const t = await openTestDesk({ feed: 'synthetic' });
    const { shell } = shellOf(t);
    await expect(connect({ which: 'nobody', yes: true }, shell, json('never read'))).rejects.toThrow(
      'nobody cannot be connected; built in: binance',
    );
  });

  it('is refused on a replay in one sentence', async () => {
    const rig = await openRig({ speed: 10 });
    const { shell } = shellOf(rig);
    await expect(rig.wait(connect({ ...WHICH, yes: true }, shell, json({})))).rejects.toThrow(
      /^real accounts trade by the clock/,
    );
  });
});

describe('outcry disconnect', () => {
  it('asks for the name, and takes the connection away', async () => {
    const rig = await openRig();
    const { shell, said } = shellOf(rig, { ask: ['acme', 'acme'] });
    expect(await rig.wait(connect({ ...WHICH, ...files() }, shell, NO_INPUT))).toBe(0);
    await expect(rig.wait(disconnect({ which: 'acmee' }, shell))).rejects.toThrow('did you mean acme?');
    expect(await rig.wait(disconnect(WHICH, shell))).toBe(0);
    expect(said()).toContain('acme is disconnected');
    expect(ids(rig)).toHaveLength(2);
  });
});

describe('the command line', () => {
  const parse = (line: string) => parseCommandLine(line.split(' '), '0');
  it('has their options', () => {
    const line =
      'connect mine --venue binance --markets spot,futures --environment demo --api-key-file k --secret-file s --allow-withdrawals --replace --max-order-value 5 --endpoint spot-rest=http://127.0.0.1:1 --data-dir d';
    expect(parse(line)).toEqual({
      command: 'connect',
      settings: {
        which: 'mine',
        venue: 'binance',
        markets: 'spot,futures',
        environment: 'demo',
        apiKeyFile: 'k',
        secretFile: 's',
        allowWithdrawals: true,
        replace: true,
        maxOrderValue: '5',
        dataDir: 'd',
        endpoint: ['spot-rest=http://127.0.0.1:1'],
      },
    });
    expect(parse('disconnect mine --yes')).toEqual({
      command: 'disconnect',
      settings: { which: 'mine', yes: true },
    });
  });

  it.each([
    ['connect', /outcry connect takes the name to connect/],
    ['disconnect', /outcry disconnect takes the exchange to disconnect/],
    ['connect a b', /outcry connect takes one name/],
    ['connect a --markets spot,stocks', /--markets cannot be "spot,stocks"/],
    ['connect a --environment tesnet', /did you mean testnet/],
    ['connect a --secret topsecret', /unknown option --secret/],
  ])('%s', (line, words) => {
    expect(() => parse(line)).toThrow(words);
  });
});
