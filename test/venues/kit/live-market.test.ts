/**
 * Live prices of a market whatever the exchange: trades once each, the last price of a quiet symbol, marks and
 * funding.
 */
import { describe, expect, it } from 'vitest';
import { answered } from './hand-net.ts';
import { fresh, LiveCase } from './live-market-support.ts';

const ASKING = 'its prices are being asked for';

describe('trades', () => {
  it('are told once each, by the numbers of their symbol, and of no symbol that is not watched', async () => {
    const c = await fresh({ A: [], B: [] });
    c.trades('A', [7, '100'], [8, '101']);
    c.trades('B', [7, '20'], [9, '21']);
    c.trades('A', [8, '101'], [9, '102'], [7, '100']);
    c.trades('A', [9, '102']);
    // One that was passed over comes late.
    c.trades('B', [8, '22']);
    c.trades('C', [1, '1']);
    expect(c.news()).toEqual([
      ['tick', 'A', '100', '2'],
      ['tick', 'A', '101', '2'],
      ['tick', 'B', '20', '2'],
      ['tick', 'B', '21', '2'],
      ['tick', 'A', '102', '2'],
      ['tick', 'B', '22', '2'],
    ]);
    c.watch({ B: [] });
    c.trades('A', [10, '103']);
    c.trades('B', [10, '23']);
    expect(c.news()).toEqual([['tick', 'B', '23', '2']]);
    c.watch({ A: [], B: [] });
    c.trades('A', [10, '103']);
    expect(c.news().filter(([kind]) => kind === 'tick')).toEqual([['tick', 'A', '103', '2']]);
  });
});

describe('the ids of trades', () => {
  it('that are words are told once too, as far back as two thousand of them', async () => {
    const c = await fresh({ A: [], B: [] });
    const ids = Array.from({ length: 2_001 }, (_, n) => `id ${n}`);
    c.trades('A', ...ids.slice(0, 2_000).map((id) => [id, '100'] as const));
    expect(c.news()).toHaveLength(2_000);
    c.trades('A', ['id 1999', '100'], ['id 0', '100']);
    c.trades('B', ['id 0', '20']);
    expect(c.news()).toEqual([['tick', 'B', '20', '2']]);
    c.trades('A', ['id 2000', '101'], ['id 1', '100'], ['id 0', '102']);
    expect(c.news().map(([, , price]) => price)).toEqual(['101', '102']);
  });

  it('that are numbers are waited for as far back as a thousand that were passed over, and begin anywhere', async () => {
    const c = await fresh({ A: [], B: [] });
    c.trades('A', [5_000, '1']);
    c.trades('A', [4_999, '2'], [0, '2']);
    c.trades('A', [6_001, '3'], [5_001, '4'], [5_001, '4'], [6_000, '5']);
    expect(c.news().map(([, , price]) => price)).toEqual(['1', '3', '4', '5']);
    // Beyond a thousand the oldest are given up.
    c.trades('A', [7_100, '6'], [6_050, '7'], [6_100, '8'], [5_002, '9'], [7_099, '10']);
    expect(c.news().map(([, , price]) => price)).toEqual(['6', '8', '10']);
    c.trades('B', [0, '1'], [2, '2'], [1, '3'], [0, '4']);
    expect(c.news().map(([, , price]) => price)).toEqual(['1', '2', '3']);
  });
});

describe('the last price', () => {
  it('is asked for when a symbol begins, alone or of all, and told where no trade was quicker', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    let prices: unknown = [
      ['A', '100'],
      ['B', '20'],
    ];
    c.net.answers.set('/prices', () => prices);
    c.watch({ A: [] });
    await c.up('stream');
    expect([c.net.paths.slice(1), c.news()]).toEqual([
      ['/prices?symbol=A'],
      [
        ['stale', 'A', ASKING],
        ['stale', 'A', null],
        ['tick', 'A', '100', '0'],
      ],
    ]);
    prices = [
      ['B', '20'],
      ['C', '3'],
      ['A', '999'],
      ['X', '1'],
    ];
    c.watch({ A: [], B: [], C: [] });
    await c.confirm(c.socket('stream'));
    expect([c.net.paths.slice(2), c.news().filter(([kind]) => kind === 'tick')]).toEqual([
      ['/prices?'],
      [
        ['tick', 'B', '20', '0'],
        ['tick', 'C', '3', '0'],
      ],
    ]);
    await c.clock.advance(60_000);
    expect(c.net.paths).toHaveLength(3);
  });

  it('is asked for again two seconds later where it did not come, until a trade comes instead', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    c.net.answers.set('/prices', () => [['B', '20']]);
    c.watch({ A: [], B: [] });
    await c.up('stream');
    const asked = () => c.net.paths.filter((path) => path.startsWith('/prices'));
    const from = asked().length;
    expect([from, asked()[0]]).toEqual([1, '/prices?']);
    await c.clock.advance(2_000 - 400);
    expect(asked()).toHaveLength(1);
    await c.clock.advance(400);
    expect(asked().slice(1)).toEqual(['/prices?symbol=A']);
    c.trades('A', [1, '100']);
    await c.clock.advance(60_000);
    // The question that was set by then is the last one.
    expect(asked().length).toBeLessThanOrEqual(3);
    expect(c.news().filter(([kind]) => kind === 'tick')).toEqual([
      ['tick', 'B', '20', '0'],
      ['tick', 'A', '100', '2'],
    ]);
  });

  it('that is answered late is not told after a trade, nor of a symbol that is stale or left by then', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    c.net.answers.delete('/prices');
    c.watch({ A: [], B: [], C: [] });
    await c.up('stream');
    c.trades('A', [1, '100']);
    c.watch({ A: [], C: [] });
    c.news();
    c.socket('stream').events.closed('cut');
    c.net.requests[0]?.answer(
      answered(200, [
        ['A', '99'],
        ['B', '20'],
        ['C', '3'],
      ]),
    );
    await c.clock.advance(0);
    expect(c.news()).toEqual([
      ['stale', 'A', 'its stream has broken: cut'],
      ['stale', 'C', 'its stream has broken: cut'],
    ]);
    // After the break both are asked for anew, since the trades meanwhile were told to nobody.
    c.net.answers.set('/prices', () => [
      ['A', '98'],
      ['C', '4'],
    ]);
    await c.clock.advance(500);
    await c.up('stream');
    await c.clock.advance(2_000);
    expect(c.news().filter(([kind]) => kind !== 'stale')).toEqual([
      ['gap', 'A'],
      ['gap', 'C'],
      ['tick', 'A', '98', '0'],
      ['tick', 'C', '4', '0'],
    ]);
  });

  it('of a symbol that begins while another is asked for is asked for at once afterwards', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    c.net.answers.delete('/prices');
    c.watch({ A: [] });
    await c.up('stream');
    c.watch({ A: [], B: [] });
    await c.confirm(c.socket('stream'));
    expect(c.net.paths.slice(1)).toEqual(['/prices?symbol=A']);
    c.news();
    c.net.requests[0]?.answer(answered(200, []));
    await c.clock.advance(0);
    await c.clock.advance(0);
    expect(c.net.paths.slice(2)).toEqual(['/prices?']);
    c.trades('B', [1, '20']);
    c.net.requests[1]?.answer(
      answered(200, [
        ['A', '100'],
        ['B', '19'],
      ]),
    );
    await c.clock.advance(60_000);
    expect(c.net.paths.filter((path) => path.startsWith('/prices'))).toHaveLength(2);
    expect(c.news().filter(([kind]) => kind === 'tick')).toEqual([
      ['tick', 'B', '20', '2'],
      ['tick', 'A', '100', '0'],
    ]);
  });
});

