/** After any requests: coins equal the raw log, executions equal orders, a terminal order keeps its state. */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import { Dice } from '../../simulation/dice.ts';
import { testEmulator } from './support.ts';

const TERMINAL = new Set(['Filled', 'Cancelled', 'PartiallyFilledCanceled', 'Deactivated', 'Rejected']);
type Row = Record<string, string>;

async function play(seed: number) {
  const dice = new Dice(seed, 'play');
  const rig = testEmulator({
    matchMs: [0, 20],
    limits: { factor: 1000, addressRequests: 1_000_000 },
    hedge: dice.chance(0.3),
  });
  const { rows } = rig.userStream();
  const { emulator, clock } = rig;
  emulator.account().paysInMnt = dice.chance(0.3);
  if (dice.chance(0.3)) emulator.account().fees.spot.maker = -dec('0.0001');
  for (let n = 0; n < 120; n++) {
    const category = dice.pick(['spot', 'linear']);
    const symbol = dice.pick(['BTCUSDT', 'ETHUSDT']);
    const market = category === 'spot' ? emulator.spotMarket : emulator.linearMarket;
    const m = market.of(symbol);
    const near = (spread: number) =>
      market.priceText(m, ((m.last * BigInt(1000 + dice.int(-spread, spread))) / 1000n / m.tick) * m.tick);
    const isMarket = dice.chance(0.4);
    switch (dice.int(0, 5)) {
      case 0:
      case 1:
      case 2:
        rig.post('/v5/order/create', {
          category,
          symbol,
          side: dice.pick(['Buy', 'Sell']),
          orderType: isMarket ? 'Market' : 'Limit',
          qty: category === 'spot' ? dice.pick(['0.02', '0.5', '60']) : dice.pick(['0.05', '0.10', '2.00']),
          ...(isMarket ? {} : { price: near(20), timeInForce: dice.pick(['GTC', 'IOC', 'FOK', 'PostOnly']) }),
          ...(dice.chance(0.2)
            ? {
                triggerPrice: near(15),
                triggerDirection: dice.pick([1, 2]),
                orderFilter: category === 'spot' ? dice.pick(['StopOrder', 'tpslOrder']) : undefined,
              }
            : {}),
          ...(category === 'linear'
            ? { positionIdx: dice.pick([0, 1, 2]), reduceOnly: dice.chance(0.3) }
            : {}),
          orderLinkId: `n${n}`,
        });
        break;
      case 3:
        rig.post('/v5/order/cancel', { category, symbol, orderLinkId: `n${dice.int(0, n)}` });
        break;
      case 4:
        rig.post('/v5/order/amend', { category, symbol, orderLinkId: `n${dice.int(0, n)}`, price: near(10) });
        break;
      default:
        if (category === 'spot') emulator.printSpot(symbol, near(15), dice.pick(['0.01', '3']));
        else emulator.printLinear(symbol, near(15), dice.pick(['0.01', '3']));
    }
    await clock.advance(dice.int(0, 30));
  }
  await clock.advance(100);
  return { rig, rows };
}

describe('money', () => {
  it.each([1, 4, 5])('adds up, seed %i', async (seed) => {
    const { rig, rows } = await play(seed);
    const account = rig.emulator.account();
    const sums = new Map<string, bigint>();
    const add = (coin: string, amount: bigint) => sums.set(coin, (sums.get(coin) ?? 0n) + amount);
    const number = (text = '0') => (text.startsWith('-') ? -dec(text.slice(1)) : dec(text));
    for (const row of rig.log as Row[]) {
      if (row.kind === 'start') add(row.asset ?? '', number(row.amount));
      if (row.kind === 'income') add(row.asset ?? '', number(row.income));
      if (row.kind !== 'fill') continue;
      const sign = row.side === 'BUY' ? 1n : -1n;
      if (row.market === 'spot') {
        add((row.symbol ?? '').slice(0, 3), sign * number(row.qty));
        add('USDT', -sign * number(row.quote));
      } else add('USDT', number(row.realized));
      add(row.commissionAsset ?? '', -number(row.commission));
    }
    const texts = (map: ReadonlyMap<string, bigint>) =>
      Object.fromEntries([...map].map(([coin, amount]) => [coin, str(amount)]).sort());
    expect(texts(sums)).toEqual(texts(account.coins));
    expect(
      account.log.every(({ change, cashFlow, funding, fee }) => change === cashFlow + (funding ?? 0n) - fee),
    ).toBe(true);

    const filled = new Map<string, bigint>();
    for (const e of rows('execution')) filled.set(e.orderId, (filled.get(e.orderId) ?? 0n) + dec(e.execQty));
    const ended = new Map<string, string>();
    for (const order of rows('order')) {
      const was = ended.get(order.orderId);
      if (was !== undefined) expect([order.orderId, order.orderStatus]).toEqual([order.orderId, was]);
      if (TERMINAL.has(order.orderStatus)) ended.set(order.orderId, order.orderStatus);
    }
    for (const category of ['spot', 'linear'] as const)
      for (const order of account.orders[category].all) {
        expect(order.executed).toBe(filled.get(order.orderId) ?? 0n);
        if (order.marketUnit !== 'quoteCoin') expect(order.executed <= order.qty).toBe(true);
      }
    expect(rows('execution').length).toBeGreaterThan(5);
    // Only open orders lock anything.
    for (const category of ['spot', 'linear'] as const)
      rig.post('/v5/order/cancel-all', { category, settleCoin: 'USDT' });
    for (const orderFilter of ['StopOrder', 'tpslOrder'])
      rig.post('/v5/order/cancel-all', { category: 'spot', orderFilter });
    await rig.clock.advance(100);
    expect([...rig.emulator.exchange.margin.lockedAll(account)]).toEqual([]);
    expect(
      [...account.coins.keys()].filter((coin) => coin !== 'USDT' && (account.coins.get(coin) ?? 0n) < 0n),
    ).toEqual([]);
  });
});
