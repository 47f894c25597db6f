/**
 * A start with accounts that cannot be opened, hang, know nothing before they are connected, or are no
 * longer configured.
 */
import { describe, expect, it } from 'vitest';
import { OPERATOR, SPOT } from '../engine/support/market.ts';
import { deskOf, type OtherDesk, OtherVenue, place, within } from './other-venue.ts';

const OKX = 'okx-spot';

const never = () => new Promise<never>(() => {});

async function started(desk: OtherDesk): Promise<OtherDesk> {
  await within(desk.clock, 15_000, desk.core.start());
  expect(desk.fatal).toEqual([]);
  return desk;
}

const answered = async (desk: OtherDesk, exchange: string) => {
  const { status, body } = await within(desk.clock, 15_000, place(desk.core, exchange));
  return { status, ...JSON.parse(body) };
};

describe('an account that cannot be opened', () => {
  it('keeps neither the desk nor the others from working; its entries are refused with 503', async () => {
    const bad = new OtherVenue(OKX);
    bad.onOpen = async () => {
      throw new Error('getaddrinfo ENOTFOUND www.okx.com');
    };
    const desk = await started(deskOf([new OtherVenue(), bad]));
    expect(await answered(desk, SPOT)).toMatchObject({ status: 200, data: { status: 'OPENED' } });
    const refused = await answered(desk, OKX);
    expect(refused.status).toBe(503);
    expect(refused.error.message).toContain('okx-spot is not connected: getaddrinfo ENOTFOUND www.okx.com');
    expect(bad.calls).not.toContain('submit');
    expect(desk.core.links.get(OKX)).toMatchObject({
      state: 'down',
      away: 'getaddrinfo ENOTFOUND www.okx.com',
    });
    const lines = desk.core.log.filter(({ text }) => text.includes('cannot be opened'));
    expect(lines).toMatchObject([{ level: 'error', text: expect.stringContaining('ENOTFOUND') }]);
  });

  it('is tried again with back-off, said once, and compared when it is open', async () => {
    const bad = new OtherVenue(OKX);
    let works = false;
    bad.onOpen = async () => {
      if (!works) throw new Error('ECONNREFUSED');
    };
    const desk = await started(deskOf([new OtherVenue(), bad]));
    await desk.clock.advance(10 * 60_000);
    const tries = bad.calls.filter((call) => call === 'open').length;
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(20);
    expect(desk.core.log.filter(({ text }) => text.includes('cannot be opened'))).toHaveLength(1);
    expect(bad.calls).not.toContain('openOrders');
    works = true;
    await desk.clock.advance(60_000);
    expect(bad.calls).toContain('openOrders');
    expect(desk.core.links.get(OKX)).toMatchObject({ state: 'up', away: null, reconciled: { whole: true } });
    expect(await answered(desk, OKX)).toMatchObject({ status: 200 });
    const opened = bad.calls.filter((call) => call === 'open').length;
    await desk.clock.advance(10 * 60_000);
    expect(bad.calls.filter((call) => call === 'open')).toHaveLength(opened);
  });

  it('asks for what was on its way when the desk stopped, and ends it only once the exchange has spoken', async () => {
    const first = new OtherVenue(OKX);
    first.onSubmit = never;
    const before = await started(deskOf([first]));
    void place(before.core, OKX);
    await before.clock.settle();
    const again = new OtherVenue(OKX);
    let works = false;
    again.onOpen = async () => {
      if (!works) throw new Error('ECONNREFUSED');
    };
    const desk = await started(deskOf([again], before));
    await desk.clock.advance(5 * 60_000);
    const [order] = desk.core.engine.memory.orders.values();
    expect(order).toMatchObject({ status: 'NEW', phase: 'unresolved' });
    expect(again.calls).not.toContain('query');
    works = true;
    await desk.clock.advance(2 * 60_000);
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'UNREACHED' });
    before.store.close();
  });
});

