/**
 * Balances, positions and settings arrive as events and as answers to requests, and neither in the order in
 * which they were made: an older report never replaces a newer one (S58).
 */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../src/domain/actor.ts';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangePosition, Setting } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Effect, EngineEvent } from '../../src/engine/step.ts';
import { BTC, CAPS, START } from './support/market.ts';

const EXCHANGE = 'binance-futures';
const NOW = { wall: START, market: START, mono: 0 };

let engine: Engine;

function fresh(): Engine {
  const made = new Engine();
  const account = { id: EXCHANGE, name: EXCHANGE, kind: 'futures' } as const;
  made.memory.addAccount(account, CAPS, [{ ...BTC, exchange: EXCHANGE, kind: 'futures' }]);
  return made;
}

beforeEach(() => {
  engine = fresh();
});

const step = (event: EngineEvent): Effect[] => engine.step(event, NOW).effects;
const account = () => engine.memory.account(EXCHANGE);
/** The version at which a request is sent. */
const asked = () => account().wallet.versions.heard;
const undecided = () => account().wallet.versions.undecided;

/** A balance; `at`: milliseconds of the exchange's clock; left out: it has no time. */
const balance = (free: string, at?: number, asset = 'USDT') =>
  ({ asset, free, locked: '0', ...(at === undefined ? {} : { time: START + at }) }) as const;
const tell = (...changed: ReturnType<typeof balance>[]) =>
  step({ type: 'venue.balances', exchange: EXCHANGE, changed });
const answered = (askedAt: number, ...changed: ReturnType<typeof balance>[]) =>
  step({ type: 'venue.balances', exchange: EXCHANGE, changed, all: true, askedAt });
const free = (asset = 'USDT') => str(account().wallet.balances.get(asset)?.free ?? -1n);

function position(amount: string, at?: number, change: Partial<ExchangePosition> = {}): ExchangePosition {
  return {
    symbol: 'BTCUSDT',
    side: 'BOTH',
    amount,
    entryPrice: '60000',
    breakEvenPrice: '60000',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: 20,
    isolatedWallet: '0',
    liquidationPrice: null,
    maintenanceMarginRate: '0.004',
    maintenanceMargin: '120',
    realizedPnl: '0',
    updateTime: at === undefined ? 0 : START + at,
    ...change,
  };
}
const tellPositions = (...changed: ExchangePosition[]) =>
  step({ type: 'venue.positions', exchange: EXCHANGE, changed });
const answeredPositions = (askedAt: number, ...changed: ExchangePosition[]) =>
  step({ type: 'venue.positions', exchange: EXCHANGE, changed, all: true, askedAt });
const amounts = () =>
  [...(account().futures?.positions.values() ?? [])].map(({ symbol, amount }) => `${symbol} ${amount}`);

