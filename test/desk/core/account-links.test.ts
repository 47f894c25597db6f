/**
 * Accounts that come, get another line and go while a desk with others runs: what is asked of which line, and
 * what a desk that loads its memory again still knows of them.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeadManCaps } from '../../../src/domain/dead-man.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { NO_GUARDS } from '../../../src/domain/guards.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { StoreError } from '../../../src/store/store.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { deskOf, type OtherDesk, OtherVenue, place, within } from '../other-venue.ts';

/** A venue that counts how often it was closed. */
class Line extends OtherVenue {
  closed = 0;
  onClose = async (): Promise<void> => {};

  override async close(): Promise<void> {
    this.closed += 1;
    await this.onClose();
  }
}

const NO_SETTINGS = { guards: null, rights: null } as never;

async function desk(...lines: OtherVenue[]): Promise<OtherDesk> {
  const made = deskOf(lines);
  onTestFinished(() => made.store.close());
  await within(made.clock, 60_000, made.core.start());
  for (const { calls } of lines) calls.length = 0;
  return made;
}

/** Has the engine loaded again, as after a commit that failed. */
async function reloaded({ core, store, clock }: OtherDesk): Promise<void> {
  const { engine } = core;
  const commit = store.commit.bind(store);
  store.commit = () => {
    store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  core.turn.commitSoon();
  await clock.settle();
  expect(core.engine).not.toBe(engine);
}

const accounts = ({ core }: OtherDesk) => [...core.engine.memory.accounts.keys()];

describe('another line of an account', () => {
  it('is asked everything from then on, the old one is closed and asked nothing, and the other account goes on', async () => {
    const [old, next, other] = [new Line('s1'), new Line('s1'), new Line('s2')];
    const made = await desk(old, other);
    await within(made.clock, 10_000, made.core.accounts.replace(next));
    expect([old.closed, next.closed, other.closed]).toEqual([1, 0, 0]);
    expect(next.calls).toEqual(expect.arrayContaining(['open', 'balances', 'openOrders']));
    expect((await within(made.clock, 10_000, place(made.core, 's1'))).status).toBe(200);
    expect((await within(made.clock, 10_000, place(made.core, 's2'))).status).toBe(200);
    expect([old.calls, next.calls.at(-1), other.calls]).toEqual([[], 'submit', ['submit']]);
    // What the old one still tells is not heard.
    old.sink?.balances([{ asset: 'USDT', free: '7', locked: '0' }]);
    old.sink?.stream('down');
    old.sink?.instruments?.(old.list.map((one) => ({ ...one, symbol: 'S9USDT' })));
    await made.clock.settle();
    expect(made.core.links.get('s1')?.state).toBe('up');
    const { link, instruments, wallet } = made.core.engine.memory.account('s1');
    expect([link.up, link.gap, instruments.get('BTCUSDT')?.delisted]).toEqual([true, false, undefined]);
    expect(wallet.balances.get('USDT')?.free).not.toBe(dec('7'));
    await within(made.clock, 10_000, made.core.stop());
    expect([old.closed, next.closed, other.closed]).toEqual([1, 1, 1]);
  });

  it('is what the account waits for: one that the old line opens too late opens nothing', async () => {
    const [old, next] = [new Line('s1'), new Line('s1')];
    const made = await desk(new Line('s1'));
    const opened = Promise.withResolvers<void>();
    old.onOpen = () => opened.promise;
    next.onOpen = () => Promise.reject(new Error('no route, says the test'));
    void made.core.accounts.replace(old);
    await made.clock.settle();
    await within(made.clock, 100, made.core.accounts.replace(next));
    opened.resolve();
    await made.clock.settle();
    const { status, body } = await within(made.clock, 100, place(made.core, 's1'));
    expect([status, body]).toEqual([503, expect.stringContaining('no route, says the test')]);
    expect(old.calls).toEqual(['open']);
  });

  it('that is made before the start is opened by it, once', async () => {
    const [old, next] = [new Line('s1'), new Line('s1')];
    const made = deskOf([old]);
    onTestFinished(() => made.store.close());
    await within(made.clock, 10_000, made.core.accounts.replace(next));
    expect(next.calls).toEqual([]);
    await within(made.clock, 60_000, made.core.start());
    expect([old.calls, next.calls.filter((call) => call === 'open')]).toEqual([[], ['open']]);
  });

  it('is the only one: when its account is removed, a desk that loads its memory again does not know it', async () => {
    const made = await desk(new Line('s1'), new Line('s2'));
    const next = new Line('s1');
    await within(made.clock, 10_000, made.core.accounts.replace(next));
    await reloaded(made);
    expect(accounts(made)).toEqual(['s1', 's2']);
    await within(made.clock, 10_000, made.core.accounts.leave('s1'));
    expect([[...made.core.links.keys()], next.closed]).toEqual([['s2'], 1]);
    const { status, body } = await within(made.clock, 100, place(made.core, 's1'));
    expect([status, body]).toEqual([400, expect.stringContaining('is not connected; connected: s2')]);
    await reloaded(made);
    expect(accounts(made)).toEqual(['s2']);
  });

  it('that hangs when the old one is closed is open all the same', async () => {
    const old = new Line('s1');
    old.onClose = () => new Promise(() => {});
    const made = await desk(old);
    await within(made.clock, 100, made.core.accounts.replace(new Line('s1')));
    expect(made.core.links.get('s1')?.away).toBeNull();
  });
});

describe('an account that is added', () => {
  it('is opened and compared, trades, and is still there when memory is loaded again', async () => {
    const made = await desk(new Line('s1'));
    const added = new Line('s2');
    added.onBalances = async () => [{ asset: 'USDT', free: '777', locked: '0' }];
    await within(made.clock, 10_000, made.core.accounts.join(added, NO_SETTINGS));
    expect(added.calls).toEqual(expect.arrayContaining(['open', 'balances', 'openOrders']));
    expect(made.core.engine.memory.account('s2').link).toMatchObject({ up: true, gap: false });
    expect((await within(made.clock, 10_000, place(made.core, 's2'))).status).toBe(200);
    await reloaded(made);
    expect(accounts(made)).toEqual(['s1', 's2']);
    expect((await within(made.clock, 10_000, place(made.core, 's2'))).status).toBe(200);
  });

  it('has what an owner gave with its keys stored before anything is asked of its exchange', async () => {
    const made = await desk(new Line('s1'));
    const added = new Line('s2');
    added.onOpen = () => new Promise(() => {});
    const guards = { ...NO_GUARDS, maxOrderValue: '500' };
    void made.core.accounts.join(added, { guards, rights: null } as never);
    await made.clock.settle();
    expect(added.calls).toEqual(['open']);
    expect(made.store.load(0).meta.get('guards s2')).toMatchObject({ maxOrderValue: '500' });
    const { status, body } = await within(made.clock, 100, place(made.core, 's2'));
    expect([status, body]).toEqual([503, expect.stringContaining('it is being connected')]);
  });

  it('is known while its exchange does not answer, and what is asked of it is refused until then', async () => {
    const made = await desk(new Line('s1'));
    const added = new Line('s2');
    const opened = Promise.withResolvers<void>();
    added.onOpen = () => opened.promise;
    const joined = made.core.accounts.join(added, NO_SETTINGS);
    await made.clock.settle();
    const { status, body } = await within(made.clock, 100, place(made.core, 's2'));
    expect([status, body]).toEqual([503, expect.stringContaining('it is being connected')]);
    opened.resolve();
    await within(made.clock, 1_000, joined);
    expect((await within(made.clock, 100, place(made.core, 's2'))).status).toBe(200);
  });
});

describe('an account that is removed', () => {
  it('keeps nobody waiting for longer than 5 s where its exchange does not answer, and is told at once', async () => {
    const gone = new Line('s1');
    gone.onClose = () => new Promise(() => {});
    const made = await desk(gone, new Line('s2'));
    let told = 0;
    made.core.onChange(({ kind }) => {
      if (kind === 'accounts') told += 1;
    });
    const from = made.clock.monotonic();
    await within(made.clock, 10_000, made.core.accounts.leave('s1'));
    expect(made.clock.monotonic() - from).toBe(5_000);
    expect(told).toBeGreaterThan(0);
  });

  it('whose line fails to close is gone, and the failure is told', async () => {
    const gone = new Line('s1');
    gone.onClose = () => Promise.reject(new Error('half open, says the test'));
    const made = await desk(gone);
    await within(made.clock, 100, made.core.accounts.leave('s1'));
    expect(made.core.log.at(-1)).toMatchObject({
      level: 'warn',
      text: 's1 was not closed: Error: half open, says the test',
    });
  });
});

describe('the dead-man switches of two accounts', () => {
  const CAPS: DeadManCaps = { form: 'account', leastSeconds: 10, mostSeconds: 120, source: 'the test' };

  async function switched() {
    const asked: string[] = [];
    const line = { arm: async (_id: string): Promise<SettingOutcome> => ({ kind: 'done' }) };
    const lines = ['s1', 's2'].map((id) => {
      const venue = new Line(id);
      const arm = ({ seconds }: { seconds: number }) => {
        asked.push(`${id} ${seconds}`);
        return line.arm(id);
      };
      return Object.assign(venue, { caps: { ...venue.caps, deadMan: CAPS }, deadMan: { arm } });
    });
    const made = await desk(...lines);
    for (const [exchange, deadManSeconds] of [
      ['s1', 20],
      ['s2', 40],
    ] as const) {
      const command = { type: 'guards', exchange, change: { deadManSeconds } } as const;
      await within(made.clock, 100, made.core.execute(OPERATOR, command, { requestId: 'r' }));
      expect((await within(made.clock, 100, place(made.core, exchange))).status).toBe(200);
    }
    expect(asked.splice(0)).toEqual(['s1 20', 's2 40']);
    return { ...made, lines, line, asked: () => asked.splice(0) };
  }

  it('are renewed each by its own length, and red each by itself', async () => {
    const { core, clock, line, asked } = await switched();
    line.arm = async (id) => (id === 's1' ? { kind: 'unknown', cause: 'no answer' } : { kind: 'done' });
    await clock.advance(10_000);
    expect(asked()).toEqual(['s1 20', 's2 40', 's1 20']);
    const failing = ['s1', 's2'].map((id) => core.accounts.deadMen.get(id)?.view?.failing);
    expect(failing).toEqual([true, false]);
  });

  it('are taken back for the accounts that are named, or for all of them', async () => {
    const one = await switched();
    await within(one.clock, 100, one.core.accounts.takeBack('the test says so', ['s2']) as Promise<unknown>);
    await one.clock.advance(10_000);
    expect(one.asked()).toEqual(['s2 0', 's1 20', 's1 20']);
    const all = await switched();
    await within(all.clock, 100, all.core.accounts.takeBack('the test says so') as Promise<unknown>);
    await all.clock.advance(60_000);
    expect(all.asked()).toEqual(['s1 0', 's2 0']);
  });

  it('are asked about no more once the account is removed, or the desk has stopped', async () => {
    const { core, clock, lines, asked } = await switched();
    const [order] = core.engine.memory.orders.values();
    const { id: clientId = '', symbol = '' } = order ?? {};
    const state = { clientId, symbol, origQty: '0.01', cumQty: '0', seq: 1_000_000, time: 0 };
    lines[0]?.sink?.order({ ...state, status: 'CANCELLED' });
    await within(clock, 100, core.accounts.leave('s1'));
    await clock.advance(10_000);
    expect(asked()).toEqual(['s2 40']);
    await within(clock, 10_000, core.stop());
    await clock.advance(60_000);
    expect([asked(), clock.pendingTimers]).toEqual([[], 0]);
  });
});
