/**
 * The bot editor on a terminal emulator: what it shows at both sizes, what its keys do, and that no key
 * starts anything.
 */
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { benchDesk } from '../support/bot-bench.ts';
import { CTRL_R, ENTER, ESC, openRig, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, detailOf, SQUEEZE_SETTINGS } from '../support/some-bots.ts';
import { NOON } from '../support/some-market.ts';

const DOWN = '\x1b[B';
const UP = '\x1b[A';
const RIGHT = '\x1b[C';
const TAB = '\t';
const CTRL_D = '\x04';
const CTRL_E = '\x05';
const CTRL_F = '\x06';
const CTRL_G = '\x07';
const CTRL_N = '\x0e';
const CTRL_U = '\x15';

const open = rigPerTest(benchDesk);

/** Opens the editor of a new bot of the type at that position of the choice. */
async function write(screen: Rig, place: number): Promise<void> {
  await screen.press('3', 'n', ...Array.from({ length: place }, () => DOWN), ENTER);
  await screen.shows('New ');
  await screen.shows('✓ checked');
}

/** Waits until no replay is under way. */
async function replayed(screen: Rig): Promise<void> {
  await screen.until(() => {
    const editor = screen.session.ui.getState().dialogs.find((one) => one.kind === 'bot-editor');
    return (
      editor?.kind === 'bot-editor' &&
      editor.replay.was.state === 'over' &&
      editor.replay.draft === editor.form.draft &&
      editor.ladder?.draft === editor.form.draft &&
      editor.check?.draft === editor.form.draft
    );
  });
  await screen.settle();
}

const TYPES = ['FIBO', 'CHANNEL', 'SQUEEZE', 'INTRADAY', 'ALGO', 'ALARM', 'NOTIFY'];

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  const size = { columns, rows };

  it('the choice of types', async () => {
    const screen = await open(benchDesk(), size);
    await screen.press('3', 'n');
    expect(screen.screenText()).toMatchSnapshot('types');
  });

  it.each(TYPES.map((type, place) => [type, place] as const))('a new %s', async (type, place) => {
    const screen = await open(benchDesk(), size);
    await write(screen, place);
    await replayed(screen);
    expect(screen.screenText()).toContain(`New ${type}`);
    expect(screen.screenText()).toMatchSnapshot('form');
    await screen.press(TAB, '\x04');
    expect(screen.screenText()).toMatchSnapshot('results');
  });

  it('what is wrong stands beside its field, the share meter shows what is missing', async () => {
    const screen = await open(benchDesk(), size);
    await write(screen, 0);
    await screen.press(...Array.from({ length: 9 }, () => DOWN));
    await screen.press(RIGHT, ENTER, CTRL_U, '5');
    await screen.shows('adds up to');
    await screen.shows('of 100 %');
    await replayed(screen);
    expect(screen.screenText()).toMatchSnapshot('shares');
  });
});

describe('the form', () => {
  it('checks each key: the words of the deep validation, and the order that is too small', async () => {
    const desk = benchDesk();
    const screen = await open(desk, { columns: 200, rows: 50 });
    await write(screen, 0);
    await screen.press(DOWN, DOWN, DOWN, CTRL_U, '0');
    await screen.shows('must be a decimal above 0, got "0"');
    await screen.press(CTRL_U, '20');
    await screen.shows('is below the exchange minimum of 5 USDT');
    expect(screen.screenText()).toContain('too small');
    expect(desk.acting).toEqual([]);
  });

  it('adds, moves and takes away rows of a table', async () => {
    const screen = await open(benchDesk(), { columns: 200, rows: 50 });
    await write(screen, 0);
    await screen.press(...Array.from({ length: 7 }, () => DOWN));
    await screen.shows('▸ 1 0');
    await screen.press(CTRL_N);
    await screen.shows('▸ 2 0.786');
    await screen.press(CTRL_F);
    await screen.shows('▸ 3 0.786');
    await screen.press(CTRL_D);
    expect(screen.screenText()).not.toContain('0.786');
  });

  it('goes to the next problem', async () => {
    const screen = await open(benchDesk(), { columns: 200, rows: 50 });
    await write(screen, 0);
    await screen.press(DOWN, DOWN, DOWN, CTRL_U, 'x', UP, UP);
    await screen.shows('got "x"');
    await screen.press(CTRL_G);
    await screen.shows('▸ deposit.value');
  });

  it('asks before it is left with changes', async () => {
    const screen = await open();
    await write(screen, 2);
    await screen.press('x', ESC);
    await screen.shows('esc again leaves what is written behind');
    await screen.press(DOWN);
    expect(screen.screenText()).not.toContain('esc again');
    await screen.press(ESC, ESC);
    expect(screen.screenText()).not.toContain('New SQUEEZE');
    await screen.press('n', DOWN, DOWN, ENTER, ESC);
    expect(screen.screenText()).not.toContain('New SQUEEZE');
  });
});