describe('a balance', () => {
  // proves: S58
  it('of the exchange’s earlier time does not take the place of a later one, and nobody is told of it', () => {
    tell(balance('10', 2_000));
    expect(tell(balance('100000', 1_000))).toEqual([]);
    expect(free()).toBe('10');
  });

  it('of the same millisecond is taken: the later heard one counts', () => {
    tell(balance('10', 2_000));
    tell(balance('7', 2_000));
    expect(free()).toBe('7');
  });

  it('is judged asset by asset', () => {
    tell(balance('10', 2_000));
    expect(tell(balance('99', 1_000), balance('3', 1_000, 'BTC'))).toMatchObject([{ assets: ['BTC'] }]);
    expect([free(), free('BTC')]).toEqual(['10', '3']);
  });

  // proves: S58
  it('in an answer of a replica that lags does not take the place of a later one in the answer before it', () => {
    const first = asked();
    tell(balance('1', undefined, 'BTC'));
    answered(first, balance('10', 2_000));
    answered(first, balance('100000', 1_000));
    expect([free(), undecided()]).toEqual(['10', 0]);
    answered(first, balance('9', 2_500));
    expect(free()).toBe('9');
  });

  it('in an answer of the same millisecond as the event between, which tells the same, is that: nothing is asked again', () => {
    const askedAt = asked();
    tell(balance('10', 2_000));
    answered(askedAt, balance('10', 2_000));
    expect([free(), undecided()]).toEqual(['10', 0]);
    tellPositions(position('0.5', 2_000));
    answeredPositions(askedAt, position('0.5', 2_000, { markPrice: '61000' }));
    expect(undecided()).toBe(0);
    answeredPositions(askedAt, position('0.6', 2_000));
    expect([amounts(), undecided()]).toEqual([['BTCUSDT 0.5'], 1]);
  });

  // proves: S58
  it('in an answer without a time is as old as its question: what an event told meanwhile stays, and is asked for again', () => {
    const askedAt = asked();
    tell(balance('10'));
    answered(askedAt, balance('100000'), balance('3', undefined, 'BTC'));
    expect([free(), free('BTC'), undecided()]).toEqual(['10', '3', 1]);
    const doubts = () => ['balance USDT', 'balance BTC'].map((key) => account().wallet.versions.doubts(key));
    expect(doubts()).toEqual([true, false]);
    answered(asked(), balance('9'));
    expect([free(), undecided()]).toEqual(['9', 1]);
    expect(doubts()).toEqual([false, false]);
  });

  it('in an answer that a later time shows to be newer than the event counts; one that is surely older is not asked for again', () => {
    const askedAt = asked();
    tell(balance('10', 2_000));
    answered(askedAt, balance('100000', 1_000));
    expect([free(), undecided()]).toEqual(['10', 0]);
    answered(askedAt, balance('8', 3_000));
    expect([free(), undecided()]).toEqual(['8', 0]);
    tell(balance('9', 2_500));
    expect(free()).toBe('8');
  });

  it('in an answer of the same millisecond as the event between may be either: the event stays, and it is asked for again', () => {
    const askedAt = asked();
    tell(balance('10', 2_000));
    answered(askedAt, balance('100000', 2_000));
    expect([free(), undecided()]).toEqual(['10', 1]);
  });

  it('in an answer to an earlier question does not take the place of the answer to a later one', () => {
    const first = asked();
    tell(balance('1', undefined, 'BTC'));
    const second = asked();
    answered(second, balance('10'));
    answered(first, balance('100000'));
    expect(free()).toBe('10');
  });

  it('is not frozen by a clock of the exchange that was set back: the next answer counts, and the events after it', () => {
    tell(balance('10', 3_600_000));
    tell(balance('9', 1_000));
    expect(free()).toBe('10');
    answered(asked(), balance('9'));
    tell(balance('8', 2_000));
    expect(free()).toBe('8');
    tell(balance('7', 7_200_000));
    answered(asked(), balance('6', 3_000));
    tell(balance('5', 3_001));
    expect(free()).toBe('5');
  });

  it('that came late and was left out may be the newer one where the clock was set back: an answer to an earlier question proves nothing', () => {
    tell(balance('10', 3_600_000));
    const askedAt = asked();
    tell(balance('9', 1_000));
    answered(askedAt, balance('10'));
    expect([free(), undecided()]).toEqual(['10', 1]);
  });

  it('in an answer without a time is not older than the events heard before its question: one of theirs that comes late is left out', () => {
    tell(balance('10', 2_000));
    answered(asked(), balance('9'));
    tell(balance('100000', 1_000));
    expect(free()).toBe('9');
  });

  it('of a first answer counts after a start, whatever was known before', () => {
    tell(balance('10', 3_600_000));
    engine = fresh();
    answered(asked(), balance('9', 1_000));
    expect(free()).toBe('9');
  });
});

