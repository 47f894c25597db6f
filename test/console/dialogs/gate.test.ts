/**
 * The gate for slow links: its question and the terminal's answer, and how a busy console works over a link
 * of 10 kB/s.
 */
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeskMirror } from '../../../src/console/state/desk-mirror.ts';
import { ANSWER_LIMIT_MS, createGate, QUIET_LIMIT_MS } from '../../../src/console/terminal/gate.ts';
import { FakeDesk } from '../support/fake-desk.ts';

const QUESTION = '\x1b[5n';
const ANSWER = '\x1b[0n';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(onWrite: (text: string) => void = () => {}, mayAsk = () => true) {
  const written: string[] = [];
  const chunks: string[][] = [];
  const stdin = new PassThrough({ encoding: 'utf8' });
  const stdout = new Writable({
    decodeStrings: false,
    writev(all, done) {
      const texts = all.map(({ chunk }) => String(chunk));
      chunks.push(texts);
      written.push(...texts);
      for (const text of texts) onWrite(text);
      done();
    },
  });
  const gate = createGate(stdin as unknown as NodeJS.ReadStream, stdout as unknown as NodeJS.WriteStream, {
    mayAsk,
  });
  const questions = () => written.filter((text) => text === QUESTION).length;
  /** The input as Ink reads it. */
  const keys = () => {
    const all: unknown[] = [];
    for (let chunk = gate.stdin.read(); chunk !== null; chunk = gate.stdin.read()) all.push(chunk);
    return all.join('');
  };
  const answer = () => {
    stdin.write(ANSWER);
    expect(keys()).toBe('');
  };
  return { gate, stdin, written, chunks, questions, keys, answer };
}

/** Whether the promise has resolved by now. */
async function settled(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

/** A gate whose terminal has answered before. */
async function answering() {
  const t = terminal();
  t.gate.stdout.write('first');
  await t.gate.drawn();
  t.answer();
  return t;
}

describe('the gate', () => {
  it('does not wait for a terminal that has never answered, and asks it three times at most', async () => {
    const t = terminal();
    for (let frame = 0; frame < 10; frame++) {
      t.gate.stdout.write('frame');
      expect(await settled(t.gate.drawn())).toBe(true);
    }
    expect(t.questions()).toBe(3);
  });

  it('waits for the answer of one that has', async () => {
    const t = await answering();
    t.gate.stdout.write('frame');
    const drawn = t.gate.drawn();
    expect(await settled(drawn)).toBe(false);
    t.answer();
    expect(await settled(drawn)).toBe(true);
  });

  it('goes on without the answer after a while, and asks again', async () => {
    const t = await answering();
    for (let frame = 0; frame < 5; frame++) {
      t.gate.stdout.write('frame');
      const drawn = t.gate.drawn();
      await vi.advanceTimersByTimeAsync(ANSWER_LIMIT_MS - 1);
      expect(await settled(drawn)).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await settled(drawn)).toBe(true);
    }
    expect(t.questions()).toBe(6);
  });

  it('asks nothing when nothing was written', async () => {
    const t = await answering();
    t.gate.stdout.write('');
    expect(await settled(t.gate.drawn())).toBe(true);
    expect(t.questions()).toBe(1);
  });

  it('lets whoever waits go when it is closed, and asks no more', async () => {
    const t = await answering();
    t.gate.stdout.write('frame');
    const drawn = t.gate.drawn();
    t.gate.close();
    expect(await settled(drawn)).toBe(true);
    t.gate.stdout.write('frame');
    expect(await settled(t.gate.drawn())).toBe(true);
    expect(t.questions()).toBe(2);
  });

  it('is quiet once every answer has come, also those that come after it is closed', async () => {
    const t = await answering();
    expect(await settled(t.gate.quiet())).toBe(true);
    for (const frame of ['one', 'two']) {
      t.gate.stdout.write(frame);
      void t.gate.drawn();
    }
    t.gate.close();
    const quiet = t.gate.quiet();
    t.answer();
    expect(await settled(quiet)).toBe(false);
    t.answer();
    expect(await settled(quiet)).toBe(true);
  });

  it('counts answers that come together', async () => {
    const t = await answering();
    for (const frame of ['one', 'two']) {
      t.gate.stdout.write(frame);
      void t.gate.drawn();
    }
    t.stdin.write(`${ANSWER}j${ANSWER}`);
    expect(t.keys()).toBe('j');
    expect(await settled(t.gate.quiet())).toBe(true);
  });

  it('waits a moment for the first answer of a terminal, and not for one that stays silent', async () => {
    const t = terminal();
    const ask = async () => {
      t.gate.stdout.write('frame');
      await t.gate.drawn();
    };
    await ask();
    const quiet = t.gate.quiet();
    await vi.advanceTimersByTimeAsync(QUIET_LIMIT_MS - 1);
    expect(await settled(quiet)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await settled(quiet)).toBe(true);
    await ask();
    await ask();
    expect(await settled(t.gate.quiet())).toBe(true);
  });

  it('waits for nobody when the terminal is gone', async () => {
    const t = await answering();
    t.gate.stdout.write('frame');
    void t.gate.drawn();
    t.stdin.destroy();
    expect(await settled(t.gate.quiet())).toBe(true);
  });

  it('makes one write of what one turn writes', async () => {
    const t = terminal();
    for (const text of ['begin', 'frame', 'end']) t.gate.stdout.write(text);
    await vi.advanceTimersByTimeAsync(0);
    t.gate.stdout.write('later');
    await vi.advanceTimersByTimeAsync(0);
    expect(t.chunks).toEqual([['begin', 'frame', 'end'], ['later']]);
  });

  it('asks with the very write that it waits for, once; after it where nothing was written at once', async () => {
    const t = await answering();
    await vi.advanceTimersByTimeAsync(0);
    const before = t.chunks.length;
    const drawn = t.gate.drawn(async () => {
      t.gate.stdout.write('frame');
      await new Promise(setImmediate);
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(t.chunks.slice(before)).toEqual([['frame', QUESTION]]);
    expect(await settled(drawn)).toBe(false);
    t.answer();
    expect(await settled(drawn)).toBe(true);
    t.gate.stdout.write('key');
    await vi.advanceTimersByTimeAsync(0);
    expect(t.questions()).toBe(2);
    void t.gate.drawn(() => Promise.resolve());
    await vi.advanceTimersByTimeAsync(0);
    expect(t.questions()).toBe(3);
  });

  it('asks nothing while another program has the terminal', async () => {
    let isOurs = true;
    const t = terminal(undefined, () => isOurs);
    t.gate.stdout.write('first');
    await t.gate.drawn();
    t.answer();
    const drawn = t.gate.drawn(async () => {
      isOurs = false;
      t.gate.stdout.write('frame');
    });
    expect(await settled(drawn)).toBe(true);
    expect(t.questions()).toBe(1);
  });

  it('keeps answers from the keys and every key as it was, however they come together', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(ANSWER, 'j', '\x1b[A', 'é', '\x1b', ' '))), (chunks) => {
        const t = terminal();
        for (const chunk of chunks) if (chunk.length > 0) t.stdin.write(chunk.join(''));
        const pressed = chunks.map((chunk) => chunk.join('').replaceAll(ANSWER, '')).join('');
        // Parts that come in one piece are one text: an escape may then complete the sequence after it.
        expect(t.keys()).toBe(pressed);
      }),
    );
  });
});

