/**
 * Bugs of the bot runtime, planted in every bot engine: each must break an invariant (`mutations.ts` has
 * those of the order engine).
 */
import type { BotEngine } from '../../src/bots/runtime/bot-engine.ts';
import { dec, str, ZERO } from '../../src/domain/decimal.ts';

/** After a start the run goes on without one of its open orders. */
export function forgetsAnOrder(bots: BotEngine): void {
  for (const live of bots.book.runs.values()) {
    const [order] = live.run.slots.orders();
    const id = order && live.ids.get(order.key);
    if (!order || id === undefined) continue;
    live.ids.delete(order.key);
    live.keys.delete(id);
  }
}

/** The clean-up of an ending run leaves out its last order. */
export function cleansUpAllButOne(bots: BotEngine): void {
  const settle = bots.settle.bind(bots);
  bots.settle = (step, live) => {
    const { run } = live;
    const ending = run.state.phase === 'ending' || run.state.phase === 'ended';
    const last = run.actions.findLastIndex((action) => action.do === 'cancel');
    if (ending && last >= 0) {
      const [left] = run.actions.splice(last, 1);
      // The run believes that the order is gone.
      if (left?.do === 'cancel') run.input({ type: 'order', change: { key: left.key, kind: 'ended' } });
    }
    settle(step, live);
  };
}

/** A run's reservation stays when the run has ended. */
export function keepsReserving(bots: BotEngine): void {
  const settle = bots.settle.bind(bots);
  bots.settle = (step, live) => {
    const kept = new Map(live.reservations);
    settle(step, live);
    if (live.going) return;
    const { reserved } = step.memory.account(live.parts.exchange).wallet;
    for (const [asset, { shown, excess }] of kept) {
      const sum = reserved.get(asset) ?? { shown: ZERO, excess: ZERO };
      reserved.set(asset, { shown: sum.shown + shown, excess: sum.excess + excess });
    }
  };
}

/** A fill changes the run but the change is not stored with it. */
export function storesTooLate(bots: BotEngine): void {
  const store = bots.store.bind(bots);
  let count = 0;
  bots.store = (step, live) => {
    const fills = step.rows.some((row) => row.kind === 'fill');
    if (fills && live.going && count++ % 2 === 0) return;
    store(step, live);
  };
}

/** A completed cycle begins and ends once more at the same tick. */
export function cyclesTwice(bots: BotEngine): void {
  const settle = bots.settle.bind(bots);
  const cycles = new Map<string, number>();
  bots.settle = (step, live) => {
    const { stats } = live.run.state;
    const before = cycles.get(live.id) ?? stats.cycles;
    if (stats.cycles > before) live.run.cycle();
    cycles.set(live.id, stats.cycles);
    settle(step, live);
  };
}

/** A futures exit is sized by the whole position instead of by the run's own lots. */
export function sellsForOthers(bots: BotEngine): void {
  const settle = bots.settle.bind(bots);
  bots.settle = (step, live) => {
    const { positions } = step.memory.account(live.parts.exchange).futures ?? {};
    const amount = dec(positions?.get(`${live.run.rules.symbol} BOTH`)?.amount ?? '0');
    const there = amount < ZERO ? -amount : amount;
    for (const action of live.run.actions) {
      if (action.do !== 'place' || action.order.role !== 'exit' || there <= action.order.qty) continue;
      Object.assign(action.order, { qty: there });
    }
    settle(step, live);
  };
}

/** A run trades a thousand times what its deposit allows. */
export function spendsTooMuch(bots: BotEngine): void {
  const store = bots.store.bind(bots);
  bots.store = (step, live) => {
    const record = live.record.bind(live);
    live.record = () => {
      const run = record();
      return { ...run, figures: { ...run.figures, budget: str(dec(run.figures.budget) / 1_000n) } };
    };
    store(step, live);
    live.record = record;
  };
}

/** A position that others close is not taken from any run. */
export function keepsWhatIsGone(bots: BotEngine): void {
  bots.shared.review = () => {};
}
