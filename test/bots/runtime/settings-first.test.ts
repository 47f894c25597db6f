/**
 * What a run on futures sets at the exchange before its first order: one setting after the other, again where
 * the answer is lost, and no order where it cannot be made (strategies.md 2, deposit; R12).
 */
import { describe, expect, it } from 'vitest';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { FUTURES, FUTURES_BTC } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const LOST: SettingOutcome = { kind: 'unknown', cause: 'HTTP 502' };
const DONE: SettingOutcome = { kind: 'done' };
const REFUSED: SettingOutcome = { kind: 'rejected', code: 'OTHER', message: 'not now' };

const at = (leverage: number, marginType?: string) =>
  cells(
    [
      ['90', '110'],
      ['80', '120'],
    ],
    {
      exchange: FUTURES,
      deposit: { value: '200', asset: 'USDT', leverage },
      ...(marginType ? { marginType } : {}),
    },
  );

/** `untold`: the exchange does not tell its leverage. It is 20, CROSSED. */
function desk(untold = false) {
  const caps = untold ? { leverageUntold: true as const } : {};
  const b = new BotsBench({ maxLeverage: () => 125 }, { futures: true, caps });
  b.restart();
  const asked: { id: string; what: string }[] = [];
  const hear = () => {
    for (const effect of b.bench.kinds('setting')) {
      if (effect.kind !== 'setting') continue;
      const { kind } = effect.setting;
      const value = 'leverage' in effect.setting ? effect.setting.leverage : '';
      asked.push({
        id: effect.id,
        what: `${kind} ${'marginType' in effect.setting ? effect.setting.marginType : value}`,
      });
    }
  };
  return {
    b,
    /** What has been set since the last call, with its id. */
    asked: () => asked.splice(0),
    start: (settings: object) => {
      const started = b.started('CHANNEL', settings);
      hear();
      return started;
    },
    done: (id: string, outcome: SettingOutcome) => {
      b.bench.event({ type: 'setting-done', id, outcome });
      hear();
      b.obey();
    },
    line: (up: boolean) => {
      b.bench.event({ type: 'link', exchange: FUTURES, up, gap: false });
      hear();
      b.obey();
    },
    orders: () =>
      [...b.bench.engine.memory.orders.values()].map(({ price, origQty }) => `${price} ${origQty}`),
  };
}

describe('before its first order', () => {
  it('a run sets its margin type, then its leverage, and enters when both are made', () => {
    const d = desk();
    d.b.tick('100', 1);
    d.start(at(5, 'ISOLATED'));
    const [type, ...more] = d.asked();
    expect([type?.what, more]).toEqual(['marginType ISOLATED', []]);
    d.b.tick('100', 2);
    d.done(type?.id ?? '', DONE);
    const [leverage] = d.asked();
    expect(leverage?.what).toBe('leverage 5');
    expect(leverage?.id).not.toBe(type?.id);
    // The answer of the first setting comes a second time.
    d.done(type?.id ?? '', DONE);
    d.b.tick('100', 3);
    expect([d.asked(), d.orders()]).toEqual([[], []]);
    d.done(leverage?.id ?? '', DONE);
    d.b.tick('100', 4);
    expect(d.orders()).toEqual(['90 5.555', '80 6.25']);
    expect(d.asked()).toEqual([]);
  });

  it('two runs on one symbol wait for their own settings', () => {
    const d = desk();
    d.b.tick('100', 1);
    const first = d.start(at(5));
    const [own] = d.asked();
    const second = d.start(at(5));
    const [other] = d.asked();
    expect([own?.what, other?.what, own?.id === other?.id]).toEqual(['leverage 5', 'leverage 5', false]);
    d.done(other?.id ?? '', DONE);
    d.b.tick('100', 2);
    expect(d.orders()).toHaveLength(2);
    const run = (runId: string) => d.b.engine.book.runs.get(runId)?.run.state.started;
    expect([run(first.runId), run(second.runId)]).toEqual([false, true]);
    d.done(own?.id ?? '', REFUSED);
    d.b.tick('100', 3);
    expect(d.orders()).toHaveLength(2);
    expect([d.b.bots.get(first.id)?.status, d.b.bots.get(second.id)?.status]).toEqual(['ERROR', 'STARTED']);
  });

  it.each([
    ['refused', REFUSED, 'not now'],
    ['lost', LOST, 'HTTP 502'],
  ])(
    'a setting that is %s ends the run as failed, without an order and with nothing kept',
    (_, outcome, why) => {
      const d = desk();
      d.b.tick('100', 1);
      const { id, runId } = d.start(at(5));
      const [set] = d.asked();
      d.done(set?.id ?? '', outcome);
      d.b.tick('100', 2);
      expect([d.orders(), d.asked()]).toEqual([[], []]);
      expect(d.b.bots.get(id)).toMatchObject({ status: 'ERROR', runId: null });
      expect(d.b.runs.get(runId)).toMatchObject({ reason: 'error', error: why, state: '' });
      expect(d.b.bench.engine.memory.account(FUTURES).wallet.reserved.size).toBe(0);
    },
  );

  it('nothing is set that is so already', () => {
    const d = desk();
    d.b.tick('100', 1);
    d.start(at(20, 'CROSSED'));
    d.b.tick('100', 2);
    expect([d.asked(), d.orders().length]).toEqual([[], 2]);
  });
});

