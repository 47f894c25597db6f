/**
 * What a step of the engine emits, as lines: the orders' own events, log, requests to the exchange, messages
 * to subscribers. Ids are replaced by letters in the order in which the orders were created.
 */
import type { Row } from '../../../src/domain/rows.ts';
import type { Effect } from '../../../src/engine/step.ts';
import { orderOf } from '../../../src/engine/views.ts';
import type { Bench } from './bench.ts';

const FLAGS = [
  ['cancelPending', 'to be cancelled'],
  ['unresolved', 'unresolved'],
  ['contradiction', 'alive after its end'],
] as const;

/** The lines of the bench's last step. */
export function told(bench: Bench): string[] {
  const lines = [...bench.last.rows.flatMap(ofRow), ...bench.effects.flatMap(ofEffect)];
  const ids = [...bench.engine.memory.orders.keys()];
  return lines.map((line) =>
    ids.reduce((text, id, i) => text.replaceAll(id, String.fromCharCode(65 + i)), line),
  );
}

function ofRow(row: Row): string[] {
  if (row.kind !== 'event') return [];
  const { orderId, kind, status, text } = row.event;
  return [`${orderId} ${kind} (${status}): ${text}`];
}

function ofEffect(effect: Effect): string[] {
  switch (effect.kind) {
    case 'answer':
      return [`answer ${effect.answer.status}`];
    case 'submit':
      return [`submit ${effect.order.clientId}`];
    case 'cancel':
    case 'query':
      return [`${effect.kind} ${effect.orderId}`];
    case 'setting':
      return [`setting ${effect.setting.kind}`];
    case 'order-event': {
      const { id, status, executedQty, specific } = orderOf(effect.order);
      const flags = FLAGS.flatMap(([name, words]) => (specific[name] ? [`, ${words}`] : []));
      return [`${effect.user} hears ${effect.event} ${id} ${status} ${executedQty}${flags.join('')}`];
    }
    case 'balance-event':
      return [`${effect.user} hears of balances of ${effect.exchange}: ${effect.assets.join(' ')}`];
    case 'position-event':
      return [`${effect.user} hears of positions of ${effect.exchange}`];
    case 'forgotten':
      return [`forgotten ${effect.orderId}`];
    case 'log':
      return [`log ${effect.level} [${effect.orderId ?? ''}] ${effect.text}`];
    default:
      return [effect.kind];
  }
}
