/**
 * An order is reachable only through its own exchange: a key's shield judges the exchange that a request
 * names.
 */
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import { Bench } from './support/bench.ts';
import { KEY_ACTOR, SPOT } from './support/market.ts';

const ELSEWHERE = 'paper-futures';
const OPERATOR: Actor = { kind: 'operator', user: 'owner' };
const shielded = (...allowedExchanges: string[]): Actor => ({ ...KEY_ACTOR, allowedExchanges }) as Actor;

// proves: rule shield
describe('an order named with another exchange', () => {
  it.each(['cancel', 'split'] as const)('is not found by %s, and nothing is sent', (type) => {
    const bench = new Bench();
    const { id } = bench.resting();
    const command = { type, exchange: ELSEWHERE, id, prices: ['50000', '49000'] } as const;
    const ask = (actor: Actor) => {
      const reply = bench.ask(command, { actor }).reply();
      return [reply.status, reply.message];
    };
    const missing = `there is no order ${id} on ${ELSEWHERE}`;
    expect(ask(shielded(ELSEWHERE))).toEqual([404, missing]);
    expect(ask(shielded(ELSEWHERE, SPOT))).toEqual([404, `${missing}; it is on ${SPOT}`]);
    expect(ask(KEY_ACTOR)).toEqual([404, `${missing}; it is on ${SPOT}`]);
    expect(ask(OPERATOR)).toEqual([404, `${missing}; it is on ${SPOT}`]);
    expect(bench.kinds('cancel')).toEqual([]);
    expect(bench.engine.memory.orders.get(id)).toMatchObject({ status: 'OPENED' });
    expect(bench.engine.memory.orders.size).toBe(1);
  });
});