describe('where the exchange does not tell its leverage', () => {
  it('each start sets it once, whatever it is thought to be', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    for (const count of [2, 4]) {
      d.start(at(20));
      const [set, ...more] = d.asked();
      expect([set?.what, more]).toEqual(['leverage 20', []]);
      d.done(set?.id ?? '', DONE);
      d.b.tick('100', count);
      expect([d.asked(), d.orders().length]).toEqual([[], count]);
    }
  });

  it('it is set four times at most where answers are lost, and then the run has failed', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    const { id } = d.start(at(20));
    const ids = new Set<string>();
    for (let n = 1; n <= 4; n++) {
      const [set, ...more] = d.asked();
      expect([n, set?.what, more]).toEqual([n, 'leverage 20', []]);
      ids.add(set?.id ?? '');
      d.done(set?.id ?? '', LOST);
    }
    expect([ids.size, d.asked(), d.orders()]).toEqual([4, [], []]);
    expect(d.b.bots.get(id)).toMatchObject({ status: 'ERROR', runId: null });
  });

  it('an answer that comes after one that was lost lets it enter, once', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    d.start(at(20));
    const [lost] = d.asked();
    d.done(lost?.id ?? '', LOST);
    const [again] = d.asked();
    d.done(again?.id ?? '', DONE);
    d.b.tick('100', 2);
    d.done(lost?.id ?? '', DONE);
    d.b.tick('100', 3);
    expect([d.asked(), d.orders()]).toEqual([[], ['90 22.222', '80 25']]);
  });

  it('a start waits while it cannot be set, and goes on by itself', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    d.line(false);
    const { id, runId } = d.start(at(20));
    d.b.tick('100', 2);
    expect([d.asked(), d.orders()]).toEqual([[], []]);
    expect(d.b.engine.book.runs.get(runId)?.run.label()).toBe('paused');
    d.line(true);
    const [set, ...more] = d.asked();
    expect([set?.what, more]).toEqual(['leverage 20', []]);
    // The line goes and comes while the setting is under way: it is not made a second time.
    d.line(false);
    d.line(true);
    expect(d.asked()).toEqual([]);
    d.done(set?.id ?? '', DONE);
    d.b.tick('100', 3);
    expect([d.asked(), d.orders().length, d.b.bots.get(id)?.status]).toEqual([[], 2, 'STARTED']);
    expect(d.b.engine.book.runs.get(runId)?.run.label()).not.toBe('paused');
  });

  it('a line that goes and comes while the second setting is under way starts nothing before its answer', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    d.line(false);
    d.start(at(20, 'ISOLATED'));
    const [type] = d.asked();
    expect(type?.what).toBe('marginType ISOLATED');
    d.done(type?.id ?? '', DONE);
    expect(d.asked()).toEqual([]);
    d.line(true);
    const [leverage] = d.asked();
    expect(leverage?.what).toBe('leverage 20');
    d.line(false);
    d.line(true);
    d.b.tick('100', 2);
    expect([d.asked(), d.orders()]).toEqual([[], []]);
    d.done(leverage?.id ?? '', DONE);
    d.b.tick('100', 3);
    expect([d.asked(), d.orders().length]).toEqual([[], 2]);
  });

  it('a start that waits fails when its symbol is not traded any more, and sets nothing', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    d.line(false);
    const { id } = d.start(at(20));
    const other = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };
    d.b.bench.event({ type: 'instruments', exchange: FUTURES, instruments: [other] });
    expect([d.b.bench.kinds('setting'), d.b.bots.get(id)?.status]).toEqual([[], 'STARTED']);
    d.line(true);
    expect(d.b.bots.get(id)).toMatchObject({ status: 'ERROR', runId: null });
    d.b.tick('100', 2);
    expect([d.asked(), d.orders()]).toEqual([[], []]);
  });

  it('a restart in between sets it anew before the first order', () => {
    const d = desk(true);
    d.b.tick('100', 1);
    d.start(at(20));
    d.asked();
    d.b.restart();
    const [effect, ...more] = d.b.bench.kinds('setting');
    expect([effect?.kind, more]).toEqual(['setting', []]);
    d.done(effect?.kind === 'setting' ? effect.id : '', DONE);
    d.b.tick('100', 2);
    expect(d.orders()).toEqual(['90 22.222', '80 25']);
  });
});