describe('saving', () => {
  it('creates after a look, and starts nothing', async () => {
    const desk = benchDesk();
    const screen = await open(desk);
    await write(screen, 2);
    await screen.press(CTRL_R);
    await screen.shows('y create this bot');
    await screen.press(ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press(CTRL_R);
    await screen.shows('y create this bot');
    await screen.press('y');
    await screen.shows('created SQUEEZE');
    expect(desk.acting).toEqual(['bots.create']);
    expect(screen.screenText()).not.toContain('New SQUEEZE');
  });

  it('changes a stopped bot: what differs, and null for what is gone', async () => {
    const stopped = bot('b5squeeze00', { tag: 'old', settings: { ...SQUEEZE_SETTINGS, onetime: true } });
    const desk = benchDesk({ bots: { [stopped.id]: stopped } });
    desk.answers['bots.patch'] = () => ok({ bot: stopped, old: stopped });
    desk.answers['bots.detail'] = () => ({
      ...detailOf(stopped, {}),
      runs: [
        {
          runId: 'run-before',
          botId: stopped.id,
          user: 'owner',
          type: 'SQUEEZE',
          exchange: 'paper-spot',
          symbol: 'BTCUSDT',
          startedAt: NOON - 1,
          endedAt: NOON,
          reason: 'operator',
          error: null,
          settings: { ...SQUEEZE_SETTINGS, timeFrame: 300_000 },
          options: null,
          label: 'stopped',
          figures: {} as never,
        },
      ],
    });
    const screen = await open(desk, { columns: 200, rows: 50 });
    await screen.press('3', 'e');
    await screen.shows('Edit old, SQUEEZE BTCUSDT');
    await screen.shows('Since the last run');
    expect(screen.screenText()).toContain('300000 → 60000');
    await screen.press('\x1b[6~', CTRL_U, '250', '\x1b[6~', '\x1b[6~', '\x1b[6~', '\x1b[6~', '\x1b[6~');
    await screen.until(() => screen.screenText().includes('"200" → "250"'));
    await screen.press(CTRL_R);
    await screen.shows('y save these changes');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.shows('saved; s starts it');
    expect(desk.acting).toEqual(['bots.patch']);
    expect(desk.calls.find(({ method }) => method === 'bots.patch')?.params).toEqual({
      id: stopped.id,
      change: { config: { deposit: { value: '250', asset: 'USDT' } } },
    });
  });

  it('keeps what is written when it is refused', async () => {
    const desk = benchDesk();
    desk.answers['bots.create'] = () => refuse('SERVICE_UNAVAILABLE', 'the store is full');
    const screen = await open(desk);
    await write(screen, 2);
    await screen.press(CTRL_R);
    await screen.shows('y create this bot');
    await screen.press('y');
    await screen.shows('refused: the store is full');
    expect(screen.screenText()).toContain('New SQUEEZE');
  });

  it('opens a bot whose settings are long with all of them, not with the part that the console mirrors', async () => {
    const whole = bot('b5squeeze00', { tag: 'fat', settings: { ...SQUEEZE_SETTINGS, onetime: true } });
    const { deposit: _, ...part } = whole.settings;
    const desk = benchDesk({ bots: { [whole.id]: { ...whole, settings: part, abridged: true } } });
    desk.answers['bots.detail'] = () => detailOf(whole, {});
    desk.answers['bots.patch'] = () => ok({ bot: whole, old: whole });
    const screen = await open(desk, { columns: 200, rows: 50 });
    await screen.press('3', 'e');
    await screen.shows('Edit fat, SQUEEZE BTCUSDT');
    await screen.press('\x1b[6~', CTRL_U, '250', '\x1b[6~', '\x1b[6~', '\x1b[6~', '\x1b[6~', '\x1b[6~');
    await screen.until(() => screen.screenText().includes('"200" → "250"'));
  });

  it('does not open a bot that runs, and says what to do instead', async () => {
    const screen = await open();
    await screen.press('3', 'j', 'j', 'j', 'e');
    await screen.shows('is running: stop it first');
  });
});

describe('its JSON in an editor of one’s own', () => {
  const env = { TERM: 'xterm-256color', EDITOR: 'my-editor' };

  it('says so without one', async () => {
    const screen = await open();
    await write(screen, 2);
    await screen.press(CTRL_E);
    await screen.shows('neither VISUAL nor EDITOR names an editor');
  });

  it('comes back into the form', async () => {
    const { readFileSync, writeFileSync } = await import('node:fs');
    const screen = await open(benchDesk(), {
      env,
      runEditor: async (command, file) => {
        expect(command).toBe('my-editor');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"200"', '"321"'));
        return 0;
      },
    });
    await write(screen, 2);
    await screen.press(CTRL_E);
    await screen.shows('deposit.value       321');
    expect(screen.screenText()).toContain('not saved');
  });

  it('comes back with the lines of what is wrong, and opens as it was written', async () => {
    const { readFileSync, writeFileSync } = await import('node:fs');
    const seen: string[] = [];
    const texts = [
      '{"type": "SQUEEZE",\n "settings": {"exchange" "paper-spot"}}',
      '{"type": "SQUEEZE",\n "settings": {"exchange": "paper-spot",\n "depositt": 1}}',
    ];
    const screen = await open(benchDesk(), {
      env,
      runEditor: async (_command, file) => {
        seen.push(readFileSync(file, 'utf8'));
        writeFileSync(file, texts[seen.length - 1] ?? '');
        return 0;
      },
    });
    await write(screen, 2);
    await screen.press(CTRL_E);
    await screen.shows('line 2, column 26: ":" expected');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('not saved');
    await screen.press(CTRL_E);
    await screen.shows('line 3: depositt: unknown field; did you mean "deposit"?');
    expect(seen[1]).toBe(texts[0]);
  });

  it('tells of a field beside the settings that is no bot’s, and is left out', async () => {
    const { readFileSync, writeFileSync } = await import('node:fs');
    const screen = await open(benchDesk(), {
      env,
      runEditor: async (_command, file) => {
        const written = JSON.parse(readFileSync(file, 'utf8'));
        writeFileSync(file, JSON.stringify({ ...written, option: { restart: true } }, null, 2));
        return 0;
      },
    });
    await write(screen, 2);
    await screen.press(CTRL_E);
    await screen.shows('option: not a field of a bot, did you mean options?; left out');
  });

  it('changes nothing when the editor fails', async () => {
    const screen = await open(benchDesk(), { env, runEditor: async () => 1 });
    await write(screen, 2);
    await screen.press(CTRL_E);
    await screen.shows('my-editor ended with code 1; nothing is changed');
    expect(screen.screenText()).not.toContain('not saved');
  });
});

describe('the replay', () => {
  it('of an older draft is called off by the next key', async () => {
    const desk = benchDesk();
    const answers: (() => void)[] = [];
    desk.answers['bots.replay'] = () =>
      new Promise((resolve) => answers.push(() => resolve({ done: 'cancelled' })));
    desk.answers['bots.replayProgress'] = () => ({ done: 500, of: 2_000 });
    const screen = await open(desk, { columns: 200, rows: 50 });
    await write(screen, 2);
    await screen.shows('25 % of 2000 candles');
    await screen.press('x');
    await screen.until(() => desk.calls.some(({ method }) => method === 'bots.replayEnd'));
    for (const answer of answers.splice(0)) answer();
    await screen.until(() => desk.calls.filter(({ method }) => method === 'bots.replay').length === 2);
    for (const answer of answers.splice(0)) answer();
  });
});

describe('a bot of somebody else', () => {
  const hostile = (
    JSON.parse(
      readFileSync(new URL('../../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
    ) as { strings: { s: string }[] }
  ).strings.map(({ s: text }) => text);

  it.each([
    [80, 24],
    [200, 50],
  ])('keeps the frame at %ix%i, whatever its settings say', async (columns, rows) => {
    const odd = bot('b6hostile00', {
      type: 'FIBO',
      tag: hostile[0],
      settings: {
        ...Object.fromEntries(hostile.map((text, at) => [`${text}${at}`, text])),
        exchange: hostile[1],
        symbol: { base: hostile[2], quote: hostile[3] },
        deposit: hostile[4],
        channels: hostile.map((text) => ({
          name: text,
          fiboPrice: text,
          buy: { from: text, percent: text },
        })),
        stop: { strategy: hostile[5], trigger: { type: hostile[6], value: { a: hostile[7], b: 1, c: [] } } },
        filters: [1, null, { a: 1 }],
      },
    });
    const screen = await open(benchDesk({ bots: { [odd.id]: odd } }), { columns, rows });
    await screen.press('3', 'e');
    await screen.shows('problems');
    for (const key of [...Array.from({ length: 30 }, () => DOWN), CTRL_G, CTRL_D, TAB, 'j', TAB, CTRL_R]) {
      await screen.press(key);
      expect(screen.screenLines()).toHaveLength(rows);
      expect(screen.terminal.buffer.active.length).toBe(rows);
    }
  });
});

describe('without y', () => {
  const KEYS = [
    ...'abc019.- jkehlgGyns',
    ENTER,
    TAB,
    UP,
    DOWN,
    RIGHT,
    '\x1b[D',
    '\x1b[5~',
    '\x1b[6~',
    CTRL_R,
    CTRL_N,
    CTRL_D,
    CTRL_F,
    '\x10',
    CTRL_G,
    CTRL_U,
    CTRL_E,
    ESC,
  ].filter((key) => key !== 'y');

  it('no keys in the editor change anything on the desk', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(6),
        fc.array(fc.constantFrom(...KEYS), { minLength: 10, maxLength: 40 }),
        async (place, keys) => {
          const desk = benchDesk();
          const screen = await openRig(desk);
          try {
            await screen.press('3', 'n', ...Array.from({ length: place }, () => DOWN), ENTER);
            for (const key of keys) {
              if (screen.exit()) break;
              await screen.press(key);
            }
            expect(desk.acting).toEqual([]);
            for (const line of screen.screenLines()) expect([...line].length).toBeLessThanOrEqual(80);
          } finally {
            await screen.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});

it('JSON that could not be read is still there after an edit in the form', async () => {
  let written = '';
  const screen = await open(benchDesk(), {
    columns: 120,
    rows: 40,
    env: { TERM: 'xterm-256color', EDITOR: 'x' },
    runEditor: async (_, file) => {
      written = await readFile(file, 'utf8');
      await writeFile(file, written.replace('{', '{ "MINE": 1,,'));
      return 0;
    },
  });
  await write(screen, 0);
  await screen.press(CTRL_E);
  await screen.shows('kept as you wrote');
  await screen.press(ESC, '7', CTRL_E);
  await screen.shows('kept as you wrote');
  expect(written).toContain('MINE');
});
