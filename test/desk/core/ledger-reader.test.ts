/** How the ledger of a shared wallet is read, and how it is read while the engine is loaded again. */
import { expect, it } from 'vitest';
import { LedgerReader } from '../../../src/desk/core/ledger-reader.ts';
import { type LedgerMemory, loadLedger } from '../../../src/engine/ledger.ts';
import type { LedgerPage } from '../../../src/venues/venue.ts';

function reading() {
  const memory: LedgerMemory = {
    ...loadLedger(new Map(), 'w'),
    place: { since: 0, after: '1', opened: true, unexplained: 0 },
  };
  const answers: ((page: LedgerPage | null) => void)[] = [];
  const asked: (string | null)[] = [];
  const steps: unknown[] = [];
  const failed: unknown[] = [];
  const reader = new LedgerReader({
    exchange: 'x',
    ask: ({ after }) => {
      asked.push(after);
      return new Promise((resolve) => answers.push(resolve));
    },
    memory: () => memory,
    now: () => 0,
    isStored: () => false,
    step: (event) => {
      steps.push([event.entries.map(({ id }) => id), event.after]);
      if (memory.place) memory.place.after = event.after;
    },
    stored: () => Promise.resolve(),
    failed: (error) => failed.push(error),
  });
  const row = (id: string) => ({ id, time: 0, asset: 'USDT', amount: '1', kind: 'transfer' }) as const;
  const answer = async (page: LedgerPage | null) => {
    answers.shift()?.(page);
    await new Promise(setImmediate);
  };
  return { reader, memory, asked, steps, failed, row, answer };
}

it('a page whose place is not that of the ledger any more is not taken: what lies between would be lost', async () => {
  const { reader, memory, steps, row, answer } = reading();
  const whole = reader.read();
  if (memory.place) memory.place.after = null;
  await answer({ rows: [row('2')], next: '2', more: false });
  expect([await whole, steps]).toEqual([false, []]);
});

it('who asks while one is read gets the reading after it, all of them the same one, also after one that failed', async () => {
  const { reader, asked, steps, row, answer } = reading();
  for (const from of ['1', '2']) {
    const first = reader.read();
    const others = [reader.read(), reader.read()];
    expect(asked.splice(0)).toEqual([from]);
    await answer(from === '1' ? { rows: [row('2')], next: '2', more: false } : null);
    expect(await first).toBe(from === '1');
    expect(asked.splice(0)).toEqual(['2']);
    await answer({ rows: [], next: '2', more: false });
    expect(await Promise.all(others)).toEqual([true, true]);
  }
  expect(steps).toEqual([[['2'], '2']]);
});

it('one that throws is told, and the next one begins anew', async () => {
  const { reader, memory, asked, failed, answer } = reading();
  const place = memory.place;
  Object.defineProperty(memory, 'place', {
    configurable: true,
    get: () => {
      throw new Error('broken');
    },
  });
  expect(await reader.read()).toBe(false);
  expect(failed.map(String)).toEqual(['Error: broken']);
  Object.defineProperty(memory, 'place', { value: place });
  const again = reader.read();
  expect(asked).toEqual(['1']);
  await answer({ rows: [], next: '1', more: false });
  expect(await again).toBe(true);
});
