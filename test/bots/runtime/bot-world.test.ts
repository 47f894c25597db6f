/**
 * Rules of a live symbol: always the present ones, and complete where they are copied, for a worker or for
 * another symbol.
 */
import { describe, expect, it } from 'vitest';
import { BotWorld } from '../../../src/bots/runtime/bot-world.ts';
import { fixedRules } from '../../../src/bots/settings/market-rules.ts';
import { type PreviewSources, previewWorld } from '../../../src/desk/preview/preview-world.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';

function worldOf() {
  const numbers = { tick: dec('0.01'), step: dec('0.001'), minQty: dec('0.002'), minNotional: dec('5') };
  const account = {
    account: { kind: 'futures' },
    caps: { closeBelowMinimum: 'no' },
    instruments: new Map([
      ['BTCUSDT', { symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', kind: 'futures' as const }],
    ]),
    numbers: new Map([['BTCUSDT', numbers]]),
    fees: null as { maker: string; taker: string } | null,
  };
  const accounts = new Map([['perps', account]]);
  const memory = { accounts, account: () => account } as unknown as EngineMemory;
  const fees = () => ({ maker: '0.0002', taker: '0.0005' });
  const world = new BotWorld({ memory, fees, maxLeverage: () => 20, targets: [] });
  return { world, account, accounts, numbers };
}

const ALL = {
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  kind: 'futures',
  maxLeverage: 20,
  tick: dec('0.01'),
  step: dec('0.001'),
  minQty: dec('0.002'),
  minNotional: dec('5'),
  makerRate: dec('0.0002'),
  takerRate: dec('0.0005'),
  takesSmallExits: false,
};

describe('the rules of a symbol', () => {
  it('are those of the moment, and the first ones once its account is gone', () => {
    const { world, account, accounts, numbers } = worldOf();
    const rules = world.rules('perps', 'BTCUSDT');
    account.numbers.set('BTCUSDT', { ...numbers, tick: dec('0.1') });
    account.fees = { maker: '-0.0001', taker: '0.001' };
    expect([rules?.tick, rules?.makerRate, rules?.takerRate]).toEqual([
      dec('0.1'),
      dec('-0.0001'),
      dec('0.001'),
    ]);
    accounts.clear();
    expect([rules?.tick, rules?.takerRate]).toEqual([dec('0.01'), dec('0.0005')]);
    expect(world.rules('perps', 'BTCUSDT')).toBeNull();
  });

  it('are whole for a worker, and as they were', () => {
    const { world, account, numbers } = worldOf();
    const rules = world.rules('perps', 'BTCUSDT');
    if (!rules) throw new Error('no rules');
    const fixed = structuredClone(fixedRules(rules));
    account.numbers.set('BTCUSDT', { ...numbers, tick: dec('0.1') });
    expect(fixed).toEqual(ALL);
  });

  it('are whole in what a preview tells its worker', () => {
    const { world } = worldOf();
    const settings = () => ({ now: 0, accounts: new Map(), targets: [], symbols: () => ['BTCUSDT'] });
    const bots = { world: { rules: world.rules.bind(world), settings } };
    const sources = { core: { bots }, marketTime: () => 0 } as unknown as PreviewSources;
    expect(structuredClone(previewWorld(sources).world('perps').rules)).toEqual([ALL]);
  });

  it('of no symbol of its own have the numbers of one', () => {
    expect(worldOf().world.anyRules('perps')).toEqual({ ...ALL, symbol: '' });
  });
});
