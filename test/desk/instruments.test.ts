/** An exchange whose symbols or filters change, while the desk runs and while it is down (exchanges.md 4). */
import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { BTC, ETH, OPERATOR, SPOT } from '../engine/support/market.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { positionOf } from './core/link-rig.ts';
import { deskOf, type OtherDesk, OtherVenue, stateOf, within } from './other-venue.ts';

const ROW = `instruments ${SPOT}`;
const OLD: Instrument = { ...BTC, symbol: 'OLDUSDT', base: 'OLD' };

async function started({
  list = [BTC, ETH],
  store = openSqliteStore(':memory:'),
  clock = new VirtualClock(),
  early = true,
}: {
  list?: readonly Instrument[];
  store?: ReturnType<typeof openSqliteStore>;
  clock?: VirtualClock;
  /** The instruments are known before the account is connected. */
  early?: boolean;
} = {}) {
  const venue = new OtherVenue();
  venue.list = early ? [...list] : [];
  venue.onOpen = async () => {
    venue.list = [...list];
  };
  const desk = deskOf([venue], { store, clock });
  await within(desk.clock, 60_000, desk.core.start());
  const tell = async (...now: unknown[]): Promise<void> => {
    venue.list = now as Instrument[];
    venue.sink?.instruments?.(venue.list);
    await desk.clock.settle();
  };
  return { ...desk, venue, tell };
}

const account = ({ core }: OtherDesk) => core.engine.memory.account(SPOT);
const symbols = (desk: OtherDesk) =>
  [...account(desk).instruments.values()].map(({ symbol, delisted }) => (delisted ? `-${symbol}` : symbol));
const said = ({ core }: OtherDesk) =>
  core.log.flatMap(({ text }) => (/traded|tick size|limits|symbols? ha/.test(text) ? [text] : []));
const stored = async ({ core, store }: OtherDesk): Promise<string[]> => {
  core.turn.flush(true);
  const list = (store.load(0).meta.get(ROW) ?? []) as Instrument[];
  return list.map(({ symbol, delisted }) => (delisted ? `-${symbol}` : symbol));
};

describe('a list that an exchange tells', () => {
  it('is taken over, said once and kept for the next start', async () => {
    const desk = await started();
    expect([symbols(desk), said(desk)]).toEqual([['BTCUSDT', 'ETHUSDT'], []]);
    await desk.tell({ ...BTC, tickSize: '0.1' }, OLD);
    expect(symbols(desk)).toEqual(['BTCUSDT', 'OLDUSDT', '-ETHUSDT']);
    expect(said(desk)).toEqual([
      `${SPOT}: ETHUSDT is no longer traded`,
      `${SPOT}: BTCUSDT has a new tick size 0.1 (was 0.01)`,
      `${SPOT}: OLDUSDT is traded now`,
    ]);
    expect(await stored(desk)).toEqual(['BTCUSDT', 'OLDUSDT', '-ETHUSDT']);
  });

  it('is no input where it says what is known', async () => {
    const desk = await started();
    const { changes } = desk.core.turn;
    await desk.tell({ ...BTC }, { ...ETH, tickSize: '0.010', more: 'of its own' });
    desk.venue.sink?.stream('gap');
    expect(desk.core.turn.changes - changes).toBe(0);
    expect(said(desk)).toEqual([]);
  });

  it('is read again after a break of the stream', async () => {
    const desk = await started();
    desk.venue.list = [BTC];
    desk.venue.sink?.stream('down');
    expect(symbols(desk)).toEqual(['BTCUSDT', 'ETHUSDT']);
    desk.venue.sink?.stream('up');
    expect(symbols(desk)).toEqual(['BTCUSDT', '-ETHUSDT']);
    await desk.clock.settle();
    expect(said(desk)).toEqual([`${SPOT}: ETHUSDT is no longer traded`]);
  });

  it.each([
    ['is empty', []],
    ['is none', 'soon'],
    ['is too long', Array.from({ length: 5_001 }, (_, i) => ({ ...BTC, symbol: `S${i}USDT` }))],
  ])('is not believed when it %s', async (_, list) => {
    const desk = await started();
    desk.venue.sink?.instruments?.(list as Instrument[]);
    await desk.clock.settle();
    expect([symbols(desk), said(desk)]).toEqual([['BTCUSDT', 'ETHUSDT'], []]);
    expect((await ask(desk, 'BTCUSDT')).status).toBe(200);
  });

  it('keeps what was known of a symbol that cannot be read in it, and leaves out one that was not known', async () => {
    const desk = await started();
    await desk.tell({ ...BTC, tickSize: '0' }, { ...ETH, delisted: true }, { ...OLD, stepSize: 'odd' }, null);
    expect([symbols(desk), said(desk)]).toEqual([['BTCUSDT', 'ETHUSDT'], []]);
    expect(account(desk).instruments.get('BTCUSDT')?.tickSize).toBe('0.01');
    const unread = desk.core.log.filter(({ text }) => text.includes('cannot be read'));
    expect(unread.map(({ text }) => text)).toEqual([
      `${SPOT}: instrument.tickSize of "BTCUSDT" is "0", which cannot be read; it was left out`,
    ]);
  });

  it('is still known when a commit has failed and the engine was loaded again', async () => {
    const desk = await started();
    await desk.tell({ ...BTC, tickSize: '0.1' });
    const { commit } = desk.store;
    desk.store.commit = () => {
      desk.store.commit = commit;
      throw new Error('full, says the test');
    };
    await ask(desk, 'BTCUSDT');
    expect(symbols(desk)).toEqual(['BTCUSDT', '-ETHUSDT']);
    expect(account(desk).instruments.get('BTCUSDT')?.tickSize).toBe('0.1');
    expect(await stored(desk)).toEqual(['BTCUSDT', '-ETHUSDT']);
  });
});

