/**
 * Connecting an exchange at a console: the form, the result of the connection test, the typed name; nothing
 * of a credential is ever drawn.
 */
import { describe, expect, it } from 'vitest';
import type {
  ConnectionsView,
  ConnectionTested,
  ConnectionView,
} from '../../../src/desk/console/protocol.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { REAL_GUARDS } from '../../../src/domain/guards.ts';
import { type Answers, FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { account, deskState } from '../support/some-desk.ts';

const open = rigPerTest();
const TAB = '\t';
const RIGHT = '\x1b[C';
const KEY = 'AKIA-ABCDEFGHIJ';
const SECRET = 'topsecret-0123456789';
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

const LIST: ConnectionsView = {
  kinds: [
    {
      name: 'acme',
      title: 'Acme',
      markets: ['spot', 'futures'],
      environments: ['live', 'testnet'],
      credentials: [
        { name: 'apiKey', label: 'API key', help: 'Made at Acme under Account, API Management.' },
        {
          name: 'secret',
          label: 'secret',
          help: 'Shown once, when the key is made. An Ed25519 key is pasted as its PEM file.',
        },
      ],
    },
  ],
  connections: [],
  vault: 'open',
  refused: null,
};

const FOUND: ConnectionTested = {
  lines: [
    { exchange: 'acme-spot', name: 'reachable', level: 'ok', text: '412 symbols are traded' },
    { exchange: 'acme-spot', name: 'balance', level: 'ok', text: 'free: 1200.5 USDT' },
    {
      exchange: 'acme-spot',
      name: 'key',
      level: 'warn',
      text: 'the key of acme-spot may be used from any address: restrict it at the exchange',
    },
  ],
  rights: [],
  identities: { 'acme-spot': { id: '1234' } },
  account: '1234',
  passed: true,
  place: 'LIVE',
  guards: { 'acme-spot': REAL_GUARDS, 'acme-futures': REAL_GUARDS },
};

const VIEW: ConnectionView = {
  name: 'acme',
  venue: 'acme',
  markets: ['spot', 'futures'],
  environment: 'live',
  endpoints: {},
  state: 'ready',
  place: 'LIVE',
  accounts: ['acme-spot', 'acme-futures'],
};

const real = (state: ConnectionView['state'] = 'ready', place: ConnectionView['place'] = 'LIVE') =>
  account('acme-spot', { paper: null, connection: { name: 'acme', venue: 'acme', place, state } });

function deskOf(answers: Answers = {}): FakeDesk {
  return new FakeDesk(deskState(), {
    'connections.list': () => LIST,
    'connections.test': () => ok(FOUND),
    'connections.add': () => ok(VIEW),
    ...answers,
  });
}

const asked = ({ calls }: FakeDesk, method: string) => calls.filter((call) => call.method === method);

/** Whether the text was ever written to the terminal, whatever it shows now. */
const drawn = (screen: Rig, text: string) =>
  screen.stdout.chunks.join('').includes(text) || screen.screenText().includes(text);

async function filled(screen: Rig): Promise<void> {
  await screen.press('7', 'n');
  await screen.shows('Connect an exchange');
  await screen.press(TAB, TAB, TAB, TAB, paste(KEY), TAB, paste(SECRET));
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it('the form, its review, and an account that is connected', async () => {
    const desk = deskOf();
    const screen = await open(desk, { columns, rows });
    await filled(screen);
    expect(screen.screenText()).toMatchSnapshot('form');
    await screen.press(CTRL_R);
    await screen.shows('REAL MONEY');
    expect(screen.screenText()).toMatchSnapshot('review');
    await screen.press(ESC, ESC);
    desk.push({ accounts: [real('closed'), ...deskState().accounts] });
    await screen.shows('acme-spot');
    await screen.settle();
    expect(screen.screenText()).toMatchSnapshot('accounts');
  });
});

