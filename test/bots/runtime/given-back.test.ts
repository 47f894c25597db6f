/**
 * What an order of a run gives back to the free balance by a change that the run has not received yet, and
 * what the run keeps of it (R9).
 */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { LiveRun, type LiveRunParts } from '../../../src/bots/runtime/live-run.ts';
import { pendingProceeds } from '../../../src/bots/runtime/pending-proceeds.ts';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { holding, Lonely } from '../run/lonely.ts';

const PART = dec('0.004');

function liveOf(lonely: Lonely): LiveRun {
  return new LiveRun({ runId: 'r', botId: 'b', run: lonely.run } as LiveRunParts);
}

/** Accepts the order at the exchange, with this quantity executed. */
function resting(lonely: Lonely, order: RunOrder, price: string, executed: Dec): void {
  lonely.change({ key: order.key, kind: 'accepted' });
  lonely.part(order, executed, price);
}

it('an exit that ends gives back what it has not sold', () => {
  const { lonely, exit } = holding();
  const live = liveOf(lonely);
  expect(live.givenBack({ key: exit.key, kind: 'ended' })).toBeNull();
  resting(lonely, exit, '45450', PART);
  expect(live.givenBack({ key: exit.key, kind: 'ended' })).toEqual({ asset: 'BTC', amount: exit.qty - PART });
});

it('an entry that ends gives back what its rest would have cost', () => {
  const lonely = new Lonely('SCALE', { entryPrice: '40000' }, '45000');
  const [entry] = lonely.placed() as [RunOrder];
  resting(lonely, entry, '40000', PART);
  const rest = mul(entry.qty - PART, dec('40000'));
  expect(liveOf(lonely).givenBack({ key: entry.key, kind: 'ended' })).toEqual({
    asset: 'USDT',
    amount: rest,
  });
});

// proves: bot ruling R9
it('a fill brings what was bought or sold, less its fee', () => {
  const { lonely, exit } = holding();
  const fill = { price: dec('45450'), qty: PART, fee: dec('0.1818'), feeAsset: 'USDT', maker: true };
  const { asset, amount } = liveOf(lonely).givenBack({ key: exit.key, kind: 'fill', fill }) ?? {};
  expect([asset, str(amount ?? 0n)]).toEqual(['USDT', '181.6182']);
});

// proves: bot ruling R9
it('a fee in another asset than the one that a fill brings takes nothing of that', () => {
  const { lonely, exit } = holding();
  const entering = new Lonely('SCALE', { entryPrice: '40000' }, '45000');
  const [entry] = entering.placed() as [RunOrder];
  const brings = (of: Lonely, { key }: RunOrder, price: string, fee: string, feeAsset: string) => {
    const fill = { price: dec(price), qty: PART, fee: dec(fee), feeAsset, maker: true };
    const { asset, amount } = liveOf(of).givenBack({ key, kind: 'fill', fill }) ?? {};
    return `${str(amount ?? 0n)} ${asset}`;
  };
  expect(
    [
      ['0.1818', 'USDT'],
      ['0.1', 'BNB'],
      ['0.000001', 'BTC'],
    ].map(([fee = '', asset = '']) => [
      brings(lonely, exit, '45450', fee, asset),
      brings(entering, entry, '40000', fee, asset),
    ]),
  ).toEqual([
    ['181.6182 USDT', '0.004 BTC'],
    ['181.8 USDT', '0.004 BTC'],
    ['181.8 USDT', '0.003999 BTC'],
  ]);
});

it('on futures a fill of an exit and the end of an entry bring margin, and nothing brings base units', () => {
  const settings = { exchange: 'paper-futures', scale: { orders: 1, step: '10', takeProfit: '1' } };
  const lonely = new Lonely('SCALE', settings, '45000');
  const [base] = lonely.placed() as [RunOrder];
  const live = liveOf(lonely);
  const fill = (price: string) =>
    ({ price: dec(price), qty: PART, fee: dec('0.05'), feeAsset: 'USDT', maker: true }) as const;
  expect(live.givenBack({ key: base.key, kind: 'fill', fill: fill('45000') })).toBeNull();
  resting(lonely, base, '45000', base.qty);
  const placed = lonely.placed();
  const of = (role: string) => placed.find((one) => one.role === role) as RunOrder;
  const [exit, safety] = [of('exit'), of('entry')];
  for (const { key } of [exit, safety]) lonely.change({ key, kind: 'accepted' });
  const given = (...change: Parameters<typeof live.givenBack>) => {
    const back = live.givenBack(...change);
    return back && `${str(back.amount)} ${back.asset}`;
  };
  expect(given({ key: exit.key, kind: 'fill', fill: fill('45450') })).toBe('181.75 USDT');
  expect(given({ key: exit.key, kind: 'ended' })).toBeNull();
  const margin = mul(safety.qty, safety.price as Dec);
  expect(given({ key: safety.key, kind: 'ended' })).toBe(`${str(margin)} USDT`);
  expect(given({ key: safety.key, kind: 'stays' })).toBeNull();
  expect(given({ key: 'unknown', kind: 'ended' })).toBeNull();
});

// proves: bot ruling R9
it('what changes have given back that no run has heard of is counted by account and asset', () => {
  const live = (exchange: string, asset: string, amount: string) =>
    ({ parts: { exchange }, givenBack: () => ({ asset, amount: dec(amount) }) }) as unknown as LiveRun;
  const nothing = { parts: { exchange: 'a' }, givenBack: () => null } as unknown as LiveRun;
  const change = { key: 'k', kind: 'ended' } as const;
  const changes = [
    live('a', 'BTC', '1'),
    nothing,
    live('b', 'BTC', '20'),
    live('a', 'USDT', '300'),
    live('a', 'BTC', '4'),
  ].map((one) => ({ live: one, change }));
  const of = (exchange: string, asset: string) => str(pendingProceeds(changes, exchange, asset));
  expect([of('a', 'BTC'), of('b', 'BTC'), of('a', 'USDT'), of('b', 'USDT')]).toEqual(['5', '20', '300', '0']);
});

it('a run keeps all base units that it holds, dust too; free of them is what no exit at the exchange sells', () => {
  const { lonely, exit } = holding();
  const live = liveOf(lonely);
  const { lots } = lonely.run;
  const held = lots.total() + lots.state.dust;
  expect(lots.state.dust).toBeGreaterThan(ZERO);
  // The exchange does not have the exit yet.
  expect(live.keeps().get('BTC')).toEqual({ shown: held, excess: held });
  live.bind(exit.key, 'order');
  expect(live.keeps().get('BTC')).toEqual({ shown: held, excess: held - exit.qty });
  resting(lonely, exit, '45450', PART);
  expect(live.keeps().get('BTC')).toEqual({ shown: held - PART, excess: held - exit.qty });
});
