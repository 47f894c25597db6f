/**
 * The order of a wallet's rows where several accounts, positions and moments meet: a position of the opening comes
 * after exactly those executions that it includes.
 */
import { expect, it } from 'vitest';
import { PNL_PAGE, WalletRows } from '../../../src/desk/pnl/wallet-rows.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import { FUTURES, NOW, type PnlRig, pnlRig, SPOT } from './pnl-rig.ts';

/** The rows of the wallet that two accounts share: trade ids, and ids of the ledger. */
function orderOf({ store }: PnlRig): string[] {
  const rows = new WalletRows({ store, user: 'owner', wallet: 'uni', accounts: [SPOT, FUTURES] });
  const found: string[] = [];
  for (let row = rows.next(); row; row = rows.next())
    found.push('record' in row ? row.record.id.replace('desk position ', '') : row.fill.fill.tradeId);
  return found;
}

/** Stores a position of the opening, as its exchange gave it at `asOf`. */
function opening(rig: PnlRig, name: string, asOf: number, change: Partial<LedgerRecord> = {}): void {
  const [symbol = '', posSide = 'BOTH'] = name.split(' ') as [string, 'BOTH' | 'LONG' | 'SHORT'];
  const position = { kind: 'position', symbol, posSide, asset: symbol, cost: '1', asOf } as const;
  rig.ledger('uni', NOW, { ...position, id: `desk position ${name}`, ...change });
}

it('executions of two accounts come by their times, those of one moment as they were stored', () => {
  const rig = pnlRig();
  const at = (exchange: string, tradeId: string, time: number) => rig.fill(exchange, time, { tradeId });
  at(FUTURES, 'f3', NOW - 3);
  at(SPOT, 's3', NOW - 3);
  at(SPOT, 's5', NOW - 5);
  at(FUTURES, 'f1', NOW - 1);
  at(FUTURES, 'f5', NOW - 5);
  at(SPOT, 's3 later', NOW - 3);
  expect(orderOf(rig)).toEqual(['s5', 'f5', 'f3', 's3', 's3 later', 'f1']);
});

it('rows of the ledger come between executions: of one moment after those that were stored before', () => {
  const rig = pnlRig();
  rig.fill(SPOT, NOW - 5, { tradeId: 'a' });
  rig.ledger('uni', NOW - 5, { id: '1' });
  rig.fill(FUTURES, NOW - 5, { tradeId: 'b' });
  rig.ledger('uni', NOW - 5, { id: '2' });
  rig.ledger('uni', NOW - 6, { id: '3' });
  rig.fill(SPOT, NOW - 6, { tradeId: 'c' });
  rig.fill(SPOT, NOW - 4, { tradeId: 'd' });
  expect(orderOf(rig)).toEqual(['3', 'c', 'a', '1', 'b', '2', 'd']);
});

it('each position of the opening comes at its own time, whatever their names', () => {
  const rig = pnlRig();
  for (const [n, time] of [NOW - 9, NOW - 7, NOW - 5, NOW - 3].entries())
    rig.fill(FUTURES, time, { tradeId: `f${n}` });
  opening(rig, 'AAA', NOW - 4);
  opening(rig, 'BBB', NOW - 8);
  opening(rig, 'CCC', NOW - 6);
  rig.ledger('uni', NOW - 4, { id: '1' });
  expect(orderOf(rig)).toEqual(['f0', 'BBB', 'f1', 'CCC', 'f2', 'AAA', '1', 'f3']);
});

it('of its own moment it includes what was stored before it; then only what is of that very position decides', () => {
  const before = (change: object) => {
    const rig = pnlRig();
    rig.fill(FUTURES, NOW - 5, { tradeId: 'known', symbol: 'ETHUSDT', posSide: 'LONG', ...change });
    opening(rig, 'ETHUSDT LONG', NOW - 5);
    rig.fill(FUTURES, NOW - 5, { tradeId: 'late', symbol: 'ETHUSDT', posSide: 'LONG' });
    return orderOf(rig);
  };
  // Its last execution is known: what comes of that moment later came after it.
  expect(before({})).toEqual(['known', 'ETHUSDT LONG', 'late']);
  // It is not known: the late one is its last.
  expect(before({ posSide: 'SHORT' })).toEqual(['known', 'late', 'ETHUSDT LONG']);
  expect(before({ symbol: 'BTCUSDT' })).toEqual(['known', 'late', 'ETHUSDT LONG']);
});

