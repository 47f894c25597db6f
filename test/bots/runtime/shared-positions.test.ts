/**
 * How fills of others affect the runs on a position (strategies.md, R13): how much, at what price, with
 * which part of the fee.
 */
import { describe, expect, it } from 'vitest';
import type { Lost } from '../../../src/bots/run/contract.ts';
import type { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { SharedPositions } from '../../../src/bots/runtime/shared-positions.ts';
import type { SymbolUse } from '../../../src/bots/runtime/symbol-users.ts';
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';
import type { StepContext } from '../../../src/engine/step-context.ts';

const BTC = 'BTCUSDT';
const rules = { symbol: BTC, kind: 'futures', step: dec('0.1') };

interface Given {
  readonly id: string;
  readonly holds: string;
  readonly short?: boolean;
  readonly twap?: boolean;
}

/** An account in one-way mode with runs on it, whose position `told` a comparison reports; prices are 100. */
function account(told: string, given: readonly Given[], compares = true) {
  const positions = new Map(
    told === '0' ? [] : [[`${BTC} BOTH`, { symbol: BTC, side: 'BOTH', amount: told }]],
  );
  const futures = { hedge: false, positions };
  const of = { futures, instruments: new Map(), versions: { undecided: 0 } };
  const orders = new Map<string, object>([['liq', { liquidation: true }]]);
  const accounts = new Map([['f', of]]);
  const memory = { accounts, account: () => of, orders } as unknown as EngineMemory;
  const runs = new Map(
    given.map(({ id, holds, short = false, twap = false }) => {
      const lots = { held: dec(holds), total: () => lots.held, open: [{ openedAt: 1 }] };
      const settings = {
        type: twap ? 'ALGO' : 'CHANNEL',
        algo: twap ? 'twap' : undefined,
        side: 'BUY',
        short,
      };
      const run = { settings, rules, lots, price: dec('100'), state: { started: true } };
      return [id, { id, going: true, parts: { runId: id, exchange: 'f' }, run }];
    }),
  );
  const shared = new SharedPositions({ runs } as unknown as BotBook, memory);
  if (compares) {
    shared.begins('f');
    shared.positions('f', [], true);
    shared.compared('f');
  }
  const lost: string[] = [];
  const engine = {
    give: (_step: unknown, live: { id: string }, { lost: one }: { lost: Lost | null }) => {
      if (one === null) return;
      const { qty, price, fee, reason } = one;
      lost.push(`${live.id} ${str(qty)} at ${str(price)} fee ${str(fee)} ${reason}`);
    },
  } as unknown as BotEngine;
  shared.review({} as StepContext, engine);
  return {
    shared,
    runs,
    lost,
    use: (id: string) => {
      const { run } = runs.get(id) ?? { run: undefined };
      return { runId: id, exchange: 'f', settings: run?.settings, rules } as unknown as SymbolUse;
    },
    fill: (
      side: 'BUY' | 'SELL',
      qty: string,
      price: string,
      more: Partial<FillRecord> & { own?: boolean } = {},
    ) => {
      const { own = false, ...fields } = more;
      const fill = { exchange: 'f', symbol: BTC, posSide: 'BOTH', side, qty, price, comm: '1', ...fields };
      shared.fill(fill as FillRecord, own);
    },
    /** Runs a comparison in which the exchange reports this amount. */
    compare: (amount: string) => {
      positions.set(`${BTC} BOTH`, { symbol: BTC, side: 'BOTH', amount });
      shared.begins('f');
      shared.positions('f', [], true);
      shared.compared('f');
    },
    review: () => {
      shared.review({} as StepContext, engine);
      return lost.splice(0);
    },
  };
}

describe('a fill of others', () => {
  it.each([
    ['long', '3', 'SELL', false],
    ['short', '-3', 'BUY', true],
  ] as const)(
    'takes from a %s run what it has closed, at its price, with its fee',
    (_, told, side, short) => {
      const a = account(told, [{ id: 'r', holds: '3', short }]);
      a.fill(side, '1', '80');
      expect(a.review()).toEqual(['r 1 at 80 fee 1 closed elsewhere']);
      // The run has received it.
      const held = a.runs.get('r')?.run.lots;
      if (held) held.held = dec('2');
      expect(a.review()).toEqual([]);
    },
  );

  it.each([
    ['by hand first', ['by hand', 'liq']],
    ['liquidated first', ['liq', 'by hand']],
  ])('beside a liquidation is one with it, at their average price: %s', (_, orders) => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    for (const orderId of orders) a.fill('SELL', '1', orderId === 'liq' ? '70' : '80', { orderId });
    expect(a.review()).toEqual(['r 2 at 75 fee 2 liquidated']);
  });

  it('the other way takes nothing', () => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    a.fill('BUY', '1', '80');
    expect(a.review()).toEqual([]);
  });

  it('takes what is beyond a person’s part only, with that part of the fee', () => {
    const a = account('4', [{ id: 'r', holds: '3' }]);
    a.fill('SELL', '2', '80');
    expect(a.review()).toEqual(['r 1 at 80 fee 0.5 closed elsewhere']);
  });

  it('takes no more than all there is where the position has turned, with the fee at most once', () => {
    const a = account('1', [{ id: 'r', holds: '1' }]);
    a.fill('SELL', '4', '80');
    expect(a.review()).toEqual(['r 1 at 80 fee 0.25 closed elsewhere']);
  });

  it('costs with others of its step what all of them cost together', () => {
    const a = account('4', [{ id: 'r', holds: '4' }]);
    a.fill('SELL', '1', '80', { orderId: 'liq' });
    a.fill('SELL', '3', '84');
    a.fill('BUY', '1', '300');
    expect(a.review()).toEqual(['r 3 at 83 fee 1.5 liquidated']);
  });

  it('before a comparison does not keep that one from being believed', () => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    a.fill('SELL', '1', '80', { own: true });
    const held = a.runs.get('r')?.run.lots;
    if (held) held.held = dec('2');
    expect(a.review()).toEqual([]);
    a.compare('0.5');
    expect(a.review()).toEqual(['r 1.5 at 100 fee 0 closed elsewhere']);
  });

  it('that only a comparison shows is taken at the last price, for no fee', () => {
    expect(account('1', [{ id: 'r', holds: '3' }]).lost).toEqual(['r 2 at 100 fee 0 closed elsewhere']);
    expect(account('-1', [{ id: 'r', holds: '3', short: true }]).lost).toEqual([
      'r 2 at 100 fee 0 closed elsewhere',
    ]);
  });

  it('is what took it, though a fill of the run itself comes in the same step', () => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    a.fill('SELL', '1', '80');
    a.fill('BUY', '1', '100', { own: true });
    const held = a.runs.get('r')?.run.lots;
    if (held) held.held = dec('4');
    expect(a.review()).toEqual(['r 1 at 80 fee 1 closed elsewhere']);
  });

  it('never costs more than its own fee where more is missing than it has closed', () => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    const held = a.runs.get('r')?.run.lots;
    if (held) held.held = dec('3.5');
    a.fill('SELL', '0.5', '80');
    expect(a.review()).toEqual(['r 1 at 80 fee 1 closed elsewhere']);
  });

  it('of a liquidation is said to be one', () => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    a.fill('SELL', '3', '80', { orderId: 'liq' });
    expect(a.review()).toEqual(['r 3 at 80 fee 1 liquidated']);
  });

  it('is shared by those who hold something; a twap holds nothing', () => {
    const a = account('4', [
      { id: 'a', holds: '1' },
      { id: 'b', holds: '3' },
      { id: 'none', holds: '0' },
      { id: 'twap', holds: '9', twap: true },
    ]);
    a.fill('SELL', '2', '80');
    expect(a.review()).toEqual([
      'a 0.5 at 80 fee 0.25 closed elsewhere',
      'b 1.5 at 80 fee 0.75 closed elsewhere',
    ]);
  });

  it.each([
    ['of another symbol', { symbol: 'ETHUSDT' }],
    ['of an account without futures', { exchange: 'spot' }],
  ])('%s means nothing', (_, fields) => {
    const a = account('3', [{ id: 'r', holds: '3' }]);
    a.fill('SELL', '1', '80', fields);
    expect(a.review()).toEqual([]);
  });

  it('where runs hold against each other is nobody’s', () => {
    const both = (holds: string) => [
      { id: 'long', holds: '3' },
      { id: 'short', holds, short: true },
    ];
    const a = account('1', both('2'));
    a.fill('SELL', '2', '80');
    expect(a.review()).toEqual([]);
    // One that holds nothing stands against nobody.
    const b = account('3', both('0'));
    b.fill('SELL', '2', '80');
    expect(b.review()).toEqual(['long 2 at 80 fee 1 closed elsewhere']);
  });

  it('means nothing before the first comparison', () => {
    const a = account('3', [{ id: 'r', holds: '3' }], false);
    a.fill('SELL', '1', '80');
    expect(a.review()).toEqual([]);
  });
});

