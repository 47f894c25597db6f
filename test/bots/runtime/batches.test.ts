/**
 * Batches on the engine itself (S8): each item has its own result, one that fails changes nothing for those
 * after it, and a batch that is wrong as a whole does nothing.
 */
import { describe, expect, it } from 'vitest';
import type { BotCommand } from '../../../src/domain/bot.ts';
import { SPOT } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const bot = (value: string) =>
  cells(
    [
      ['90', '110'],
      ['80', '120'],
    ],
    { deposit: { value, asset: 'USDT' } },
  );
type Result = { id: string; success: boolean; runId?: string; error?: { code: string; message: string } };

/** An account with 1,000 USDT. */
function desk() {
  const b = new BotsBench({}, { balances: [{ asset: 'USDT', free: '1000', locked: '0' }] });
  b.restart();
  b.tick('100', 1);
  const open = (id: string) =>
    [...b.bench.engine.memory.orders.values()].filter(
      ({ creatorId, phase }) => creatorId === id && phase !== 'done',
    ).length;
  return {
    b,
    open,
    batch: (command: BotCommand) => b.done<Result[]>(command),
    reserved: () =>
      Number((b.bench.engine.memory.account(SPOT).wallet.reserved.get('USDT')?.shown ?? 0n) / 10n ** 30n),
    /** Results in short. */
    words: (results: readonly Result[]) =>
      results.map(({ success, error }) => (success ? 'ok' : (error?.code ?? 'nothing'))),
  };
}

describe('a batch of starts', () => {
  it('spends the balance in order: what one has taken the next does not have, and a later one may fit again', () => {
    const d = desk();
    const ids = ['600', '500', '0', '300', '200'].map((value) => d.b.make('CHANNEL', bot(value)));
    const results = d.batch({ type: 'bot.batchStart', ids });
    expect(d.words(results)).toEqual(['ok', 'INVALID_REQUEST', 'INVALID_REQUEST', 'ok', 'INVALID_REQUEST']);
    expect(results.map(({ id }) => id)).toEqual(ids);
    expect(results[1]?.error?.message).toContain(
      'needs 500 USDT, 400 is available (600 reserved by other bots)',
    );
    expect(results[4]?.error?.message).toContain(
      'needs 200 USDT, 100 is available (900 reserved by other bots)',
    );
    expect([d.reserved(), d.b.engine.book.runs.size]).toEqual([900, 2]);
    const runIds = results.flatMap(({ runId }) => (runId === undefined ? [] : [runId]));
    expect(runIds).toEqual([...d.b.engine.book.runs.keys()]);
    d.b.tick('100', 2);
    expect(ids.map(d.open)).toEqual([2, 0, 0, 2, 0]);
    expect(ids.map((id) => d.b.bots.get(id)?.status)).toEqual(['STARTED', 'NEW', 'NEW', 'STARTED', 'NEW']);
    // What is free again may be taken.
    d.b.done({ type: 'bot.delete', id: ids[0] as string, force: true });
    d.b.obey();
    const again = d.batch({ type: 'bot.batchStart', ids: [ids[3], ids[1], ids[4]] as string[] });
    expect([d.words(again), d.reserved()]).toEqual([['CONFLICT', 'ok', 'ok'], 1000]);
  });

  it.each([
    ['none', 0],
    ['too many', 21],
    ['one twice', 2],
  ])('of %s is refused whole', (what, count) => {
    const d = desk();
    const id = d.b.make('CHANNEL', bot('100'));
    const ids = Array.from({ length: count }, (_, i) => (i === 0 || what === 'one twice' ? id : `b${i}`));
    const refused = d.b.ask({ type: 'bot.batchStart', ids });
    expect([refused.status, refused.message.startsWith('bots: ')]).toEqual([400, true]);
    expect([d.b.engine.book.runs.size, d.reserved()]).toEqual([0, 0]);
    expect(d.b.ask({ type: 'bot.batchDelete', ids }).status).toBe(400);
    const runs = ids.map((one) => [one, 'run'] as const);
    expect(d.b.ask({ type: 'bot.batchStop', runs, way: {} }).status).toBe(400);
    expect(d.b.bots.has(id)).toBe(true);
  });
});

describe('a batch of stops and of deletions', () => {
  function three() {
    const d = desk();
    const ids = ['100', '200', '300'].map((value) => d.b.make('CHANNEL', bot(value))) as [
      string,
      string,
      string,
    ];
    const runs = d.batch({ type: 'bot.batchStart', ids }).map(({ runId }) => runId) as [
      string,
      string,
      string,
    ];
    d.b.tick('100', 2);
    return { ...d, ids, runs };
  }

  it('stops those that it names by bot and run, waits for the last, and leaves the others', () => {
    const d = three();
    const [a, b, c] = d.ids;
    const token = d.b.send({
      type: 'bot.batchStop',
      runs: [
        [b, d.runs[1]],
        ['bnothing', d.runs[0]],
        [a, d.runs[2]],
      ],
      way: {},
    });
    expect([d.open(a), d.open(c), d.b.bench.isAnswered(token)]).toEqual([2, 2, false]);
    const orders = [...d.b.bench.engine.memory.orders.values()].filter(
      ({ cancel }) => cancel?.state === 'sent',
    );
    expect(orders.map(({ creatorId }) => creatorId)).toEqual([b, b]);
    d.b.bench.cancelDone(orders[0] as (typeof orders)[0]);
    expect(d.b.bench.isAnswered(token)).toBe(false);
    d.b.bench.cancelDone(orders[1] as (typeof orders)[0]);
    const results = d.b.bench.reply(token).order as unknown as Result[];
    expect(results.map(({ error }) => error?.message)).toEqual([
      undefined,
      'there is no bot bnothing',
      `bot ${a} has no run ${d.runs[2]} that goes on`,
    ]);
    expect(d.ids.map((id) => d.b.bots.get(id)?.status)).toEqual(['STARTED', 'STOPPED', 'STARTED']);
    expect(d.reserved()).toBe(400);
    // A run under the name of another bot is none, and one that has ended is over.
    for (const [id, runId] of [
      [a, d.runs[2]],
      [b, d.runs[1]],
    ] as const)
      expect(d.words(d.batch({ type: 'bot.batchStop', runs: [[id, runId]], way: {} }))).toEqual([
        'NOT_FOUND',
      ]);
    expect([d.open(a), d.open(c)]).toEqual([2, 2]);
  });

  it('deletes those that do not run', () => {
    const d = three();
    const [a, b, c] = d.ids;
    d.b.send({ type: 'bot.stop', id: b, runId: d.runs[1], way: {} });
    d.b.obey();
    const results = d.batch({ type: 'bot.batchDelete', ids: [a, b, 'bnothing', c] });
    expect(d.words(results)).toEqual(['CONFLICT', 'ok', 'NOT_FOUND', 'CONFLICT']);
    expect([...d.b.bots.keys()]).toEqual([a, c]);
    expect([d.open(a), d.open(c), d.reserved()]).toEqual([2, 2, 400]);
  });
});