/** A link that carries bytes one after the other; the terminal answers when the question has come through. */
function link(bytesPerSecond: number, arrived: (text: string) => void) {
  const queue: string[] = [];
  let busy = false;
  const next = (): void => {
    const text = queue.shift();
    busy = text !== undefined;
    if (text === undefined) return;
    setTimeout(
      () => {
        arrived(text);
        next();
      },
      (text.length / bytesPerSecond) * 1_000,
    );
  };
  return (text: string): void => {
    queue.push(text);
    if (!busy) next();
  };
}

/** The greatest age of a state at the moment when the terminal shows it, ms. */
async function oldestShown(gated: boolean): Promise<number> {
  let oldest = 0;
  const begun = Date.now();
  const send = link(10_000, (text) => {
    if (text === QUESTION) {
      t.stdin.write(ANSWER);
      t.keys();
    } else oldest = Math.max(oldest, Date.now() - Math.max(begun, Number(text.split(' ')[0])));
  });
  const t = terminal(send);
  const desk = new FakeDesk();
  const mirror = createDeskMirror(desk, {
    now: Date.now,
    flush: () => (gated ? t.gate.drawn() : Promise.resolve()),
    tickMs: 100,
  });
  mirror.store.subscribe(({ state }) => t.gate.stdout.write(`${state?.equity.usd} `.padEnd(2_000, '.')));
  let sent = 1;
  for (let at = 0; at < 300; at++) {
    // As at the desk: the next state goes out when the last one is acknowledged.
    if (desk.acks < sent) {
      await vi.advanceTimersByTimeAsync(100);
      continue;
    }
    sent++;
    desk.push({ equity: { ...desk.state.equity, usd: String(Date.now()) } });
    await vi.advanceTimersByTimeAsync(100);
  }
  mirror.close();
  return oldest;
}

describe('frames of 2 kB ten times a second on a link of 10 kB/s', () => {
  it('are shown within a second; without the gate they fall behind for good', async () => {
    expect(await oldestShown(true)).toBeLessThanOrEqual(1_000);
    expect(await oldestShown(false)).toBeGreaterThan(10_000);
  });
});
