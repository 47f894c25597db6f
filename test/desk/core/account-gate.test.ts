/**
 * What is asked before anything is sent to an account after a start, how often, and which answers open it: it
 * is the account of before, and no orders or executions of another desk are there.
 */
import { describe, expect, it } from 'vitest';
import type { AccountIdentity } from '../../../src/domain/account-identity.ts';
import type { ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import type { FillsQuery } from '../../../src/venues/venue.ts';
import { order } from '../../store/rows.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig } from './link-rig.ts';

const idOf = (n: number) => `ps-ab3de0123456789012345${n}`;

function openOrder(clientId: string, symbol = 'BTCUSDT'): ExchangeOrderState {
  return {
    clientId,
    symbol,
    status: 'WORKING',
    origQty: '0.01',
    cumQty: '0',
    seq: 5,
    time: 0,
    terms: {
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      timeInForce: 'GTC',
      reduceOnly: false,
      closePosition: false,
      positionSide: 'BOTH',
      workingType: 'CONTRACT_PRICE',
    },
  };
}

function execution(clientId: string, time: number, symbol = 'BTCUSDT'): ExchangeFill {
  return {
    tradeId: `t ${clientId}`,
    clientId,
    symbol,
    side: 'BUY',
    price: '50000',
    qty: '0.01',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time,
  };
}

/** A desk that was connected an hour ago, traded BTCUSDT and died; `since`: when it was first connected. */
async function lifeBefore(): Promise<Pick<LinkRig, 'store' | 'clock'> & { since: number }> {
  const rig = await LinkRig.started('spot', 2);
  const since = rig.clock.wall();
  await rig.until(rig.place());
  rig.venue.openOrdersAre = async () => rig.orders.map(({ id }) => openOrder(id));
  await rig.clock.advance(3_600_000);
  rig.core.turn.flush(true);
  return { store: rig.store, clock: new VirtualClock(rig.clock.wall()), since };
}

/** The next life of that desk, not started; `asked`: the pages of executions that were asked for. */
function next({ store, clock }: Pick<Awaited<ReturnType<typeof lifeBefore>>, 'store' | 'clock'>) {
  const rig = new LinkRig('spot', 2, store, {}, undefined, { clock });
  const pages: Record<string, readonly ExchangeFill[]> = {};
  const asked: FillsQuery[] = [];
  rig.venue.fills = async (q) => {
    asked.push(q);
    return { fills: pages[q.symbol] ?? [], next: q.after, more: false };
  };
  // The order of the life before rests.
  const [mine] = store.load(0).orders;
  rig.venue.openOrdersAre = async () => [openOrder(mine?.id ?? '')];
  return { rig, pages, asked, mine: mine?.id ?? '' };
}

const shut = ({ link }: LinkRig) => link.gate?.shut ?? null;
const others = ({ core }: LinkRig) => core.engine.memory.account('said-spot').others;

describe('the open orders that are looked for', () => {
  it('are asked for up to three times at once, and the account is open with the first answer', async () => {
    const { rig } = next(await lifeBefore());
    let asked = 0;
    rig.venue.openOrdersAre = async () => (++asked <= 2 ? null : []);
    const from = rig.clock.monotonic();
    await rig.until(rig.core.start());
    expect([rig.clock.monotonic() - from, rig.link.away]).toEqual([0, null]);
    // The three of the opening, and that of the comparison.
    expect(asked).toBe(4);
  });

  it('without an answer three times keep it closed until the next try, a second later', async () => {
    const { rig } = next(await lifeBefore());
    let asked = 0;
    rig.venue.openOrdersAre = async () => (++asked <= 3 ? null : []);
    await rig.until(rig.core.start());
    expect([asked, rig.link.away]).toEqual([3, 'its open orders could not be read']);
    await rig.clock.advance(999);
    expect([asked, rig.link.away]).toEqual([3, 'its open orders could not be read']);
    await rig.clock.advance(1);
    expect([rig.link.away, rig.link.hasGap]).toEqual([null, false]);
  });

  it('close it where another desk has made them, all of which are named, and none of our own', async () => {
    const { rig, mine } = next(await lifeBefore());
    rig.venue.openOrdersAre = async () => [
      openOrder(idOf(1)),
      openOrder(mine),
      openOrder('web-1'),
      openOrder(idOf(2), 'S1USDT'),
      openOrder(idOf(1)),
    ];
    await rig.until(rig.core.start());
    expect([shut(rig)?.kind, others(rig)]).toEqual([
      'others',
      { state: 'closed', ids: [idOf(1), idOf(2)], more: false },
    ]);
    await rig.clock.advance(600_000);
    // Closed is closed: nothing is asked again, and nothing is sent.
    expect([rig.venue.asked('openOrders'), rig.orders.map(({ id }) => id)]).toEqual([1, [mine]]);
  });

  it('may be of ours that ended long ago and are not in memory any more', async () => {
    const { store, clock } = await lifeBefore();
    const past = { status: 'CANCELLED', phase: 'done', endedAt: 1, exchange: 'said-spot' } as const;
    store.commit([{ kind: 'order', order: order(idOf(7), past) }]);
    const { rig } = next({ store, clock });
    rig.venue.openOrdersAre = async () => [openOrder(idOf(7))];
    await rig.until(rig.core.start());
    expect([rig.link.away, others(rig)?.state]).toEqual([null, 'none']);
  });
});

describe('the executions that are looked for', () => {
  it('are those of what was traded before, each asked for up to three times, and none of it is taken before', async () => {
    const { rig, pages, asked } = next(await lifeBefore());
    pages.BTCUSDT = [execution('web-1', rig.clock.wall())];
    let failing = 2;
    const { fills } = rig.venue;
    rig.venue.fills = async (q) => {
      const page = await fills(q);
      return failing-- > 0 ? null : page;
    };
    await rig.until(rig.core.start());
    expect(rig.link.away).toBeNull();
    expect(new Set(asked.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSDT']));
    // Three for the opening, one for the comparison.
    expect(asked).toHaveLength(4);
    expect(
      rig.store.trades({ user: 'owner', exchange: 'said-spot', symbol: 'BTCUSDT', limit: 5 }),
    ).toMatchObject([{ tradeId: 't web-1' }]);
  });

  it('without an answer keep it closed until the next try', async () => {
    const { rig } = next(await lifeBefore());
    const { fills } = rig.venue;
    rig.venue.fills = async () => null;
    await rig.until(rig.core.start());
    expect(rig.link.away).toBe('its executions could not be read');
    rig.venue.fills = fills;
    await rig.clock.advance(1_000);
    expect(rig.link.away).toBeNull();
  });

  it.each([
    [-1, 'before the account was first connected is its past', null],
    [0, 'from then on closes it', 'others'],
  ] as const)('of another desk, %i ms after: one %s', async (ms, _, kind) => {
    const made = await lifeBefore();
    const { rig, pages } = next(made);
    pages.BTCUSDT = [execution(idOf(3), made.since + ms)];
    await rig.until(rig.core.start());
    expect(shut(rig)?.kind ?? null).toBe(kind);
  });

  it('are named together with the open orders', async () => {
    const made = await lifeBefore();
    const { rig, pages } = next(made);
    rig.venue.openOrdersAre = async () => [openOrder(idOf(1))];
    pages.BTCUSDT = [execution(idOf(3), made.since + 5), execution(idOf(1), made.since + 6)];
    await rig.until(rig.core.start());
    expect(others(rig)?.ids).toEqual([idOf(1), idOf(3)]);
  });
});

describe('who the account is', () => {
  const told = (rig: LinkRig, answers: (AccountIdentity | null)[]) => {
    let asked = 0;
    Object.assign(rig.venue, { identity: async () => answers[Math.min(asked++, answers.length - 1)] });
    return () => asked;
  };

  it('is asked before its orders are, and stored once it was told, with its main account', async () => {
    const { rig } = next(await lifeBefore());
    const asked = told(rig, [null, { id: '7', mainId: '1' }]);
    await rig.until(rig.core.start());
    expect([rig.link.away, rig.venue.calls]).toEqual(['it has not said which account it is', []]);
    await rig.clock.advance(1_000);
    rig.core.turn.flush(true);
    expect([rig.link.away, asked()]).toEqual([null, 2]);
    expect(rig.link.gate?.identity).toEqual({ id: '7', mainId: '1' });
    const stored = [...rig.store.load(0).meta].filter(([name]) => name.includes('identity'));
    expect(stored).toEqual([[expect.stringContaining('said-spot'), { id: '7', mainId: '1' }]]);
  });

  it('that is another one on another line shuts that line, for good and without another question', async () => {
    const { rig } = next(await lifeBefore());
    told(rig, [{ id: '7' }]);
    await rig.until(rig.core.start());
    rig.venue.calls = [];
    const asked = told(rig, [{ id: '8' }]);
    await rig.until(rig.core.accounts.replace(rig.venue));
    await rig.clock.advance(600_000);
    expect([asked(), shut(rig)?.kind, rig.venue.calls]).toEqual([1, 'another', []]);
    expect(rig.link.gate?.identity).toEqual({ id: '7' });
    expect(rig.core.log.at(-1)?.text).toBe('said-spot was account 7 and is 8 now; choose another name');
  });

  it('of another one in the next life is still another one after that', async () => {
    const made = await lifeBefore();
    for (const [id, kind] of [
      ['7', null],
      ['8', 'another'],
      ['8', 'another'],
      ['7', null],
    ] as const) {
      const { rig } = next(made);
      told(rig, [{ id }]);
      await rig.until(rig.core.start());
      expect([id, shut(rig)?.kind ?? null]).toEqual([id, kind]);
      rig.core.turn.flush(true);
      await rig.clock.advance(60_000);
    }
  });
});

describe('what an account tells before it is open', () => {
  it('changes nothing then, and it is compared once it is open: what was told may be missing', async () => {
    const { rig, mine } = next(await lifeBefore());
    rig.venue.openOrdersAre = async () => null;
    await rig.until(rig.core.start());
    rig.venue.sink?.order({ ...openOrder(mine), status: 'CANCELLED', seq: 9 });
    rig.venue.sink?.balances([{ asset: 'USDT', free: '7', locked: '0' }]);
    rig.venue.sink?.fill(execution(mine, rig.clock.wall()));
    await rig.clock.settle();
    expect(rig.orders).toMatchObject([{ id: mine, status: 'OPENED', executedQty: '0' }]);
    expect(rig.core.engine.memory.account('said-spot').wallet.balances.size).toBe(0);
    rig.venue.openOrdersAre = async () => [openOrder(mine)];
    await rig.clock.advance(1_000);
    expect([rig.link.away, rig.link.hasGap]).toEqual([null, false]);
    expect(rig.venue.asked('balances')).toBe(1);
  });
});
