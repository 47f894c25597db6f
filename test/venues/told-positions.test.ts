/**
 * The known positions of an account at each exchange: an answer that lags does not undo later events, an
 * event that comes late undoes nothing, and what is gone is gone.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { AccountFacts as BinanceFacts } from '../../src/venues/binance/futures/account-facts.ts';
import type {
  PositionRow as BinanceRow,
  FuturesPosition,
} from '../../src/venues/binance/futures/messages.ts';
import { AccountFacts as BybitFacts } from '../../src/venues/bybit/account-facts.ts';
import type { PositionRow as BybitRow } from '../../src/venues/bybit/messages.ts';
import { Listed, readInstruments } from '../../src/venues/okx/instruments.ts';
import type { PositionRow as OkxRow } from '../../src/venues/okx/messages.ts';
import { SwapFacts } from '../../src/venues/okx/swap-facts.ts';

const symbol = 'BTCUSDT';
const AT = Date.UTC(2026, 10, 25);

type Side = 'BOTH' | 'LONG' | 'SHORT';

/** A position in base units, signed in one-way mode; `time`: of its last change. */
interface Told {
  readonly amount: string;
  readonly time: number;
  readonly side?: Side;
}

interface Facts {
  event(told: Told): unknown;
  answer(told: readonly Told[], asOf: number): readonly ExchangePosition[];
  hasToReduce(side: 'BUY' | 'SELL', positionSide: Side): boolean;
}

const BINANCE = (): Facts => {
  const facts = new BinanceFacts();
  const row = ({ amount: positionAmt, time: updateTime, side: positionSide = 'BOTH' }: Told) =>
    ({
      ...{ symbol, positionSide, positionAmt, updateTime, entryPrice: '100', markPrice: '100' },
      ...{ unRealizedProfit: '0', liquidationPrice: '0' },
    }) as FuturesPosition;
  return {
    event: ({ amount: pa, time, side: ps = 'BOTH' }) =>
      facts.position({ s: symbol, ps, pa, ep: '100', up: '0', mt: 'cross', iw: '0' } as BinanceRow, time),
    answer: (told, asOf) => facts.allPositions(told.map(row), asOf),
    hasToReduce: (side, of) => facts.hasToReduce(symbol, side, of),
  };
};

const BYBIT = (): Facts => {
  const facts = new BybitFacts();
  const row = ({ amount, time, side = 'BOTH' }: Told) =>
    ({
      symbol,
      positionIdx: ['BOTH', 'LONG', 'SHORT'].indexOf(side),
      side: side === 'SHORT' || amount.startsWith('-') ? 'Sell' : 'Buy',
      size: amount.replace('-', ''),
      entryPrice: '100',
      markPrice: '100',
      updatedTime: String(time),
    }) as BybitRow;
  return {
    event: (told) => facts.position(row(told)),
    answer: (told, asOf) => facts.allPositions(told.map(row), asOf),
    hasToReduce: (side, of) => facts.hasToReduce(symbol, side, of),
  };
};

/** Contracts of 0.01, whose short side OKX counts below zero in hedge mode, too, or above. */
const OKX = (): Facts => {
  const listed = new Listed();
  const read = readInstruments(JSON.stringify({ code: '0', data: [SWAP] }), 'mine', 'swap');
  if (!read.ok) throw new Error(read.problem);
  listed.replace(read.value);
  const facts = new SwapFacts(listed);
  return {
    event: (told) => facts.event(okxRow(told)),
    answer: (told, asOf) =>
      facts.all(
        told.map((one) => okxRow(one)),
        asOf,
      ),
    hasToReduce: (side, positionSide) =>
      facts.hasToReduce({
        ...{ clientId: 'x', symbol, side, positionSide, type: 'MARKET', timeInForce: 'GTC' },
      }),
  };
};

const SWAP = {
  ...{ instId: 'BTC-USDT-SWAP', instType: 'SWAP', ctType: 'linear', ctVal: '0.01', ctMult: '1' },
  ...{ ctValCcy: 'BTC', settleCcy: 'USDT', instFamily: 'BTC-USDT', lever: '100', tickSz: '0.1' },
  ...{ lotSz: '1', minSz: '1', maxLmtSz: '1000', maxMktSz: '1000', state: 'live' },
};

function okxRow({ amount, time, side = 'BOTH' }: Told, mgnMode = 'cross') {
  return {
    ...{ instId: 'BTC-USDT-SWAP', instType: 'SWAP', avgPx: '100', markPx: '100', upl: '0', lever: '5' },
    posSide: side === 'BOTH' ? 'net' : side.toLowerCase(),
    pos: String(Number(amount) * 100),
    mgnMode,
    uTime: String(time),
  } as OkxRow;
}

