/**
 * The lab of a key and the one display of a private key: what is asked of the desk, what is shown, and what
 * is never shown.
 */
import { createPrivateKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicKeyOf } from '../../../src/access/key-files.ts';
import { explainRequest } from '../../../src/access/lab.ts';
import {
  bytesOf,
  EMPTY_LAB,
  LAB_LIMIT,
  type LabForm,
  labRequest,
  reportLines,
  shownBytes,
} from '../../../src/console/api-keys/key-lab.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import { type AccessKey, UNUSED_KEY } from '../../../src/domain/access-key.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig, type RigOptions } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const open = rigPerTest();

const SEED = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]);
const OTHER_SEED = Buffer.concat([SEED.subarray(0, 16), Buffer.alloc(32, 8)]);
const PRIVATE = createPrivateKey({ key: SEED, format: 'der', type: 'pkcs8' });
const KEY: AccessKey = {
  id: publicKeyOf(PRIVATE),
  user: 'owner',
  label: 'grid-bot',
  tier: 'trade',
  ipList: ['10.0.0.0/8'],
  allowedExchanges: null,
  createdAt: NOON - 86_400_000,
  ...UNUSED_KEY,
};
const BODY = '{"exchange":"paper-spot"}';
const signed = (text: string) => sign(null, Buffer.from(text), PRIVATE).toString('base64url');
const PASTE = (text: string) => `\x1b[200~${text}\x1b[201~`;

/** A desk whose lab is the real one. */
function labDesk(): FakeDesk {
  const desk = new FakeDesk(deskState({ keys: [KEY] }));
  desk.answers['keys.explain'] = (request) =>
    explainRequest(request, {
      key: KEY,
      keys: [KEY],
      now: NOON,
      startedAt: NOON - 3_600_000,
      route: () => ok({ name: 'POST /orders', tier: 'trade' }),
    });
  return desk;
}

const asked = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'keys.explain').map(({ params }) => params);

describe('bytes', () => {
  it('whatever a body holds comes back as it was, and is shown in one line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '{', '"', 'é', '\n', '\r', '\t', '\x00', '\x7f', '報') }),
        (text) => {
          const shown = shownBytes(text);
          expect(/\p{Cc}/u.test(shown)).toBe(false);
          expect(bytesOf(shown)).toBe(text);
        },
      ),
    );
  });

  it('the request is what was pasted, without blanks around it; the body stays', () => {
    const draft = { ...EMPTY_LAB, target: ' /v2/x ', body: ' a␊', timestamp: '1 ', signature: ' s' };
    expect(labRequest({ id: 'k', draft })).toEqual({
      id: 'k',
      method: 'GET',
      target: '/v2/x',
      body: ' a\n',
      timestamp: '1',
      signature: 's',
    });
    expect(labRequest({ id: 'k', draft: EMPTY_LAB })).toBeNull();
  });

  it('no line is wider than the dialog, whatever the rules say', () => {
    const some = fc.record({
      name: fc.constantFrom('target', 'signature'),
      verdict: fc.constantFrom('passes' as const, 'refuses' as const, 'open' as const),
      code: fc.constant('INVALID_SIGNATURE'),
      text: fc.string({ maxLength: 400 }),
    });
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 9 }), fc.option(fc.string()), (rules, hint) => {
        const draft = { ...EMPTY_LAB, target: '/v2/x' };
        const form: LabForm = {
          kind: 'lab-form',
          id: 'k',
          label: 'k',
          focus: 'target',
          draft,
          judged: draft,
          report: { rules, hint },
        };
        for (const line of reportLines(form, 72).filter((_, n) => n > 0)) {
          const text = line.map((part) => part.text).join('');
          // Notes are cut by the row; refusals and hints must fit whole.
          if (!text.startsWith('?') && /^[ -~✓✗→]*$/.test(text))
            expect(lineWidth(line)).toBeLessThanOrEqual(72);
        }
      }),
    );
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('the lab at $columns x $rows', (size) => {
  it('says which rule refuses a request, why, and what was signed instead', async () => {
    const desk = labDesk();
    const screen = await open(desk, size);
    const time = String(NOON - 9_000);
    await screen.press('6', 't');
    await screen.shows('Paste the parts of a refused request');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press(
      '\x1b[C',
      '\t',
      PASTE('http://127.0.0.1:7420/api/v2/orders'),
      '\t',
      PASTE(`${BODY}\r`),
    );
    await screen.press('\t', PASTE(time), '\t', PASTE(signed(`${time}POST/v2/orders${BODY}`)));
    await screen.shows('it was signed over the body without the line end');
    expect(screen.screenText()).toContain('Refused: TIMESTAMP_EXPIRED, and 1 more rule');
    expect(screen.screenText()).toMatchSnapshot();
    expect(asked(desk).at(-1)).toEqual({
      id: KEY.id,
      method: 'POST',
      target: 'http://127.0.0.1:7420/api/v2/orders',
      body: `${BODY}\n`,
      timestamp: time,
      signature: signed(`${time}POST/v2/orders${BODY}`),
    });
    expect(desk.acting).toEqual([]);
  });

  it('says so when nothing refuses it', async () => {
    const screen = await open(labDesk(), size);
    await screen.press('6', 't', '\x1b[C', '\t', PASTE('/v2/orders'), '\t', '\t');
    await screen.press(PASTE(String(NOON)), '\t', PASTE(signed(`${NOON}POST/v2/orders`)));
    await screen.shows('Nothing here refuses it');
    expect(screen.screenText()).toMatchSnapshot();
  });
});

