/**
 * Operators and sessions on the Accounts screen: what is shown of them, and what their forms and questions
 * ask of the desk.
 */
import { describe, expect, it } from 'vitest';
import {
  confirmOperator,
  formOfOperator,
  newOperator,
  operatorFields,
  operatorForm,
  operatorProblem,
} from '../../../src/console/operators/operator-form.ts';
import { keyWords, loginLines, shownOperators } from '../../../src/console/operators/operator-list.ts';
import {
  FIRST_OPERATORS,
  FIRST_SESSIONS,
  type OperatorSort,
} from '../../../src/console/operators/people-page.ts';
import { shownSessions } from '../../../src/console/operators/session-list.ts';
import type { Me } from '../../../src/desk/console/protocol.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { SOME_OPERATORS, SOME_SESSIONS, SOME_SSH } from '../support/some-people.ts';

const open = rigPerTest();
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDmbL4kIzg8xqJHFRMbcPLpkGnqSWmOXUXfCjTcSVb8r dave@laptop';
const me: Me = {
  session: 's1',
  name: 'local',
  role: 'owner',
  local: true,
  locked: null,
  pin: false,
};
const desk = () => new FakeDesk(deskState({ me }));
const sent = (of: FakeDesk, method: string) =>
  of.calls.filter((call) => call.method === method).map(({ params }) => params);
const typed = (change: Partial<ReturnType<typeof newOperator>>) => ({
  ...newOperator(),
  name: 'dave',
  key: KEY,
  ...change,
});

describe('the form of an operator', () => {
  it('says what is wrong with each field before the desk is asked', () => {
    const wrong = (change: Parameters<typeof typed>[0]) =>
      operatorProblem(typed(change), NOON)?.field ?? null;
    expect(wrong({})).toBeNull();
    expect(wrong({ name: 'Dave' })).toBe('name');
    expect(wrong({ name: 'local' })).toBe('name');
    expect(wrong({ name: `a${'b'.repeat(32)}` })).toBe('name');
    expect(wrong({ key: ' ' })).toBe('key');
    expect(wrong({ key: '-----BEGIN OPENSSH PRIVATE KEY-----' })).toBe('key');
    expect(wrong({ end: '2027-02-29' })).toBe('end');
    expect(wrong({ end: '2026-03-01' })).toBe('end');
    // Today is not over yet.
    expect(wrong({ end: '2026-03-02' })).toBeNull();
  });

  it('becomes what the desk takes, and comes back from it the same', () => {
    const form = operatorForm(typed({ from: ' 10.0.0.0/8, 192.0.2.7 ', end: '2027-01-31', verify: true }));
    expect(form).toEqual({
      name: 'dave',
      role: 'viewer',
      key: KEY,
      from: ['10.0.0.0/8', '192.0.2.7'],
      expiresAt: Date.UTC(2027, 1, 1),
    });
    for (const known of SOME_OPERATORS)
      if (known.expiresAt === null || known.expiresAt % 86_400_000 === 0)
        expect(operatorForm(formOfOperator(known))).toEqual({
          name: known.name,
          role: known.role,
          key: `${known.key.type} ${known.key.blob}`,
          from: known.from,
          expiresAt: known.expiresAt,
          ...(known.verify ? { verify: true } : {}),
        });
  });

  it('asks for the PIN of a security key only, and never for another name', () => {
    expect(operatorFields(typed({}))).not.toContain('verify');
    expect(operatorFields(typed({ key: 'sk-ssh-ed25519@openssh.com AAAA' }))).toContain('verify');
    expect(operatorFields(formOfOperator(SOME_OPERATORS[0] as never))).not.toContain('name');
  });

  it('asks to type the name before anybody becomes an owner', () => {
    const word = (change: Parameters<typeof typed>[0]) => confirmOperator(deskState(), typed(change)).word;
    expect([word({}), word({ role: 'operator' }), word({ role: 'owner' })]).toEqual([
      undefined,
      undefined,
      'dave',
    ]);
    const owner = formOfOperator(SOME_OPERATORS[2] as never);
    expect(confirmOperator(deskState(), owner).word).toBeUndefined();
  });
});

