/**
 * Bots when the store fails, when stored data is unreadable, and when settings are arbitrary: the desk goes
 * on and every request is answered.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Row } from '../../../src/domain/rows.ts';
import { BOT_TYPES } from '../../../src/schemas/bots/bot-type.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { type Store, StoreError } from '../../../src/store/store.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import { KINDS, settingsOf, typeOf } from '../../bots/settings/support.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, holding, temporaryFolder, until } from './support.ts';

/** A store of which the commits that `select` picks fail, once each time `select` is set. */
function failing() {
  const state: { select: ((rows: readonly Row[]) => boolean) | null } = { select: null };
  const openStore = (file: string): Store => {
    let rows: readonly Row[] = [];
    const opened = openSqliteStore(file, {
      beforeCommit: () => {
        if (!state.select?.(rows)) return;
        state.select = null;
        throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      },
    });
    const commit = opened.commit.bind(opened);
    opened.commit = (given) => {
      rows = given;
      commit(given);
    };
    return opened;
  };
  return { state, openStore };
}

/** A venue that refuses the next `refusals` cancels. */
function refusing() {
  const state = { refusals: 0 };
  const venues = holding((paper: Venue) => {
    const busy = {
      kind: 'rejected',
      reason: 'OVERLOADED',
      code: '-1',
      message: 'busy, says the test',
    } as const;
    const cancel = paper.cancel.bind(paper);
    const cancelAll = paper.cancelAll?.bind(paper);
    paper.cancel = async (ref) => (state.refusals-- > 0 ? busy : cancel(ref));
    if (cancelAll) paper.cancelAll = async (symbol) => (state.refusals-- > 0 ? busy : cancelAll(symbol));
  });
  return { state, ports: { venues } };
}

const hasRow = (kind: Row['kind']) => (rows: readonly Row[]) => rows.some((row) => row.kind === kind);
const endsRun = (rows: readonly Row[]) => rows.some((row) => row.kind === 'run' && row.run.endedAt !== null);

async function opened(prices: readonly string[] = ['100', '100', '89', '100']) {
  const { state, openStore } = failing();
  const r = await openBots(prices, { ports: { openStore } });
  await r.minutes(1);
  return { r, state };
}