it('both sides of a symbol are two positions', () => {
  const rig = pnlRig();
  const side = (posSide: 'LONG' | 'SHORT', tradeId: string) =>
    rig.fill(FUTURES, NOW - 5, { symbol: 'ETHUSDT', posSide, tradeId });
  side('SHORT', 'short');
  opening(rig, 'ETHUSDT LONG', NOW - 5);
  opening(rig, 'ETHUSDT SHORT', NOW - 5);
  side('LONG', 'late long');
  side('SHORT', 'late short');
  const found = orderOf(rig);
  expect(found.indexOf('ETHUSDT SHORT')).toBeLessThan(found.indexOf('late short'));
  expect(found.indexOf('ETHUSDT SHORT')).toBeGreaterThan(found.indexOf('short'));
  expect(found.indexOf('ETHUSDT LONG')).toBeGreaterThan(found.indexOf('late long'));
});

it('a moment with more rows than a page has is read as a whole, of each account and of the ledger', () => {
  const rig = pnlRig();
  const count = PNL_PAGE + 3;
  rig.store.commit(
    Array.from({ length: count }, (_, n) => ({
      kind: 'ledger' as const,
      record: {
        exchange: 'uni',
        user: 'owner',
        id: `l${n}`,
        time: 7,
        asset: 'USDT',
        amount: '1',
        kind: 'bonus',
      },
    })),
  );
  for (let n = 0; n < count; n++) rig.fill(SPOT, 7, { tradeId: `${10_000 - n}` });
  rig.fill(FUTURES, 8, { tradeId: 'last' });
  const found = orderOf(rig);
  expect([found.length, new Set(found).size, found.at(-1)]).toEqual([2 * count + 1, 2 * count + 1, 'last']);
});

it('a position reversed within one moment costs what its trades say in the order of their numbers', async () => {
  const rig = pnlRig();
  rig.fill(FUTURES, NOW - 6, { tradeId: '998', rPnl: '0' });
  // Heard in the wrong order: the long was turned short at 110, and the short long again at 120.
  rig.fill(FUTURES, NOW - 5, { tradeId: '1000', qty: '3', price: '120', rPnl: '-10' });
  rig.fill(FUTURES, NOW - 5, { tradeId: '999', side: 'SELL', qty: '2', price: '110', rPnl: '10' });
  rig.position('BTCUSDT', { amount: '2', entryPrice: '120', markPrice: '130' });
  const { rows, trades } = await rig.read();
  expect(rows).toMatchObject([{ key: 'BTCUSDT', realised: '0', unrealised: '20' }]);
  const closed = trades.map(({ side, entry, exit }) => `${side} from ${entry} to ${exit}`);
  expect(closed.sort()).toEqual(['LONG from 100 to 110', 'SHORT from 110 to 120']);
});

it('a mark that no price stream has told is the one that the position came with', async () => {
  const rig = pnlRig();
  const sold = { side: 'SELL', rPnl: '0' } as const;
  rig.fill(FUTURES, NOW - 9, { ...sold, qty: '2' });
  rig.fill(FUTURES, NOW - 8, { ...sold, qty: '3', symbol: 'ETHUSDT' });
  rig.position('ETHUSDT', { amount: '-3', markPrice: '90' });
  rig.position('BTCUSDT', { amount: '-2', markPrice: '105' });
  const unrealised = async () =>
    Object.fromEntries((await rig.read()).rows.map((row) => [row.key, row.unrealised]));
  expect(await unrealised()).toMatchObject({ BTCUSDT: '-10', ETHUSDT: '30' });
  rig.engine.memory.market('m-futures').marks.set('ETHUSDT', dec('80'));
  expect(await unrealised()).toMatchObject({ BTCUSDT: '-10', ETHUSDT: '60' });
  rig.engine.memory.account(FUTURES).futures?.positions.clear();
  expect(await unrealised()).toMatchObject({ ETHUSDT: '60' });
});

it('a wallet’s assets are worth what the market of any of its accounts says, then and now', async () => {
  const rig = pnlRig();
  rig.ledger('uni', NOW - 90_000, { asset: 'ETH', amount: '2' });
  rig.prices.set('m-futures ETHUSDT', () => '50');
  rig.engine.memory.market('m-futures').prices.set('ETHUSDT', dec('60'));
  const worth = async (change: object) => (await rig.read(change)).curve.map(({ equity }) => equity);
  expect(await worth({ from: NOW - 80_000 })).toEqual(['100', '100', '120']);
  rig.prices.set('m-spot ETHUSDT', () => '55');
  rig.engine.memory.market('m-spot').prices.set('ETHUSDT', dec('70'));
  expect(await worth({ from: NOW - 80_000 })).toEqual(['110', '110', '140']);
});