describe('a position', () => {
  // proves: S58
  it('that is closed does not come back with a report from before the close', () => {
    tellPositions(position('0.5', 500));
    const askedAt = asked();
    tellPositions(position('0', 2_000));
    answeredPositions(askedAt, position('0.5', 1_000));
    expect(amounts()).toEqual([]);
    step({ type: 'venue.positions', exchange: EXCHANGE, changed: [position('0.5', 1_000)], all: true });
    expect(amounts()).toEqual([]);
    expect(undecided()).toBe(0);
  });

  // proves: S58
  it('that an event has told of is not flat because an answer to a question from before it does not name it', () => {
    const askedAt = asked();
    tellPositions(position('0.5', 2_000));
    answeredPositions(askedAt);
    expect([amounts(), undecided()]).toEqual([['BTCUSDT 0.5'], 1]);
    answeredPositions(asked());
    expect(amounts()).toEqual([]);
  });

  it('that no event has told of since the question is flat when the answer does not name it, and stands in the order of the answer', () => {
    const of = (symbol: string) => position('1', undefined, { symbol });
    tellPositions(of('A'), of('B'), of('C'));
    const askedAt = asked();
    tellPositions(of('C'));
    answeredPositions(askedAt, of('D'), of('B'), of('C'));
    expect(amounts()).toEqual(['D 1', 'B 1', 'C 1']);
  });

  it('opened anew in the same millisecond as the close of the one before it is there', () => {
    tellPositions(position('0', 2_000));
    tellPositions(position('0.2', 2_000));
    expect(amounts()).toEqual(['BTCUSDT 0.2']);
  });
});

describe('a setting', () => {
  const made = (setting: Setting) => {
    const command = { type: 'setting', exchange: EXCHANGE, setting } as const;
    const actor = { kind: 'operator', user: OWNER } as const;
    const context = { requestId: 'r' };
    const effects = step({ type: 'command', token: 1, actor, command, context, entropy: '00000000001' });
    const sent = effects.find((effect) => effect.kind === 'setting');
    step({ type: 'setting-done', id: sent?.id ?? '', outcome: { kind: 'done' } });
  };
  const info = (leverage: number) =>
    ({ symbol: 'BTCUSDT', side: 'BOTH', leverage, marginType: 'CROSSED', realizedPnl: '0' }) as const;
  const leverage = () => account().futures?.leverage.of('BTCUSDT')?.leverage;

  // proves: S58
  it('that was made is not taken back by an answer to a question from before it, which tells the other settings all the same', () => {
    const askedAt = asked();
    made({ kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 });
    const both = [info(20), { ...info(5), symbol: 'ETHUSDT' }];
    step({ type: 'venue.settings', exchange: EXCHANGE, hedge: true, leverage: both, askedAt });
    expect(leverage()).toBe(7);
    expect(account().futures?.leverage.of('ETHUSDT')?.leverage).toBe(5);
    expect(account().futures?.hedge).toBe(true);
    step({ type: 'venue.settings', exchange: EXCHANGE, leverage: [info(9)], askedAt: asked() });
    expect(leverage()).toBe(9);
  });

  it('of a position is not taken back by positions that were asked for before it was made', () => {
    tellPositions(position('0.5', 1_000));
    const askedAt = asked();
    made({ kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 });
    answeredPositions(askedAt, position('0.5', 1_000));
    expect(account().futures?.positions.get('BTCUSDT BOTH')?.leverage).toBe(7);
    expect(undecided()).toBe(1);
    tellPositions(position('0.9', 999));
    expect(amounts()).toEqual(['BTCUSDT 0.5']);
  });
});

/**
 * One exchange with two keys, each with a balance and a position. Every change becomes an event and every
 * request gets an answer, each some steps later.
 */
interface Todo {
  readonly do: 'change' | 'ask' | 'wait';
  readonly key: 0 | 1;
  readonly flat: boolean;
  /** Milliseconds of the exchange's clock since the change before. */
  readonly after: number;
  readonly delay: number;
}
const todos = (leastMs: number) =>
  fc.array(
    fc.record<Todo>({
      do: fc.constantFrom('change', 'change', 'ask', 'wait'),
      key: fc.constantFrom(0, 1),
      flat: fc.boolean(),
      after: fc.integer({ min: leastMs, max: 2 }),
      delay: fc.integer({ min: 0, max: 6 }),
    }),
    { minLength: 1, maxLength: 40, size: 'max' },
  );

interface Line {
  /** The exchange's reports have times. */
  readonly timed: boolean;
  /** Events arrive in order; else each with any delay. */
  readonly ordered: boolean;
  /** One of this many events is lost; 0: none. */
  readonly lose: number;
}

