/**
 * What a comparison with the exchange decides about the positions of runs (strategies.md, R13): by account,
 * symbol and side, with fills and reports that come while it is under way, and who is told that a position is
 * shared.
 */
import { describe, expect, it } from 'vitest';
import type { Lost } from '../../../src/bots/run/contract.ts';
import type { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { SharedPositions } from '../../../src/bots/runtime/shared-positions.ts';
import type { SymbolUse } from '../../../src/bots/runtime/symbol-users.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';
import type { StepContext } from '../../../src/engine/step-context.ts';

const BTC = 'BTCUSDT';
const ETH = 'ETHUSDT';

interface Given {
  readonly id: string;
  readonly holds: string;
  readonly symbol?: string;
  readonly exchange?: string;
  readonly side?: 'LONG' | 'SHORT';
  readonly price?: string;
}

type Amounts = Readonly<Record<string, string>>;

/** Accounts `one` and `two`, one-way unless `hedge`, and these runs, which have started. */
function desk(given: readonly Given[], hedge = false) {
  const accountOf = () => ({
    futures: { hedge, positions: new Map<string, object>() },
    instruments: new Map(),
    wallet: { versions: { undecided: 0 } },
  });
  const accounts = new Map([
    ['one', accountOf()],
    ['two', accountOf()],
  ]);
  const of = (id: string) => accounts.get(id) as ReturnType<typeof accountOf>;
  const memory = { accounts, account: of, orders: new Map() } as unknown as EngineMemory;
  const runOf = ({ id, holds, symbol = BTC, exchange = 'one', side = 'LONG', price = '100' }: Given) => {
    const lots = { held: dec(holds), total: () => lots.held, open: [{ openedAt: 1 }] };
    const settings = { type: 'CHANNEL', short: side === 'SHORT', positionSide: 'BOTH' };
    const rules = { symbol, kind: 'futures', step: dec('0.1') };
    const run = { settings, rules, lots, price: dec(price), state: { started: true } };
    return { id, going: true, parts: { runId: id, exchange }, run };
  };
  const runs = new Map(given.map((one) => [one.id, runOf(one)]));
  const shared = new SharedPositions({ runs } as unknown as BotBook, memory);
  const told: string[] = [];
  const engine = {
    give: (_step: unknown, live: ReturnType<typeof runOf>, { lost }: { lost: Lost | null }) => {
      if (lost === null) told.push(`${live.id} owners`);
      else {
        told.push(`${live.id} ${str(lost.qty)} at ${str(lost.price)}`);
        live.run.lots.held -= lost.qty;
      }
    },
  } as unknown as BotEngine;
  const report = (exchange: string, amounts: Amounts, all: boolean) => {
    const { positions } = of(exchange).futures;
    if (all) positions.clear();
    for (const [key, amount] of Object.entries(amounts)) {
      const [symbol, side] = key.split(' ');
      positions.set(key, { symbol, side, amount });
    }
    const changed = Object.keys(amounts).map((key) => ({ symbol: key.split(' ')[0] }));
    shared.hear({ type: 'venue.positions', exchange, changed, ...(all ? { all } : {}) } as never);
  };
  const rig = {
    shared,
    runs,
    undecided: (exchange: string) => of(exchange).wallet.versions.undecided,
    use: (id: string) => {
      const live = runs.get(id);
      const { settings, rules } = live?.run ?? {};
      return { runId: id, exchange: live?.parts.exchange, settings, rules } as unknown as SymbolUse;
    },
    add: (one: Given) => {
      const live = runOf(one);
      runs.set(one.id, live);
      shared.touch(live as unknown as LiveRun);
    },
    end: (id: string) => {
      const live = runs.get(id);
      if (!live) throw new Error(id);
      live.going = false;
      shared.touch(live as unknown as LiveRun);
    },
    fill: (key: string, side: 'BUY' | 'SELL', qty: string, own = false, exchange = 'one', price = '80') => {
      const [symbol, posSide] = key.split(' ');
      shared.fill({ exchange, symbol, posSide, side, qty, price, comm: '0' } as FillRecord, own);
    },
    /** Positions of a stream. */
    report: (amounts: Amounts, exchange = 'one') => report(exchange, amounts, false),
    /** A whole comparison; `meanwhile` comes after the positions were answered. */
    compare: (amounts: Amounts, exchange = 'one', meanwhile: () => void = () => {}) => {
      shared.hear({ type: 'venue.balances', exchange, changed: [], all: true });
      report(exchange, amounts, true);
      meanwhile();
      shared.hear({ type: 'compared', exchange });
    },
    /** What runs are told. */
    told: () => {
      shared.review({} as StepContext, engine);
      return told.splice(0);
    },
  };
  return rig;
}

const KEYS = { btc: `${BTC} BOTH`, eth: `${ETH} BOTH` } as const;

describe('the first comparison', () => {
  it('during which one position has moved decides about the others, and is asked for again', () => {
    const d = desk([
      { id: 'btc', holds: '3' },
      { id: 'eth', holds: '5', symbol: ETH, price: '200' },
      { id: 'far', holds: '7', exchange: 'two' },
    ]);
    d.compare({ [KEYS.btc]: '1', [KEYS.eth]: '4' }, 'one', () => d.fill(KEYS.btc, 'BUY', '2', true));
    expect(d.told()).toEqual(['eth 1 at 200']);
    expect([d.undecided('one'), d.undecided('two')]).toEqual([1, 0]);
    // Nothing is concluded of what is not known.
    d.fill(KEYS.btc, 'SELL', '3');
    expect(d.told()).toEqual([]);
    d.fill(KEYS.eth, 'SELL', '1');
    expect(d.told()).toEqual(['eth 1 at 80']);
    d.compare({ [KEYS.btc]: '0.5', [KEYS.eth]: '3' });
    expect(d.told()).toEqual(['btc 2.5 at 100']);
    expect([d.undecided('one'), d.undecided('two')]).toEqual([1, 0]);
  });

  it('is asked for again as long as a position moves in it, and not for one without a run', () => {
    const d = desk([{ id: 'btc', holds: '3' }]);
    for (const times of [1, 2, 3]) {
      d.compare({ [KEYS.btc]: '3' }, 'one', () => d.report({ [KEYS.btc]: '3', [KEYS.eth]: '1' }));
      expect([d.undecided('one'), d.told()]).toEqual([times, []]);
      // Once an account was compared, only what was never known stays unknown.
    }
    d.compare({ [KEYS.btc]: '2' });
    expect([d.undecided('one'), d.told()]).toEqual([3, ['btc 1 at 100']]);
  });

  it('of one account says nothing of another, and nothing is decided without an answer', () => {
    const d = desk([
      { id: 'a', holds: '3' },
      { id: 'b', holds: '3', exchange: 'two' },
    ]);
    d.shared.hear({ type: 'compared', exchange: 'one' });
    d.fill(KEYS.btc, 'SELL', '1');
    d.fill(KEYS.btc, 'SELL', '1', false, 'two');
    expect(d.told()).toEqual([]);
    d.compare({ [KEYS.btc]: '2' }, 'two');
    expect(d.told()).toEqual(['b 1 at 100']);
    d.compare({});
    expect(d.told()).toEqual(['a 3 at 100']);
  });
});

describe('a later comparison', () => {
  it('is not believed of a position that has moved in it, by a fill or a report of that very symbol', () => {
    const d = desk([
      { id: 'btc', holds: '3' },
      { id: 'eth', holds: '5', symbol: ETH },
    ]);
    const all = { [KEYS.btc]: '3', [KEYS.eth]: '5' };
    d.compare(all);
    d.told();
    d.compare({ [KEYS.btc]: '2', [KEYS.eth]: '5' }, 'one', () => d.report({ [KEYS.btc]: '3' }));
    expect(d.told()).toEqual([]);
    d.compare({ [KEYS.btc]: '2', [KEYS.eth]: '4' }, 'one', () => d.fill(KEYS.btc, 'BUY', '1', true));
    // The fill counts: 4 are there, of which the run has taken 3 into its lots.
    expect(d.told()).toEqual(['btc owners', 'eth 1 at 100']);
    d.fill(KEYS.btc, 'SELL', '1');
    expect(d.told()).toEqual(['btc owners']);
    d.fill(KEYS.btc, 'SELL', '1');
    expect(d.told()).toEqual(['btc 1 at 80']);
    expect(d.undecided('one')).toBe(0);
  });

  it('whose answer is followed by a new beginning decides nothing of the old answer', () => {
    const d = desk([{ id: 'btc', holds: '3' }]);
    d.compare({ [KEYS.btc]: '3' });
    d.told();
    d.compare({ [KEYS.btc]: '1' }, 'one', () =>
      d.shared.hear({ type: 'venue.balances', exchange: 'one', changed: [], all: true }),
    );
    expect(d.told()).toEqual([]);
    // Balances of a stream begin nothing.
    d.compare({ [KEYS.btc]: '2' }, 'one', () =>
      d.shared.hear({ type: 'venue.balances', exchange: 'one', changed: [] }),
    );
    expect(d.told()).toEqual(['btc 1 at 100']);
  });

  it('that has a position no more takes all of it, and one that is back belongs to others', () => {
    const d = desk([{ id: 'btc', holds: '3' }]);
    d.compare({ [KEYS.btc]: '3' });
    d.told();
    d.compare({});
    expect(d.told()).toEqual(['btc 3 at 100']);
    d.compare({ [KEYS.btc]: '2' });
    expect(d.told()).toEqual(['btc owners']);
  });
});

describe('in hedge mode', () => {
  it('each side is counted by itself', () => {
    const [long, short] = [`${BTC} LONG`, `${BTC} SHORT`];
    const d = desk(
      [
        { id: 'long', holds: '3' },
        { id: 'short', holds: '2', side: 'SHORT' },
      ],
      true,
    );
    // An exchange reports a SHORT as an amount above zero.
    d.compare({ [long]: '3', [short]: '2' });
    expect(d.told()).toEqual([]);
    expect([d.shared.isShared(d.use('long')), d.shared.isShared(d.use('short'))]).toEqual([false, false]);
    d.fill(short, 'BUY', '0.5');
    expect(d.told()).toEqual(['short 0.5 at 80']);
    d.fill(long, 'SELL', '1');
    expect(d.told()).toEqual(['long 1 at 80']);
    d.fill(short, 'SELL', '4');
    expect(d.told()).toEqual(['short owners']);
    d.compare({ [long]: '2', [short]: '1.5' });
    expect(d.told()).toEqual(['short owners']);
    d.compare({ [long]: '1', [short]: '1' });
    expect(d.told()).toEqual(['long 1 at 100', 'short 0.5 at 100']);
  });
});

describe('that a position is shared', () => {
  it('is told to the run that is there when another one comes, and when that has gone, once each', () => {
    const d = desk([
      { id: 'a', holds: '3' },
      { id: 'eth', holds: '5', symbol: ETH },
      { id: 'far', holds: '3', exchange: 'two' },
    ]);
    for (const exchange of ['one', 'two']) d.compare({ [KEYS.btc]: '3', [KEYS.eth]: '5' }, exchange);
    expect(d.told()).toEqual([]);
    d.add({ id: 'b', holds: '0' });
    expect(d.told()).toEqual(['a owners', 'b owners']);
    expect(d.told()).toEqual([]);
    d.end('b');
    expect(d.told()).toEqual(['a owners']);
    expect(d.told()).toEqual([]);
    d.add({ id: 'c', holds: '0' });
    expect(d.told()).toEqual(['a owners', 'c owners']);
  });

  it('ends with a comparison that has nothing any more of what had been reported before it', () => {
    const d = desk([{ id: 'a', holds: '0' }]);
    d.report({ [KEYS.btc]: '2' });
    d.add({ id: 'far', holds: '0', exchange: 'two' });
    d.shared.touch(d.runs.get('a') as unknown as LiveRun);
    expect([d.told(), d.shared.isShared(d.use('a'))]).toEqual([['a owners'], true]);
    d.compare({}, 'two');
    expect(d.told()).toEqual([]);
    d.compare({});
    expect([d.told(), d.shared.isShared(d.use('a'))]).toEqual([['a owners'], false]);
  });

  it('what an ended run holds is others’, and comes back to nobody', () => {
    const d = desk([
      { id: 'a', holds: '3' },
      { id: 'b', holds: '2' },
    ]);
    d.compare({ [KEYS.btc]: '5' });
    expect(d.told()).toEqual(['a owners', 'b owners']);
    d.end('b');
    expect([d.told(), d.shared.isShared(d.use('a'))]).toEqual([[], true]);
    // A fill of the ended run’s exit: what is left is the other’s alone.
    d.fill(KEYS.btc, 'SELL', '2');
    expect([d.told(), d.shared.isShared(d.use('a'))]).toEqual([['a owners'], false]);
    d.fill(KEYS.btc, 'SELL', '0.1');
    expect(d.told()).toEqual(['a 0.1 at 80']);
  });
});
