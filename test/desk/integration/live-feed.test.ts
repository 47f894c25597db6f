/** The paper exchange on live public prices (`--feed binance`): exchanges.md 2. */
import { describe, expect, it } from 'vitest';
import { Ema } from '../../../src/bots/market/ema.ts';
import { Rsi } from '../../../src/bots/market/rsi.ts';
import { squeeze } from '../../bots/rules/bots.ts';
import { feedDesk, world } from './live-feed-rig.ts';
import { ok } from './support.ts';

const MINUTE = 60_000;
const BUY = { symbol: 'BTCUSDT', side: 'BUY', quantity: '0.1' } as const;

describe('a paper account at live prices', () => {
  it('trades what the exchange does, with its filters, at its prices', async () => {
    const desk = await feedDesk(world());
    await desk.pass(3_000);
    const account = desk.core.engine.memory.accounts.get('paper-spot');
    expect(account?.account.market).toBe('binance-spot');
    expect(account?.instruments.get('BTCUSDT')).toMatchObject({ exchange: 'paper-spot', tickSize: '0.01' });
    expect(desk.faces.state().clock).toMatchObject({
      feed: 'binance',
      live: true,
      held: false,
      ended: false,
    });
    desk.print('BTCUSDT', '60123.45');
    await desk.pass(100);
    const order = ok(await desk.answered(desk.place({ ...BUY, type: 'MARKET' })));
    expect(order).toMatchObject({ status: 'CLOSED', executedQty: '0.1' });
    const detail = await desk.answered(desk.faces.call('orders.detail', { id: order.id }));
    expect(detail?.fills.map(({ price, qty }) => [price, qty])).toEqual([['60123.45', '0.1']]);
    expect(desk.faces.state().prices['binance-spot BTCUSDT']?.last).toBe('60123.45');
  });

  it('fills what rests when somebody trades at its price, and fires what waits', async () => {
    const desk = await feedDesk(world());
    await desk.pass(3_000);
    desk.print('BTCUSDT', '60000.00');
    await desk.pass(100);
    const rests = ok(await desk.answered(desk.place({ ...BUY, type: 'LIMIT', price: '59990' })));
    const waits = ok(await desk.answered(desk.place({ ...BUY, type: 'STOP_MARKET', stopPrice: '60010' })));
    desk.print('BTCUSDT', '59990.01');
    await desk.pass(100);
    const status = (id: string) => desk.core.engine.memory.orders.get(id)?.status;
    expect([status(rests.id), status(waits.id)]).toEqual(['OPENED', 'NEW']);
    // Three trades at the same time: no price between is lost.
    for (const price of ['59995.00', '59990.00', '60011.00']) desk.print('BTCUSDT', price);
    await desk.pass(100);
    expect([status(rests.id), status(waits.id)]).toEqual(['CLOSED', 'CLOSED']);
  });

  it('matches an order in a symbol that nobody has looked at by a price of now, not by none', async () => {
    const desk = await feedDesk(world());
    await desk.pass(3_000);
    const order = ok(
      await desk.answered(
        desk.place({ symbol: '币安人生USDT', side: 'BUY', quantity: '100', type: 'MARKET' }),
      ),
    );
    expect(order.status).toBe('CLOSED');
    expect(desk.faces.state().prices['binance-spot 币安人生USDT']?.last).toBe('0.12');
  });
});

describe('while prices do not come', () => {
  it('an order is not sent, at no old price, and says so', async () => {
    const desk = await feedDesk(world());
    await desk.pass(3_000);
    desk.net.down = true;
    await desk.pass(1_000);
    desk.print('BTCUSDT', '10000.00');
    const answer = await desk.answered(desk.place({ ...BUY, type: 'MARKET' }));
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).toContain('no price of BTCUSDT has come');
    await desk.pass(5_000);
    const later = await desk.answered(desk.place({ ...BUY, type: 'MARKET' }));
    expect(later).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
  });

  it('what rests waits, and is matched at the first price after', async () => {
    const desk = await feedDesk(world());
    await desk.pass(3_000);
    desk.print('BTCUSDT', '60000.00');
    await desk.pass(100);
    const { id } = ok(await desk.answered(desk.place({ ...BUY, type: 'LIMIT', price: '50000' })));
    desk.net.down = true;
    await desk.pass(1_000);
    desk.print('BTCUSDT', '49000.00');
    await desk.pass(30_000);
    expect(desk.core.engine.memory.orders.get(id)?.status).toBe('OPENED');
    desk.net.down = false;
    await desk.pass(60_000);
    expect(desk.core.engine.memory.orders.get(id)?.status).toBe('CLOSED');
  });

  it('a start says since when they are old and goes on with the orders that were there, once they come', async () => {
    const there = world();
    const first = await feedDesk(there);
    await first.pass(3_000);
    first.print('BTCUSDT', '60000.00');
    await first.pass(100);
    const { id } = ok(await first.answered(first.place({ ...BUY, type: 'LIMIT', price: '50000' })));
    await first.close();
    there.net.down = true;
    await there.clock.advance(3_600_000);
    const again = await feedDesk(there);
    expect(again.logged.join('\n')).toMatch(
      /binance-spot could not be opened: .*ECONNREFUSED.*its prices are of 2026-11-25T12:0\d/,
    );
    expect(again.core.engine.memory.orders.get(id)?.status).toBe('OPENED');
    expect(again.core.engine.memory.accounts.get('paper-spot')?.instruments.has('BTCUSDT')).toBe(true);
    there.net.down = false;
    await again.pass(70_000);
    again.print('BTCUSDT', '49999.00');
    await again.pass(1_000);
    expect(again.core.engine.memory.orders.get(id)?.status).toBe('CLOSED');
  });
});

