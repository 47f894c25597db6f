/**
 * The preview of a desk: ladders and replays in their own thread, one replay per token, aborted by the next
 * one.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { compileBot } from '../../src/bots/settings/compile.ts';
import type { BotSketch } from '../../src/desk/console/protocol.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import {
  createPreview,
  type Preview,
  type PreviewThread,
  type PreviewWorldOf,
} from '../../src/desk/preview/preview.ts';
import type { FromPreview, ToPreview } from '../../src/desk/preview/preview-messages.ts';
import { dec, ZERO } from '../../src/domain/decimal.ts';
import type { Candle } from '../../src/domain/rows.ts';
import { M, rules, squeeze, T, world } from '../bots/backtest/support.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const NOW = T + 10_000 * M + 30_000;
const SQUEEZE = squeeze() as BotSketch;

/** Candles of a price that falls by two and comes back, repeatedly. */
function candles(symbol: string, frameMs: number, from: number, to: number): Candle[] {
  if (symbol !== 'BTCUSDT') return [];
  const list: Candle[] = [];
  for (let time = Math.ceil(from / frameMs) * frameMs; time < to; time += frameMs)
    list.push({
      time,
      open: '100',
      high: '101',
      low: (time / frameMs) % 3 === 0 ? '98' : '99.5',
      close: '100',
      volume: '8',
    });
  return list;
}

function around(change: Partial<PreviewWorldOf> = {}): PreviewWorldOf & { asked: string[] } {
  const asked: string[] = [];
  const { accounts, targets } = world();
  return {
    asked,
    compile: ({ type, settings, options }) => compileBot(type, settings, options, { ...world(), now: NOW }),
    world: (exchange) => ({ now: NOW, accounts, targets, exchange, rules: [rules()] }),
    ground: () => ({
      rules: rules(),
      price: dec('100'),
      now: NOW,
      available: dec('100000'),
      base: ZERO,
      position: null,
      tiers: [],
      crossed: false,
      leverage: 1,
    }),
    market: () => 'paper',
    history: {
      frameMs: () => M,
      has: (_, symbol) => symbol === 'BTCUSDT',
      candles: (market, symbol, frameMs, from, to) => {
        asked.push(`${market} ${symbol} ${frameMs} ${(to - from) / frameMs}`);
        return candles(symbol, frameMs, from, to);
      },
    },
    marketTime: () => NOW,
    ...change,
  };
}

let preview: Preview | null = null;
afterEach(async () => {
  await preview?.close();
  preview = null;
});

describe('with its own thread', () => {
  it('lays out a bot by the runtime', async () => {
    preview = createPreview({ of: around(), clock: systemClock });
    const answer = await preview.ladder(SQUEEZE);
    expect(answer).toMatchObject({ ok: true, ladder: { entries: 1, worst: '999.999', price: '100' } });
  });

  it('replays the last candles of the bot’s frame, and asks for them once', async () => {
    const of = around();
    preview = createPreview({ of, clock: systemClock });
    const first = await preview.replay({ ...SQUEEZE, token: 'a' });
    expect(first).toMatchObject({
      done: 'played',
      frameMs: M,
      preview: { ok: true, candles: { count: 2_000, to: T + 10_000 * M }, figures: { winRate: '100' } },
    });
    const again = await preview.replay({ ...SQUEEZE, token: 'a' });
    expect(again).toEqual(first);
    expect(of.asked).toEqual(['paper BTCUSDT 60000 2500']);
    const few = await preview.replay({ ...SQUEEZE, token: 'a', candles: 50 });
    expect(few).toMatchObject({ preview: { candles: { count: 50 } } });
  });

  it('calls a replay off when the next one of the token comes', async () => {
    preview = createPreview({ of: around(), clock: systemClock });
    await preview.ladder(SQUEEZE);
    const first = preview.replay({ ...SQUEEZE, token: 'a', candles: 4_500 });
    const other = preview.replay({ ...SQUEEZE, token: 'b', candles: 100 });
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const second = preview.replay({ ...SQUEEZE, token: 'a', candles: 100 });
    expect(await first).toEqual({ done: 'cancelled' });
    expect(await second).toMatchObject({ done: 'played', preview: { candles: { count: 100 } } });
    expect(await other).toMatchObject({ done: 'played' });
  });

  it('says what is wrong with settings and candles', async () => {
    const of = around({ history: { frameMs: () => M, has: () => true, candles: () => [] } });
    preview = createPreview({ of, clock: systemClock });
    const bad = squeeze({ deposit: { value: 'x', asset: 'USDT' } }) as BotSketch;
    const text = 'deposit.value: must be a decimal above 0, got "x"';
    expect(await preview.ladder(bad)).toEqual({ ok: false, text });
    expect(await preview.replay({ ...bad, token: 'a' })).toEqual({ done: 'impossible', text });
    expect(await preview.replay({ ...SQUEEZE, token: 'a' })).toEqual({
      done: 'impossible',
      text: 'There are no candles of BTCUSDT yet.',
    });
  });
});