describe('keys of the lab', () => {
  it('enter goes from field to field, ctrl-r judges again, esc closes; typing is judged, too', async () => {
    const desk = labDesk();
    const screen = await open(desk);
    await screen.press('6', 't', ENTER, ...'/v2/ping', ENTER, ENTER, '1');
    await screen.shows('Refused: UNAUTHORIZED');
    const before = asked(desk).length;
    await screen.press(CTRL_R);
    await screen.until(() => asked(desk).length > before);
    await screen.press(ESC);
    expect(screen.screenText()).not.toContain('Lab:');
  });

  it('a body of joined signs stands in its frame, and is judged to the last byte', async () => {
    const desk = labDesk();
    const screen = await open(desk);
    await screen.press('6', 't', '\t', PASTE('/v2/orders'), '\t', PASTE('👩‍👩‍👧‍👦'));
    await screen.shows('👩�👩�👧�👦');
    const rows = screen.screenLines().filter((row) => row.includes('│'));
    expect(rows.filter((row) => cellWidth(row) !== cellWidth(rows[0] ?? ''))).toEqual([]);
    await screen.until(() => JSON.stringify(asked(desk)).includes('👩‍👩‍👧‍👦'));
  });

  it('a body that is too long is not judged as if it were whole', async () => {
    const desk = labDesk();
    const screen = await open(desk);
    await screen.press('6', 't', '\t', PASTE('/v2/orders'), '\t');
    await screen.until(() => asked(desk).length === 1);
    await screen.press(PASTE('x'.repeat(LAB_LIMIT + 10)));
    await screen.shows('it cannot be judged here');
    await screen.press(CTRL_R);
    expect(asked(desk)).toHaveLength(1);
  });
});

describe('the private key', () => {
  const PEM = PRIVATE.export({ format: 'pem', type: 'pkcs8' }).toString();
  const secret = PEM.split('\n')[1] ?? '';

  async function generated(desk: FakeDesk, options: RigOptions = {}): Promise<Rig> {
    const screen = await open(desk, options);
    await screen.press('6', 'n', 'bot', CTRL_R);
    await screen.shows('Generate key');
    await screen.press('y');
    await screen.shows('Key bot, tier read');
    return screen;
  }

  it('is not shown unless asked for, then once, and is gone with the notice', async () => {
    const desk = labDesk();
    const times = { asked: 0 };
    desk.answers['keys.reveal'] = () => {
      times.asked++;
      return ok({ pem: PEM });
    };
    const screen = await generated(desk);
    expect(screen.screenText()).not.toContain('BEGIN PRIVATE KEY');
    expect(screen.screenText()).toContain('v show the private key, once');
    await screen.press('v');
    await screen.shows('BEGIN PRIVATE KEY');
    expect(screen.screenText()).toContain(secret);
    await screen.press('v', 'v');
    expect(times.asked).toBe(1);
    await screen.press(ESC);
    expect(screen.screenText()).not.toContain(secret);
    expect(JSON.stringify(screen.session.ui.getState())).not.toContain(secret);
    expect(JSON.stringify(screen.session.desk.getState())).not.toContain(secret);
  });

  it('says why when the desk does not show it', async () => {
    const desk = labDesk();
    desk.answers['keys.reveal'] = () => refuse('INVALID_REQUEST', 'a private key is shown once');
    const screen = await generated(desk);
    await screen.press('v');
    await screen.shows('a private key is shown once');
    expect(screen.screenText()).not.toContain('BEGIN');
  });

  it('is not offered for a key whose public half was pasted', async () => {
    const desk = labDesk();
    const screen = await open(desk);
    const other = createPrivateKey({ key: OTHER_SEED, format: 'der', type: 'pkcs8' });
    await screen.press('6', 'p', 'box', '\t', '\t', PASTE(publicKeyOf(other)), CTRL_R);
    await screen.shows('Register key');
    await screen.press('y');
    await screen.shows('Key box, tier read');
    expect(screen.screenText()).not.toContain('private key, once');
    await screen.press('v');
    expect(desk.calls.some(({ method }) => method === 'keys.reveal')).toBe(false);
  });
});