// proves: rule idempotency-5xx, error SERVICE_UNAVAILABLE
it.each(['POST /bots', 'POST /bots/{id}/runs'])(
  'a %s that cannot be stored answers 503, does nothing, and is carried out when it comes again',
  async (route) => {
    const { r, state } = await opened();
    const bot = await r.make();
    const path = route === 'POST /bots' ? '/bots' : `/bots/${bot.id}/runs`;
    const body = route === 'POST /bots' ? LEVELS : undefined;
    const idempotencyKey = crypto.randomUUID();
    state.select = hasRow('bot');
    const failed = await r.ask('POST', path, body, { idempotencyKey });
    expect([failed.status, failed.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await r.done('GET', '/bots')).toEqual([bot]);
    expect(await r.open()).toEqual([]);
    const again = await r.ask('POST', path, body, { idempotencyKey });
    expect([again.status, again.headers['x-idempotent-replayed']]).toEqual([200, undefined]);
    expect(await r.done('GET', '/bots')).toHaveLength(route === 'POST /bots' ? 2 : 1);
  },
);

it('a stop that cannot be stored answers 503 and the run goes on', async () => {
  const { r, state } = await opened();
  const { id, runId } = await r.started();
  await r.minutes(1);
  state.select = hasRow('run');
  const failed = await r.ask('DELETE', `/bots/${id}/runs/${runId}`);
  expect([failed.status, failed.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(await r.bot(id)).toMatchObject({ status: 'STARTED', runId });
  expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
  expect((await r.done('DELETE', `/bots/${id}/runs/${runId}`)).status).toBe('STOPPED');
});

it.each([
  ['single', (id: string, runId: string) => [`/bots/${id}/runs/${runId}`, undefined] as const],
  ['batch', (id: string, runId: string) => ['/bots/batch/runs', { bots: [[id, runId]] }] as const],
])('a stop that waits is answered although a commit fails meanwhile: %s', async (_what, request) => {
  const { r, state } = await opened();
  const { id, runId } = await r.started();
  await r.minutes(3);
  await r.fault({ fault: 'delay', on: 'cancel', times: 6, ms: 3_000 });
  const [path, body] = request(id, runId);
  const idempotencyKey = crypto.randomUUID();
  const stopping = r.ask('DELETE', path, body, { idempotencyKey });
  await until(r.t, async () => (await r.bot(id)).state === 'stopped');
  state.select = hasRow('bot');
  expect((await r.ask('POST', '/bots', LEVELS)).status).toBe(503);
  expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'stopped' });
  const meanwhile = await r.ask('DELETE', path, body, { idempotencyKey });
  expect(meanwhile.error.code).toBe('IDEMPOTENCY_CONFLICT');
  await until(r.t, async () => (await r.bot(id)).status === 'STOPPED');
  const answer = await stopping;
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain(runId);
  expect((await r.ask('DELETE', path, body, { idempotencyKey })).text).toBe(answer.text);
  await r.t.clock.advance(10_000);
  expect(await r.open()).toEqual([]);
});

it('a stop whose end cannot be stored is answered when it can', async () => {
  const { r, state } = await opened();
  const { id, runId } = await r.started();
  await r.minutes(3);
  await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
  const stopping = r.ask('DELETE', `/bots/${id}/runs/${runId}`);
  await until(r.t, async () => (await r.bot(id)).state === 'stopped');
  state.select = endsRun;
  await until(r.t, async () => (await r.bot(id)).status === 'STOPPED');
  expect(state.select).toBeNull();
  const answer = await stopping;
  expect([answer.status, answer.data?.status]).toEqual([200, 'STOPPED']);
  await r.t.clock.advance(10_000);
  expect(await r.open()).toEqual([]);
});

// proves: D16, rule idempotency-replay
it.each(['single', 'batch'])(
  'a stop that was under way when the desk died is answered to who asks again with its key: %s',
  async (what) => {
    const { r } = await opened();
    const { id, runId } = await r.started();
    await r.minutes(3);
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    const path = what === 'single' ? `/bots/${id}/runs/${runId}` : '/bots/batch/runs';
    const bots = [
      [id, runId],
      ['bnothing', 'rnothing'],
    ];
    const body = what === 'single' ? undefined : { bots };
    const idempotencyKey = crypto.randomUUID();
    const stop = (rig = r) => rig.ask('DELETE', path, body, { idempotencyKey });
    const stopping = stop();
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    const dataDir = join(temporaryFolder(), 'died');
    cpSync(r.t.dataDir, dataDir, { recursive: true });
    rmSync(join(dataDir, 'outcry.lock'), { force: true });

    const again = await openBots([], { dataDir, clock: r.t.clock, feed: r.feed });
    await until(again.t, async () => (await again.bot(id)).status === 'STOPPED');
    const answer = await stop(again);
    expect([answer.status, answer.headers['x-idempotent-replayed']]).toEqual([200, 'true']);
    expect(answer.meta.idempotencyKey).toBe(idempotencyKey);
    expect(answer.data).toMatchObject(
      what === 'single'
        ? { id, runId, status: 'STOPPED', reason: 'operator', stoppedAt: expect.any(Number) }
        : [
            { id, runId, success: true, bot: { status: 'STOPPED' } },
            { success: false, error: { code: 'NOT_FOUND' } },
          ],
    );
    expect(await again.open()).toEqual([]);
    await r.t.clock.advance(3_000);
    await stopping;
  },
);

it('a run whose settings cannot be read any more ends in ERROR when the desk starts, its orders cancelled, be it at the second try', async () => {
  const { r } = await opened();
  const lost = await r.started({
    ...LEVELS,
    settings: { ...LEVELS.settings, deposit: { value: '400', asset: 'USDT' } },
  });
  const other = await r.started({
    ...LEVELS,
    settings: { ...LEVELS.settings, deposit: { value: '500', asset: 'USDT' } },
  });
  await r.minutes(1);
  expect(await r.open()).toHaveLength(4);
  await r.t.stop();
  const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
  const [run] = store.runs(lost.id, 1);
  if (!run) throw new Error('there is no run');
  store.commit([{ kind: 'run', run: { ...run, settings: { exchange: EXCHANGE, symbol: 5 } } }]);
  store.close();
  const { ports, state: venue } = refusing();
  venue.refusals = 1;
  const again = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed, ports });
  await again.t.clock.settle();
  expect(await again.open()).toHaveLength(3);
  await again.t.clock.advance(1_100);
  const bot = await again.bot(lost.id);
  expect(bot).toMatchObject({ status: 'ERROR', stats: { fills: 0 } });
  expect(bot).not.toHaveProperty('runId');
  expect(await again.bot(other.id)).toMatchObject({ status: 'STARTED', runId: other.runId });
  expect(await again.open()).toHaveLength(2);
  const detail = await again.t.call('bots.detail', { id: lost.id });
  expect(detail?.runs[0]).toMatchObject({
    reason: 'error',
    error: expect.stringContaining('the run cannot go on'),
  });
  await again.done('POST', `/bots/${lost.id}/runs`);
});