function limit(symbol: string): Parameters<OtherDesk['core']['execute']> {
  const request = { exchange: SPOT, symbol, side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' };
  return [OPERATOR, { type: 'place', request: request as never }, { requestId: 'r' }];
}

const ask = (desk: OtherDesk, symbol: string) =>
  within(desk.clock, 60_000, desk.core.execute(...limit(symbol)));

describe.each([
  ['knows what it trades only once connected', false],
  ['knows what it trades before', true],
])('a start where the exchange %s', (_, early) => {
  it('says what has changed while the desk was down, and what is open on a symbol that is gone goes on', async () => {
    const store = openSqliteStore(':memory:');
    const clock = new VirtualClock();
    const first = await started({ list: [OLD, BTC], store, clock, early });
    const request = {
      exchange: SPOT,
      symbol: 'OLDUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      quantity: '0.01',
    } as const;
    first.core.turn.step({ type: 'price', market: 'paper', symbol: 'OLDUSDT', price: '60000' });
    await within(clock, 60_000, first.core.execute(OPERATOR, { type: 'place', request }, { requestId: 'r' }));
    const [order] = [...first.core.engine.memory.orders.values()];
    expect(order?.status).toBe('OPENED');
    first.core.turn.flush(true);
    await within(clock, 60_000, first.core.stop());
    const tick = { ...BTC, tickSize: '0.5' };
    const second = await started({ list: [tick], store, clock, early });
    expect(symbols(second)).toEqual(['BTCUSDT', '-OLDUSDT']);
    expect(said(second)).toContain(`${SPOT}: OLDUSDT is no longer traded`);
    expect(account(second).instruments.get('BTCUSDT')?.tickSize).toBe('0.5');
    expect(await stored(second)).toEqual(['BTCUSDT', '-OLDUSDT']);
    const refused = await ask(second, 'OLDUSDT');
    expect(JSON.parse(refused.body).error.message).toBe(`symbol "OLDUSDT" is no longer traded on ${SPOT}`);
    const id = order?.id ?? '';
    const state = stateOf({ clientId: id, symbol: 'OLDUSDT', quantity: '0.01' });
    second.venue.sink?.order({ ...state, status: 'CANCELLED' });
    expect(second.core.engine.memory.orders.get(id)?.status).toBe('CANCELLED');
    await within(clock, 60_000, second.core.stop());
    const third = await started({ list: [tick], store, clock, early });
    expect([symbols(third), said(third)]).toEqual([['BTCUSDT', '-OLDUSDT'], said(second)]);
    expect(third.fatal).toEqual([]);
  });
});

describe('a symbol that is not traded any more', () => {
  const MINUTE_MS = 60_000;

  /** Minutes at which the list was asked for until then; `back`: the looks that find the symbol again. */
  function watched(desk: Awaited<ReturnType<typeof started>>, back: readonly number[] = []) {
    const from = desk.clock.monotonic();
    const looks: number[] = [];
    desk.venue.relist = () => {
      looks.push((desk.clock.monotonic() - from) / MINUTE_MS);
      if (!back.includes(looks.length)) return;
      desk.venue.list = [BTC, ETH];
      desk.venue.sink?.instruments?.(desk.venue.list);
    };
    return looks;
  }

  it.each([
    ['gone', []],
    ['halted', [{ ...ETH, halt: 'halted' as const }]],
  ])('and is %s is looked for soon, then less and less often', async (_, more) => {
    const desk = await started();
    const looks = watched(desk);
    await desk.clock.advance(10 * MINUTE_MS);
    expect(looks).toEqual([]);
    await desk.tell(BTC, ...more);
    await desk.clock.advance(90 * MINUTE_MS);
    expect(looks).toEqual([11, 12, 14, 18, 26, 42, 74]);
  });

  it('is traded again when a look finds it, and looked for anew when it is gone again', async () => {
    const desk = await started();
    const looks = watched(desk, [2]);
    await desk.tell(BTC);
    await desk.clock.advance(2 * MINUTE_MS);
    expect(symbols(desk)).toEqual(['BTCUSDT', 'ETHUSDT']);
    await desk.clock.advance(30 * MINUTE_MS);
    expect(looks).toEqual([1, 2]);
    await desk.tell(BTC);
    await desk.clock.advance(2 * MINUTE_MS);
    expect(looks).toEqual([1, 2, 33, 34]);
  });

  it('is looked for after a start as well, and not once its account is closed', async () => {
    const first = await started();
    await first.tell(BTC);
    expect(await stored(first)).toEqual(['BTCUSDT', '-ETHUSDT']);
    const { store, clock } = first;
    await first.core.stop();
    const desk = await started({ list: [BTC], store, clock });
    const looks = watched(desk);
    await desk.clock.advance(2 * MINUTE_MS);
    expect(looks).toEqual([1, 2]);
    await within(desk.clock, 60_000, desk.core.stop());
    await desk.clock.advance(60 * MINUTE_MS);
    expect(looks).toEqual([1, 2]);
  });
});

it('an account that is not connected keeps what was known of it', async () => {
  const store = openSqliteStore(':memory:');
  const clock = new VirtualClock();
  const first = await started({ list: [OLD, BTC], store, clock });
  await first.tell(BTC);
  await ask(first, 'BTCUSDT');
  await within(clock, 60_000, first.core.stop());
  const venue = new OtherVenue();
  venue.list = [];
  venue.onOpen = async () => {
    throw new Error('away, says the test');
  };
  const second = deskOf([venue], { store, clock });
  await within(clock, 60_000, second.core.start());
  expect(symbols(second)).toEqual(['BTCUSDT', '-OLDUSDT']);
});

it('how contracts are margined is asked of those that are traded, as soon as there are others, and of positions in what is not', async () => {
  const venue = new OtherVenue('other-futures', 'futures');
  const asked: string[] = [];
  Object.assign(venue.futures ?? {}, {
    leverage: async (symbols: readonly string[]) => {
      asked.push([...symbols].sort().join());
      return [];
    },
    positions: async () => [positionOf('BTCUSDT', '1', 0)],
  });
  const [btc] = venue.list as [Instrument];
  const [eth, old] = [
    { ...btc, symbol: 'ETHUSDT' },
    { ...btc, symbol: 'OLDUSDT' },
  ];
  venue.list = [btc, old];
  const { core, clock } = deskOf([venue]);
  await within(clock, 60_000, core.start());
  await within(clock, 60_000, core.links.get('other-futures')?.reconcile() ?? Promise.resolve());
  asked.length = 0;
  venue.list = [eth];
  venue.sink?.instruments?.(venue.list);
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  expect([...new Set(asked)]).toEqual(['BTCUSDT,ETHUSDT']);
});
