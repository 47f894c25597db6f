/**
 * Bugs of amendments by a replacement order, planted at the desk's ports: both orders rest, too much is
 * placed, the asked change is lost.
 */
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeOrderState } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Effect, EngineEvent } from '../../src/engine/step.ts';
import type { Store } from '../../src/store/store.ts';
import type { Mutation } from './mutations.ts';

export const REPLACE_MUTATION_NAMES = [
  'replace-at-once',
  'replace-whole',
  'replace-forgotten',
  'replace-after-cancel',
  'replace-before-durable',
  'replace-old-price',
  'replace-lost-is-gone',
] as const;

export type ReplaceMutationName = (typeof REPLACE_MUTATION_NAMES)[number];

export const REPLACE_MUTATIONS: Readonly<Record<ReplaceMutationName, Mutation>> = {
  'replace-at-once': { name: 'the new order does not wait for the cancel of the old one', desk: atOnce },
  'replace-whole': { name: 'what is executed of the old order is placed again', desk: whole },
  'replace-forgotten': { name: 'a start forgets changes that go on', store: forgotten },
  'replace-after-cancel': { name: 'a cancel does not end the change that goes on', desk: afterCancel },
  'replace-before-durable': { name: 'the new order is sent before its row is durable', desk: beforeDurable },
  'replace-old-price': { name: 'the new order is stored with the price of the old one', desk: oldPrice },
  'replace-lost-is-gone': { name: 'a cancel whose answer got lost was made', desk: lostIsGone },
};

/** Wraps the engine's steps: `change` replaces an input, or adds to it. */
function steps(
  core: DeskCore,
  instead: (input: EngineEvent, step: (input: EngineEvent) => void) => void,
): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => instead(input, step);
}

function releases(core: DeskCore, instead: (effect: Effect) => Effect): void {
  const inner = core as unknown as { release(effect: Effect): void };
  const release = inner.release.bind(core);
  inner.release = (effect) => release(instead(effect));
}

function changing(core: DeskCore): OrderRecord[] {
  const { splits, orders } = core.engine.memory;
  return [...splits.values()]
    .filter(({ change, stage }) => change && stage === 'cancelling')
    .map(({ id }) => orders.get(id))
    .filter((order) => order !== undefined);
}

function goneState({ id, symbol, origQty, executedQty, seq }: OrderRecord): ExchangeOrderState {
  return { clientId: id, symbol, status: 'CANCELLED', origQty, cumQty: executedQty, seq, time: 0 };
}

function atOnce(core: DeskCore): void {
  steps(core, (input, step) => {
    step(input);
    if (input.type !== 'command' || input.command.type !== 'amend') return;
    const { id, exchange } = input.command;
    const order = changing(core).find((one) => one.id === id);
    if (order) step({ type: 'venue.order', exchange, state: goneState(order) });
  });
}

function placedOf(core: DeskCore, effect: Effect): OrderRecord | undefined {
  if (effect.kind !== 'submit') return undefined;
  const order = core.engine.memory.orders.get(effect.order.clientId);
  return order?.replaces !== undefined && order.tries === undefined ? order : undefined;
}

function whole(core: DeskCore): void {
  releases(core, (effect) => {
    const placed = placedOf(core, effect);
    const before = core.engine.memory.orders.get(placed?.replaces ?? '');
    if (!placed || !before || effect.kind !== 'submit') return effect;
    const quantity = str(dec(placed.origQty) + dec(before.executedQty));
    return { ...effect, order: { ...effect.order, quantity } };
  });
}

function forgotten(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      if (name !== 'load') return call;
      return (...args: unknown[]) => {
        const state = call(...args) as ReturnType<Store['load']>;
        return { ...state, splits: state.splits.filter(({ change }) => !change) };
      };
    },
  });
}

function afterCancel(core: DeskCore): void {
  steps(core, (input, step) => {
    if (input.type === 'command' && input.command.type === 'cancel') {
      const { id } = input.command;
      const order = changing(core).find((one) => one.id === id);
      if (order?.cancel) delete order.cancel.forSplit;
    }
    step(input);
  });
}

function beforeDurable(core: DeskCore): void {
  const { turn } = core;
  const take = turn.take.bind(turn);
  const { release } = core as unknown as { release(effect: Effect): void };
  turn.take = (result) => {
    const early = result.effects.filter((effect) => placedOf(core, effect));
    for (const effect of early) release.call(core, effect);
    take({ ...result, effects: result.effects.filter((effect) => !early.includes(effect)) });
  };
}

function oldPrice(core: DeskCore): void {
  const { turn } = core;
  const take = turn.take.bind(turn);
  turn.take = (result) => {
    for (const effect of result.effects) {
      const placed = placedOf(core, effect);
      const before = core.engine.memory.orders.get(placed?.replaces ?? '');
      if (placed && before?.price !== undefined) placed.price = before.price;
    }
    take(result);
  };
}

function lostIsGone(core: DeskCore): void {
  steps(core, (input, step) => {
    const lost = input.type === 'cancelled' && input.outcome.kind === 'unknown';
    const order = lost ? changing(core).find(({ id }) => id === input.orderId) : undefined;
    if (!order || input.type !== 'cancelled') step(input);
    else step({ ...input, outcome: { kind: 'done', state: goneState(order) } });
  });
}
