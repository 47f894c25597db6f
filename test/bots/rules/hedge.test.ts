/** Hedge mode: the position that a bot trades is the one it names (strategies.md 2, "Common fields"). */
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../../src/bots/runtime/bot-orders.ts';
import { plays } from '../../scenarios/scene.ts';
import { cell, PAIR, type Settings } from './bots.ts';
import { LiveTest } from './live.ts';

const hedge = { futures: true, hedge: true };

describe('in hedge mode', () => {
  // proves: bot common hedge LONG
  it('a bot trades the LONG side', async () => {
    await plays('CHANNEL', {
      ...hedge,
      settings: cell({ positionSide: 'LONG' }),
      events: ['0 105', '10 100'],
      held: { amount: '1', entryPrice: '100' },
      open: 'SELL LIMIT 110 1',
    });
  });

  // proves: bot common hedge SHORT
  it('a short bot trades the SHORT side', async () => {
    await plays('CHANNEL', {
      ...hedge,
      settings: cell({ positionSide: 'SHORT', short: true, levels: [{ buy: '90', sell: '100' }] }),
      events: ['0 95', '10 100', '10 open: BUY LIMIT 90 1', '20 97'],
      held: { amount: '-1', entryPrice: '100' },
    });
    await plays('CHANNEL', {
      ...hedge,
      settings: cell({ positionSide: 'SHORT', short: true, levels: [{ buy: '90', sell: '100' }] }),
      events: ['0 95', '10 100', '20 90'],
      fills: ['10 SELL 1 at 100 maker', '20 BUY 1 at 90 maker'],
      held: null,
    });
  });

  // proves: bot common hedge twap
  it.each([
    ['SHORT', 'SELL', '-3'],
    ['LONG', 'BUY', '3'],
  ])('a twap trades the side that it names: %s', async (positionSide, side, amount) => {
    await plays('ALGO', {
      ...hedge,
      settings: { symbol: 'BTCUSDT', algo: 'twap', side, quantity: '3', duration: 3, positionSide },
      events: ['0 100', '60', '120'],
      held: { amount, entryPrice: '100' },
      reason: 'completed',
    });
  });
});

describe('a stop of INTRADAY at the venue', () => {
  // proves: bot INTRADAY stop-workingType
  it('is triggered by the price that its workingType says, the last price unless given', () => {
    const request = (order: Settings) => {
      const settings = {
        ...PAIR,
        deposit: { value: '100', asset: 'USDT' },
        mode: 'bounce',
        trend: { 1: 100, 2: 100 },
        takeProfits: [{ percent: '10', size: 100 }],
        stop: {
          strategy: 'fixed',
          trigger: { type: 'exchange' },
          order: { type: 'STOP_MARKET', stopPrice: '95', ...order },
        },
      };
      const t = new LiveTest('INTRADAY', settings, { kind: 'futures' });
      t.tick(0, '105');
      t.tick(10, '100');
      t.tick(20, '100.2');
      const stop = [...t.market.open()].find(({ stopPrice }) => stopPrice !== null);
      return stop && requestOf(stop.order, 'paper', t.run, false);
    };
    expect(request({ workingType: 'MARK_PRICE' })).toMatchObject({
      stopPrice: '95',
      workingType: 'MARK_PRICE',
    });
    expect(request({ workingType: 'CONTRACT_PRICE' })).toMatchObject({ workingType: 'CONTRACT_PRICE' });
    expect(request({})).toMatchObject({ workingType: 'CONTRACT_PRICE' });
  });
});