describe('the position as one of its runs sees it', () => {
  const seen = (told: string, runs: readonly Given[], id: string) => {
    const a = account(told, runs);
    const whole = { amount: dec(told), entryPrice: dec('90') };
    const one = a.shared.positionOf(a.use(id), () => (whole.amount === ZERO ? null : whole));
    return [one && str(one.amount), a.shared.isShared(a.use(id))];
  };
  const both = (short: boolean, first: string, second: string) => [
    { id: 'a', holds: first, short },
    { id: 'b', holds: second, short },
  ];

  it.each([
    ['alone', '3', [{ id: 'a', holds: '3' }], '3', false],
    ['alone and short', '-3', [{ id: 'a', holds: '3', short: true }], '-3', false],
    ['beside a person', '5', [{ id: 'a', holds: '3' }], '5', true],
    ['beside a person, short', '-5', [{ id: 'a', holds: '3', short: true }], '-5', true],
    ['beside another run', '5', both(false, '3', '2'), '3', true],
    ['beside another run, short', '-5', both(true, '3', '2'), '-3', true],
    ['where another run holds all of it', '2', both(false, '0', '2'), null, true],
    ['where another run holds more than there is', '2', both(false, '0', '3'), null, true],
    ['where another short run holds more than there is', '-2', both(true, '0', '3'), null, true],
  ] as const)('%s: %s', (_, told, runs, amount, isShared) => {
    expect(seen(told, runs, 'a')).toEqual([amount, isShared]);
  });
});
