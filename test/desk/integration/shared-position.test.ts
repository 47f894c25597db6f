/** What others close of a futures position, and how that reduces the runs that hold it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { type BotsRig, openBots } from './bots-rig.ts';
import { holding, ok, until } from './support.ts';

const FUTURES = 'paper-futures';
const BTC = { base: 'BTC', quote: 'USDT' };
/** The first minute is over before a run starts; the second has its first tick. */
const FALL = ['100', '100', '89', '89', '89', '89'];

/** A bot that buys at 90 for this value, and sells at 110. */
const level = (value: string, settings: object = {}) => ({
  type: 'CHANNEL',
  settings: {
    exchange: FUTURES,
    symbol: BTC,
    deposit: { value, asset: 'USDT' },
    flavor: 'LEVELS',
    levels: [{ buy: '90', sell: '110' }],
    ...settings,
  },
});

const order = (fields: object) => ({ exchange: FUTURES, symbol: 'BTCUSDT', type: 'MARKET', ...fields });

interface Rig {
  readonly r: BotsRig;
  readonly ids: readonly string[];
}

/** Runs with one level each that hold what they have bought. */
async function held(values: readonly string[], prices = FALL, options: object = {}): Promise<Rig> {
  const r = await openBots(prices, options);
  await r.minutes(1);
  const ids: string[] = [];
  for (const value of values) ids.push((await r.started(level(value))).id);
  await r.minutes(2);
  return { r, ids };
}

const amount = async (r: BotsRig) =>
  (r.t.desk.state().futures[FUTURES]?.positions ?? []).map(({ amount: size }) => size);

const lots = async (r: BotsRig, id: string) =>
  (await r.t.call('bots.detail', { id }))?.live?.lots.map(({ qty }) => qty);

/** Waits for a call whose exchange takes time to answer. */
async function waited<T>(t: BotsRig['t'], answer: Promise<T>): Promise<T> {
  let done = false;
  const settled = answer.finally(() => {
    done = true;
  });
  await until(t, () => done, { stepMs: 10 });
  return settled;
}

/** Sizes of the exits that rest. */
const exits = async (r: BotsRig) =>
  (await r.orders())
    .filter(({ side }) => side === 'SELL')
    .map(({ creatorId, origQty }) => [creatorId, origQty])
    .sort();

const lastRun = async (r: BotsRig, id: string) => (await r.t.call('bots.detail', { id }))?.runs[0];

describe('a part of a position that two runs hold', () => {
  // proves: bot ruling R13
  it('sold by hand is taken from both in proportion, and their exits follow', async () => {
    const { r, ids } = await held(['180', '360']);
    const [a, b] = ids as [string, string];
    expect(await amount(r)).toEqual(['6']);
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '1.5' }));
    await r.minutes(1);
    expect([await lots(r, a), await lots(r, b)]).toEqual([['1.5'], ['3']]);
    expect(await exits(r)).toEqual(
      [
        [a, '1.5'],
        [b, '3'],
      ].sort(),
    );
    expect((await r.bot(a)).status).toBe('STARTED');
    // 0.5 bought at 90, sold at 89, less the 0.02 % of its entry and a third of the 0.05 % of what was sold.
    const realised = async (id: string) => ((await r.bot(id)).stats as { realised: string }).realised;
    expect(await realised(a)).toBe('-0.55825');
    expect(await realised(b)).toBe('-1.1165');
  });

  it('leaves what a person holds beside them to the person', async () => {
    const { r, ids } = await held(['180', '360']);
    const [a, b] = ids as [string, string];
    await r.done('POST', '/orders', order({ side: 'BUY', quantity: '2' }));
    await r.minutes(1);
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '2' }));
    await r.minutes(1);
    expect([await lots(r, a), await lots(r, b)]).toEqual([['2'], ['4']]);
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '1.999' }));
    await r.minutes(1);
    // A third and two thirds of the size are not whole steps: the remainder is taken from the older run.
    expect([await lots(r, a), await lots(r, b)]).toEqual([['1.333'], ['2.668']]);
  });

  it('closed through the exchange itself is taken from them, too', async () => {
    const venues: PaperVenue[] = [];
    const hold = holding((venue) => venues.push(venue));
    const { r, ids } = await held(['180', '360'], FALL, { ports: { venues: hold } });
    const futures = venues.find(({ account }) => account.id === FUTURES);
    await futures?.submit({
      clientId: 'web-1',
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '3',
      timeInForce: 'GTC',
    });
    await r.minutes(1);
    expect([await lots(r, ids[0] as string), await lots(r, ids[1] as string)]).toEqual([['1'], ['2']]);
  });
});

