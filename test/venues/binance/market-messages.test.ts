import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readFunding,
  readKlines,
  readPrices,
  readStream,
} from '../../../src/venues/binance/market/messages.ts';
import { SeenTrades } from '../../../src/venues/kit/seen-trades.ts';
import { withShared } from '../../support/shared-data.ts';

const TRADE = { e: 'aggTrade', E: 1, s: 'BTCUSDT', a: 5, p: '60000.10', q: '0.500', T: 1 };
const K = {
  t: 60_000,
  T: 119_999,
  s: 'BTCUSDT',
  i: '1m',
  o: '2.0',
  c: '3.0',
  h: '4.0',
  l: '1.0',
  v: '5.0',
  x: true,
};
const kline = (change: object) => JSON.stringify({ e: 'kline', E: 1, s: 'BTCUSDT', k: { ...K, ...change } });
const kindOf = (text: string) => {
  const read = readStream(text);
  if (!read.ok) return 'unread';
  return read.value.kind === 'event' ? read.value.event.kind : read.value.kind;
};

describe('a message of a market stream', () => {
  it('is read with its figures without zeros at their ends', () => {
    expect(readStream(JSON.stringify(TRADE))).toEqual({
      ok: true,
      value: {
        kind: 'event',
        event: {
          kind: 'trades',
          symbol: 'BTCUSDT',
          trades: [{ id: 5, price: '60000.1', volume: '0.5', time: 1 }],
        },
      },
    });
    expect(readStream(kline({}))).toMatchObject({
      value: {
        event: {
          kind: 'closed',
          interval: '1m',
          candle: { time: 60_000, open: '2', high: '4', low: '1', close: '3' },
        },
      },
    });
  });

  it.each([
    ['a candle that still runs', kline({ x: false }), 'other'],
    ['of coin-margined contracts', JSON.stringify({ ...TRADE, st: 2 }), 'other'],
    ['of a kind that is not needed', '{"e":"forceOrder","o":{}}', 'other'],
    ['an announced end', '{"e":"serverShutdown","E":1}', 'shutdown'],
    ['a grant', '{"result":null,"id":3}', 'reply'],
    ['a refusal', '{"code":2,"msg":"Invalid request","id":3}', 'reply'],
    ['an answer to nothing', '{"error":{"code":3,"msg":"Invalid JSON"}}', 'unread'],
    ['a price of nothing', JSON.stringify({ ...TRADE, p: '0.0' }), 'unread'],
    ['a price below nothing', JSON.stringify({ ...TRADE, p: '-1' }), 'unread'],
    ['a price as a number', JSON.stringify({ ...TRADE, p: 1 }), 'unread'],
    ['a price of too many places', JSON.stringify({ ...TRADE, p: `0.${'1'.repeat(31)}` }), 'unread'],
    ['a name that commands a terminal', JSON.stringify({ ...TRADE, s: '\u001b[31mBTC' }), 'unread'],
    ['an id that is none', JSON.stringify({ ...TRADE, a: 1.5 }), 'unread'],
    ['a high below its low', kline({ h: '0.5' }), 'unread'],
    ['a close outside', kline({ c: '9' }), 'unread'],
    ['HTML', '<html>502</html>', 'unread'],
    ['nothing', '', 'unread'],
    ['a depth that stops a reader', '['.repeat(100_000), 'unread'],
  ])('%s', (_, text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('never throws, whatever it is', () => {
    const spoiled = fc
      .tuple(fc.constantFrom(JSON.stringify(TRADE), kline({})), fc.nat(400), fc.string({ maxLength: 8 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + put.length));
    fc.assert(
      fc.property(fc.oneof(spoiled, fc.json(), fc.string()), (text) => {
        for (const read of [readStream, readKlines, readPrices, readFunding]) read(text);
      }),
      { numRuns: 300 },
    );
  });

  it(
    'is read as it was recorded, spot and futures',
    withShared('payloads/binance.json', 4, (text) => {
      const found: string[] = [];
      const look = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        const { e } = value as { e?: unknown };
        if (e === 'aggTrade' || e === 'markPriceUpdate') found.push(`${e} ${kindOf(JSON.stringify(value))}`);
        for (const inner of Object.values(value)) look(inner);
      };
      look(JSON.parse(text));
      expect(new Set(found)).toEqual(new Set(['aggTrade trades', 'markPriceUpdate mark']));
    }),
  );
});

it('of an overlap of two sockets each trade is told once, in whatever order they come', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.infiniteStream(fc.nat(5)), (count, late) => {
      const delays = late[Symbol.iterator]();
      const arrivals = Array.from({ length: count }, (_, id) => id)
        .flatMap((id) => [0, 1].map(() => ({ id, at: id + (delays.next().value ?? 0) })))
        .toSorted((a, b) => a.at - b.at);
      const seen = new SeenTrades();
      const first = arrivals[0]?.id ?? 0;
      const told = arrivals.filter(({ id }) => seen.isNew(id)).map(({ id }) => id);
      const all = Array.from({ length: count }, (_, id) => id).filter((id) => id >= first);
      expect(told.toSorted((a, b) => a - b)).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