describe('an account that hangs', () => {
  it('while it is opened is given 10 s, and is there when it answers after all', async () => {
    const slow = new OtherVenue(OKX);
    slow.list = [];
    let open = () => {};
    slow.onOpen = () =>
      new Promise((resolve) => {
        open = () => {
          slow.list = new OtherVenue(OKX).list;
          resolve();
        };
      });
    const desk = await started(deskOf([new OtherVenue(), slow]));
    expect((await answered(desk, OKX)).error.message).toContain('no answer within 10 s');
    open();
    await desk.clock.advance(1_000);
    expect(await answered(desk, OKX)).toMatchObject({ status: 200 });
    expect(slow.calls.filter((call) => call === 'open')).toHaveLength(1);
  });

  it('while it is compared holds the start up for at most 10 s', async () => {
    const slow = new OtherVenue(OKX);
    slow.onOpenOrders = never;
    slow.onBalances = never;
    const desk = deskOf([new OtherVenue(), slow]);
    await within(desk.clock, 10_100, desk.core.start());
    expect(await answered(desk, SPOT)).toMatchObject({ status: 200 });
  });
});

describe('instruments', () => {
  const late = () => {
    const venue = new OtherVenue();
    const { list } = venue;
    venue.list = [];
    venue.onOpen = async () => {
      venue.list = list;
    };
    return venue;
  };

  it('that are known only once the exchange is connected are in the engine', async () => {
    const desk = await started(deskOf([late()]));
    expect(await answered(desk, SPOT)).toMatchObject({ status: 200 });
  });

  it('are those of the last time while it cannot be connected, and after a failed commit', async () => {
    const before = await started(deskOf([late()]));
    before.core.turn.flush(true);
    const away = late();
    away.onOpen = never;
    const desk = await started(deskOf([away], before));
    expect([...desk.core.engine.memory.account(SPOT).instruments.keys()]).toEqual(['BTCUSDT']);
    before.store.close();
  });

  it('that cannot be read are left out', async () => {
    const venue = new OtherVenue();
    const [good] = venue.list;
    if (good) venue.list = [{ ...good, symbol: 'ODDUSDT', tickSize: 'fine' }, good];
    const desk = await started(deskOf([venue]));
    expect([...desk.core.engine.memory.account(SPOT).instruments.keys()]).toEqual(['BTCUSDT']);
  });
});

describe('an account that is not configured any more', () => {
  it('keeps no desk from starting: its orders are shown as unresolved, nothing is asked and nothing is done', async () => {
    const first = new OtherVenue(OKX);
    const before = await started(deskOf([first]));
    await answered(before, OKX);
    const id = [...before.core.engine.memory.orders.keys()][0] ?? '';
    first.onSubmit = never;
    void place(before.core, OKX);
    await before.clock.settle();

    const desk = await started(deskOf([new OtherVenue()], before));
    await desk.clock.advance(60_000);
    expect(desk.core.log.at(-1)?.text).toContain('okx-spot is not configured any more but had 2 open orders');
    const orders = [...desk.core.engine.memory.orders.values()];
    expect(orders.map(({ status, phase }) => `${status} ${phase}`)).toEqual(['OPENED live', 'NEW sending']);
    expect(orders.every(({ notConnected }) => notConnected)).toBe(true);
    const cancel = { type: 'cancel', exchange: OKX, id } as const;
    const answer = await within(desk.clock, 1_000, desk.core.execute(OPERATOR, cancel, { requestId: 'c' }));
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('not configured any more') });
    const split = { type: 'split', exchange: OKX, id, prices: ['50000', '49000'] } as const;
    const parts = await within(desk.clock, 1_000, desk.core.execute(OPERATOR, split, { requestId: 's' }));
    expect(parts.status).toBe(503);
    const refused = await answered(desk, OKX);
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.error.message).toContain('"okx-spot" is not connected; connected: paper-spot');

    const back = new OtherVenue(OKX);
    const third = await started(deskOf([back], before));
    const again = third.core.engine.memory.orders.get(id);
    expect(again?.notConnected).toBeUndefined();
    expect(back.calls).toContain('query');
    before.store.close();
  });
});
