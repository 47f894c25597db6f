/**
 * Reports about one of several: what a report of a symbol, a side, an asset or an account says of the others
 * (nothing), which symbols it has its account asked about, and what executions add to the sums of a wallet.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { activeSymbols } from '../../src/engine/active-symbols.ts';
import { loadLedger } from '../../src/engine/ledger.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench, type BenchOptions, WALLET } from './support/bench.ts';
import { ACCOUNT, FUTURES, FUTURES_BTC, SPOT } from './support/market.ts';

const FUTURES_ETH = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };

const activeOn = (bench: Bench, exchange = bench.exchange) =>
  [...new Set(activeSymbols(bench.engine.memory, exchange))].sort();

describe('a report of positions', () => {
  const held = () => {
    const bench = new Bench({ futures: true, instruments: [FUTURES_BTC, FUTURES_ETH] });
    const { futures, moved } = bench.engine.memory.account(FUTURES);
    const tell = (changed: readonly ExchangePosition[], all = false) => {
      moved.symbols.clear();
      bench.event({ type: 'venue.positions', exchange: FUTURES, changed, ...(all ? { all } : {}) });
      const has = [...(futures?.positions ?? [])].map(([key, { amount }]) => `${key} ${amount}`);
      return { has, moved: [...moved.symbols] };
    };
    return tell;
  };
  const [btc, eth] = [positionOf('BTCUSDT', '1', 1), positionOf('ETHUSDT', '-2', 1)];

  it('that names one symbol leaves the others, also where it says that the one is flat', () => {
    const tell = held();
    tell([btc, eth], true);
    expect(tell([{ ...btc, amount: '3', updateTime: 2 }])).toEqual({
      has: ['BTCUSDT BOTH 3', 'ETHUSDT BOTH -2'],
      moved: ['BTCUSDT'],
    });
    expect(tell([{ ...btc, amount: '0', updateTime: 3 }])).toEqual({
      has: ['ETHUSDT BOTH -2'],
      moved: ['BTCUSDT'],
    });
    expect(tell([{ ...btc, amount: '-1', updateTime: 4 }])).toEqual({
      has: ['ETHUSDT BOTH -2', 'BTCUSDT BOTH -1'],
      moved: ['BTCUSDT'],
    });
  });

  it('that is complete is their order, and what it does not name is flat', () => {
    const tell = held();
    tell([btc, eth], true);
    expect(
      tell(
        [
          { ...eth, updateTime: 2 },
          { ...btc, updateTime: 2 },
        ],
        true,
      ),
    ).toEqual({
      has: ['ETHUSDT BOTH -2', 'BTCUSDT BOTH 1'],
      moved: [],
    });
    expect(tell([{ ...eth, updateTime: 3 }], true)).toEqual({ has: ['ETHUSDT BOTH -2'], moved: ['BTCUSDT'] });
    expect(tell([], true)).toEqual({ has: [], moved: ['ETHUSDT'] });
  });

  it('that names one side of a contract leaves the other one', () => {
    const tell = held();
    const side = (name: 'LONG' | 'SHORT', amount: string, updateTime: number) =>
      ({ ...positionOf('BTCUSDT', amount, updateTime), side: name }) as const;
    tell([side('LONG', '1', 1), side('SHORT', '2', 1)], true);
    expect(tell([side('SHORT', '0', 2)]).has).toEqual(['BTCUSDT LONG 1']);
    expect(tell([side('SHORT', '4', 3)]).has).toEqual(['BTCUSDT LONG 1', 'BTCUSDT SHORT 4']);
    expect(tell([side('LONG', '0', 4)]).has).toEqual(['BTCUSDT SHORT 4']);
  });

  it('that says only what the mark has moved has nothing asked for', () => {
    const tell = held();
    tell([btc], true);
    expect(tell([{ ...btc, markPrice: '70000', unrealizedProfit: '10000', updateTime: 2 }]).moved).toEqual(
      [],
    );
  });
});

describe('a report of balances', () => {
  it('has asked for, in each account of the wallet, the symbols of what has become more or less in all', () => {
    const other = { ...ACCOUNT, id: 'paper-other', wallet: WALLET };
    const bench = new Bench({ unified: true, more: [other] });
    const { memory } = bench.engine;
    const tell = (exchange: string, asset: string, free: string, locked: string) => {
      for (const id of [SPOT, other.id]) memory.account(id).moved.assets.clear();
      const changed = [{ asset, free, locked }];
      bench.event({ type: 'venue.balances', exchange, changed });
      return [activeOn(bench, SPOT), activeOn(bench, other.id)];
    };
    expect(tell(SPOT, 'ETH', '1', '2')).toEqual([['ETHUSDT'], ['ETHUSDT']]);
    expect(tell(other.id, 'ETH', '0', '3')).toEqual([[], []]);
    expect(tell(other.id, 'ETH', '0.5', '3')).toEqual([['ETHUSDT'], ['ETHUSDT']]);
    expect(tell(other.id, 'BTC', '999', '0')).toEqual([['BTCUSDT'], ['BTCUSDT']]);
    expect(tell(SPOT, 'USDT', '1', '0')).toEqual([[], []]);
  });

  it('names an asset and leaves the others as they are', () => {
    const bench = new Bench();
    const { balances } = bench.engine.memory.account(SPOT).wallet;
    const changed = [{ asset: 'BTC', free: '1', locked: '2' }];
    bench.event({ type: 'venue.balances', exchange: SPOT, changed });
    const has = [...balances].map(([asset, { free, locked }]) => `${asset} ${str(free)} ${str(locked)}`);
    expect(has).toEqual(['USDT 10000000 0', 'BTC 1 2']);
  });

  it('that is complete is read for every account of the wallet', () => {
    const bench = new Bench({ unified: true });
    const { memory } = bench.engine;
    for (const id of [SPOT, FUTURES]) memory.account(id).unread.add('balances');
    const changed = [{ asset: 'BTC', free: '1', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange: FUTURES, changed });
    expect([SPOT, FUTURES].map((id) => memory.account(id).unread.size)).toEqual([1, 1]);
    bench.event({ type: 'venue.balances', exchange: FUTURES, changed, all: true });
    expect([SPOT, FUTURES].map((id) => memory.account(id).unread.size)).toEqual([0, 0]);
  });
});

describe('the sums of a wallet', () => {
  const sums = (bench: Bench, wallet: string) => {
    const { ledger } = bench.engine.memory.account(SPOT === wallet ? SPOT : bench.exchange).wallet;
    const known = Object.fromEntries([...(ledger?.sums ?? [])].map(([asset, sum]) => [asset, str(sum)]));
    // What is stored is what is known.
    const stored = loadLedger(bench.store.meta, wallet).sums;
    expect(Object.fromEntries([...stored].map(([asset, sum]) => [asset, str(sum)]))).toEqual(known);
    return known;
  };
  const executed = (bench: Bench, exchange: string, side: 'BUY' | 'SELL', more: object) => {
    const { order } = bench.place({ exchange, side, type: 'MARKET', quantity: '2' });
    bench.accepted(order);
    const fill = bench.trade(order, '0.5', { price: '60000', ...more });
    for (let times = 0; times < 2; times++) bench.event({ type: 'venue.fill', exchange, fill });
  };

  it.each([
    ['BUY', { comm: '0.001', commAsset: 'BTC' }, { BTC: '0.499', USDT: '-30000' }],
    ['BUY', { comm: '3', commAsset: 'USDT' }, { BTC: '0.5', USDT: '-30003' }],
    ['BUY', { comm: '0.2', commAsset: 'BNB' }, { BTC: '0.5', USDT: '-30000', BNB: '-0.2' }],
    ['SELL', { comm: '30', commAsset: 'USDT' }, { BTC: '-0.5', USDT: '29970' }],
    ['SELL', { comm: '-3', commAsset: 'USDT' }, { BTC: '-0.5', USDT: '30003' }],
  ] as const)('count a %s on spot with %j, once', (side, fee, expected) => {
    const bench = new Bench({ ledger: true });
    executed(bench, SPOT, side, fee);
    expect(sums(bench, SPOT)).toEqual(expected);
    executed(bench, SPOT, side === 'BUY' ? 'SELL' : 'BUY', { comm: '0', commAsset: 'USDT' });
    const left = Object.entries(expected).map(([asset, sum]) => {
      const back = { BTC: side === 'BUY' ? -0.5 : 0.5, USDT: side === 'BUY' ? 30_000 : -30_000, BNB: 0 };
      return [asset, String(Math.round((Number(sum) + back[asset as keyof typeof back]) * 1_000) / 1_000)];
    });
    expect(sums(bench, SPOT)).toEqual(Object.fromEntries(left));
  });

  it.each([
    ['BUY', { comm: '12', commAsset: 'USDT', rPnl: '-100' }, { USDT: '-112' }],
    ['SELL', { comm: '12', commAsset: 'USDT', rPnl: '250' }, { USDT: '238' }],
    ['SELL', { comm: '0.1', commAsset: 'BNB', rPnl: '250' }, { USDT: '250', BNB: '-0.1' }],
    ['BUY', { comm: '12', commAsset: 'USDT', rPnl: null }, { USDT: '-12' }],
  ] as const)('count of a %s of a contract with %j what it has paid and brought', (side, more, expected) => {
    const bench = new Bench({ futures: true, ledger: true });
    executed(bench, FUTURES, side, more);
    expect(sums(bench, FUTURES)).toEqual(expected);
  });

  it('are one for both accounts of a wallet, each by its own kind', () => {
    const options: BenchOptions = { unified: true };
    const bench = new Bench(options);
    bench.engine.memory.account(SPOT).wallet.ledger = loadLedger(new Map(), WALLET);
    executed(bench, FUTURES, 'BUY', { comm: '10', commAsset: 'USDT', rPnl: '0' });
    executed(bench, SPOT, 'BUY', { comm: '0', commAsset: 'USDT' });
    executed(bench, FUTURES, 'SELL', { comm: '10', commAsset: 'USDT', rPnl: '77' });
    expect(sums(bench, WALLET)).toEqual({ USDT: '-29943', BTC: '0.5' });
  });
});
