/** The instruments of an account when it starts without its exchange, and how its contracts are margined. */
import { expect, it } from 'vitest';
import { InstrumentList } from '../../../src/desk/core/instrument-list.ts';
import { keptInstruments } from '../../../src/desk/core/known-accounts.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { BTC, ETH } from '../../engine/support/market.ts';

function listOf(now = [BTC, { ...ETH, delisted: true } as const]) {
  const kept: Row[] = [];
  const brackets = (symbol: string) => [{ symbol }] as never;
  const list = new InstrumentList({
    venue: { account: { id: 'x', name: 'x', kind: 'futures' }, futures: { brackets } as never },
    memory: () => ({ instruments: new Map(now.map((one) => [one.symbol, one])) }),
    meta: new Map(),
    keep: (row) => kept.push(row),
  });
  return { list, kept };
}

it('keeps what is not traded any more as well: an order or a position may be left in it', () => {
  const { list, kept } = listOf();
  expect(list.isKept).toBe(false);
  list.keep();
  expect(list.isKept).toBe(true);
  const meta = new Map(kept.map((row) => (row.kind === 'meta' ? [row.name, row.value] : ['', null])));
  const found = keptInstruments(meta, 'x').map(({ symbol, delisted }) => [symbol, delisted === true]);
  expect(found).toEqual([
    ['BTCUSDT', false],
    ['ETHUSDT', true],
  ]);
});

it('knows brackets of what is traded, of what is new, and of what is not traded any more', () => {
  const { list } = listOf();
  const brackets = list.brackets([BTC, { ...BTC, symbol: 'NEWUSDT' }]);
  expect([...brackets.keys()].sort()).toEqual(['BTCUSDT', 'ETHUSDT', 'NEWUSDT']);
  expect(brackets.get('ETHUSDT')).toEqual([{ symbol: 'ETHUSDT' }]);
});

it('another list is a change only where something of it is another', () => {
  const { list } = listOf([BTC] as never);
  const same = [{ ...BTC }];
  expect([list.isTold(same), list.isChange(same), list.isTold(same)]).toEqual([false, false, true]);
  expect(list.isChange([{ ...BTC, tickSize: '0.5' }])).toBe(true);
  expect(list.isChange([])).toBe(false);
});
