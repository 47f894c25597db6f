/**
 * Messages of an exchange: complete and of the right form, or unreadable with one harmless line; complaints
 * about them; events that wait.
 */
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { FRAME } from '../../../src/venues/kit/bounds.ts';
import { Complaints, SAY_EVERY_MS } from '../../../src/venues/kit/complaints.ts';
import { EVENTS_MAX, EventQueue } from '../../../src/venues/kit/event-queue.ts';
import { messageReader } from '../../../src/venues/kit/messages.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const TRADE = Type.Object({
  e: Type.Literal('trade'),
  p: Type.String(),
  S: Type.Enum(['BUY', 'SELL']),
  T: Type.Integer(),
});
const GOOD = { e: 'trade', p: '1.5', S: 'BUY', T: 7 };
const read = messageReader(TRADE, FRAME);
const HOSTILE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('a message', () => {
  it('has its form, and fields that are not known are no matter', () => {
    expect(read(JSON.stringify(GOOD))).toEqual({ ok: true, value: GOOD });
    expect(read(JSON.stringify({ ...GOOD, new: [1] }))).toMatchObject({ ok: true });
  });

  it.each([
    ['a word that is not known', { ...GOOD, S: 'HOLD' }, /^S must be/],
    ['a field that is missing', { e: 'trade', p: '1', S: 'BUY' }, /^it must have required property 'T'/],
    ['another type', { ...GOOD, p: 1.5 }, /^p must be string/],
    ['a list', [GOOD], /^it must be object/],
    [
      'fields of the prototype',
      JSON.parse('{"__proto__":{"e":"trade"},"p":"1","S":"BUY","T":1}'),
      /property 'e'/,
    ],
  ])('is not read with %s', (_, message, words) => {
    const answer = read(JSON.stringify(message));
    expect(answer.ok ? '' : answer.problem).toMatch(words);
  });

  it('is not parsed where it breaks a bound', () => {
    const answer = read(JSON.stringify({ ...GOOD, p: '1'.repeat(600) }));
    expect(answer).toEqual({ ok: false, problem: 'a string in it is longer than 512 characters' });
  });

  it('is read whole or not at all, whatever comes, and what is wrong is one harmless line', () => {
    const near = fc.record({
      e: fc.anything(),
      p: fc.anything(),
      S: fc.constantFrom('BUY', 'no\u001b[2J'),
      T: fc.anything(),
    });
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      near.map((value) => JSON.stringify(value) ?? ''),
      fc.tuple(fc.integer({ min: 0, max: 45 }), fc.string({ maxLength: 2 })).map(([at, by]) => {
        const text = JSON.stringify(GOOD);
        return text.slice(0, at) + by + text.slice(at + 1);
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const answer = read(text);
        if (answer.ok) {
          const { e, p, S, T } = answer.value;
          expect([e, typeof p, ['BUY', 'SELL'].includes(S), Number.isInteger(T)]).toEqual([
            'trade',
            'string',
            true,
            true,
          ]);
        } else expect([HOSTILE.test(answer.problem), answer.problem.length <= 200]).toEqual([false, true]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a complaint', () => {
  function rig() {
    const clock = new VirtualClock();
    const lines: string[] = [];
    return { clock, lines, complaints: new Complaints({ clock, report: (text) => lines.push(text) }) };
  }

  it('is made once a minute for each kind, with how many there were', async () => {
    const { clock, lines, complaints } = rig();
    for (let n = 0; n < 5; n++) complaints.say('trade', 'p must be string');
    complaints.say('order', 'no id');
    expect(lines).toEqual(['trade: p must be string', 'order: no id']);
    await clock.advance(SAY_EVERY_MS - 1);
    complaints.say('trade', 'again');
    expect(lines).toHaveLength(2);
    await clock.advance(1);
    complaints.say('trade', 'again');
    expect(lines.at(-1)).toBe('trade: again (and 5 times before)');
  });

  it('is one harmless line of bounded length', () => {
    const { lines, complaints } = rig();
    complaints.say('trade', `\u001b[2J\n${'x'.repeat(10_000)}`);
    expect([HOSTILE.test(lines[0] ?? ''), (lines[0] ?? '').length < 400]).toEqual([false, true]);
  });

  it('keeps a bounded number of kinds in mind', () => {
    const { lines, complaints } = rig();
    for (let n = 0; n < 1_000; n++) complaints.say(`kind ${n}`, 'x');
    complaints.say('kind 999', 'x');
    complaints.say('kind 0', 'x');
    expect(lines).toHaveLength(1_001);
  });
});

describe('events that wait', () => {
  it('come out once, in their order', () => {
    const queue = new EventQueue<number>(3);
    for (const n of [1, 2, 3]) queue.add(n);
    expect(queue.size).toBe(3);
    expect(queue.take()).toEqual([1, 2, 3]);
    expect(queue.take()).toEqual([]);
  });

  it('are none beyond the bound: never a part of them, and the gap is told once', () => {
    const queue = new EventQueue<number>(3);
    for (const n of [1, 2, 3, 4, 5]) queue.add(n);
    expect(queue.size).toBe(0);
    expect(queue.take()).toBeNull();
    queue.add(6);
    expect(queue.take()).toEqual([6]);
  });

  it('are 50,000 at most', () => {
    expect(EVENTS_MAX).toBe(50_000);
  });
});
