/** The Keys screen: its table and pane, the two ways to a new key, and the maintenance switch. */
import { describe, expect, it } from 'vitest';
import { refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState, someKeys } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const RIGHT = '\x1b[C';
const TAB = '\t';
const PUBLIC_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';

const open = rigPerTest();

const asked = (desk: FakeDesk, wanted: string) =>
  desk.calls.findLast(({ method }) => method === wanted)?.params;
const selected = (screen: Rig) => screen.screenLines().find((line) => line.startsWith('▸'));

/** Opens the form and goes to its address list. */
async function toAddresses(screen: Rig, way: 'n' | 'p' = 'n'): Promise<void> {
  await screen.press('6', way, 'robot', TAB, TAB);
  if (way === 'p') await screen.press(PUBLIC_KEY, TAB);
  await screen.press(RIGHT, TAB);
  await screen.shows('Addresses or ranges');
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it('keys of all kinds, one of them in detail, and the form', async () => {
    const desk = new FakeDesk(deskState({ keys: someKeys() }));
    const screen = await open(desk, { columns, rows });
    await screen.press('6');
    expect(screen.screenText()).toMatchSnapshot('keys');
    await screen.press('G', 'k', 'k', ENTER);
    await screen.shows('IP_NOT_WHITELISTED');
    await screen.until(() => desk.calls.some(({ method }) => method === 'keys.example'));
    await screen.settle();
    expect(screen.screenText()).toMatchSnapshot('refused');
    await screen.press('j');
    await screen.shows('RATE_LIMITED');
    await screen.press(TAB, 'G');
    await screen.shows('grid-bot.pem');
    expect(screen.screenText()).toMatchSnapshot('limited, the end');
    await screen.press(ESC, ESC);
    await toAddresses(screen);
    await screen.press('203.0.113.7 10.0.0.1/8, 2001:db8::/32 localhost');
    await screen.shows('✗ localhost');
    await screen.press(TAB, RIGHT, TAB, ' ');
    await screen.shows('[x] paper-spot');
    expect(screen.screenText()).toMatchSnapshot('form');
  });
});

describe('the table', () => {
  it('counts of today only what is of today', async () => {
    const screen = await open(new FakeDesk(deskState({ keys: someKeys() })), { columns: 200, rows: 50 });
    await screen.press('6');
    const row = (label: string) => screen.screenLines().find((line) => line.includes(label));
    expect(row('grid-bot')).toMatch(/1,204 +98,231/);
    expect(row('stolen?')).toMatch(/ 0 +500/);
  });

  it('follows the desk while it is looked at', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6');
    const keys = desk.state.keys.map((key) =>
      key.label === 'dashboard'
        ? { ...key, lastUsedAt: NOON, lastUsedFrom: '::1', counts: { ...key.counts, total: 1 } }
        : key,
    );
    desk.push({ keys });
    await screen.shows('03-02 14:07');
    expect(selected(screen)).toContain('dashboard');
  });
});

describe('the pane', () => {
  it('says when no private key is here to sign the example, and asks anew for each key', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk, { columns: 200, rows: 50 });
    await screen.press('6', ENTER);
    await screen.shows('The private key is not here');
    expect(screen.screenText()).toContain('ZgLKe0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs');
    await screen.press('j');
    await screen.shows('outcry ping --key /home/owner/.outcry/keys/grid-bot.pem');
    await screen.press('j');
    await screen.shows('revoked   2026-02-28');
    // A revoked key has no example.
    expect(screen.screenText()).not.toContain('GET/v2/ping');
    expect(screen.stdout.chunks.join('')).not.toContain(']52;');
    await screen.press('y');
    const copied = Buffer.from('old0e0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs').toString('base64');
    expect(screen.stdout.chunks.join('')).toContain(`\x1b]52;c;${copied}\x07`);
  });

  it('opens, scrolls and closes with the keys of every pane, and Enter does no more', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6', 'j', ENTER, ENTER, ENTER, TAB, 'j', 'j');
    expect(screen.screenText()).toContain('Key grid-bot');
    expect(screen.screenText()).not.toContain('98,231 in all   ');
    await screen.press('x');
    expect(screen.screenText()).toContain('Revoke key');
    await screen.press(ENTER, ESC);
    expect(screen.screenText()).toContain('Key grid-bot');
    await screen.press(ESC, ESC);
    expect(screen.screenText()).not.toContain('Key grid-bot');
    expect(selected(screen)).toContain('grid-bot');
    expect(desk.acting).toEqual([]);
  });
});

