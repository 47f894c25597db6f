/**
 * A symbol that bots trade is delisted or changes its steps, on a whole desk: runs that trade it fail at
 * once, and their position stays protected.
 */
import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { VenueSink } from '../../../src/venues/venue.ts';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, holding } from './support.ts';

/** A paper spot account whose instruments the test sets. */
class Listing {
  sink: VenueSink | null = null;
  all: readonly Instrument[] = [];
  readonly ports;
  #list: readonly Instrument[];

  constructor(list: readonly Instrument[] = []) {
    this.#list = list;
    this.ports = {
      venues: holding((venue) => {
        if (venue.account.id !== EXCHANGE) return;
        this.all = venue.instruments();
        if (this.#list.length === 0) this.#list = this.all;
        const open = venue.open.bind(venue);
        venue.open = (sink) => {
          this.sink = sink;
          return open(sink);
        };
        venue.instruments = () => this.#list;
      }),
    };
  }

  get btc(): Instrument {
    return this.all.find(({ symbol }) => symbol === 'BTCUSDT') as Instrument;
  }

  get other(): Instrument {
    return { ...this.btc, symbol: 'OTHERUSDT', base: 'OTHER' };
  }

  tell(...list: Instrument[]): void {
    this.#list = list;
    this.sink?.instruments?.(list);
  }
}

async function noticesOf(r: BotsRig, id: string): Promise<string[]> {
  const { notices = [] } = (await r.t.call('bots.detail', { id })) ?? {};
  return notices.filter(({ level }) => level === 1).map(({ text }) => text);
}

const GONE = `BTCUSDT is no longer traded on ${EXCHANGE}: nothing is entered any more, what is held stays`;
const WHY = `${EXCHANGE} does not trade BTCUSDT any more`;
const HOLDS = `failed: ${WHY}; it enters nothing any more, and what it holds keeps its exits and stops`;

describe('a symbol that is no longer traded', () => {
  it('ends a run that holds nothing as ERROR, at once, and takes back what rests', async () => {
    const listing = new Listing();
    const r = await openBots(['100', '100', '100', '89', '89'], { ports: listing.ports });
    await r.minutes(1);
    const { id } = await r.started();
    await r.ticks(1);
    expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
    listing.tell(listing.other);
    listing.tell(listing.other);
    await r.ticks(1);
    expect(await r.open()).toEqual([]);
    expect(await r.bot(id)).toMatchObject({ status: 'ERROR' });
    expect(await noticesOf(r, id)).toEqual([`run ended, error: ${WHY}`, GONE]);
    const refused = await r.refused('POST', '/orders', {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '80',
      quantity: '1',
    });
    expect(refused).toEqual([400, 'INVALID_REQUEST', `symbol "BTCUSDT" is no longer traded on ${EXCHANGE}`]);
    listing.tell(listing.btc, listing.other);
    await r.minutes(1);
    expect(await r.bot(id)).toMatchObject({ status: 'ERROR' });
  });

  it('shows a run that holds something as ERROR at once; its exit and its stop go on, and it ends when all is sold', async () => {
    const listing = new Listing();
    const r = await openBots(['100', '100', '89', '89', '89', '89', '89', '111'], { ports: listing.ports });
    await r.minutes(1);
    const { id, runId } = await r.started();
    await r.minutes(2);
    expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
    listing.tell(listing.other);
    await r.ticks(1);
    expect(await r.bot(id)).toMatchObject({ status: 'ERROR', runId });
    expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
    expect(await noticesOf(r, id)).toEqual([HOLDS, GONE]);
    const held = await r.refused('POST', `/bots/${id}/runs`);
    expect(held[2]).toContain('is running already');
    listing.tell(listing.btc, listing.other);
    await r.minutes(1);
    // The resting entry is cancelled as soon as that is possible.
    expect(await r.open()).toEqual(['SELL 110']);
    expect(await r.bot(id)).toMatchObject({ status: 'ERROR', runId });
    await r.minutes(4);
    const over = await r.bot(id);
    expect(over).toMatchObject({ status: 'ERROR', stats: { fills: 2 } });
    expect(over.runId).toBeUndefined();
    expect(await r.open()).toEqual([]);
  });

  it.each(['halted', 'in a break', 'cancel-only'] as const)(
    'that is %s takes entries back and keeps exits, and all goes on by itself',
    async (halt) => {
      const listing = new Listing();
      const r = await openBots(['100', '100', '89', '89', '89'], { ports: listing.ports });
      await r.minutes(1);
      const { id } = await r.started();
      await r.minutes(2);
      expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
      listing.tell({ ...listing.btc, halt }, listing.other);
      await r.minutes(1);
      expect(await r.open()).toEqual(['SELL 110']);
      expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'paused' });
      expect(await noticesOf(r, id)).toEqual([`entries wait: ${EXCHANGE} says that BTCUSDT is ${halt}`]);
      listing.tell(listing.btc, listing.other);
      await r.minutes(1);
      expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
      expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'holding' });
    },
  );

  it('whose end is announced is told a day ahead, once, to runs and of what is held', async () => {
    const listing = new Listing();
    const r = await openBots(['100', '100', '89', '89', '89'], { ports: listing.ports });
    await r.minutes(1);
    const { id } = await r.started();
    await r.minutes(2);
    const endsAt = r.t.clock.wall() + 24 * 3_600_000 + 300_000;
    listing.tell({ ...listing.btc, endsAt }, listing.other);
    await r.t.clock.advance(240_000);
    expect(await noticesOf(r, id)).toEqual([]);
    for (let i = 0; i < 3; i++) await r.t.clock.advance(61_000);
    const when = new Date(endsAt).toISOString().slice(0, 16).replace('T', ' ');
    const text = `BTCUSDT is traded on ${EXCHANGE} until ${when} UTC only: close or move what is there before`;
    expect(await noticesOf(r, id)).toEqual([text]);
    expect(r.t.desk.state().log.filter((line) => line.text === text)).toHaveLength(1);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'holding' });
    // A different date is reported again.
    listing.tell({ ...listing.btc, endsAt: endsAt - 3_600_000 }, listing.other);
    for (let i = 0; i < 3; i++) await r.t.clock.advance(61_000);
    const sooner = text.replace(
      when,
      new Date(endsAt - 3_600_000).toISOString().slice(0, 16).replace('T', ' '),
    );
    expect(await noticesOf(r, id)).toEqual([sooner, text]);
    expect(r.t.desk.state().log.filter((line) => line.text === sooner)).toHaveLength(1);
  });

  it('starts no bot, and one that has failed with something held goes on with the desk', async () => {
    const prices = ['100', '100', '89', '89', '89', '111'];
    const listing = new Listing();
    const r = await openBots(prices, { ports: listing.ports });
    await r.minutes(1);
    const { id, runId } = await r.started();
    await r.minutes(2);
    const { btc, other } = listing;
    listing.tell(other);
    const { id: late } = await r.make();
    const [status, , message] = await r.refused('POST', `/bots/${late}/runs`);
    expect([status, message]).toEqual([400, expect.stringContaining('"BTCUSDT" is not traded on')]);
    await r.t.stop();
    const again = new Listing([other]);
    const s = await openBots(prices, { ports: again.ports, dataDir: r.t.dataDir, feed: r.feed });
    expect(await s.bot(id)).toMatchObject({ status: 'ERROR', runId });
    expect(await noticesOf(s, id)).toEqual([HOLDS, GONE]);
    again.tell(btc, other);
    await s.minutes(1);
    expect(await s.open()).toEqual(['SELL 110']);
    await s.minutes(3);
    expect(await s.open()).toEqual([]);
  });

  it('of which the desk hears at its start, its owner is told', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id } = await r.started();
    const [btc] = r.t.desk.state().instruments.filter(({ exchange }) => exchange === EXCHANGE);
    await r.t.stop();
    const other = { ...(btc as Instrument), symbol: 'OTHERUSDT' };
    const { ports } = new Listing([other]);
    const s = await openBots(['100'], { ports, dataDir: r.t.dataDir, feed: r.feed });
    expect(await s.bot(id)).toMatchObject({ status: 'ERROR' });
    expect((await noticesOf(s, id)).at(-1)).toBe(GONE);
  });
});

