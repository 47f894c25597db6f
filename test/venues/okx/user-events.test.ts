/**
 * What the events of an account of OKX lead to: orders, executions and balances in their sequence, when the
 * ledger is read, and what is asked where an event does not say enough.
 */
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import type { VenueSink } from '../../../src/venues/venue.ts';
import { Rig, type RigOptions } from './rig.ts';

const answer = (data: readonly object[]): WireAnswer => ({
  kind: 'answer',
  status: 200,
  headers: {},
  body: JSON.stringify({ code: '0', msg: '', data }),
});
const LOST: WireAnswer = { kind: 'lost', cause: 'no answer' };

/** A rig that notes orders, executions and the stream in the sequence in which they were told. */
async function told(options: RigOptions = {}) {
  const rig = new Rig(options);
  const log: string[] = [];
  const sink: VenueSink = {
    order: (state) => {
      log.push(`${state.status} ${state.venueIds?.join('+')} ${state.cumQty} of ${state.origQty}`);
      rig.sink.order(state);
    },
    fill: (fill) => {
      log.push(`fill ${fill.tradeId} of ${fill.venueId} ${fill.qty}${fill.liquidation ? ' forced' : ''}`);
      rig.sink.fill(fill);
    },
    balances: (balances) => rig.sink.balances(balances),
    positions: (positions) => rig.sink.positions?.(positions),
    instruments: (list) => rig.sink.instruments?.(list),
    ledger: () => rig.sink.ledger?.(),
    stream: (state) => {
      log.push(state);
      rig.sink.stream(state);
    },
  };
  await rig.result(rig.venue.open(sink));
  await rig.pass(5_000);
  log.length = 0;
  const say = (channel: string, ...data: readonly object[]) =>
    rig.net.say(
      channel.includes('algo') ? 'business' : 'private',
      JSON.stringify({ arg: { channel, instType: 'ANY' }, data }),
    );
  return { rig, log, say };
}

const SPOT = { instId: 'BTC-USDT', instType: 'SPOT', posSide: 'net', cTime: '1', uTime: '100' };
const ORDER = {
  ...{ ...SPOT, ordId: '7', clOrdId: 'mine', side: 'buy', ordType: 'limit', state: 'live' },
  ...{ px: '50000', sz: '2', accFillSz: '0', category: 'normal' },
};
const FILL = {
  ...{ tradeId: '31', fillSz: '0.5', fillPx: '50000', fillTime: '99', fillFee: '-0.01', fillFeeCcy: 'BTC' },
  ...{ accFillSz: '0.5', state: 'partially_filled', execType: 'M' },
};
const SWAP = { instId: 'BTC-USDT-SWAP', instType: 'SWAP', sz: '200' };