describe('connecting', () => {
  it('tries first, connects after the name is typed and y, and never draws a credential', async () => {
    const desk = deskOf();
    const screen = await open(desk);
    await filled(screen);
    expect(asked(desk, 'connections.test')).toEqual([]);
    await screen.press(CTRL_R);
    await screen.shows('REAL MONEY');
    expect(asked(desk, 'connections.add')).toEqual([]);
    await screen.press('y');
    await screen.settle();
    expect(asked(desk, 'connections.add')).toEqual([]);
    await screen.press('\x7f', ...'acme', 'y');
    await screen.shows('acme is connected');
    const secrets = { apiKey: KEY, secret: SECRET };
    const request = {
      name: 'acme',
      venue: 'acme',
      environment: 'live',
      markets: ['spot', 'futures'],
      secrets,
    };
    expect(asked(desk, 'connections.test')).toEqual([{ method: 'connections.test', params: request }]);
    expect(asked(desk, 'connections.add')).toEqual([
      { method: 'connections.add', params: { ...request, rights: [] } },
    ]);
    expect([KEY, SECRET].filter((text) => drawn(screen, text))).toEqual([]);
    const left = JSON.stringify(screen.session.ui.getState());
    expect([KEY, SECRET].filter((text) => left.includes(text))).toEqual([]);
  });

  it('keeps the line ends of a key file', async () => {
    const desk = deskOf();
    const screen = await open(desk);
    await screen.press('7', 'n');
    await screen.shows('Connect an exchange');
    const pem = '-----BEGIN PRIVATE KEY-----\rMC4CAQAw\r-----END PRIVATE KEY-----\r';
    await screen.press(TAB, TAB, TAB, TAB, paste(KEY), TAB, paste(pem), CTRL_R);
    await screen.shows('REAL MONEY');
    expect(asked(desk, 'connections.test')[0]?.params).toMatchObject({
      secrets: { secret: pem.replaceAll('\r', '\n').trim() },
    });
  });

  it('says rights of the key that are accepted with it, in red', async () => {
    const desk = deskOf({ 'connections.test': () => ok({ ...FOUND, rights: ['withdraw'] }) });
    const screen = await open(desk);
    await filled(screen);
    await screen.press(CTRL_R);
    await screen.shows('whoever has the key may withdraw');
    await screen.press(...'acme', 'y');
    await screen.shows('acme is connected');
    expect(asked(desk, 'connections.add')[0]?.params).toMatchObject({ rights: ['withdraw'] });
  });

  it('shows every line of a test that failed, with what to do, and asks nothing more', async () => {
    const lines = [
      ...FOUND.lines,
      {
        exchange: 'acme-spot',
        name: 'permissions',
        level: 'fail',
        text: 'the key may not trade',
        todo: 'allow trading for it',
      } as const,
    ];
    const desk = deskOf({ 'connections.test': () => ok({ ...FOUND, lines, passed: false }) });
    const screen = await open(desk);
    await filled(screen);
    await screen.press(CTRL_R);
    await screen.shows('acme cannot be connected so');
    await screen.shows('allow trading for it');
    await screen.press(ESC);
    await screen.shows('permissions: the key may not trade');
    expect(asked(desk, 'connections.add')).toEqual([]);
  });

  it('goes to the field that is wrong, and shows the refusal of the desk', async () => {
    const desk = deskOf({ 'connections.test': () => refuse('CONFLICT', 'acme is connected already') });
    const screen = await open(desk);
    await screen.press('7', 'n');
    await screen.shows('Connect an exchange');
    await screen.press(TAB, '-spot', CTRL_R);
    await screen.shows('cannot end in -spot');
    for (let n = 0; n < 5; n++) await screen.press('\x7f');
    await screen.press(CTRL_R);
    await screen.shows('paste the API key');
    await screen.press(paste(KEY), TAB, paste(SECRET), CTRL_R);
    await screen.shows('acme is connected already');
  });

  it('says in the form and in its review that the keys go to hosts that config.toml has for the name, and asks for those', async () => {
    const endpoints = { rest: 'https://elsewhere.example/v1', stream: 'wss://elsewhere.example/ws' };
    const list = { ...LIST, connections: [{ ...VIEW, state: 'closed' as const, endpoints }] };
    const desk = deskOf({ 'connections.list': () => list });
    const screen = await open(desk);
    await filled(screen);
    expect(screen.screenText()).toContain('as config.toml has it:');
    expect(screen.screenText()).toContain('elsewhere.example');
    await screen.press(CTRL_R);
    await screen.shows('REAL MONEY');
    expect(screen.screenText()).toMatch(/hosts +elsewhere\.example/);
    expect(asked(desk, 'connections.test')).toMatchObject([{ params: { name: 'acme', endpoints } }]);
  });

  it.each([
    [{ ...LIST, kinds: [] }, 'no exchange is built in yet but the paper exchange'],
    [{ ...LIST, vault: 'none' }, 'its keys need the vault: u makes it'],
    [{ ...LIST, refused: 'real accounts trade by the clock' }, 'real accounts trade by the clock'],
  ] as const)('opens no form where nothing can be connected', async (list, words) => {
    const screen = await open(deskOf({ 'connections.list': () => list as ConnectionsView }));
    await screen.press('7', 'n');
    await screen.shows(words);
    expect(screen.session.ui.getState().dialogs).toEqual([]);
  });
});

