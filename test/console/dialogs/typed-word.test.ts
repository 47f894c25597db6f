/**
 * The keys that confirm a question: a word, which may come in pieces of any size from a slow line, and then
 * `y`, alone, once the question has been in view for its deaf time. Any other input changes nothing and is
 * answered with what is missing.
 */
import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { ANSWER } from '../support/streams.ts';

const open = rigPerTest();

interface Asked {
  readonly name: string;
  /** Keys that lead to the question. */
  readonly way: readonly string[];
  readonly word: string;
  /** The call to the desk after the confirmation. */
  readonly call: Method;
}

const ASKED: readonly Asked[] = [
  { name: 'panic', way: ['P', ENTER], word: 'panic', call: 'orders.cancelAll' },
  { name: 'cancel all', way: ['2', 'X'], word: 'cancel 3', call: 'orders.cancelAll' },
  { name: 'revoke a key', way: ['6', 'x'], word: 'dashboard', call: 'keys.revoke' },
  { name: 'reset an account', way: ['7', 'R'], word: 'paper-spot', call: 'paper.reset' },
];

function desk(): FakeDesk {
  return new FakeDesk(deskState({ futures: somePositions() }));
}

/** A text in pieces of at most `size` characters. */
function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

async function asked(way: readonly string[], fake: FakeDesk = desk()): Promise<Rig> {
  const screen = await open(fake);
  await screen.press(...way);
  return screen;
}

describe.each(ASKED)('the word of: $name', ({ way, word, call }) => {
  it.each([1, 2, 3, 100])('is taken in pieces of %i', async (size) => {
    const fake = desk();
    const screen = await asked(way, fake);
    // The test does not wait: the pieces may come as soon as the question is there.
    for (const piece of pieces(word, size)) await screen.send(piece);
    expect(screen.screenText()).toContain(`✓ ${word}, now press y`);
    expect(fake.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => fake.acting.includes(call));
  });

  it('stays in view, and Enter neither confirms nor gives up', async () => {
    const fake = desk();
    const screen = await asked(way, fake);
    await screen.press(word, ENTER, ENTER);
    expect(screen.screenText()).toContain(`✓ ${word}, now press y`);
    expect(fake.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => fake.acting.includes(call));
  });

  it('with the y in the same event does not confirm, and says so', async () => {
    const fake = desk();
    const screen = await asked(way, fake);
    await screen.press(`${word}y`);
    expect(fake.acting).toEqual([]);
    expect(screen.screenText()).toContain(`✓ ${word}, press y again`);
    await screen.press('y');
    await screen.until(() => fake.acting.includes(call));
  });

  it('typed wrong is shown as it is, and can be mended', async () => {
    const fake = desk();
    const screen = await asked(way, fake);
    await screen.press('zz', 'y');
    expect(screen.screenText()).toContain('zzy');
    await screen.press('\x7f', '\x7f', '\x7f', word);
    expect(screen.screenText()).toContain(`✓ ${word}, now press y`);
    expect(fake.acting).toEqual([]);
  });

  it('is not taken from a paste, and says so', async () => {
    const fake = desk();
    const screen = await asked(way, fake);
    await screen.press(`\x1b[200~${word}\x1b[201~`);
    expect(screen.screenText()).toContain('a paste is not taken: type it');
    await screen.press('y');
    expect(fake.acting).toEqual([]);
  });
});

it('a bot is deleted by its name in pieces, and y', async () => {
  const fake = botDesk();
  const screen = await open(fake);
  await screen.press('3', 'G', 'd');
  const word = /type (.+?) :/.exec(screen.screenText())?.[1] ?? 'no word is asked for';
  for (const piece of pieces(word, 2)) await screen.send(piece);
  expect(screen.screenText()).toContain(`✓ ${word}, now press y`);
  await screen.press(ENTER, 'y');
  await screen.until(() => fake.acting.includes('bots.delete'));
});

describe('y', () => {
  it('counts once the question has been in view for 300 ms; one that comes before lights the line', async () => {
    const fake = desk();
    const screen = await asked(['2', 'j', 'x'], fake);
    screen.time.now += 299;
    await screen.send('y');
    expect(fake.acting).toEqual([]);
    expect(screen.screenText()).toContain('press y again');
    screen.time.now += 1;
    await screen.send('y');
    await screen.until(() => fake.acting.includes('orders.cancel'));
  });

  it('counts anew from the last letter of the word', async () => {
    const fake = desk();
    const screen = await asked(['2', 'X'], fake);
    await screen.press(...'cancel 3');
    screen.time.now += 299;
    await screen.send('y');
    expect(fake.acting).toEqual([]);
    expect(screen.screenText()).toContain('press y again');
    await screen.press('y');
    await screen.until(() => fake.acting.includes('orders.cancelAll'));
  });

  it('does not count while the terminal has not said that it has drawn the question', async () => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('2', 'j');
    screen.answers.given = false;
    await screen.press('x', 'y');
    expect(fake.acting).toEqual([]);
    screen.answers.given = true;
    screen.stdin.write(ANSWER.repeat(3));
    await screen.settle();
    screen.time.now += 299;
    await screen.send('y');
    expect(fake.acting).toEqual([]);
    screen.time.now += 1;
    await screen.send('y');
    await screen.until(() => fake.acting.includes('orders.cancel'));
  });

  it('does not count with company', async () => {
    const fake = desk();
    const screen = await asked(['2', 'j', 'x'], fake);
    await screen.press('yy', 'y\r', ' y');
    expect(fake.acting).toEqual([]);
    expect(screen.screenText()).toContain('press y again');
  });
});

it('Escape leaves at once, and what stays is named', async () => {
  const fake = desk();
  const screen = await asked(['2', 'j', 'x'], fake);
  expect(screen.screenText()).toMatch(/ Keep it .* y cancel the order/);
  expect(screen.screenText()).not.toMatch(/ Cancel .*enter, esc/);
  await screen.send(ESC);
  expect(screen.screenText()).not.toContain('Keep it');
  expect(fake.acting).toEqual([]);
});

it('the mark of a finished word has an ASCII form', async () => {
  const screen = await open(desk(), { ascii: true });
  await screen.press('2', 'X', 'cancel 3');
  expect(screen.screenText()).toContain('+ cancel 3, now press y');
});