/** A thread that does what the test says. */
class FakeThread implements PreviewThread {
  readonly got: ToPreview[] = [];
  ended = false;
  #listen: (message: FromPreview) => void = () => {};

  postMessage(message: ToPreview): void {
    this.got.push(message);
  }

  on(event: string, listener: (message: never) => void): void {
    if (event === 'message') this.#listen = listener as (message: FromPreview) => void;
  }

  async terminate(): Promise<void> {
    this.ended = true;
  }

  say(message: FromPreview): void {
    this.#listen(message);
  }
}

describe('the thread', () => {
  function rig() {
    const threads: FakeThread[] = [];
    const clock = new VirtualClock();
    const made = createPreview({
      of: around(),
      clock,
      worker: () => {
        const thread = new FakeThread();
        threads.push(thread);
        return thread;
      },
    });
    preview = made;
    return { threads, clock, preview: made };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is started by the first question, and ended after two idle minutes', async () => {
    const { threads, clock, preview: own } = rig();
    expect(threads).toEqual([]);
    const asked = own.ladder(SQUEEZE);
    threads[0]?.say({ t: 'ladder', id: 1, answer: { ok: false, text: 'said' } });
    expect(await asked).toEqual({ ok: false, text: 'said' });
    await clock.advance(119_000);
    expect(threads[0]?.ended).toBe(false);
    await clock.advance(2_000);
    expect(threads[0]?.ended).toBe(true);
    void own.ladder(SQUEEZE);
    expect(threads).toHaveLength(2);
  });

  it('that hangs is given up, and another one is started', async () => {
    const { threads, clock, preview: own } = rig();
    const asked = own.ladder(SQUEEZE);
    await clock.advance(20_000);
    expect(await asked).toEqual({ ok: false, text: 'The orders of these settings cannot be laid out.' });
    expect(threads[0]?.ended).toBe(true);
    void own.ladder(SQUEEZE);
    expect(threads).toHaveLength(2);
  });

  it('is told to end a replay, whose progress is known until then', async () => {
    const { threads, preview: own } = rig();
    const asked = own.replay({ ...SQUEEZE, token: 'a' });
    await turn();
    await turn();
    threads[0]?.say({ t: 'progress', id: 1, done: 400, of: 2_000 });
    expect(own.progress('a')).toEqual({ done: 400, of: 2_000 });
    expect(own.progress('b')).toBeNull();
    own.end('a');
    expect(await asked).toEqual({ done: 'cancelled' });
    expect(threads[0]?.got.map(({ t }) => t)).toEqual(['replay', 'end']);
    expect(own.progress('a')).toBeNull();
  });

  it('that failed to play says so without what is internal', async () => {
    const { threads, preview: own } = rig();
    const asked = own.replay({ ...SQUEEZE, token: 'a' });
    await turn();
    await turn();
    threads[0]?.say({ t: 'failed', id: 1, message: 'x is undefined' });
    expect(await asked).toEqual({ done: 'impossible', text: 'These settings cannot be replayed.' });
  });

  it('gets candles that it does not have, and only those', async () => {
    const { threads, preview: own } = rig();
    const play = async (id: number) => {
      const asked = own.replay({ ...SQUEEZE, token: 'a' });
      await turn();
      await turn();
      threads[0]?.say({ t: 'replay', id, preview: null });
      await asked;
    };
    await play(1);
    await play(2);
    const tables = threads[0]?.got.flatMap((message) => (message.t === 'replay' ? message.tables : []));
    expect(tables?.map((table) => table.candles?.length ?? null)).toEqual([2_500, null]);
  });
});