const EXCHANGES: Readonly<Record<string, () => Facts>> = { Binance: BINANCE, Bybit: BYBIT, OKX };

describe.each(Object.entries(EXCHANGES))('of %s', (name, make) => {
  const closes = (facts: Facts) =>
    (['BUY', 'SELL'] as const).filter((side) => facts.hasToReduce(side, 'BOTH'));

  it('a position that an event has told is there until an answer to a question of five seconds later lacks it', () => {
    const facts = make();
    facts.event({ amount: '1', time: AT });
    for (const asOf of [AT - 1, AT, AT + 4_999]) {
      expect(facts.answer([], asOf)).toEqual([]);
      expect(closes(facts)).toEqual(['SELL']);
    }
    facts.answer([], AT + 5_000);
    expect(closes(facts)).toEqual([]);
  });

  it('of an event and an answer the newer one counts, and the answer where they are as old', () => {
    const facts = make();
    facts.event({ amount: '1', time: AT });
    facts.answer([{ amount: '-1', time: AT - 1 }], AT);
    expect(closes(facts)).toEqual(['SELL']);
    expect(facts.answer([{ amount: '-2', time: AT }], AT)).toMatchObject([{ amount: '-2', side: 'BOTH' }]);
    expect(closes(facts)).toEqual(['BUY']);
    facts.event({ amount: '0', time: AT + 1 });
    expect(closes(facts)).toEqual([]);
    // A replica that lags has it still.
    facts.answer([{ amount: '3', time: AT + 2 }], AT + 3);
    expect(closes(facts)).toEqual(['SELL']);
  });

  // Binance tells its events on one socket, in their order.
  it.skipIf(name === 'Binance')('an event that is older than what is known changes nothing', () => {
    const facts = make();
    facts.event({ amount: '1', time: AT });
    for (const amount of ['0', '-1']) {
      facts.event({ amount, time: AT - 1 });
      expect(closes(facts)).toEqual(['SELL']);
    }
    facts.event({ amount: '-1', time: AT });
    expect(closes(facts)).toEqual(['BUY']);
    facts.event({ amount: '0', time: AT });
    expect(closes(facts)).toEqual([]);
  });

  it('in hedge mode each side is one of its own, without a sign, and reduced by its own orders', () => {
    const facts = make();
    const all = facts.answer(
      [
        { amount: '2', time: AT, side: 'LONG' },
        { amount: name === 'Bybit' ? '3' : '-3', time: AT, side: 'SHORT' },
      ],
      AT,
    );
    expect(all.map(({ side, amount }) => [side, amount])).toEqual([
      ['LONG', '2'],
      ['SHORT', '3'],
    ]);
    const can = () =>
      (['LONG', 'SHORT'] as const).flatMap((of) =>
        (['BUY', 'SELL'] as const).flatMap((side) => (facts.hasToReduce(side, of) ? `${side} ${of}` : [])),
      );
    expect(can()).toEqual(['SELL LONG', 'BUY SHORT']);
    facts.event({ amount: '0', time: AT + 1, side: 'LONG' });
    expect(can()).toEqual(['BUY SHORT']);
  });
});

it('of OKX an isolated position beside a crossed one was made elsewhere, in an answer and as an event', () => {
  const listed = new Listed();
  const read = readInstruments(JSON.stringify({ code: '0', data: [SWAP] }), 'mine', 'swap');
  if (!read.ok) throw new Error(read.problem);
  listed.replace(read.value);
  for (const isFirst of [true, false]) {
    const facts = new SwapFacts(listed);
    const crossed = okxRow({ amount: '1', time: AT });
    const isolated = okxRow({ amount: '-7', time: AT + 1 }, 'isolated');
    const told = facts.all(isFirst ? [crossed, isolated] : [isolated, crossed], AT + 10_000);
    expect(told).toMatchObject([{ amount: '1', marginType: 'CROSSED' }]);
    expect(facts.event(isolated)).toBeNull();
    expect(facts.event(okxRow({ amount: '2', time: AT + 2 }))).toMatchObject({ amount: '2' });
    // Alone it is shown.
    facts.event(okxRow({ amount: '0', time: AT + 3 }));
    expect(facts.event(okxRow({ amount: '-7', time: AT + 4 }, 'isolated'))).toMatchObject({ amount: '-7' });
  }
});
