/**
 * Positions and leverage as console and API show them: both directions, both margin types, each account
 * separately.
 */
import { expect, it } from 'vitest';
import {
  apiLeverage,
  apiPositions,
  futuresViewOf,
  positionId,
} from '../../../src/desk/console/futures-view.ts';
import type { ExchangePosition, LeverageInfo } from '../../../src/domain/position.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { ACCOUNT, BTC, CAPS, ETH, SPOT, START } from '../../engine/support/market.ts';
import { positionOf } from '../core/link-rig.ts';

const [FIRST, SECOND] = ['a-futures', 'b-futures'] as const;

function world() {
  const engine = new Engine();
  for (const id of [FIRST, SECOND]) {
    const account = { id, name: id, kind: 'futures' as const, market: 'paper' };
    const own = [BTC, ETH].map((one) => ({ ...one, exchange: id, kind: 'futures' as const }));
    engine.memory.addAccount(account, CAPS, own);
  }
  engine.memory.addAccount(ACCOUNT, CAPS, [BTC]);
  const step = (event: Parameters<Engine['step']>[0]) =>
    engine.step(event, { wall: START, market: START, mono: 0 });
  const { memory } = engine;
  return {
    memory,
    read: () => {
      for (const { unread } of memory.accounts.values()) unread.clear();
    },
    mark: (symbol: string, price: string) => step({ type: 'mark', market: 'paper', symbol, price }),
    tell: (exchange: string, ...changed: ExchangePosition[]) =>
      step({ type: 'venue.positions', exchange, changed }),
    settings: (exchange: string, hedge: boolean, ...leverage: Partial<LeverageInfo>[]) =>
      step({ type: 'venue.settings', exchange, hedge, leverage: leverage as LeverageInfo[] }),
    views: (exchange: string) => futuresViewOf(memory, memory.account(exchange)),
  };
}

const held = (symbol: string, amount: string, more: Partial<ExchangePosition> = {}): ExchangePosition => ({
  ...positionOf(symbol, amount, 1),
  ...more,
});

it('a long and a short gain and lose the other way round; returns are of the margin at entry, distances from the mark', () => {
  const { tell, mark, views } = world();
  tell(
    FIRST,
    held('BTCUSDT', '2', { liquidationPrice: '55350' }),
    held('ETHUSDT', '-2', { liquidationPrice: '67650' }),
  );
  mark('BTCUSDT', '61500');
  mark('ETHUSDT', '61500');
  const [long, short] = views(FIRST).positions;
  expect(long).toMatchObject({
    exchange: FIRST,
    symbol: 'BTCUSDT',
    amount: '2',
    markPrice: '61500',
    unrealizedProfit: '3000.00',
    // 3,000 of 2 x 60,000 / 20
    returnPercent: '50.00',
    // 2 x 61,500 / 20
    margin: '6150.00',
    liquidationDistance: '-10.00',
    protectedQty: '0',
    protectedSince: null,
  });
  expect(short).toMatchObject({
    symbol: 'ETHUSDT',
    amount: '-2',
    unrealizedProfit: '-3000.00',
    returnPercent: '-50.00',
    margin: '6150.00',
    liquidationDistance: '10.00',
  });
});

it('in hedge mode a SHORT has its amount below zero, LONG before it, and each side a key of its own on each account', () => {
  const { tell, mark, views } = world();
  for (const id of [FIRST, SECOND])
    tell(
      id,
      held('ETHUSDT', '1'),
      held('BTCUSDT', '1', { side: 'SHORT' }),
      held('BTCUSDT', '3', { side: 'LONG' }),
    );
  mark('BTCUSDT', '59400');
  const shown = views(FIRST).positions;
  expect(
    shown.map(({ symbol, side, amount, unrealizedProfit }) => [symbol, side, amount, unrealizedProfit]),
  ).toEqual([
    ['BTCUSDT', 'LONG', '3', '-1800.00'],
    ['BTCUSDT', 'SHORT', '-1', '600.00'],
    ['ETHUSDT', 'BOTH', '1', '0.00'],
  ]);
  const keys = [...shown, ...views(SECOND).positions].map(({ key }) => key);
  expect(new Set(keys).size).toBe(6);
  expect(keys[0]).toBe(positionId(FIRST, { symbol: 'BTCUSDT', side: 'LONG' }));
});

it('an isolated one shows what is set aside for it, and one without a liquidation price no distance', () => {
  const { tell, views } = world();
  const isolated = { marginType: 'ISOLATED', isolatedWallet: '1234.561', leverage: 5 } as const;
  tell(FIRST, held('BTCUSDT', '0.5', { ...isolated, liquidationPrice: null }));
  expect(views(FIRST).positions).toMatchObject([
    {
      margin: '1234.56',
      liquidationPrice: null,
      liquidationDistance: null,
      leverage: 5,
      returnPercent: '0.00',
    },
  ]);
  expect(views(SECOND).positions).toEqual([]);
  expect(views(SPOT)).toEqual({ positions: [], hedgeMode: false, leverage: {} });
});

it('leverage is told per symbol, in hedge mode per side, with what was realised, and by margin type', () => {
  const { tell, read, settings, memory, views } = world();
  const ask = (exchange: string, symbols: string[], marginType?: 'CROSSED' | 'ISOLATED') =>
    apiLeverage(memory, { exchange, symbols, ...(marginType ? { marginType } : {}) });
  expect(ask(FIRST, ['BTCUSDT'])).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
  expect(apiPositions(memory, FIRST)).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
  read();
  const one = { symbol: 'BTCUSDT', realizedPnl: '0' };
  settings(
    FIRST,
    true,
    { ...one, side: 'LONG', leverage: 7, marginType: 'ISOLATED' },
    { ...one, side: 'SHORT', leverage: 9, marginType: 'CROSSED' },
  );
  settings(SECOND, false, { ...one, side: 'BOTH', leverage: 3, marginType: 'ISOLATED' });
  tell(FIRST, held('BTCUSDT', '1', { side: 'SHORT', realizedPnl: '-5' }));
  const long = { symbol: 'BTCUSDT', side: 'LONG', leverage: '7', type: 'ISOLATED' };
  const short = { symbol: 'BTCUSDT', side: 'SHORT', leverage: '9', type: 'CROSSED', cpnl: '-5' };
  const plain = (side: string) => ({ symbol: 'ETHUSDT', side, leverage: '1', type: 'CROSSED' });
  expect(ask(FIRST, ['ETHUSDT', 'BTCUSDT'])).toEqual({
    ok: true,
    data: [plain('LONG'), plain('SHORT'), long, short],
  });
  expect(ask(FIRST, ['ETHUSDT', 'BTCUSDT'], 'ISOLATED')).toEqual({ ok: true, data: [long] });
  expect(ask(SECOND, ['BTCUSDT'])).toEqual({
    ok: true,
    data: [{ symbol: 'BTCUSDT', side: 'BOTH', leverage: '3', type: 'ISOLATED' }],
  });
  expect(views(SECOND)).toMatchObject({
    hedgeMode: false,
    leverage: { BTCUSDT: { leverage: 3, marginType: 'ISOLATED' } },
  });
  expect(views(FIRST).hedgeMode).toBe(true);
  expect(ask(FIRST, ['BTCUSDT', 'XRPUSDT'])).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
  expect(ask(SPOT, ['BTCUSDT']).ok).toBe(false);
  const positions = apiPositions(memory, FIRST);
  expect(positions.ok && Object.keys(positions.data)).toEqual([
    positionId(FIRST, { symbol: 'BTCUSDT', side: 'SHORT' }),
  ]);
});