describe('where its prices come from an account remembers', () => {
  it('and is not carried to others while it has open orders', async () => {
    const there = world();
    const first = await feedDesk(there);
    await first.pass(3_000);
    ok(await first.answered(first.place({ ...BUY, type: 'LIMIT', price: '50000' })));
    await first.close();
    await expect(feedDesk(there, { feed: 'synthetic' })).rejects.toThrow(
      'paper-spot trades at the prices of binance-spot and has 1 open order: start with --feed binance and end them first, or choose another folder with --data-dir',
    );
  });

  it('and is, once nothing stands: the instruments of before are none of the new ones', async () => {
    const there = world();
    const first = await feedDesk(there);
    await first.pass(3_000);
    ok(await first.answered(first.place({ ...BUY, type: 'MARKET' })));
    await first.close();
    const second = await feedDesk(there, { feed: 'synthetic' });
    const { account, instruments } = second.core.engine.memory.account('paper-spot');
    expect(account.market).toBe('paper');
    expect(instruments.has('ETHBTC')).toBe(false);
    await second.close();
    const third = await feedDesk(there);
    expect(third.core.engine.memory.account('paper-spot').account.market).toBe('binance-spot');
    expect(
      [...third.core.engine.memory.account('paper-spot').instruments.values()].filter((one) => one.delisted),
    ).toEqual([]);
  });
});

it.each([
  [{ speed: 60 }, '--feed binance runs with the clock; leave out --speed and --hold'],
  [{ hold: true }, '--feed binance runs with the clock; leave out --speed and --hold'],
  [{ feed: 'okx' }, '--feed okx: okx is not built in'],
])('a desk that cannot be is refused in one sentence: %j', async (options, sentence) => {
  await expect(feedDesk(world(), options)).rejects.toThrow(sentence);
});

it('what RSI and EMA see are the exchange’s own candles, whatever the stream loses', async () => {
  const there = world();
  const desk = await feedDesk(there);
  await desk.pass(3_000);
  const bot = squeeze({
    exchange: 'paper-spot',
    filters: { market: { trend: 'up', rsi: { period: 14, max: '100' } } },
  });
  const { id } = ok(
    await desk.answered(desk.faces.call('bots.create', { bot: { type: 'SQUEEZE', settings: bot } } as never)),
  );
  ok(await desk.answered(desk.faces.call('bots.start', { id })));
  const own = () => desk.core.bots?.book.runs.values().next().value?.run.market;
  for (let minute = 0; minute < 12; minute++) {
    there.net.faults = minute % 3 === 1 ? { messageLost: 0.5 } : {};
    for (let at = 0; at < 6; at++) {
      desk.print('BTCUSDT', `${60_000 + ((minute * 17 + at * 29) % 40)}.0${at}`, '0.01');
      await desk.pass(9_000);
    }
    there.net.faults = {};
    if (minute % 4 === 2) there.net.cut('somebody pulled the cable');
    await desk.pass(MINUTE - (there.emulator.now() % MINUTE) + 4_000);
    const end = Math.floor(there.emulator.now() / MINUTE) * MINUTE;
    const ema = new Ema(50);
    const rsi = new Rsi(14);
    const path = `/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1000&endTime=${end - 1}`;
    const rows = JSON.parse(there.emulator.request({ method: 'GET', path, headers: {} }).body) as unknown[][];
    expect(rows.at(-1)?.[0]).toBe(end - MINUTE);
    for (const row of rows) {
      ema.push(Number(row[4]));
      rsi.push(Number(row[4]));
    }
    expect(own()?.lastClosed(MINUTE)).toMatchObject({ time: end - MINUTE });
    expect(own()?.ema(MINUTE, 50)).toBeCloseTo(ema.value ?? 0, 6);
    expect(own()?.rsi(MINUTE, 14)).toBeCloseTo(rsi.value ?? 0, 6);
  }
});
