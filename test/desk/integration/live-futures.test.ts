/** The paper futures account at live prices: marks and funding are the exchange's own. */
import { expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import { feedDesk, world } from './live-feed-rig.ts';
import { ok } from './support.ts';

const FUTURES = 'paper-futures';
const LONG = { exchange: FUTURES, symbol: 'BTCUSDT', side: 'BUY', quantity: '0.1', type: 'MARKET' } as const;

it('a contract has the exchange’s own mark, at which its stops fire, whatever the last price is', async () => {
  const there = world();
  const desk = await feedDesk(there);
  await desk.pass(5_000);
  const memory = desk.core.engine.memory.account(FUTURES);
  expect(memory.account.market).toBe('binance-futures');
  expect([...memory.instruments.values()].every(({ quote }) => quote === 'USDT')).toBe(true);
  ok(await desk.answered(desk.place(LONG)));
  const mark = Number(desk.trading.venues.paper[1]?.futures?.markPrice('BTCUSDT'));
  expect(mark).toBeGreaterThan(0);
  const stop = {
    exchange: FUTURES,
    symbol: 'BTCUSDT',
    side: 'SELL',
    quantity: '0.1',
    reduceOnly: true,
    type: 'STOP_MARKET',
    workingType: 'MARK_PRICE',
    stopPrice: String(Math.round(mark * 0.98)),
  };
  const { id } = ok(await desk.answered(desk.place(stop)));
  // The last price does not move.
  there.emulator.printFutures('BTCUSDT', '60000.0', '1', true, (mark * 0.975).toFixed(2));
  await desk.pass(3_000);
  expect(desk.core.engine.memory.orders.get(id)?.status).toBe('CLOSED');
});

it('funding is paid at the exchange’s rate and time, and what was paid while the desk was off is paid with the start', async () => {
  const there = world();
  const desk = await feedDesk(there);
  await desk.pass(5_000);
  ok(await desk.answered(desk.place(LONG)));
  const funding = (of: typeof desk) => of.trading.venues.paper[1];
  const ledger = async (of: typeof desk) => {
    const asked = funding(of)?.ledger?.({ after: null, since: 0, limit: 100 });
    const page = await of.answered(asked ?? Promise.resolve(null));
    return page?.rows.filter(({ kind }) => kind === 'funding') ?? [];
  };
  expect(await ledger(desk)).toHaveLength(0);
  const contract = there.emulator.futuresMarket.of('BTCUSDT');
  const nextMinute = () => Math.ceil((there.emulator.now() + 5_000) / 60_000) * 60_000;
  const first = nextMinute();
  contract.nextFunding = first;
  await desk.pass(first - there.emulator.now() + 3_000);
  const paid = await ledger(desk);
  expect(paid).toMatchObject([{ kind: 'funding', asset: 'USDT' }]);
  // 0.1 BTC at about 60,000 and the exchange's rate; longs pay.
  const rate = Number(str(contract.fundingRate));
  expect(Number(paid[0]?.amount)).toBeCloseTo(-0.1 * Number(str(contract.mark)) * rate, 4);
  await desk.pass(60_000);
  expect(await ledger(desk)).toHaveLength(1);
  await desk.close();
  const second = nextMinute();
  contract.nextFunding = second;
  await there.clock.advance(second - there.emulator.now() + 60_000);
  there.emulator.printFutures('BTCUSDT', '60000.0');
  contract.nextFunding = second + 28_800_000;
  const again = await feedDesk(there);
  await again.pass(5_000);
  expect(await ledger(again)).toHaveLength(2);
});
