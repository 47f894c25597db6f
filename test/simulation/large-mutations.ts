/**
 * Guards that block closes, planted at the runs of a desk and at its commands: each must break an invariant.
 */
import type { BotEngine } from '../../src/bots/runtime/bot-engine.ts';
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import { type Dec, dec, mul, ZERO } from '../../src/domain/decimal.ts';
import type { EngineMemory } from '../../src/engine/memory.ts';

export type LargeMutationName = 'guards-hold-exits' | 'guards-hold-panic';

/** An exit of a run is refused when it is worth more than an order may be. */
export function guardsHoldExits(bots: BotEngine): void {
  const settle = bots.settle.bind(bots);
  bots.settle = (step, live) => {
    const { run, parts } = live;
    for (let at = 0; at < run.actions.length; at++) {
      const action = run.actions[at];
      if (action?.do !== 'place' || action.order.role !== 'exit') continue;
      const { key, qty, price } = action.order;
      if (isWithin(step.memory, parts.exchange, mul(qty, price ?? run.price))) continue;
      run.actions.splice(at--, 1);
      const reason = 'the order is worth more than maxOrderValue allows';
      run.input({ type: 'order', change: { key, kind: 'rejected', why: 'guard', reason } });
    }
    settle(step, live);
  };
}

/** A panic close of a position is refused when the position is worth more than an order may be. */
export function guardsHoldPanic(core: DeskCore): void {
  const execute = core.execute.bind(core);
  core.execute = (actor, command, context) => {
    if (command.type !== 'place' || command.request.closePosition !== true || actor.kind !== 'operator')
      return execute(actor, command, context);
    const { exchange = '', symbol = '', closePosition: _, ...request } = command.request;
    const { memory } = core.engine;
    const last = memory.account(exchange).market.prices.get(symbol) ?? ZERO;
    const { futures } = memory.account(exchange);
    const held = [...(futures?.positions.values() ?? [])].find((one) => one.symbol === symbol);
    const quantity = (held?.amount ?? '0').replace('-', '');
    if (isWithin(memory, exchange, mul(dec(quantity), last))) return execute(actor, command, context);
    // Guarded like an entry of the same size.
    const entry = {
      ...request,
      exchange,
      symbol,
      quantity,
      side: request.side === 'BUY' ? 'SELL' : 'BUY',
    } as const;
    return execute(actor, { ...command, request: entry }, context);
  };
}

function isWithin(memory: EngineMemory, exchange: string, worth: Dec): boolean {
  const most = memory.account(exchange).guards?.set.maxOrderValue ?? null;
  return most === null || worth <= dec(most);
}