// proves: bot-rule creation
it('settings of any kind make a bot, and starting it is done or refused, never more', async () => {
  const r = await openBots(['100', '100', '98', '103', '90', '120']);
  await r.minutes(1);
  const junk = fc.dictionary(
    fc.constantFrom(
      ...[
        'symbol',
        'deposit',
        'channels',
        'price',
        'timeFrame',
        'stop',
        'orders',
        'range',
        'filters',
        'timeout',
        'levels',
      ],
      ...[
        'grid',
        'scale',
        'flavor',
        'trend',
        'takeProfits',
        'algo',
        'entry',
        'conditions',
        'notify',
        'short',
        'ticker',
      ],
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('0', '-1', '1e9', 0, -1, 1e21, '', null, [[]], { value: {} }),
    ),
  );
  const given = fc.oneof(
    fc.record({ type: fc.constantFrom(...BOT_TYPES), base: fc.constant({}), changes: junk }),
    fc.record({ kind: fc.constantFrom(...KINDS), changes: junk }).map(({ kind, changes }) => ({
      type: typeOf(kind),
      base: settingsOf(kind),
      changes,
    })),
  );
  await fc.assert(
    fc.asyncProperty(given, fc.jsonValue({ maxDepth: 1 }), async ({ type, base, changes }, option) => {
      const settings = { ...base, ...changes, exchange: EXCHANGE };
      const made = await r.ask('POST', '/bots', { type, settings, options: { restart: option } });
      if (made.status !== 200) {
        // An unknown key, or a nesting that is too deep.
        expect([made.status, made.error.code]).toEqual([400, 'INVALID_REQUEST']);
        return;
      }
      const { id } = made.data;
      const started = await r.ask('POST', `/bots/${id}/runs`);
      expect([200, 400]).toContain(started.status);
      if (started.status === 400)
        expect(started.error.message).not.toMatch(/undefined|\[object|NaN|function/);
      await r.t.call('feed.control', { action: 'step' });
      await r.done('DELETE', `/bots/${id}?force=true`);
      await r.t.clock.settle();
    }),
    { numRuns: 150 },
  );
  expect(await r.done('GET', '/bots')).toEqual([]);
  expect(await r.open()).toEqual([]);
});

// proves: bot-rule delete-running, bot run force
it.each([
  ['', false],
  [' by a desk that starts on what a death has left', true],
])(
  'a cancel that the exchange refuses after a bot was deleted by force is asked for again%s',
  async (_what, died) => {
    const { ports, state } = refusing();
    const first = await openBots(['100'], { ports });
    await first.minutes(1);
    const { id } = await first.started(LEVELS);
    await first.minutes(1);
    state.refusals = 3;
    await first.done('DELETE', `/bots/${id}?force=true`);
    await first.t.clock.settle();
    expect(await first.open()).toEqual(['BUY 80', 'BUY 90']);
    let last = first;
    if (died) {
      const dataDir = join(temporaryFolder(), 'died');
      cpSync(first.t.dataDir, dataDir, { recursive: true });
      rmSync(join(dataDir, 'outcry.lock'), { force: true });
      state.refusals = 3;
      last = await openBots([], { dataDir, clock: first.t.clock, feed: first.feed, ports });
    }
    await last.t.clock.advance(10_000);
    expect(state.refusals).toBeLessThan(0);
    expect(await last.open()).toEqual([]);
    await last.t.stop();
    const store = openSqliteStore(join(last.t.dataDir, 'outcry.db'));
    expect([store.runs(id, 1), store.notices(id, 1)]).toEqual([[], []]);
    store.close();
  },
);