it('new steps leave the orders of a run alone and hold for its next', async () => {
  const listing = new Listing();
  const levels = [
    { buy: '90.3', sell: '110.3' },
    { buy: '80.3', sell: '120.3' },
  ];
  const r = await openBots(['100', '100', '100', '89', '89'], { ports: listing.ports });
  await r.minutes(1);
  const { id } = await r.started({ ...LEVELS, settings: { ...LEVELS.settings, levels } });
  await r.ticks(1);
  const before = await r.orders();
  listing.tell({ ...listing.btc, tickSize: '0.5', stepSize: '0.5', minQty: '0.5' });
  await r.minutes(1);
  expect(await r.orders()).toEqual(before);
  await r.minutes(3);
  const [exit] = (await r.orders()).filter(({ side }) => side === 'SELL');
  expect(exit).toMatchObject({ price: '110.5' });
  expect(Number(exit?.origQty) % 0.5).toBe(0);
  expect((await r.bot(id)).status).toBe('STARTED');
});

it('the consoles are told of new symbols, new steps and of those that are gone', async () => {
  const listing = new Listing();
  const r = await openBots(['100'], { ports: listing.ports });
  const marks: unknown[] = [];
  r.t.desk.onChange((mark) => mark.kind === 'instrument' && marks.push(`${mark.exchange} ${mark.symbol}`));
  listing.tell({ ...listing.other, tickSize: '0.5' });
  await r.t.clock.settle();
  expect(marks).toEqual([`${EXCHANGE} OTHERUSDT`, `${EXCHANGE} BTCUSDT`]);
  const own = r.t.desk.state().instruments.filter(({ exchange }) => exchange === EXCHANGE);
  expect(own.map(({ symbol, tickSize, delisted }) => [symbol, tickSize, delisted])).toEqual([
    ['OTHERUSDT', '0.5', undefined],
    ['BTCUSDT', listing.btc.tickSize, true],
  ]);
});
