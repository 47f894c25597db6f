/**
 * An account that takes no entries now (R12), on the engine itself: runs that are started meanwhile, runs
 * that go on over a restart, each told once.
 */
import { describe, expect, it } from 'vitest';
import { BTC, ETH, SPOT } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const LEVELS = cells([
  ['90', '110'],
  ['80', '120'],
]);

/** An engine that has been started. */
function begun(): BotsBench {
  const b = new BotsBench();
  b.restart();
  return b;
}

const line = (b: BotsBench, up: boolean) => {
  b.bench.event({ type: 'link', exchange: SPOT, up, gap: false });
  b.obey();
};
const label = (b: BotsBench, runId: string) => b.engine.book.runs.get(runId)?.run.label();
/** Number of orders that the engine was asked to send so far. */
const sent = (b: BotsBench) => b.bench.engine.memory.orders.size;
const open = (b: BotsBench) => b.bench.engine.memory.openOn(SPOT, 'BTCUSDT');
const said = (b: BotsBench) => b.notices.map(({ text }) => text).filter((text) => text.startsWith('entries'));

describe('while the account has no connection', () => {
  it('a run that is started is paused from its start on, sends nothing, and enters when it is back', () => {
    const b = begun();
    b.tick('100', 1);
    line(b, false);
    const { runId } = b.started('CHANNEL', LEVELS);
    b.tick('100', 2);
    expect([label(b, runId), sent(b)]).toEqual(['paused', 0]);
    line(b, true);
    expect([label(b, runId), sent(b), open(b)]).toEqual(['working', 2, 2]);
  });

  it('what rests stays, a restart changes nothing of it, and nothing is sent twice when it is back', () => {
    const b = begun();
    const { runId } = b.started('CHANNEL', LEVELS);
    b.tick('100', 1);
    line(b, false);
    b.tick('99', 2);
    expect([label(b, runId), sent(b), open(b)]).toEqual(['paused', 2, 2]);
    b.restart(() => b.bench.event({ type: 'link', exchange: SPOT, up: false, gap: false }));
    b.tick('98', 3);
    expect([label(b, runId), open(b)]).toEqual(['paused', 2]);
    line(b, true);
    b.tick('97', 4);
    expect([label(b, runId), sent(b), open(b)]).toEqual(['working', 2, 2]);
  });

  it('each run is told once that it waits and once that it goes on, however often the account is looked at', () => {
    const b = begun();
    const noticeLevel = 3;
    b.started('CHANNEL', { ...LEVELS, noticeLevel });
    b.tick('100', 1);
    for (let n = 0; n < 2; n++) {
      line(b, false);
      for (const at of [2, 3, 4]) b.tick('99', 10 * n + at);
      line(b, false);
      line(b, true);
      line(b, true);
    }
    expect(said(b)).toEqual([
      expect.stringContaining('entries wait'),
      'entries go on',
      expect.stringContaining('entries wait'),
      'entries go on',
    ]);
  });
});

describe('what a run waits for may change meanwhile', () => {
  const list = (b: BotsBench, halt?: 'halted' | 'in a break') => {
    const btc = halt === undefined ? BTC : { ...BTC, halt };
    b.bench.event({ type: 'instruments', exchange: SPOT, instruments: [btc, ETH] });
    b.obey();
  };
  const waiting = () => {
    const b = begun();
    const { runId } = b.started('CHANNEL', { ...LEVELS, noticeLevel: 3 });
    b.tick('100', 1);
    return { b, now: () => [label(b, runId), open(b)] };
  };

  it('to another reason, which is told, once', () => {
    const { b, now } = waiting();
    for (const halt of ['halted', 'in a break', 'in a break', undefined, undefined] as const) list(b, halt);
    expect(said(b)).toEqual([
      'entries wait: paper-spot says that BTCUSDT is halted',
      'entries wait: paper-spot says that BTCUSDT is in a break',
      'entries go on',
    ]);
    expect(now()).toEqual(['working', 2]);
  });

  it('from the line to the symbol: only then its entries are taken back, and they come again at last', () => {
    const { b, now } = waiting();
    line(b, false);
    list(b, 'halted');
    b.tick('99', 2);
    expect(now()).toEqual(['paused', 2]);
    line(b, true);
    expect(now()).toEqual(['paused', 0]);
    list(b);
    expect(now()).toEqual(['working', 2]);
    expect(said(b)).toEqual([
      'entries wait: paper-spot has no connection',
      'entries wait: paper-spot says that BTCUSDT is halted',
      'entries go on',
    ]);
  });

  it('from the symbol to the line: what was taken back comes when both are there, whichever is first', () => {
    for (const isLineFirst of [true, false]) {
      const { b, now } = waiting();
      list(b, 'halted');
      expect(now()).toEqual(['paused', 0]);
      line(b, false);
      if (isLineFirst) line(b, true);
      else list(b);
      expect(now()).toEqual(['paused', 0]);
      if (isLineFirst) list(b);
      else line(b, true);
      expect(now()).toEqual(['working', 2]);
    }
  });
});

it('a run that has failed while it holds something is told as failed once, whatever is wrong after that', () => {
  const b = begun();
  const { id } = b.started('CHANNEL', LEVELS);
  b.tick('100', 1);
  const entry = [...b.bench.engine.memory.orders.values()].find(({ price }) => price === '90');
  if (!entry) throw new Error('no entry');
  b.bench.fill(b.bench.trade(entry, '1.111'));
  b.obey();
  const told: string[] = [];
  const hear = (event: Parameters<typeof b.bench.event>[0]) => {
    for (const effect of b.bench.event(event))
      if (effect.kind === 'bot-event' && effect.event === 'BOT_ERROR') told.push(effect.bot.id);
  };
  hear({ type: 'instruments', exchange: SPOT, instruments: [ETH] });
  expect([told, b.bots.get(id)?.status]).toEqual([[id], 'ERROR']);
  for (const up of [false, true, false, true]) hear({ type: 'link', exchange: SPOT, up, gap: false });
  expect(told).toEqual([id]);
});