describe('the lists', () => {
  it('are sorted and filtered by what they show', () => {
    const names = (sort: OperatorSort, filter = '') =>
      shownOperators({ ...FIRST_OPERATORS, operators: SOME_OPERATORS, sort, filter }).map(
        ({ name }) => name[0],
      );
    expect(names('name')).toEqual(['a', 'b', 'c']);
    expect(names('role')).toEqual(['c', 'a', 'b']);
    expect(names('end')).toEqual(['b', 'c', 'a']);
    expect(names('name', '192.0')).toEqual(['a']);
    const ids = (change: object) =>
      shownSessions({ ...FIRST_SESSIONS, sessions: SOME_SESSIONS, ...change }).map(({ id }) => id);
    expect(ids({ sort: 'idle' })).toEqual(['s7', 's4', 's1']);
    expect(ids({ sort: 'who' })).toEqual(['s4', 's7', 's1']);
    expect(ids({ filter: 'locked' })).toEqual(['s7']);
  });

  it('name kinds of keys shortly', () => {
    const words = (type: string, change = {}) =>
      keyWords({ key: { type, blob: '', fingerprint: '' }, ca: false, verify: false, ...change });
    expect([
      words('ssh-ed25519'),
      words('sk-ssh-ed25519@openssh.com', { verify: true }),
      words('ecdsa-sha2-nistp256'),
      words('ssh-rsa', { ca: true }),
    ]).toEqual(['ed25519', 'sk-ed25519 PIN', 'ecdsa-sha2', 'rsa CA']);
  });

  it('tell how one logs in, also where the desk has no sshd', () => {
    const text = (change = {}) => loginLines('dave', { ...SOME_SSH, ...change }).map((line) => line.text);
    expect(text()).toContain('ssh -p 2222 desk@127.0.0.1');
    expect(text()).toContainEqual(expect.stringMatching(/^\[127\.0\.0\.1\]:2222 ssh-ed25519 AAAA/));
    expect(text({ listen: [{ host: '0.0.0.0', port: 22 }] })).toContain('ssh desk@HOST');
    expect(text({ listen: [] })).toContain('outcry ssh line dave');
  });
});

describe('the screens', () => {
  it.each([
    [80, 24],
    [200, 50],
  ])('at %ix%i', async (columns, rows) => {
    const rig = await open(desk(), { columns, rows });
    await rig.press('7', 'P');
    await rig.shows('logins at');
    expect(rig.screenText()).toMatchSnapshot('operators');
    await rig.press('S');
    await rig.shows('s7');
    expect(rig.screenText()).toMatchSnapshot('sessions');
    await rig.press('P', 'n');
    expect(rig.screenText()).toMatchSnapshot('a new operator');
  });

  it('let somebody in after a question, and tell how to log in', async () => {
    const of = desk();
    of.answers['operators.set'] = ({ name }) =>
      ok({ ...(SOME_OPERATORS[0] as never as object), name } as never);
    const rig = await open(of);
    await rig.press('7', 'P', 'n', ...'dave', ENTER, 'l', ENTER);
    rig.session.ui.getState();
    await rig.send(`\x1b[200~${KEY}\n\x1b[201~`);
    await rig.press(CTRL_R);
    expect(rig.screenText()).toContain('Whoever has this key can log in');
    expect(sent(of, 'operators.set')).toEqual([]);
    await rig.press(ENTER);
    expect(sent(of, 'operators.set')).toEqual([]);
    await rig.press(CTRL_R, 'y');
    await rig.shows('How dave logs in');
    expect(sent(of, 'operators.set')).toEqual([
      { name: 'dave', role: 'operator', key: KEY, from: [], expiresAt: null },
    ]);
  });

  it('change a role with all else as it was; a refusal stands in the form', async () => {
    const of = desk();
    of.answers['operators.set'] = () => refuse('CONFLICT', 'not this one');
    const rig = await open(of);
    await rig.press('7', 'P');
    await rig.shows('alice');
    await rig.press('e', 'h', CTRL_R);
    expect(rig.screenText()).toContain('operator → viewer');
    await rig.press('y');
    await rig.shows('refused: not this one');
    expect(sent(of, 'operators.set')[0]).toMatchObject({ name: 'alice', role: 'viewer', replace: true });
    expect(rig.screenText()).toContain('Change an operator');
  });

  it('remove an operator once the name is typed', async () => {
    const of = desk();
    of.answers['operators.remove'] = ({ name }) => ok({ name });
    const rig = await open(of);
    await rig.press('7', 'P');
    await rig.shows('alice');
    await rig.press('x', 'y', ...'alic');
    expect(rig.screenText()).toContain('1: ended within a second');
    await rig.press('y');
    expect(sent(of, 'operators.remove')).toEqual([]);
    await rig.press(ESC, 'x', ...'alice', 'y');
    await rig.until(() => sent(of, 'operators.remove').length === 1);
    await rig.shows('alice is no operator any more');
  });

  it('end a session after a question, with a reason where one is given, and never the own one', async () => {
    const of = desk();
    of.answers['sessions.end'] = () => ok(null);
    const rig = await open(of);
    await rig.press('7', 'S');
    await rig.shows('s4');
    await rig.press('x');
    expect(rig.screenText()).toContain('this is your own terminal');
    await rig.press('j', 'x', 'y');
    await rig.until(() => sent(of, 'sessions.end').length === 1);
    await rig.press('j', 'X', ...'lunch', CTRL_R);
    expect(rig.screenText()).toContain('lunch');
    await rig.press('y');
    await rig.until(() => sent(of, 'sessions.end').length === 2);
    expect(sent(of, 'sessions.end')).toEqual([{ id: 's4' }, { id: 's7', reason: 'lunch' }]);
  });

  it('say why they could not be read', async () => {
    const of = desk();
    of.answers['operators.list'] = () => {
      throw new Error('operators.list needs the role owner');
    };
    const rig = await open(of);
    await rig.press('7', 'P');
    await rig.shows('needs the role owner');
    await rig.press(ESC);
    expect(rig.screenText()).toContain('─ Accounts');
  });
});
