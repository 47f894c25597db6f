/**
 * A change of a resting order over a desk's line: it leaves within a time limit, and has one of four
 * outcomes, once.
 */
import { describe, expect, it } from 'vitest';
import type { AmendOutcome, ExchangeOrderState, OrderChange } from '../../../src/domain/exchange.ts';
import { PAPER_AMENDS } from '../../../src/venues/paper/amend.ts';
import type { Deadline, OrderRef } from '../../../src/venues/venue.ts';
import { LinkRig } from './link-rig.ts';

const STATE: ExchangeOrderState = {
  clientId: 'a',
  symbol: 'BTCUSDT',
  status: 'WORKING',
  origQty: '0.02',
  cumQty: '0',
  seq: 4,
  time: 1,
};
const ORDER = { exchange: 'said-spot', orderId: 'a', clientId: 'a', symbol: 'BTCUSDT', venueIds: ['7'] };

async function line(answer: (() => Promise<AmendOutcome>) | null, amends = PAPER_AMENDS) {
  const caps = { sendWithinMs: 2_000, ...(answer ? { amends } : {}) };
  const rig = new LinkRig('spot', 1, undefined, caps);
  const asked: [OrderRef, OrderChange, Deadline | undefined][] = [];
  if (answer)
    Object.assign(rig.venue, {
      amend: (...call: (typeof asked)[number]) => {
        asked.push(call);
        return answer();
      },
    });
  return { rig, asked };
}

const started = async (...given: Parameters<typeof line>) => {
  const x = await line(...given);
  await x.rig.until(x.rig.core.start());
  return x;
};

/** What the engine receives of the third change of the order: the first report, and all reports by then. */
async function changed(rig: LinkRig, to: OrderChange) {
  const told: unknown[] = [];
  const { turn } = rig.core;
  const step = turn.step.bind(turn);
  const first = Promise.withResolvers<void>();
  turn.step = (event) => {
    if (event.type !== 'amended') return step(event);
    const { type: _, exchange: __, orderId, ...rest } = event;
    expect(orderId).toBe(ORDER.orderId);
    told.push(rest);
    first.resolve();
  };
  rig.link.requests.amend({ kind: 'amend', n: 3, to, terms: { lane: 'exit', waitMs: null }, ...ORDER });
  await rig.until(first.promise);
  turn.step = step;
  return told;
}

describe('a change of a resting order', () => {
  it('leaves once, under all its names and within its time, and has its outcome', async () => {
    for (const outcome of [
      { kind: 'done', state: STATE },
      { kind: 'gone', state: { ...STATE, status: 'FILLED' } },
      { kind: 'gone', state: null },
      { kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' },
      { kind: 'unknown', cause: 'reset' },
    ] as const) {
      const { rig, asked } = await started(async () => outcome);
      const notAfter = rig.clock.monotonic() + 2_000;
      expect(await changed(rig, { price: '51000' })).toEqual([{ n: 3, outcome, sentAt: notAfter }]);
      const { exchange: _, orderId: __, ...names } = ORDER;
      expect(asked).toEqual([
        [names, { price: '51000' }, expect.objectContaining({ notAfter, lane: 'exit' })],
      ]);
    }
  });

  it.each([
    ['does not come', () => new Promise<never>(() => {})],
    [
      'has a state that cannot be read',
      async () => ({ kind: 'done', state: { ...STATE, origQty: 'x' } }) as const,
    ],
    ['has no state', async () => ({ kind: 'done' }) as never],
    ['is of no known kind', async () => 'fine' as never],
    ['is nothing', async () => undefined as never],
    ['is a failure of the adapter', () => Promise.reject(new Error('broken'))],
  ])('has an outcome that nobody knows when the answer %s', async (_, answer) => {
    const { rig, asked } = await started(answer);
    const from = rig.clock.monotonic();
    expect(await changed(rig, { quantity: '0.01' })).toMatchObject([{ n: 3, outcome: { kind: 'unknown' } }]);
    expect(rig.clock.monotonic() - from).toBeLessThanOrEqual(10_100);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['the account amends nothing', null, undefined, { price: '1' }, 'does not change the price of'],
    ['it changes quantities only', true, ['quantity'], { price: '1' }, 'does not change the price of'],
    ['nothing is to change', true, undefined, {}, 'does not change nothing of'],
  ] as const)('is not asked for when %s', async (_, has, fields, change, words) => {
    const amends = { ...PAPER_AMENDS, ...(fields ? { fields } : {}) };
    const { rig, asked } = await started(has ? async () => ({ kind: 'done', state: STATE }) : null, amends);
    const message = expect.stringContaining(words);
    expect(await changed(rig, change)).toMatchObject([
      { outcome: { kind: 'rejected', code: 'AMEND', message } },
    ]);
    expect(asked).toEqual([]);
  });

  it('is refused while the account is not connected, and certainly not sent', async () => {
    const { rig, asked } = await line(async () => ({ kind: 'done', state: STATE }));
    rig.venue.open = () => Promise.reject(new Error('no route'));
    await rig.until(rig.core.start());
    expect(await changed(rig, { price: '1' })).toMatchObject([
      { outcome: { kind: 'rejected', reason: 'UNREACHED' } },
    ]);
    expect(asked).toEqual([]);
  });
});