describe('what the exchange has not told', () => {
  const drop = async (r: BotsRig, kinds: readonly ('order' | 'fill' | 'balances')[]) => {
    for (const on of kinds) await r.fault({ fault: 'dropEvent', exchange: FUTURES, on });
  };
  const compare = (r: BotsRig) => waited(r.t, r.t.call('exchange.reconcile', { exchange: FUTURES }));

  it('of a close shows when it is asked, and is taken from the runs then', async () => {
    const venues: PaperVenue[] = [];
    const { r, ids } = await held(['180', '360'], FALL, {
      ports: { venues: holding((venue) => venues.push(venue)) },
    });
    const [a, b] = ids as [string, string];
    const futures = venues.find(({ account }) => account.id === FUTURES);
    await drop(r, ['order', 'fill', 'balances']);
    futures?.faults.next('dropEvent', { on: 'positions' });
    const close = { clientId: 'web-1', symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET' } as const;
    await futures?.submit({ ...close, quantity: '3', timeInForce: 'GTC' });
    await r.t.clock.settle();
    expect([await lots(r, a), await lots(r, b)]).toEqual([['2'], ['4']]);
    await compare(r);
    expect([await lots(r, a), await lots(r, b)]).toEqual([['1'], ['2']]);
  });

  it.each([
    ['its position first, the fill later', ['fill', 'order']],
    ['the fill first, its position later', ['positions']],
  ] as const)("is not taken for somebody else's close when it is an exit's own: %s", async (_what, kinds) => {
    const venues: PaperVenue[] = [];
    const { r, ids } = await held(['180', '360'], [...FALL.slice(0, 3), '89', '111', '105', '105', '105'], {
      ports: { venues: holding((venue) => venues.push(venue)) },
    });
    const futures = venues.find(({ account }) => account.id === FUTURES);
    const [a, b] = ids as [string, string];
    await r.done('POST', '/orders', order({ side: 'BUY', quantity: '2' }));
    await r.minutes(1);
    for (const on of kinds) futures?.faults.next('dropEvent', { on, times: 2 });
    await r.minutes(2);
    await compare(r);
    for (const id of [a, b]) {
      const { runs, live, notices } = (await r.t.call('bots.detail', { id })) ?? {};
      expect(runs?.[0]?.reason ?? null).toBe(null);
      expect(live?.lots).toEqual([]);
      expect(notices?.map(({ text }) => text).join()).not.toMatch(/elsewhere/);
    }
    expect(await amount(r)).toEqual(['2']);
  });

  it('of a close while it was down is no liquidation because there was one before', async () => {
    const venues: PaperVenue[] = [];
    const ports = { venues: holding((venue) => venues.push(venue)) };
    const r = await openBots(['100', '100', '89', '89', '40', '40', '100', '100', '89', '89'], { ports });
    await r.minutes(1);
    const deposit = { value: '4500', asset: 'USDT', leverage: 20 };
    const { id } = await r.started(level('0', { deposit, marginType: 'ISOLATED' }));
    await r.minutes(6);
    expect(await lastRun(r, id)).toMatchObject({ reason: 'liquidated' });
    const next = await r.started(level('180'));
    await r.minutes(2);
    const [quantity = ''] = await amount(r);
    expect(await lots(r, next.id)).toEqual([quantity]);
    const futures = venues.find(({ account }) => account.id === FUTURES);
    await drop(r, ['order', 'fill', 'balances']);
    futures?.faults.next('dropEvent', { on: 'positions' });
    const close = { clientId: 'web-1', symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET' } as const;
    await futures?.submit({ ...close, quantity, timeInForce: 'GTC' });
    await r.t.stop();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    await later.t.clock.advance(5_000);
    expect(await lastRun(later, next.id)).toMatchObject({ reason: 'closed elsewhere' });
  });

  it('while it was down shows after its start', async () => {
    const venues: PaperVenue[] = [];
    const { r, ids } = await held(['180', '360'], FALL, {
      ports: { venues: holding((venue) => venues.push(venue)) },
    });
    const futures = venues.find(({ account }) => account.id === FUTURES);
    await drop(r, ['order', 'fill', 'balances']);
    futures?.faults.next('dropEvent', { on: 'positions' });
    const close = { clientId: 'web-1', symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET' } as const;
    await futures?.submit({ ...close, quantity: '6', timeInForce: 'GTC' });
    await r.t.stop();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    // An event that arrived during the request is not compared with its answer: the request is made once
    // more.
    await later.t.clock.advance(5_000);
    for (const id of ids) expect(await lastRun(later, id)).toMatchObject({ reason: 'closed elsewhere' });
    expect(await later.open()).toEqual([]);
  });
});

describe('whatever is traded beside the runs', () => {
  const percent = fc.integer({ min: -6, max: 6 });
  const trade = fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity: fc.integer({ min: 1_300, max: 4_000 }).map((thousandths) => (thousandths / 1_000).toFixed(3)),
    after: fc.integer({ min: 0, max: 3 }),
  });

  it('they never hold more than there is, and what goes goes in proportion', async () => {
    const worlds = fc.record({
      deposits: fc.array(fc.integer({ min: 130, max: 900 }), { minLength: 2, maxLength: 4 }),
      percents: fc.array(percent, { minLength: 8, maxLength: 8 }),
      trades: fc.array(trade, { minLength: 4, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ deposits, percents, trades }) => {
        let price = 89;
        const prices = percents.map((p) => {
          price *= 1 + p / 100;
          return price;
        });
        const { r, ids } = await held(deposits.map(String), [
          '100',
          '100',
          '89',
          ...prices.map((one) => one.toFixed(2)),
        ]);
        const sizes = () => Promise.all(ids.map(async (id) => Number((await lots(r, id))?.[0] ?? 0)));
        const there = async () => Number((await amount(r))[0] ?? 0);
        const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
        const about = (value: number) => Number(value.toFixed(9));
        for (const { side, quantity, after } of trades) {
          await r.minutes(after);
          const [before, position] = [await sizes(), await there()];
          expect(about(sum(before))).toBeLessThanOrEqual(about(Math.max(position, 0)));
          const { status } = await r.ask('POST', '/orders', order({ side, quantity }));
          if (status !== 200) continue;
          await r.t.clock.settle();
          const [left, rest] = [await sizes(), await there()];
          expect(rest).toBeCloseTo(position + (side === 'BUY' ? 1 : -1) * Number(quantity), 9);
          const cut = Math.max(0, sum(before) - Math.max(rest, 0));
          expect(sum(left)).toBeCloseTo(sum(before) - cut, 9);
          for (const [i, size] of left.entries()) {
            const share = cut === 0 ? 0 : (cut * (before[i] ?? 0)) / sum(before);
            expect(Math.abs((before[i] ?? 0) - size - share)).toBeLessThan(0.001 + 1e-9);
          }
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe('a run that is left with nothing', () => {
  it('ends, and is not started again, when a person has closed its position', async () => {
    const r = await openBots(FALL);
    await r.minutes(1);
    const options = { restart: true, restartDelay: 1_000 };
    const { id } = await r.started({ ...level('180'), options });
    await r.minutes(2);
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '2', reduceOnly: true }));
    await r.minutes(2);
    expect(await lastRun(r, id)).toMatchObject({ reason: 'closed elsewhere' });
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', state: 'completed', stats: { cycles: 1 } });
    expect(await r.open()).toEqual([]);
    expect(await amount(r)).toEqual([]);
  });

  it('leaves the rest to a person who has sold more than it held', async () => {
    const { r, ids } = await held(['180']);
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '5' }));
    await r.minutes(1);
    expect(await lastRun(r, ids[0] as string)).toMatchObject({ reason: 'closed elsewhere' });
    expect(await amount(r)).toEqual(['-3']);
  });

  // proves: bot ruling R13
  it('ends as liquidated when the exchange has liquidated it', async () => {
    const r = await openBots(['100', '100', '89', '89', '40', '40']);
    await r.minutes(1);
    const deposit = { value: '4500', asset: 'USDT', leverage: 20 };
    const { id } = await r.started(level('0', { deposit, marginType: 'ISOLATED' }));
    await r.minutes(2);
    expect(await amount(r)).toEqual(['1000']);
    await r.minutes(3);
    expect(await lastRun(r, id)).toMatchObject({ reason: 'liquidated' });
    const { realised } = (await r.bot(id)).stats as { realised: string };
    expect(Number(realised)).toBeLessThan(-4_000);
  });
});

describe('exits of a run that is not alone', () => {
  const stop = [{ strategy: 'fixed', trigger: { type: 'exchange', value: '80' }, order: {} }];

  it('rest at the exchange as often as it holds, and its stop is held here until it is alone', async () => {
    const r = await openBots([...FALL, '89', '111', '79']);
    await r.minutes(1);
    const { id } = await r.started(level('180', { stop }));
    await r.minutes(2);
    expect(await exits(r)).toEqual([
      [id, '2'],
      [id, '2'],
    ]);
    // A second one may buy at any moment.
    const other = await r.started(level('360'));
    await r.minutes(1);
    expect((await exits(r)).filter(([bot]) => bot === id)).toEqual([[id, '2']]);
    await r.done('DELETE', `/bots/${other.id}/runs/${other.runId}?action=stop_and_sell`);
    await r.minutes(1);
    expect(await exits(r)).toEqual([
      [id, '2'],
      [id, '2'],
    ]);
    ok(await r.t.call('exchange.reconcile', { exchange: FUTURES }));
  });

  it.each([
    ['LONG', 'BUY', FALL, { levels: [{ buy: '90', sell: '110' }], stop }],
    [
      'SHORT',
      'SELL',
      ['100', '100', '111', '111', '111', '111'],
      {
        short: true,
        levels: [{ buy: '90', sell: '110' }],
        stop: [{ strategy: 'fixed', trigger: { type: 'exchange', value: '120' }, order: {} }],
      },
    ],
  ])('a %s stop is held here beside what a person holds, too', async (_way, side, prices, settings) => {
    const r = await openBots(prices);
    await r.minutes(1);
    await r.done('POST', '/orders', order({ side, quantity: '3' }));
    await r.started(level('180', settings));
    await r.minutes(3);
    expect((await r.orders()).map(({ type }) => type)).toEqual(['LIMIT']);
  });

  it('the held stop sells its own lots and leaves the others', async () => {
    const r = await openBots([...FALL, '79', '79']);
    await r.minutes(1);
    const { id } = await r.started(level('180', { stop }));
    const other = await r.started(level('360'));
    await r.minutes(6);
    expect(await lots(r, id)).toEqual([]);
    expect(await lots(r, other.id)).toEqual(['4']);
    expect(await amount(r)).toEqual(['4']);
  });
});
