/**
 * An entry sent as several orders at once, one of which is refused: the order in which the answers arrive
 * does not matter.
 */
import { describe, expect, it } from 'vitest';
import type { OrderChange, RunOrder } from '../../../src/bots/run/contract.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Lonely } from './lonely.ts';

const SCALE = { scale: { orders: 0, step: '1', takeProfit: '1' }, orders: { buy: { size: 2 } } };

type Why = Extract<OrderChange, { kind: 'rejected' }>['why'];

/** Answers both orders of the entry in this order; then time and prices go on. */
function told(refusedFirst: boolean, why: Why, sent: boolean, changes: Record<string, unknown>) {
  const lonely = new Lonely('SCALE', { ...SCALE, ...changes }, '45000');
  const [first, second] = lonely.placed() as [RunOrder, RunOrder];
  expect([first.type, second.type]).toEqual(['MARKET', 'MARKET']);
  const refusal = { key: second.key, kind: 'rejected', reason: 'no money', why, sent } as const;
  if (refusedFirst) lonely.change(refusal);
  lonely.fill(first, '45000');
  if (!refusedFirst) lonely.change(refusal);
  const words: string[] = [];
  const note = () => {
    for (const action of lonely.asked()) {
      if (action.do === 'place')
        words.push(`${action.order.side} ${action.order.type} ${action.order.label}`);
      else if (action.do === 'notice' && action.level === 1) words.push(action.text);
    }
  };
  note();
  for (const price of ['45010', '45020', '45030']) {
    lonely.tick(price);
    lonely.wait(40_000);
    note();
  }
  const { phase, timers } = lonely.run.state;
  return { words: words.sort(), phase, timers: [...timers.keys()], held: lonely.run.lots.open.length };
}

describe('the refusal of a part and the fill of the other', () => {
  const whys: readonly Why[] = ['balance', 'other', 'final', 'later'];
  const ways = whys.flatMap((why) => [true, false].map((sent) => [why, sent] as const));

  it.each(ways)('leave the run with what it has got, whichever is told first: %s, sent %s', (why, sent) => {
    for (const changes of [{}, { deposit: { value: '1000', asset: 'USDT', allocate: 'no_reserve' } }]) {
      const fillFirst = told(false, why, sent, changes);
      expect(told(true, why, sent, changes)).toEqual(fillFirst);
      expect(fillFirst).toMatchObject({ phase: 'running', timers: [], held: 1 });
      expect(fillFirst.words.filter((word) => word.startsWith('BUY MARKET'))).toEqual([]);
    }
  });
});

it('a part that is refused leaves another one that is out where it is, and what that gets counts', () => {
  const lonely = new Lonely('SCALE', { ...SCALE, orders: { buy: { size: 3 } } }, '45000');
  const [first, second, third] = lonely.placed() as [RunOrder, RunOrder, RunOrder];
  lonely.fill(first, '45000');
  lonely.change({ key: second.key, kind: 'accepted' });
  lonely.change({ key: third.key, kind: 'rejected', reason: 'busy', why: 'other', sent: true });
  expect(lonely.asked().filter(({ do: what }) => what === 'cancel')).toEqual([]);
  expect(lonely.run.slots.get(first.slot)?.want).not.toBeNull();
  lonely.fill(second, '45000');
  lonely.wait(60_000);
  const bought = lonely.run.lots.open.reduce((sum, { filledQty }) => sum + filledQty, 0n);
  expect([bought, lonely.run.state.phase]).toEqual([first.qty + second.qty, 'running']);
  expect(lonely.placed().filter(({ side }) => side === 'BUY')).toEqual([]);
});

it.each(['the refusal', 'the end'])(
  'a part that cannot be judged yet and one that finds nobody come again together, at their time: %s first',
  (first) => {
    const lonely = new Lonely('SCALE', SCALE, '45000');
    const [one, other] = lonely.placed() as [RunOrder, RunOrder];
    const later = { key: one.key, kind: 'rejected', reason: 'busy', why: 'later', sent: true } as const;
    const ended = { key: other.key, kind: 'ended' } as const;
    for (const change of first === 'the end' ? [ended, later] : [later, ended]) lonely.change(change);
    // Five seconds, whatever ticks come.
    for (const price of ['45010', '45020', '45030', '45000']) lonely.tick(price);
    lonely.wait(999);
    expect(lonely.placed()).toEqual([]);
    lonely.wait(1);
    expect(lonely.placed().map(({ type, qty }) => [type, qty])).toEqual([
      [one.type, one.qty],
      [other.type, other.qty],
    ]);
  },
);

describe('two parts that are both refused', () => {
  it('are tried again together, and end the run after the third time', () => {
    const lonely = new Lonely('SCALE', SCALE, '45000');
    for (let i = 0; i < 12 && lonely.run.state.phase !== 'ended'; i++) {
      for (const { key } of lonely.placed())
        lonely.change({ key, kind: 'rejected', reason: 'no money', why: 'balance', sent: true });
      lonely.wait(30_000);
    }
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'error' });
  });
});

describe('the last slice of a TWAP', () => {
  it('completes the run when it is given up, with what was not traded', () => {
    const lonely = new Lonely('TWAP', { duration: 2 }, '45000');
    lonely.fill(lonely.placed()[0] as RunOrder, '45000');
    lonely.wait(60_000);
    for (const _ of [1, 5, 30, 30]) {
      for (const { key } of lonely.placed())
        lonely.change({ key, kind: 'rejected', reason: 'no money', why: 'balance', sent: true });
      lonely.wait(30_000);
    }
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'completed' });
    expect(lonely.run.stats().unfilled).toBe(dec('1'));
  });
});