describe('a key that is made here', () => {
  const MAKES: ConnectionsView = { ...LIST, kinds: LIST.kinds.map((kind) => ({ ...kind, makesKey: true })) };
  const PUBLIC = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA-public-half\n-----END PUBLIC KEY-----\n';
  const PLACE = { name: 'acme', venue: 'acme', environment: 'live', markets: ['spot', 'futures'] };
  const making = (answers: Answers = {}) =>
    deskOf({
      'connections.list': () => MAKES,
      'connections.makeKey': () => ok({ publicKey: PUBLIC }),
      ...answers,
    });
  const opened = async (desk: FakeDesk) => {
    const screen = await open(desk);
    await screen.press('7', 'n');
    await screen.shows('Connect an exchange');
    return screen;
  };

  it('is a choice where the exchange takes one, and no field is there for its secret', async () => {
    const other = await opened(deskOf());
    expect(other.screenText()).not.toContain('private key');
    const screen = await opened(making());
    expect(screen.screenText()).toMatch(/private key +pasted/);
    expect(screen.screenText()).toMatch(/ secret /);
    await screen.press(TAB, TAB, TAB, TAB, RIGHT);
    await screen.shows('made here');
    expect(screen.screenText()).not.toMatch(/ secret /);
    await screen.press(RIGHT, TAB, TAB);
    await screen.shows('Shown once');
  });

  it('is made after a y, shown to be registered, and used with the API key that is pasted then', async () => {
    const desk = making();
    const screen = await opened(desk);
    await screen.press(TAB, TAB, TAB, TAB, RIGHT, CTRL_R);
    await screen.shows('Make a key for an exchange');
    expect(asked(desk, 'connections.makeKey')).toEqual([]);
    await screen.press('y');
    await screen.shows('MCowBQYDK2VwAyEA-public-half');
    expect(asked(desk, 'connections.makeKey')).toEqual([{ method: 'connections.makeKey', params: PLACE }]);
    await screen.press(ESC);
    await screen.shows('Connect an exchange');
    await screen.press(TAB, paste(KEY), CTRL_R);
    await screen.shows('REAL MONEY');
    const request = { ...PLACE, secrets: { apiKey: KEY }, madeKey: true };
    expect(asked(desk, 'connections.test')).toEqual([{ method: 'connections.test', params: request }]);
    await screen.press(...'acme', 'y');
    await screen.shows('acme is connected');
    expect(asked(desk, 'connections.add')).toMatchObject([{ params: request }]);
  });

  it('says in the form why it could not be made', async () => {
    const desk = making({ 'connections.makeKey': () => refuse('CONFLICT', 'the vault is locked') });
    const screen = await opened(desk);
    await screen.press(TAB, TAB, TAB, TAB, RIGHT, CTRL_R);
    await screen.shows('Make a key for an exchange');
    await screen.press('y');
    await screen.shows('the vault is locked');
    expect(screen.screenText()).toContain('made here');
  });
});

describe('a connected account', () => {
  it('makes header and confirmations say what money it is', async () => {
    const desk = deskOf();
    const screen = await open(desk, { columns: 160, rows: 40 });
    const head = () => screen.screenLines()[0] ?? '';
    await screen.until(() => head().includes(' PAPER '));
    desk.push({ accounts: [real('ready', 'LOCAL')] });
    await screen.until(() => head().includes(' LOCAL '));
    desk.push({ accounts: [real('ready', 'LOCAL'), real()] });
    await screen.until(() => head().includes(' LIVE '));
  });

  it('is tested by t, disconnected by x after its name is typed', async () => {
    const desk = deskOf({ 'connections.remove': () => ok(null) });
    desk.push({ accounts: [real()] });
    const screen = await open(desk);
    await screen.press('7', 't');
    await screen.shows('Test of acme');
    expect(asked(desk, 'connections.test')).toEqual([
      { method: 'connections.test', params: { name: 'acme' } },
    ]);
    await screen.press(ESC, 'x');
    await screen.shows('Disconnect an exchange');
    await screen.press(...'acme', 'y');
    await screen.shows('acme is disconnected');
    expect(asked(desk, 'connections.remove')).toEqual([
      { method: 'connections.remove', params: { name: 'acme', word: 'acme' } },
    ]);
  });

  it('whose addresses changed is confirmed by its name, after both were shown', async () => {
    const changed = { from: ['https://api.acme.example'], to: ['https://elsewhere.example'] };
    const view: ConnectionView = { ...VIEW, state: 'closed', why: 'changed', changed };
    const desk = deskOf({
      'connections.list': () => ({ ...LIST, connections: [view] }),
      'connections.confirm': () => ok(VIEW),
    });
    desk.push({ accounts: [real('closed')] });
    const screen = await open(desk);
    await screen.press('7', 'a');
    await screen.shows('https://elsewhere.example');
    await screen.press(...'acme', 'y');
    await screen.shows('uses its new addresses');
    expect(asked(desk, 'connections.confirm')).toEqual([
      { method: 'connections.confirm', params: { name: 'acme', to: changed.to, word: 'acme' } },
    ]);
  });
});
