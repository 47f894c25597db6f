/**
 * The vault at a console: typed text is never drawn, goes to the desk once, and stays in no form; the header
 * says when the vault is missing.
 */
import { describe, expect, it } from 'vitest';
import { refuse } from '../../../src/domain/errors.ts';
import { type Answers, FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';

const open = rigPerTest();

const GOOD = 'correct horse battery';
const TAB = '\t';
const LOCKED = { state: 'locked', connections: ['binance', 'okx'], retryAt: null } as const;
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;
const stars = (count: number) => new RegExp(`[^*]\\*{${count}}[^*]`);

const calls = (desk: FakeDesk) => desk.calls.filter(({ method }) => method.startsWith('vault.'));

function locked(answers: Answers = {}): FakeDesk {
  return new FakeDesk(deskState({ vault: LOCKED }), answers);
}

/** Whether the text was ever written to the terminal, whatever it shows now. */
function drawn(screen: Rig, text: string): boolean {
  return screen.stdout.chunks.join('').includes(text) || screen.screenText().includes(text);
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it('the forms and the accounts', async () => {
    const desk = locked();
    const screen = await open(desk, { columns, rows });
    await screen.press('7');
    expect(screen.screenText()).toContain('vault locked with 2 connections, u unlocks it');
    await screen.press('u', GOOD);
    await screen.shows('Unlock the vault');
    expect(screen.screenText()).toMatchSnapshot('unlock');
    await screen.press(ESC, ':', 'another passphrase', ENTER, 'old one', TAB, GOOD, TAB, 'not it', CTRL_R);
    await screen.shows('not the same');
    expect(screen.screenText()).toMatchSnapshot('change');
    expect(calls(desk)).toEqual([]);
  });

  it('says in the header that it is locked, while connections wait', async () => {
    const desk = locked();
    const screen = await open(desk, { columns, rows });
    const head = () => screen.screenLines()[0] ?? '';
    await screen.until(() => / (VAULT )?LOCKED /.test(head()));
    desk.push({ vault: { ...LOCKED, connections: [] } });
    await screen.until(() => !head().includes('LOCKED'));
    desk.push({ vault: { ...LOCKED, state: 'open' } });
    await screen.settle();
    expect(head()).not.toContain('LOCKED');
  });
});

describe('unlocking', () => {
  it('sends what was typed once, and shows none of it', async () => {
    const desk = locked();
    const screen = await open(desk);
    await screen.press('7', 'u', ...GOOD, 'x', '\x7f');
    expect(screen.screenText()).toMatch(stars(GOOD.length));
    await screen.press(ENTER);
    await screen.shows('the vault is open');
    expect(calls(desk)).toEqual([{ method: 'vault.unlock', params: { passphrase: GOOD } }]);
    expect(drawn(screen, GOOD)).toBe(false);
    expect(screen.session.ui.getState().dialogs).toEqual([]);
    expect(JSON.stringify(screen.session.ui.getState())).not.toContain(GOOD);
    await screen.press('u');
    await screen.shows('the vault is open already');
  });

  it('takes a paste with all that is in it but line ends', async () => {
    const desk = locked();
    const screen = await open(desk);
    const pasted = '  "quotes"   zwj 👩‍💻 e\u0301 \u200b ';
    await screen.press('7', 'u', paste(`${pasted}\r`), CTRL_R);
    await screen.shows('the vault is open');
    expect(calls(desk)).toEqual([{ method: 'vault.unlock', params: { passphrase: pasted } }]);
    expect(drawn(screen, '"quotes"')).toBe(false);
  });

  it('says a refusal in the form, which is empty again', async () => {
    const desk = locked({
      'vault.unlock': () => refuse('FORBIDDEN', 'the passphrase is wrong; the next one is looked at in 1 s'),
    });
    const screen = await open(desk);
    await screen.press('7', 'u', 'wrong passphrase', ENTER);
    await screen.shows('the next one is looked at in 1 s');
    expect(JSON.stringify(screen.session.ui.getState())).not.toContain('wrong passphrase');
    await screen.press(ENTER);
    await screen.shows('a field is still empty');
    expect(calls(desk)).toHaveLength(1);
  });

  it('says how long nobody is heard after wrong ones', async () => {
    const desk = new FakeDesk(deskState({ vault: { ...LOCKED, retryAt: Date.UTC(2026, 2, 2, 14, 8, 9) } }));
    const screen = await open(desk);
    await screen.press('7', 'u');
    await screen.shows('it waits until 14:08:09 UTC');
  });

  it('sends nothing twice while the desk works on it', async () => {
    const { promise, resolve } = Promise.withResolvers<{ ok: true; data: null }>();
    const desk = locked({ 'vault.unlock': () => promise });
    const screen = await open(desk);
    await screen.press('7', 'u', GOOD, ENTER);
    await screen.shows('the desk works on it');
    await screen.press(ENTER, CTRL_R, 'more', ENTER);
    resolve({ ok: true, data: null });
    await screen.shows('the vault is open');
    expect(calls(desk)).toHaveLength(1);
  });

  it('tells a screen reader how much was typed, and not what', async () => {
    const screen = await open(locked(), { screenReader: true });
    await screen.press('7', 'u', 'correct');
    await screen.until(() => screen.stdout.chunks.join('').includes('typing: 7 characters'));
    expect(drawn(screen, 'correct')).toBe(false);
  });
});

describe('the vault from the palette', () => {
  it('is made with a passphrase that is typed twice', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press(':', 'vault: make', ENTER);
    await screen.shows('Make the vault');
    await screen.press(GOOD, ENTER, 'another passphrase', ENTER);
    await screen.shows('not the same');
    expect(calls(desk)).toEqual([]);
    await screen.press(GOOD, ENTER, ENTER);
    await screen.shows('a field is still empty');
    await screen.press(GOOD, ENTER);
    await screen.shows('the vault is made and open');
    expect(calls(desk)).toEqual([{ method: 'vault.init', params: { passphrase: GOOD } }]);
  });

  it('gets another passphrase, and older copies are told of', async () => {
    const desk = locked();
    const screen = await open(desk);
    await screen.press(':', 'another passphrase', ENTER, 'the old one', ENTER, GOOD, ENTER, GOOD, ENTER);
    await screen.shows('1 older copy of the database');
    const params = { old: 'the old one', passphrase: GOOD };
    expect(calls(desk)).toEqual([{ method: 'vault.change', params }]);
  });

  it('is locked after a look', async () => {
    const desk = new FakeDesk(deskState({ vault: { ...LOCKED, state: 'open' } }));
    const screen = await open(desk);
    await screen.press(':', 'vault: lock', ENTER);
    await screen.shows('binance, okx');
    expect(calls(desk)).toEqual([]);
    await screen.press('y');
    await screen.shows('the vault is locked');
    expect(calls(desk)).toEqual([{ method: 'vault.lock', params: {} }]);
    await screen.press(':', 'vault: lock', ENTER);
    await screen.shows('the vault is locked already');
  });
});