describe('marks', () => {
  it('are told when something of them is new, whole, and never from before the last one', async () => {
    const c = await fresh({ A: [], B: [] });
    c.mark('A', 1_000, { funding: { rate: '0.0001' } });
    expect(c.news()).toEqual([]);
    c.mark('A', 1_000, { price: '100' });
    c.mark('A', 1_000, { price: '100', funding: { at: 5_000 } });
    c.mark('B', 900, { price: '20', funding: { rate: '0.0002', at: 6_000 } });
    c.mark('A', 1_001, { price: '100' });
    c.mark('A', 999, { price: '98' });
    c.mark('A', null, { funding: { rate: '-0.0003' } });
    c.mark('A', 1_002, { price: '101', funding: null });
    c.mark('A', 1_003, { price: '101', funding: null });
    c.mark('A', 1_003, { price: '102' });
    c.mark('C', 1_003, { price: '1' });
    expect(c.news()).toEqual([
      ['mark', 'A', '100', undefined],
      ['mark', 'A', '100', { rate: '0.0001', at: 5_000 }],
      ['mark', 'B', '20', { rate: '0.0002', at: 6_000 }],
      ['mark', 'A', '100', { rate: '-0.0003', at: 5_000 }],
      ['mark', 'A', '101', undefined],
      ['mark', 'A', '102', undefined],
    ]);
  });

  it('that stop for ten seconds make their symbol stale, until one comes; funding alone is none', async () => {
    const c = await fresh({ A: [], B: [] });
    // Marks are looked for every second from the opening on.
    await c.clock.advance(1_000 - (c.clock.wall() % 1_000));
    const from = c.clock.monotonic();
    const whys = () => c.news().filter(([kind]) => kind === 'stale');
    c.mark('A', 1_000, { price: '100' });
    for (let n = 1; n <= 9; n++) {
      await c.clock.advance(1_000);
      c.mark('B', 1_000 + n, { price: '20' });
    }
    expect(whys()).toEqual([]);
    await c.clock.advance(1_000);
    expect(whys()).toEqual([]);
    await c.clock.advance(1_000);
    expect([whys(), c.clock.monotonic() - from]).toEqual([
      [['stale', 'A', 'no mark price for 10 s']],
      11_000,
    ]);
    c.mark('A', null, { funding: { rate: '0.1', at: 1 } });
    c.mark('A', 999, { price: '99' });
    expect(whys()).toEqual([]);
    c.mark('A', 1_001, { price: '100' });
    expect(whys()).toEqual([['stale', 'A', null]]);
    // A broken stream says its own reason, and the time counts from when it is up again.
    c.socket('stream').events.closed('cut');
    await c.clock.advance(500);
    expect(whys().map(([, , why]) => why)).toEqual(Array(2).fill('its stream has broken: cut'));
    await c.clock.advance(20_000 - 500);
    expect(whys()).toEqual([]);
    await c.up('stream');
    expect(whys()).toEqual([
      ['stale', 'A', null],
      ['stale', 'B', null],
    ]);
    await c.clock.advance(9_000);
    expect(whys()).toEqual([]);
    await c.clock.advance(3_000);
    expect(whys().map(([, symbol]) => symbol)).toEqual(['A', 'B']);
  });

  it('are not missed where the market has none', async () => {
    const c = await fresh({ A: [] }, { markWithinMs: null });
    await c.clock.advance(60_000);
    expect(c.news()).toEqual([]);
  });
});
