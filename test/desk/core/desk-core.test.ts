/**
 * What a desk's core is responsible for besides orders: keys, the log, failures of the store, whose
 * positions and dust are whose.
 */
import { describe, expect, it } from 'vitest';
import { exchangesWithPosition } from '../../../src/desk/core/futures-accounts.ts';
import type { Actor } from '../../../src/domain/actor.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { StoreError } from '../../../src/store/store.ts';
import { keyText } from '../../access/some-keys.ts';
import { deskOf, OtherVenue, place, within } from '../other-venue.ts';
import { LinkRig, positionOf } from './link-rig.ts';

const LOG_LINES = 200;
const full = () => new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });

function withKey(rig: LinkRig): { id: string; actor: Actor } {
  const settings = { label: 'bot', tier: 'trade', ipList: null, allowedExchanges: null } as const;
  const added = rig.core.keys.register(settings, keyText(3), rig.clock.wall());
  if (!added.ok) throw new Error(added.error.message);
  rig.core.turn.store(added.data.rows, true);
  const { id } = added.data.key;
  return { id, actor: { kind: 'key', user: 'owner', keyId: id, tier: 'trade', allowedExchanges: null } };
}

describe('a key', () => {
  const request = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: '50000',
    quantity: '0.01',
  } as const;

  // proves: D41
  it('that was revoked while its request waited changes nothing any more', async () => {
    const rig = await LinkRig.started();
    const { id, actor } = withKey(rig);
    rig.venue.openOrdersAre = rig.unanswered;
    rig.venue.sink?.stream('gap');
    const command = { type: 'place', request: { exchange: rig.venue.account.id, ...request } } as const;
    const waiting = rig.core.execute(actor, command, { requestId: 'r' });
    await rig.clock.settle();
    const revoked = rig.core.keys.revoke(id, rig.clock.wall());
    if (revoked.ok) rig.core.turn.store(revoked.data.rows, true);
    const answer = await rig.until(waiting);
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([401, 'INVALID_KEY']);
    expect(rig.orders).toEqual([]);
    expect(rig.venue.asked('submit')).toBe(0);
    const cancel = { type: 'cancel', exchange: rig.venue.account.id, id: 'none' } as const;
    expect((await rig.until(rig.core.execute(actor, cancel, { requestId: 'r' }))).status).toBe(401);
  });

  it('has its last uses stored by a clean stop', async () => {
    const rig = await LinkRig.started();
    const { id } = withKey(rig);
    for (let n = 0; n < 5; n++) {
      const row = rig.core.keys.touch(id, '10.0.0.1', rig.clock.wall());
      if (row) rig.core.turn.store([row], false);
    }
    await rig.until(rig.core.stop());
    expect(rig.store.load(0).keys).toMatchObject([{ id, counts: { total: 5 }, lastUsedFrom: '10.0.0.1' }]);
  });

  it('has its mark stored once: a request that changes nothing forces no commit after that', async () => {
    const rig = await LinkRig.started();
    const { id, actor } = withKey(rig);
    await rig.clock.settle();
    let commits = 0;
    const commit = rig.store.commit.bind(rig.store);
    rig.store.commit = (rows) => {
      commits += 1;
      commit(rows);
    };
    const refused = { type: 'cancel', exchange: rig.venue.account.id, id: 'none' } as const;
    rig.core.replayMarks.raise(id, 5_000);
    expect((await rig.until(rig.core.execute(actor, refused, { requestId: 'r' }))).status).toBe(404);
    expect([commits, rig.core.replayMarks.isUnstored(id)]).toEqual([1, false]);
    expect(rig.store.load(0).meta.get(`replay-mark/${id}`)).toBe(5_000);
    await rig.until(rig.core.execute(actor, refused, { requestId: 'r' }));
    expect(commits).toBe(1);
  });
});

