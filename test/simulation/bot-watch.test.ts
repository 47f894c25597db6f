/** When the watch over bots reports two cycles, or too great a loss, at one moment; and what it accepts. */
import { expect, it } from 'vitest';
import { encodeState } from '../../src/bots/run/codec.ts';
import { newRunState } from '../../src/bots/run/run-state.ts';
import type { Row } from '../../src/domain/rows.ts';
import { BotWatch } from './bot-watch.ts';

const RUN = 'runrunrun0';
const BEFORE = 1_000;
const NOW = 2_000;

const order = (id: string, side: string, orderTime: number) =>
  ({ kind: 'order', order: { id: `${id}_${RUN}`, creator: 'BOT', creatorId: 'b', side, orderTime } }) as Row;

const fillAt = (id: string, side: string, price: string) =>
  ({
    kind: 'fill',
    fill: { orderId: `${id}_${RUN}`, side, time: NOW, qty: '1', price, comm: '0', commAsset: 'USDT' },
  }) as Row;

const fill = (id: string, side: string) => fillAt(id, side, '100');

/** The run's row after it has received so many fills and completed so many cycles. */
const run = (fills: number, cycles: number) =>
  ({
    kind: 'run',
    run: {
      runId: RUN,
      botId: 'b',
      type: 'CHANNEL',
      startedAt: 0,
      endedAt: null,
      reason: null,
      settings: {},
      figures: { fills, cycles, budget: '1000' },
      state: encodeState({ ...newRunState(0), cycledAt: cycles > 0 ? NOW : null }),
    },
  }) as Row;

/**
 * Reports on two entries, the first sent before the moment at which its exit fills; the second is reported
 * together with it, or sent after it.
 */
function watched(secondSentAt: number): string[] {
  const found: string[] = [];
  const watch = new BotWatch(
    (_, text) => found.push(text),
    () => {},
  );
  watch.committed([
    run(0, 0),
    order('first', 'BUY', BEFORE),
    order('exit', 'SELL', BEFORE),
    order('second', 'BUY', secondSentAt),
  ]);
  watch.committed([fill('first', 'BUY'), run(1, 0)]);
  watch.committed([fill('exit', 'SELL'), run(2, 1), fill('second', 'BUY'), run(3, 1)]);
  watch.committed([order('sale', 'SELL', NOW)]);
  watch.committed([fill('sale', 'SELL'), run(4, 2)]);
  return found;
}

it('an entry from before that is told in one commit with the cycle it comes after is one of the next cycle', () => {
  expect(watched(BEFORE)).toEqual([]);
});

it('an entry that was sent at the moment of the cycle before makes two cycles of one moment', () => {
  expect(watched(NOW)).toEqual([`run ${RUN} (CHANNEL) has completed 2 cycles at ${NOW}`]);
});

/** Reports on a buy and a sale at one moment with a loss of 12, on a deposit of 10. */
function lost(settings: object): string[] {
  const found: string[] = [];
  const watch = new BotWatch(
    (_, text) => found.push(text),
    () => {},
  );
  const started = run(0, 0) as Row & { readonly kind: 'run' };
  const figures = { ...started.run.figures, budget: '10' };
  watch.committed([{ ...started, run: { ...started.run, settings, figures } } as Row]);
  watch.committed([fill('entry', 'BUY'), fillAt('exit', 'SELL', '88')]);
  return found;
}

it('a run loses no more than its deposit at one moment', () => {
  expect(lost({})).toEqual([`run ${RUN} has lost 12 of at most 10 by trades at ${NOW}`]);
});

it('with leverage one jump of the price may cost more than the deposit', () => {
  expect(lost({ deposit: { leverage: 5 } })).toEqual([]);
});

it('a bot in ERROR keeps a run only where that has failed and still holds something', () => {
  const told = (failed: boolean): string[] => {
    const found: string[] = [];
    const watch = new BotWatch(
      (_, text) => found.push(text),
      () => {},
    );
    const state = encodeState({ ...newRunState(0), ...(failed ? { failed: 'the symbol is gone' } : {}) });
    const row = run(0, 0) as Extract<Row, { kind: 'run' }>;
    watch.committed([
      { kind: 'run', run: { ...row.run, state } },
      { kind: 'bot', bot: { id: 'b', status: 'ERROR', runId: RUN } } as Row,
    ]);
    return found;
  };
  expect(told(true)).toEqual([]);
  expect(told(false)).toEqual([`bot b is ERROR with run ${RUN}`]);
});