describe('the form of a new key', () => {
  // proves: rule key-registration
  it('registers everything that was chosen', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await toAddresses(screen, 'p');
    await screen.press('203.0.113.7, 10.0.0.0/8', TAB, RIGHT, TAB, TAB, ' ', CTRL_R);
    await screen.shows('Register key');
    expect(screen.screenText()).toMatch(/addresses +203\.0\.113\.7 10\.0\.0\.0\/8/);
    expect(screen.screenText()).toMatch(/accounts +paper-futures/);
    await screen.press('y');
    await screen.shows('registered robot');
    expect(asked(desk, 'keys.register')).toEqual({
      label: 'robot',
      tier: 'read',
      ipList: ['203.0.113.7', '10.0.0.0/8'],
      allowedExchanges: ['paper-futures'],
      publicKey: PUBLIC_KEY,
    });
    await screen.shows('Sign them where the private key is');
    expect(screen.screenText()).toContain(`${NOON}GET/v2/ping`);
    expect(screen.screenText()).toContain('outcry ping --key FILE.pem');
  });

  it('says as one types which entries are wrong and what would be right', async () => {
    const screen = await open();
    await toAddresses(screen);
    await screen.press('10.0.0.1/8');
    await screen.shows('✗ 10.0.0.1/8');
    expect(screen.screenText()).toContain('write 10.0.0.0/8 for the');
    await screen.press('\x15', '10.0.0.0/8 010.1.1.1');
    await screen.shows('✓ 10.0.0.0/8  ✗ 010.1.1.1');
    expect(screen.screenText()).toContain('leading zeros');
    await screen.press(...Array<string>(9).fill('\x7f'));
    await screen.shows('✓ 10.0.0.0/8');
    expect(screen.screenText()).not.toMatch(/✗|octal/);
  });

  it.each([
    ['a label in use', ['grid-bot'], 'an active key is already called grid-bot'],
    ['a label that is too long', ['x'.repeat(51)], '51 characters; at most 50'],
    ['a weak public key', ['a', TAB, TAB, `${'A'.repeat(42)}A`], 'weak keys'],
    [
      'a key that is registered',
      ['a', TAB, TAB, 'ZgLKe0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs'],
      'registered already, as dashboard|not an Ed25519 public key',
    ],
    ['a private key', ['a', TAB, TAB, '-----BEGIN PRIVATE KEY-----'], 'must stay with its owner'],
  ])('says as one types: %s', async (_, keys, words) => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6', 'p', ...keys);
    await screen.until(() => new RegExp(words).test(screen.screenText()));
    expect(desk.acting).toEqual([]);
  });

  it('keeps an eleventh key out before anything is typed', async () => {
    const base = deskState();
    const keys = Array.from({ length: 10 }, (_, at) => ({
      ...(base.keys[1] as (typeof base.keys)[number]),
      id: `${at}`.padStart(43, 'x'),
      label: `k${at}`,
    }));
    const desk = new FakeDesk({ ...base, keys });
    const screen = await open(desk);
    await screen.press('6', 'n');
    await screen.shows('10 keys are active, which is the most; revoke one first');
    await screen.press('robot', CTRL_R, ENTER, 'y');
    expect(desk.acting).toEqual([]);
    expect(screen.screenText()).toContain('Generate a key');
  });

  it.each<[string, string[], string, string]>([
    ['no label', [], '▸ label', 'give the key a name'],
    ['an empty address list', ['a', TAB, TAB, RIGHT], '▸  ', 'empty, which would let nobody in'],
    ['an empty choice of accounts', ['a', TAB, TAB, TAB, RIGHT], '▸ accounts', 'choose at least one'],
  ])('the review goes to what is missing: %s', async (_, keys, place, words) => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6', 'n', ...keys);
    expect(screen.screenText()).not.toContain(words);
    await screen.press(CTRL_R);
    await screen.shows(words);
    expect(screen.screenLines().some((line) => line.includes(place))).toBe(true);
    await screen.press('y', ENTER);
    expect(desk.acting).toEqual([]);
  });

  it('does not open the confirmation of what has been changed since', async () => {
    let answer: () => void = () => {};
    const slow = new Promise<[]>((resolve) => {
      answer = () => resolve([]);
    });
    let slowly = false;
    const desk = new FakeDesk(undefined, { 'keys.check': () => (slowly ? slow : []) });
    const screen = await open(desk);
    await screen.press('6', 'n', 'robot');
    slowly = true;
    await screen.press(CTRL_R, 'x');
    answer();
    await screen.settle();
    expect(screen.screenText()).toContain('robotx');
    expect(screen.screenText()).not.toContain('y generate this key');
  });

  it('keeps what was written when the desk refuses after all', async () => {
    const desk = new FakeDesk(undefined, {
      'keys.generate': () => refuse('CONFLICT', 'label: an active key is already called robot'),
    });
    const screen = await open(desk);
    await screen.press('6', 'n', 'robot', CTRL_R, 'y');
    await screen.shows('refused: label: an active key is already called robot');
    expect(screen.screenText()).toContain('Generate a key');
    expect(screen.screenText()).toMatch(/label +robot/);
  });
});

