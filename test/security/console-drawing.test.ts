/**
 * Names given by strangers cannot control the terminal: every text from outside holds sequences, controls and
 * bidirectional marks, and none of them reaches the output of any screen or dialog, in every way of drawing.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FakeDesk } from '../console/support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, openRig, type RigOptions } from '../console/support/rig.tsx';
import { alert, bot } from '../console/support/some-bots.ts';
import { deskState, someKeys } from '../console/support/some-desk.ts';
import { somePositions } from '../console/support/some-futures.ts';
import { order } from '../console/support/some-orders.ts';
import { attacked } from '../support/attacks.ts';

const { strings } = JSON.parse(
  readFileSync(new URL('../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
) as { strings: readonly { readonly s: string }[] };

/** All hostile texts, each after a mark that shows that it was drawn. */
const HOSTILE = [
  ...strings.map(({ s }) => s),
  '\x1b]0;owned\x07',
  '\x1b]52;c;b3duZWQ=\x07',
  '\x9b2J\x9d0;owned\x9c',
  '\u202egnp.exe\u202c\u2066x\u2069\u200f',
];
const at = (n: number): string => `mark${n}${HOSTILE[n % HOSTILE.length]}`;

const KEYS = [
  '1',
  'j',
  '2',
  ENTER,
  'x',
  ESC,
  's',
  ESC,
  'X',
  ESC,
  't',
  '3',
  ENTER,
  'v',
  'v',
  'd',
  ESC,
  '4',
  '5',
  ENTER,
  '6',
  ENTER,
  '7',
  '8',
  ENTER,
  '9',
  ':',
  ESC,
  CTRL_R,
];

/** Operating system commands, device control, privacy messages, C1 controls, and what turns text around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const FORBIDDEN = /\x1b[\]P^_X]|[\x80-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ESCAPE = /\x1b/;

function hostileDesk(): FakeDesk {
  const base = deskState({ futures: somePositions() });
  const orders = HOSTILE.map((text, n) =>
    order(`oc-${n}`, { symbol: at(n), text: at(n + 1), metadata: text, creatorId: at(n), creator: 'BOT' }),
  );
  return new FakeDesk({
    ...base,
    desk: { ...base.desk, user: at(0), apiUrl: at(1) },
    orders: Object.fromEntries(orders.map((each) => [each.id, each])),
    bots: Object.fromEntries(
      HOSTILE.map((text, n) => [
        `b${n}`,
        bot(`b${n}`, { tag: at(n), metadata: text, settings: { ticker: at(n), name: at(n + 2) } }),
      ]),
    ),
    alerts: HOSTILE.map((_, n) => alert(`a${n}`, { message: at(n) })),
    keys: someKeys().map((key, n) => ({ ...key, label: at(n) })),
    log: HOSTILE.map((_, n) => ({ at: 0, level: 'warn', source: 'exchange', text: at(n) })),
    maintenance: at(3),
  });
}

const MODES: readonly [name: string, options: RigOptions][] = [
  ['normal', {}],
  ['--screen-reader', { screenReader: true, columns: 200, rows: 600 }],
  ['TERM=dumb', { env: { TERM: 'dumb' }, opening: true }],
];

it('nothing of it reaches a terminal, whatever is looked at', { timeout: 120_000 }, async () => {
  expect(KEYS).toHaveLength(29);
  let held = 0;
  for (const [name, options] of MODES) {
    const screen = await openRig(hostileDesk(), { columns: 120, rows: 40, ...options });
    try {
      for (const key of KEYS) await screen.press(key);
      const written = screen.stdout.chunks.join('');
      expect(written, name).toContain('mark');
      expect(FORBIDDEN.exec(written), name).toBeNull();
      if (name === 'TERM=dumb') expect(ESCAPE.exec(written), name).toBeNull();
      held++;
    } finally {
      await screen.close();
    }
  }
  attacked('hostile text on the screen', MODES.length, held);
});