describe('the log', () => {
  it('has the last 200 lines in memory, newest last', async () => {
    const rig = await LinkRig.started();
    for (let n = 0; n < LOG_LINES + 5; n++) rig.core.report('info', 'desk', `line ${n}`);
    expect(rig.core.log.map(({ text }) => text)).toEqual(
      Array.from({ length: LOG_LINES }, (_, n) => `line ${n + 5}`),
    );
  });

  it('of an earlier desk is there at a start, and not again when the store is read anew', async () => {
    const rig = await LinkRig.started();
    rig.core.report('warn', 'desk', 'said before');
    await rig.until(rig.core.stop());
    const again = new LinkRig('spot', 1, rig.store);
    await again.until(again.core.start());
    const commit = rig.store.commit;
    rig.store.commit = () => {
      rig.store.commit = commit;
      throw full();
    };
    const { engine } = again.core;
    await again.until(again.place());
    expect(again.core.engine).not.toBe(engine);
    expect(again.core.log.filter(({ text }) => text === 'said before')).toHaveLength(1);
  });
});

describe('a store that takes nothing', () => {
  async function failing() {
    const desk = deskOf([new OtherVenue()]);
    await within(desk.clock, 60_000, desk.core.start());
    await desk.clock.advance(60_000);
    const commit = desk.store.commit.bind(desk.store);
    return {
      ...desk,
      fail: async () => {
        desk.store.commit = () => {
          throw full();
        };
        void place(desk.core);
        await desk.clock.settle();
        desk.store.commit = commit;
      },
    };
  }

  it('ends the desk at the twenty-first time within ten seconds, and not at the twentieth', async () => {
    const { fail, fatal } = await failing();
    for (let n = 0; n < 20; n++) await fail();
    expect(fatal).toEqual([]);
    await fail();
    expect(fatal).toEqual([expect.stringContaining('the store keeps failing')]);
  });

  it('does not when ten seconds have passed since the first of them, however often that is', async () => {
    const { fail, fatal, clock } = await failing();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 20; n++) await fail();
      await clock.advance(10_000);
    }
    expect(fatal).toEqual([]);
  });
});

it('futures accounts with a position on a symbol are those of its market alone, each once', async () => {
  const venues = ['f1', 'f2', 'f3', 'f4'].map((id) => {
    const market = id === 'f3' ? 'live' : 'paper';
    const venue = Object.assign(new OtherVenue(id, 'futures'), {
      account: { id, name: id, kind: 'futures', market } as const,
    });
    return venue;
  });
  const spot = new OtherVenue('s1');
  const desk = deskOf([...venues, spot]);
  await within(desk.clock, 60_000, desk.core.start());
  const tell = (venue: OtherVenue | undefined, ...list: [string, string, 'BOTH' | 'LONG' | 'SHORT'][]) =>
    venue?.sink?.positions?.(
      list.map(([symbol, amount, side]) => ({ ...positionOf(symbol, amount, 1), side })),
    );
  tell(venues[0], ['BTCUSDT', '1', 'LONG'], ['BTCUSDT', '-1', 'SHORT']);
  tell(venues[1], ['ETHUSDT', '1', 'BOTH']);
  tell(venues[2], ['BTCUSDT', '1', 'BOTH']);
  const on = (market: string, symbol: string) => [
    ...exchangesWithPosition(desk.core.engine.memory, market, symbol),
  ];
  expect([on('paper', 'BTCUSDT'), on('paper', 'ETHUSDT'), on('live', 'BTCUSDT')]).toEqual([
    ['f1'],
    ['f2'],
    ['f3'],
  ]);
  expect(on('live', 'ETHUSDT')).toEqual([]);
});

// proves: S25
it('dust leaves out what bots of that account keep, and nothing that others do', async () => {
  const assets = ['AAA', 'BBB'].map((asset) => ({ asset }));
  const venues = ['s1', 's2'].map((id) =>
    Object.assign(new OtherVenue(id), {
      conversion: {
        list: async () => ({ assets }) as never,
        waitMs: () => 0,
        convert: async () => ({ kind: 'done' }) as const,
      },
    }),
  );
  const desk = deskOf(venues);
  await within(desk.clock, 60_000, desk.core.start());
  desk.core.engine.memory.account('s1').wallet.reserved.set('AAA', { shown: dec('1'), excess: dec('0') });
  expect(await desk.core.questions.dust('s1')).toEqual({ ok: true, data: { assets: [{ asset: 'BBB' }] } });
  expect(await desk.core.questions.dust('s2')).toEqual({ ok: true, data: { assets } });
  expect((await desk.core.questions.dust('none')).ok).toBe(false);
});
