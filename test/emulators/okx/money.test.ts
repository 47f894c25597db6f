/**
 * The emulator's own books, after many random acts: bills add up to the wallet, fills to positions and
 * orders, the raw log to both.
 */
import { describe, expect, it } from 'vitest';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { Dice } from '../../simulation/dice.ts';
import { sizeOf } from './account.ts';
import { testEmulator } from './support.ts';

type Row = Record<string, string>;

const BALANCES = { USDT: '5000', BTC: '0.1', ETH: '1' };

function act(all: ReturnType<typeof testEmulator>, dice: Dice, isHedge: boolean): void {
  const { emulator, order, post, get, row } = all;
  const instId = dice.pick(['BTC-USDT', 'ETH-USDT', 'BTC-USDT-SWAP', 'ETH-USDT-SWAP']);
  const m = emulator.market.of(instId);
  const isSwap = instId.endsWith('SWAP');
  const side = dice.pick(['buy', 'sell']);
  const away = m.tick * BigInt(dice.int(-30, 30));
  const common = {
    instId,
    tdMode: isSwap ? dice.pick(['cross', 'cross', 'isolated']) : 'cash',
    side,
    sz: isSwap ? str(m.step * BigInt(dice.int(1, 60))) : dice.pick(['0.001', '0.002', '0.01']),
    ...(isSwap && isHedge ? { posSide: dice.pick(['long', 'short']) } : {}),
    ...(isSwap && dice.chance(0.2) ? { reduceOnly: true } : {}),
  };
  switch (dice.int(0, 7)) {
    case 0:
    case 1:
      order({ ...common, ordType: dice.pick(['limit', 'post_only', 'ioc', 'fok']), px: str(m.mid + away) });
      break;
    case 2:
      order({ ...common, ordType: 'market', ...(isSwap ? {} : { tgtCcy: 'base_ccy' }) });
      break;
    case 3: {
      const open = get('/api/v5/trade/orders-pending').body.data as Row[];
      if (open.length === 0) break;
      const one = dice.pick(open);
      const named = { instId: one.instId, ordId: one.ordId };
      if (dice.chance(0.5)) post('/api/v5/trade/cancel-order', named);
      else
        post('/api/v5/trade/amend-order', {
          ...named,
          newPx: str(dec(one.px as string) + emulator.market.of(one.instId as string).tick),
        });
      break;
    }
    case 4: {
      const leg = {
        slTriggerPx: str(side === 'sell' ? m.last - m.tick * 5n : m.last + m.tick * 5n),
        slOrdPx: '-1',
      };
      row(
        post('/api/v5/trade/order-algo', {
          ...common,
          ...leg,
          ordType: 'conditional',
          reduceOnly: isSwap,
          ...(isSwap ? {} : { tgtCcy: side === 'buy' ? 'base_ccy' : '' }),
        }),
      );
      break;
    }
    case 5:
      if (isSwap)
        post('/api/v5/trade/close-position', {
          instId,
          mgnMode: 'cross',
          autoCxl: true,
          ...(isHedge ? { posSide: 'long' } : {}),
        });
      break;
    default:
      emulator.trade(instId, str(m.mid + away), str(m.step * BigInt(dice.int(1, 1000))));
  }
}

function check({ emulator, log, get }: ReturnType<typeof testEmulator>): void {
  const account = emulator.exchange.account('main');
  const sums = new Map<string, Dec>();
  const add = (name: string, value: Dec) => sums.set(name, (sums.get(name) ?? ZERO) + value);
  // Bills, and separately the raw log of fills.
  for (const [ccy, amount] of Object.entries(BALANCES)) add(`bills ${ccy}`, dec(amount));
  for (const { row } of account.bills) add(`bills ${row.ccy}`, dec(row.balChg as string));
  for (const [ccy, cash] of account.wallet)
    expect([ccy, str(sums.get(`bills ${ccy}`) ?? ZERO)]).toEqual([ccy, str(cash)]);
  // Spot orders never make cash negative, and the locked amount is that of the open orders.
  for (const order of account.orders.open())
    if (order.frozen) add(`frozen ${order.frozen.ccy}`, order.frozen.amount);
  for (const [ccy, frozen] of account.frozen)
    expect([ccy, str(frozen)]).toEqual([ccy, str(sums.get(`frozen ${ccy}`) ?? ZERO)]);
  // Positions follow from the fills.
  for (const { order, sz } of account.fills)
    if (order.instType === 'SWAP')
      add(`${order.instId} ${order.tdMode} ${order.posSide}`, order.side === 'buy' ? sz : -sz);
  for (const [name, { amount, posSide, margin, mgnMode }] of account.positions) {
    expect([name, str(sums.get(name) ?? ZERO)]).toEqual([name, str(amount)]);
    if (posSide === 'long') expect(amount).toBeGreaterThanOrEqual(ZERO);
    if (posSide === 'short') expect(amount).toBeLessThanOrEqual(ZERO);
    if (mgnMode === 'isolated') expect(margin === ZERO).toBe(amount === ZERO);
  }
  // Orders: fills add up, and none exceeds its order.
  for (const { order, sz } of account.fills) add(`order ${order.ordId}`, sz);
  for (const order of account.orders.all) {
    expect(str(order.filled)).toBe(str(sums.get(`order ${order.ordId}`) ?? ZERO));
    expect(order.filled).toBeLessThanOrEqual(order.qty);
  }
  // The raw log: base quantity of swaps is contracts times their value.
  for (const row of log.filter(({ kind, market }) => kind === 'fill' && market === 'swap') as Row[]) {
    const unit = emulator.market.of(row.instId as string).spec.ctVal;
    expect(row.qty).toBe(str(mul(dec(row.sz as string), dec(unit))));
  }
  // Reducing orders together never exceed the position.
  for (const order of account.orders.open()) {
    if (!order.reduceOnly) continue;
    const held = account.positions.get(`${order.instId} ${order.tdMode} ${order.posSide}`);
    expect(order.qty - order.filled).toBeLessThanOrEqual(sizeOf(held?.amount ?? ZERO));
  }
  expect(get('/api/v5/account/balance').body.code).toBe('0');
}

describe('the books', () => {
  it.each([1, 2, 3, 4])('balance after many acts of chance, seed %i', (seed) => {
    const isHedge = seed % 2 === 0;
    const all = testEmulator({
      balances: BALANCES,
      limitFactor: 1000,
      levelNotional: '300',
      posMode: isHedge ? 'long_short_mode' : 'net_mode',
    });
    const dice = new Dice(seed, 'acts');
    for (let i = 0; i < 150; i++) {
      act(all, dice, isHedge);
      if (i % 10 === 9) check(all);
    }
    // Each kind of event has happened.
    expect(all.log.filter(({ kind }) => kind === 'fill').length).toBeGreaterThan(20);
    expect(all.emulator.exchange.account('main').algos.all.length).toBeGreaterThan(2);
  });
});