describe('an order', () => {
  it('comes before its execution, and after it where the exchange has forced it', async () => {
    const { log, say } = await told({ kind: 'swap' });
    const order = { ...ORDER, ...SWAP, ...FILL, fillSz: '50', accFillSz: '50' };
    say('orders', order);
    expect(log.splice(0)).toEqual(['WORKING 7 0.5 of 2', 'fill 31 of 7 0.5']);
    for (const [category, tradeId] of [
      ['full_liquidation', '32'],
      ['partial_liquidation', '33'],
      ['adl', '34'],
    ]) {
      say('orders', { ...order, ordId: '8', category, tradeId });
      expect(log.splice(0)).toEqual([`fill ${tradeId} of 8 0.5 forced`, 'WORKING 8 0.5 of 2']);
    }
    say('orders', { ...order, ordId: '9', category: 'twap', tradeId: '35' });
    expect(log).toEqual(['WORKING 9 0.5 of 2', 'fill 35 of 9 0.5']);
  });

  it('of one message with several is told for each, and one that cannot be read spoils the others', async () => {
    const { log, say, rig } = await told();
    say('orders', ORDER, { ...ORDER, ordId: '8', instId: 'ETH-USDT', sz: '3' });
    expect(log.splice(0)).toEqual(['WORKING 7 0 of 2', 'WORKING 8 0 of 3']);
    expect(rig.orders.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
    say('orders', { ...ORDER, ordId: '9' }, { ...ORDER, sz: 'x' });
    expect(log).toEqual(['gap']);
  });

  it('in words that are not known leads to a comparison, once a minute, and is not told', async () => {
    const { log, say, rig } = await told();
    say('orders', { ...ORDER, state: 'dancing' });
    say('orders', { ...ORDER, ordType: 'waltz' });
    say('orders-algo', { ...SPOT, algoId: '9', ordType: 'twap', state: 'live', side: 'buy', sz: '1' });
    await rig.pass(59_999);
    say('orders', { ...ORDER, state: 'dancing' });
    expect(log).toEqual(['gap']);
    await rig.pass(1);
    say('orders', { ...ORDER, state: 'dancing' });
    expect([log, rig.orders]).toEqual([['gap', 'gap'], []]);
    expect(rig.reports).toEqual([
      'mine-spot: orders: type limit, state dancing',
      'mine-spot: orders-algo: type twap, state live',
      'mine-spot: orders: type limit, state dancing (and 2 times before)',
    ]);
  });

  it('that has ended does not work again, but what it has executed is told late too', async () => {
    const { log, say } = await told();
    say('orders', { ...ORDER, state: 'canceled', accFillSz: '0.5', uTime: '200' });
    say('orders', { ...ORDER, ...FILL, uTime: '300' });
    say('orders', { ...ORDER, ordId: '8', uTime: '300' });
    say('orders', { ...ORDER, state: 'canceled', accFillSz: '0.5', uTime: '301' });
    expect(log.splice(0)).toEqual([
      'CANCELLED 7 0.5 of 2',
      'fill 31 of 7 0.5',
      'WORKING 8 0 of 2',
      'CANCELLED 7 0.5 of 2',
    ]);
    const rest = { ...FILL, accFillSz: '2', fillSz: '1.5', tradeId: '41', state: 'filled' };
    say('orders', { ...ORDER, ordId: '9', ...rest });
    say('orders', { ...ORDER, ordId: '9', ...FILL, uTime: '400' });
    say('orders', { ...ORDER, ordId: '10', state: 'canceled', cancelSource: '31' });
    say('orders', { ...ORDER, ordId: '10', uTime: '400' });
    expect(log).toEqual([
      ...['FILLED 9 2 of 2', 'fill 41 of 9 1.5', 'fill 31 of 9 0.5'],
      'REJECTED 10 0 of 2',
    ]);
  });

  it('that the exchange has made is told with the executions that a question gives, once they are there', async () => {
    for (const category of ['full_liquidation', 'partial_liquidation', 'adl', 'ddh', 'delivery']) {
      const { log, say, rig } = await told();
      const asked: string[] = [];
      rig.net.answers.set('/api/v5/trade/fills', ({ path }) => {
        asked.push(path.split('?')[1] ?? '');
        const fill = { ...{ instId: 'BTC-USDT', ordId: '7', side: 'buy', fillPx: '5', fee: '0', ts: '1' } };
        return answer([
          { ...fill, tradeId: '-2', billId: '2', fillSz: '1.5', subType: '104' },
          { ...fill, tradeId: '-1', billId: '1', fillSz: '0.5', subType: '104' },
          { ...fill, tradeId: '-3', billId: '3', fillSz: '9', ordId: '8' },
        ]);
      });
      const uTime = String(rig.emulator.now());
      say('orders', { ...ORDER, category, uTime });
      expect(log.splice(0)).toEqual(['WORKING 7 0 of 2']);
      say('orders', { ...ORDER, category, state: 'filled', accFillSz: '2', uTime });
      expect(log).toEqual([]);
      await rig.pass(200);
      expect(log).toEqual(['fill -1 of 7 0.5 forced', 'fill -2 of 7 1.5 forced', 'FILLED 7 2 of 2']);
      expect(asked).toEqual(['instId=BTC-USDT&ordId=7&limit=100']);
    }
  });

  it('of others without an execution in its row is told as it is, and nothing is asked', async () => {
    const { log, say, rig } = await told();
    const before = rig.requests.length;
    const { category: _, ...plain } = ORDER;
    say('orders', { ...ORDER, state: 'filled', accFillSz: '2' });
    say('orders', { ...plain, ordId: '8', state: 'canceled', accFillSz: '1' });
    await rig.pass(5_000);
    expect(log).toEqual(['FILLED 7 2 of 2', 'CANCELLED 8 1 of 2']);
    expect(rig.requests.slice(before)).toEqual([]);
  });

  it('whose executions cannot be asked for leads to a comparison', async () => {
    const { log, say, rig } = await told();
    rig.net.answers.set('/api/v5/trade/fills', () => LOST);
    const uTime = String(rig.emulator.now());
    say('orders', { ...ORDER, category: 'adl', state: 'filled', accFillSz: '2', uTime });
    await rig.pass(200);
    expect([log, rig.orders]).toEqual([['gap'], []]);
  });
});

describe('a trigger', () => {
  const ALGO = {
    ...{ ...SPOT, algoId: '90', algoClOrdId: 'stop', ordType: 'conditional', side: 'sell', sz: '2' },
    ...{ slTriggerPx: '40000', slOrdPx: '-1', state: 'live' },
  };
  const MADE = { ...ALGO, state: 'effective', ordIdList: ['7'] };

  it('that waits, was cancelled or has failed is told at once, from either channel', async () => {
    const { log, say } = await told();
    say('orders-algo', ALGO, { ...ALGO, algoId: '91' });
    say('algo-advance', { ...ALGO, algoId: '92', ordType: 'move_order_stop' });
    say('orders-algo', { ...ALGO, state: 'canceled' });
    say('orders-algo', { ...ALGO, algoId: '91', state: 'order_failed', failCode: '51008' });
    expect(log).toEqual([
      'PENDING a90 0 of 2',
      'PENDING a91 0 of 2',
      'PENDING a92 0 of 2',
      'CANCELLED a90 0 of 2',
      'REJECTED a91 0 of 2',
    ]);
  });

  it('that has made an order leaves it to that order to be told, before it or within four seconds after', async () => {
    for (const [before, after] of [
      [true, false],
      [false, true],
    ]) {
      const { log, say, rig } = await told();
      const requests = rig.requests.length;
      const child = { ...ORDER, ordType: 'market', algoId: '90', algoClOrdId: 'stop', side: 'sell' };
      if (before) say('orders', child);
      say('orders-algo', MADE);
      await rig.pass(3_999);
      if (after) say('orders', child);
      await rig.pass(10_000);
      expect(log).toEqual(['WORKING a90+7 0 of 2']);
      expect(rig.requests.slice(requests)).toEqual([]);
    }
  });

  it('whose order is not told within four seconds is asked about, and the order is told with its executions', async () => {
    const { log, say, rig } = await told();
    const uTime = String(rig.emulator.now());
    rig.net.answers.set('/api/v5/trade/order-algo', () => answer([MADE]));
    const child = { ...ORDER, ordType: 'market', algoId: '90', algoClOrdId: 'stop', side: 'sell', uTime };
    rig.net.answers.set('/api/v5/trade/order', () => answer([{ ...child, state: 'filled', accFillSz: '2' }]));
    rig.net.answers.set('/api/v5/trade/fills', () =>
      answer([
        {
          ...{ instId: 'BTC-USDT', ordId: '7', tradeId: '5', billId: '1', side: 'sell', ts: '1' },
          fillPx: '5',
          fillSz: '2',
        },
      ]),
    );
    say('orders-algo', MADE);
    // Another order that has nothing to do with it.
    say('orders', { ...ORDER, ordId: '8' });
    log.length = 0;
    await rig.pass(3_999);
    expect(log).toEqual([]);
    await rig.pass(500);
    expect(log).toEqual(['FILLED a90+7 2 of 2', 'fill 5 of 7 2']);
    expect(rig.fills.at(-1)).toMatchObject({ clientId: 'stop' });
    expect([rig.orders.at(-1)?.stuck, rig.reports]).toEqual([undefined, []]);
  });

  it('that cannot be asked about leads to a comparison, and none is asked about after the end', async () => {
    for (const isClosed of [false, true]) {
      const { log, say, rig } = await told();
      let asked = 0;
      rig.net.answers.set('/api/v5/trade/order-algo', () => {
        asked += 1;
        return LOST;
      });
      say('orders-algo', { ...MADE, ordIdList: [''], ordId: '0' });
      if (isClosed) await rig.venue.close();
      await rig.pass(4_500);
      expect([asked, log]).toEqual(isClosed ? [0, []] : [1, ['gap']]);
    }
  });
});

describe('a balance', () => {
  const ASSET = { ccy: 'ADA', cashBal: '10', frozenBal: '4', ordFrozen: '3', uTime: '50' };
  const account = (rows: readonly object[], uTime?: string) => ({
    details: rows,
    ...(uTime === undefined ? {} : { uTime }),
  });

  it.each<[RigOptions, object, free: string, locked: string]>([
    [{}, {}, '7', '3'],
    [{ settings: { acctLv: '1' } }, {}, '6', '4'],
    [{ settings: { acctLv: '1' } }, { frozenBal: '' }, '10', '0'],
    [{}, { ordFrozen: '12' }, '0', '10'],
    [{}, { cashBal: '-2' }, '-2', '0'],
    [{}, { cashBal: '' }, '0', '0'],
    [{ kind: 'swap' }, {}, '10', '0'],
    [{ kind: 'swap', markets: ['spot', 'swap'] }, {}, '7', '3'],
  ])('of %o with %o is free %s and locked %s', async (options, more, free, locked) => {
    const { say, rig } = await told(options);
    rig.balances.length = 0;
    say(
      'account',
      account(
        [
          { ...ASSET, ...more },
          { ...ASSET, ccy: 'DOGE', cashBal: '5', frozenBal: '0', ordFrozen: '0' },
        ],
        '70',
      ),
    );
    expect(rig.balances).toEqual([
      { asset: 'ADA', free, locked, time: 70 },
      { asset: 'DOGE', free: '5', locked: '0', time: 70 },
    ]);
    say('account', account([{ ...ASSET, ...more }]));
    expect(rig.balances.at(-1)).toEqual({ asset: 'ADA', free, locked, time: 50 });
    rig.balances.length = 0;
    say('account', account([], '90'));
    expect([rig.balances, rig.stream]).toEqual([[], ['up']]);
  });

  it('that changes without an execution has the ledger read at once and once more, and one that stays does not', async () => {
    const { say, rig } = await told();
    const moves = async (ms: number, ...rows: readonly object[]) => {
      const before = rig.moved;
      if (rows.length > 0) say('account', account(rows));
      const atOnce = rig.moved - before;
      await rig.pass(ms);
      return [atOnce, rig.moved - before];
    };
    const doge = { ...ASSET, ccy: 'DOGE' };
    expect(await moves(10_000, ASSET)).toEqual([1, 2]);
    expect(await moves(10_000, ASSET)).toEqual([0, 0]);
    expect(await moves(10_000, ASSET, doge)).toEqual([1, 2]);
    expect(await moves(10_000, { ...ASSET, ordFrozen: '5' }, doge)).toEqual([0, 0]);
    expect(await moves(10_000, ASSET, { ...doge, cashBal: '11' })).toEqual([1, 2]);
    // Several within a moment have it read once more together.
    expect(await moves(1_000, { ...ASSET, cashBal: '9' })).toEqual([1, 1]);
    expect(await moves(499, { ...ASSET, cashBal: '8' })).toEqual([1, 1]);
    expect(await moves(1)).toEqual([0, 1]);
    expect(await moves(10_000)).toEqual([0, 0]);
  });

  it('is known from a question too: an event with the same is no news', async () => {
    const { say, rig } = await told();
    rig.net.answers.set('/api/v5/account/balance', () => answer([account([ASSET], '60')]));
    const asked = await rig.result(rig.venue.balances());
    expect(asked?.find(({ asset }) => asset === 'ADA')).toEqual({
      asset: 'ADA',
      free: '7',
      locked: '3',
      time: 60,
    });
    // All that was told before and is left out now is gone.
    expect(asked?.filter(({ asset }) => asset !== 'ADA')).toEqual(
      ['USDT', 'BTC', 'ETH', 'OKB'].map((asset) => ({ asset, free: '0', locked: '0', time: 60 })),
    );
    const before = rig.moved;
    say('account', account([ASSET]));
    await rig.pass(2_000);
    expect(rig.moved).toBe(before);
    rig.net.answers.set('/api/v5/account/balance', () => LOST);
    expect(await rig.result(rig.venue.balances())).toBeNull();
  });

  it.each([
    ['1,500 ms after an execution', 1_500, FILL, 0, 0],
    ['1,501 ms after an execution', 1_501, FILL, 1, 2],
    ['just after an order that was filled', 1, { state: 'filled', accFillSz: '2' }, 0, 0],
    ['just after an order that was cancelled', 1, { state: 'canceled' }, 1, 2],
    ['just before an execution', -1_400, FILL, 1, 1],
    ['1,600 ms before an execution', -1_600, FILL, 1, 2],
  ])('that changes %s', async (_, ms, order, atOnce, all) => {
    const { say, rig } = await told();
    const before = rig.moved;
    if (ms > 0) {
      say('orders', { ...ORDER, ...order });
      await rig.pass(ms);
    }
    say('account', account([ASSET]));
    expect(rig.moved - before).toBe(atOnce);
    if (ms < 0) {
      await rig.pass(-ms);
      say('orders', { ...ORDER, ...order });
    }
    await rig.pass(5_000);
    expect(rig.moved - before).toBe(all);
  });

  it('of which nothing is left is told once, of those alone that had something', async () => {
    const { say, rig } = await told();
    say('account', account([ASSET, { ...ASSET, ccy: 'DOGE' }]));
    await rig.pass(5_000);
    rig.balances.length = 0;
    const before = rig.moved;
    const left = (ccy: string, cashBal: string) => ({ ccy, cashBal, uTime: '1' });
    const row = { pTime: '80', balData: [left('ADA', '0'), left('DOGE', '3'), left('XRP', '0')] };
    say('balance_and_position', row);
    expect(rig.balances).toEqual([{ asset: 'ADA', free: '0', locked: '0', time: 80 }]);
    await rig.pass(5_000);
    expect(rig.moved - before).toBe(2);
    say('balance_and_position', row, { pTime: '81' }, { pTime: '82', balData: [left('DOGE', '')] });
    expect(rig.balances.slice(1)).toEqual([{ asset: 'DOGE', free: '0', locked: '0', time: 82 }]);
  });
});

describe('an event', () => {
  it('of a channel that was not asked for is said, and nothing else', async () => {
    const { log, say, rig } = await told();
    say('liquidation-warning', { x: 1 });
    expect([log, rig.reports]).toEqual([
      [],
      ['mine-spot: data of a channel that was not asked for: liquidation-warning'],
    ]);
  });

  it.each<[RigOptions['kind'], object, reads: number]>([
    ['spot', { instId: 'NEW-EUR' }, 1],
    ['spot', { instId: 'NEW-USDT', instType: 'MARGIN' }, 1],
    ['spot', { instId: 'NEW-USDT-SWAP', instType: 'SWAP' }, 0],
    ['swap', { instId: 'NEW-USDC-SWAP', instType: 'SWAP' }, 1],
    ['swap', { instId: 'NEW-USD-SWAP', instType: 'SWAP' }, 0],
    ['swap', { instId: 'NEW-USDT-261225', instType: 'FUTURES' }, 0],
    ['swap', { instId: 'NEW-USDT', instType: 'SPOT' }, 0],
  ])('of an instrument that %s does not list, %o, has the list read %d times', async (kind, row, reads) => {
    for (const [channel, of] of [
      ['orders', ORDER],
      ['orders-algo', { ...SPOT, algoId: '1', ordType: 'trigger', state: 'live', side: 'buy', sz: '1' }],
    ] as const) {
      const { log, say, rig } = await told(kind ? { kind } : {});
      const lists = () => rig.requests.filter(({ path }) => path.includes('/public/instruments')).length;
      say(channel, { ...of, ...row });
      await rig.pass(1_000);
      // The list is as good as new: it was read when the account was opened, less than a minute ago.
      expect([lists(), log]).toEqual([1, []]);
      await rig.pass(60_000);
      for (let n = 0; n < 3; n++) say(channel, { ...of, ...row });
      await rig.pass(1_000);
      expect([lists() - 1, log]).toEqual([reads, reads === 0 ? [] : ['gap']]);
      await rig.pass(58_999);
      say(channel, { ...of, ...row });
      await rig.pass(1);
      say(channel, { ...of, ...row });
      await rig.pass(1_000);
      expect([lists() - 1, rig.orders]).toEqual([2 * reads, []]);
    }
  });

  it('after the account was closed is none', async () => {
    const { log, say, rig } = await told();
    await rig.venue.close();
    const [balances, moved] = [rig.balances.length, rig.moved];
    say('orders', ORDER);
    say('account', { details: [{ ccy: 'ADA', cashBal: '77', uTime: '1' }] });
    await rig.pass(5_000);
    expect([log, rig.balances.length - balances, rig.moved - moved]).toEqual([[], 0, 0]);
  });

  it('whose look at the ledger is due after the account was closed has none', async () => {
    const { say, rig } = await told();
    say('account', { details: [{ ccy: 'ADA', cashBal: '77', uTime: '1' }] });
    const { moved } = rig;
    await rig.venue.close();
    await rig.pass(5_000);
    expect(rig.moved).toBe(moved);
  });

  it('after the account was opened again has the ledger read twice as before, though a look was due', async () => {
    const { say, rig } = await told();
    const balance = (cashBal: string) => say('account', { details: [{ ccy: 'ADA', cashBal, uTime: '1' }] });
    balance('77');
    await rig.result(rig.venue.open(rig.sink));
    await rig.pass(5_000);
    const { moved } = rig;
    balance('78');
    expect(rig.moved).toBe(moved + 1);
    await rig.pass(5_000);
    expect(rig.moved).toBe(moved + 2);
  });
});