const ASSETS = ['USDT', 'BTC'] as const;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const;

/** Returns the final state that is known and the true one. */
function converse(list: readonly Todo[], { timed, ordered, lose }: Line) {
  engine = fresh();
  const truth = [0, 1].map(() => ({ serial: 0, flat: true, time: 0 }));
  const jobs: { due: number; run: () => void }[] = [];
  let now = 0;
  let clock = 1;
  let lastEvent = 0;
  let serial = 0;
  const at = (due: number, run: () => void) => {
    let place = jobs.length;
    while (place > 0 && (jobs[place - 1]?.due ?? 0) > due) place--;
    jobs.splice(place, 0, { due, run });
  };
  const balanceOf = (key: 0 | 1) => {
    const { serial: amount, time } = truth[key] as (typeof truth)[number];
    return balance(String(amount), timed ? time : undefined, ASSETS[key]);
  };
  const positionOf = (key: 0 | 1) => {
    const { serial: amount, flat, time } = truth[key] as (typeof truth)[number];
    return position(flat ? '0' : String(amount), timed ? time : undefined, { symbol: SYMBOLS[key] });
  };
  const ask = (delay: number) => {
    const askedAt = asked();
    // The exchange makes its answer some time after the request.
    at(now + Math.floor(delay / 2), () => {
      const balances = ([0, 1] as const).map(balanceOf);
      const positions = ([0, 1] as const).map(positionOf);
      at(now + Math.ceil(delay / 2), () => {
        answered(askedAt, ...balances);
        // If only times tell the order, a flat position is listed with its time; else left out, as at real
        // exchanges.
        answeredPositions(askedAt, ...positions.filter(({ amount }) => !ordered || amount !== '0'));
      });
    });
  };
  const pass = (until: number) => {
    for (let job = jobs[0]; job && job.due <= until; job = jobs[0]) {
      jobs.shift();
      now = Math.max(now, job.due);
      job.run();
    }
    now = Math.max(now, until);
  };
  for (const { do: what, key, flat, after, delay } of list) {
    if (what === 'ask') ask(delay);
    if (what === 'change') {
      serial += 1;
      clock += after;
      truth[key] = { serial, flat, time: clock };
      const told = balanceOf(key);
      const held = positionOf(key);
      const due = ordered ? Math.max(lastEvent, now + delay) : now + delay;
      lastEvent = due;
      const lost = lose > 0 && serial % lose === 0;
      if (!lost) {
        at(due, () => {
          tell(told);
          tellPositions(held);
        });
      }
    }
    pass(now + 1);
  }
  // Lost events are made up for by a request while the last events are still on their way, repeated while
  // its answer is too late.
  if (lose > 0) {
    for (let before = -1, n = 0; before !== undecided() && n < 20; n++) {
      before = undecided();
      ask(4);
      pass(now + 4);
    }
  }
  pass(now + 100);
  return {
    known: [
      ASSETS.map((asset) => (account().wallet.balances.has(asset) ? free(asset) : '0')),
      amounts().sort(),
    ],
    so: [
      truth.map(({ serial: amount }) => String(amount)),
      truth.flatMap(({ serial: amount, flat }, key) => (flat ? [] : [`${SYMBOLS[key]} ${amount}`])).sort(),
    ],
  };
}

describe('whatever arrives when', () => {
  const ends = (leastMs: number, line: Line) =>
    fc.assert(
      fc.property(todos(leastMs), (list) => {
        const { known, so } = converse(list, line);
        expect(known).toEqual(so);
      }),
      { numRuns: 400 },
    );

  // proves: S58
  it('the newest of each is known once everything has arrived, where the exchange tells no time', () => {
    ends(0, { timed: false, ordered: true, lose: 0 });
  });

  // proves: S58
  it('so it is where it tells its time, with several changes in one millisecond', () => {
    ends(0, { timed: true, ordered: true, lose: 0 });
  });

  // proves: S58
  it('so it is where events overtake each other, and where some are lost and asked for', () => {
    ends(1, { timed: true, ordered: false, lose: 0 });
    ends(1, { timed: true, ordered: false, lose: 3 });
  });
});