describe('revoking', () => {
  it('says how many sockets it closed, and the key stays listed', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('6', 'j', 'x', ...'grid-bot', 'y');
    await screen.shows('revoked grid-bot; 1 socket closed');
    expect(screen.screenText()).toContain('1 active, 2 revoked');
    expect(selected(screen)).toMatch(/grid-bot .* revoked/);
    await screen.press('x');
    expect(screen.screenText()).toContain('this key is already revoked');
  });

  it('without keys says so', async () => {
    const screen = await open(new FakeDesk(deskState({ keys: [] })));
    await screen.press('6', 'x');
    expect(screen.screenText()).toContain('nothing to revoke');
    await screen.press(ENTER, TAB, 'j');
    expect(screen.screenText()).toContain('No keys yet');
  });
});

describe('maintenance', () => {
  it('is turned on with a message after a look, stands in the header, and is turned off again', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press(':', 'maintenance', ENTER, 'back at 18:00', CTRL_R);
    expect(screen.screenText()).toContain('503 SERVICE_UNAVAILABLE to every signed request');
    expect(screen.screenText()).toContain('back at 18:00');
    await screen.press(ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press(CTRL_R, 'y');
    await screen.shows('maintenance on: the API turns programs away');
    expect(asked(desk, 'desk.maintenance')).toEqual({ on: true, message: 'back at 18:00' });
    await screen.until(() => screen.screenLines()[0]?.includes(' MAINT ') === true);
    await screen.press(':', 'maintenance', ENTER);
    expect(screen.screenText()).toContain('Programs are served again at once.');
    await screen.press('y');
    await screen.shows('maintenance off: the API serves');
    expect(asked(desk, 'desk.maintenance')).toEqual({ on: false });
    await screen.until(() => screen.screenLines()[0]?.includes('MAINT') === false);
  });

  it.each([
    [80, 24, ' MAINT '],
    [200, 50, ' MAINTENANCE '],
  ])('is seen by a console that looks on, at %ix%i', async (columns, rows, word) => {
    const desk = new FakeDesk();
    const screen = await open(desk, { columns, rows });
    desk.push({ maintenance: 'under maintenance: moving' });
    await screen.until(() => screen.screenLines()[0]?.includes(word) === true);
    const cell = screen.terminal.buffer.active
      .getLine(0)
      ?.getCell((screen.screenLines()[0] ?? '').indexOf(word) + 1);
    expect(cell?.isInverse()).toBeTruthy();
    expect(screen.screenLines()[0]).toContain(' PAPER ');
    expect(screen.screenLines()[0]).toContain('201,482.10');
    desk.push({ maintenance: null });
    await screen.until(() => screen.screenLines()[0]?.includes('MAINT') === false);
  });

  it('stays on when it cannot be turned off, and says why', async () => {
    const desk = new FakeDesk(deskState({ maintenance: 'under maintenance: x' }), {
      'desk.maintenance': () => refuse('INTERNAL_ERROR', 'no'),
    });
    const screen = await open(desk);
    await screen.press(':', 'maint', ENTER, 'y');
    await screen.shows('refused: no');
    expect(screen.screenLines()[0]).toContain(' MAINT ');
  });
});
