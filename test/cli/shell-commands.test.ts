/**
 * The commands of the shell on a whole desk: what they print, what they leave unchanged, how they end, and
 * that the desk decides who may use them.
 */
import { describe, expect, it } from 'vitest';
import { cancelAll } from '../../src/cli/cancel-all.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import type { Shell } from '../../src/cli/light-desk.ts';
import { orders, positions } from '../../src/cli/listings.ts';
import { logs } from '../../src/cli/logs.ts';
import { type StatusReport, status } from '../../src/cli/status.ts';
import { stop } from '../../src/cli/stop.ts';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { LEVELS, openBots } from '../desk/integration/bots-rig.ts';
import { ok, openTestDesk, place, type TestDesk } from '../desk/integration/support.ts';

/** A shell. `typed`: what a person types when asked; left out: nobody is at the terminal. */
function shellOf({ desk, clock }: TestDesk, typed?: string) {
  const hub = createSessionHub({ desk, clock, report: () => {} });
  const said = { out: '', err: '', questions: [] as string[] };
  const shell: Shell = {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    ask:
      typed === undefined
        ? null
        : async (question) => {
            said.questions.push(question);
            return typed;
          },
    secret: null,
    connect: (_folder, how) => connectDirect(hub.accept, clock, how),
  };
  return { shell, said, hub };
}

const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function busy() {
  const r = await openBots(['100', '100', '100']);
  await r.started({ ...LEVELS, tag: 'grid' });
  await r.minutes(1);
  await place(r.t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '1' });
  await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '1' });
  await place(r.t, { side: 'SELL', type: 'STOP_MARKET', stopPrice: '80', quantity: '0.9' });
  await r.minutes(1);
  return r;
}

describe('outcry status', () => {
  it('tells how the desk stands, as text and as one JSON object of a stable form', async () => {
    const { t } = await busy();
    const { shell, said } = shellOf(t);
    expect(await status({ json: true }, shell)).toBe(0);
    const report = JSON.parse(said.out) as StatusReport;
    expect(Object.keys(report)).toEqual([
      'running',
      'dataDir',
      'version',
      'startedAt',
      'apiUrl',
      'wsUrl',
      'maintenance',
      'role',
      'clock',
      'vault',
      'equity',
      'accounts',
      'bots',
      'orders',
      'positions',
      'alerts',
    ]);
    expect(Object.keys(report.clock)).toEqual(['wall', 'market', 'feed', 'live', 'speed', 'held', 'ended']);
    const open = Object.values(t.desk.state().orders).filter(
      ({ status: one }) => one === 'NEW' || one === 'OPENED',
    );
    expect(report).toMatchObject({
      running: true,
      dataDir: t.dataDir,
      role: 'owner',
      bots: { all: 1, running: 1, failed: 0 },
      orders: { open: open.length, unresolved: 0 },
      vault: 'none',
    });
    expect(report.accounts[0]).toEqual({
      exchange: 'paper-spot',
      kind: 'spot',
      place: 'PAPER',
      link: 'up',
      problem: null,
      openOrders: open.length,
    });
    const text = shellOf(t);
    expect(await status({}, text.shell)).toBe(0);
    expect(text.said.out).toMatch(/^bots +1 of 1 running$/m);
    expect(text.said.out).toMatch(new RegExp(`^orders +${open.length} open`, 'm'));
  });

  it('says that no desk runs, with exit code 1', async () => {
    const { shell, said } = shellOf(await openTestDesk({ hold: true }));
    const none = { ...shell, connect: async () => null };
    expect(await status({ dataDir: '/x' }, none)).toBe(1);
    expect(await status({ dataDir: '/x', json: true }, none)).toBe(1);
    expect(said.out).toBe('no desk runs on /x: outcry serve starts one\n{"running":false,"dataDir":"/x"}\n');
  });

  it('shows nothing of a desk whose terminals are locked by a PIN', async () => {
    const t = await openTestDesk({ hold: true });
    ok((await t.desk.pin?.set('482910')) ?? { ok: true, data: null });
    const { shell, said } = shellOf(t);
    await expect(status({}, shell)).rejects.toThrow(/locked by a PIN/);
    await expect(orders({}, shell)).rejects.toThrow(/locked by a PIN/);
    expect(said.out).toBe('');
  });
});

describe('outcry orders and positions', () => {
  it('list what is open, of the accounts and symbols that are named', async () => {
    const { t } = await busy();
    const { shell, said } = shellOf(t);
    await orders({ json: true }, shell);
    const listed = jsonLines(said.out) as { id: string; symbol: string; createdAt: number }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(
      Object.values(t.desk.state().orders)
        .filter(({ status: one }) => one === 'NEW' || one === 'OPENED')
        .map(({ id }) => id)
        .sort(),
    );
    const table = shellOf(t);
    await orders({ symbol: ['BTCUSDT'] }, table.shell);
    expect(table.said.out.split('\n')[0]).toMatch(/^symbol +side +type +price/);
    expect(table.said.out).toMatch(/^BTCUSDT +BUY +LIMIT +50 /m);
    const none = shellOf(t);
    await orders({ exchange: ['paper-futures'] }, none.shell);
    await orders({ symbol: ['NOPE'], json: true }, none.shell);
    await positions({}, none.shell);
    expect(none.said.out).toBe('no open orders\nno open positions\n');
  });

  it('show positions with their sign as a side', async () => {
    const r = await openBots(['100']);
    const { t } = r;
    await r.minutes(1);
    await place(t, { exchange: 'paper-futures', side: 'SELL', type: 'MARKET', quantity: '1' });
    const { shell, said } = shellOf(t);
    await positions({}, shell);
    expect(said.out).toMatch(/^BTCUSDT +SHORT +1 /m);
    const lines = shellOf(t);
    await positions({ json: true }, lines.shell);
    expect(jsonLines(lines.said.out)).toEqual([
      expect.objectContaining({ symbol: 'BTCUSDT', exchange: 'paper-futures', amount: '-1' }),
    ]);
  });
});

describe('outcry cancel-all', () => {
  const open = ({ desk }: TestDesk) =>
    Object.values(desk.state().orders).filter(({ status: one }) => one === 'NEW' || one === 'OPENED');

  it('leaves out stops and orders of running bots unless they are asked for', async () => {
    const { t } = await busy();
    const before = open(t).length;
    const { shell, said } = shellOf(t);
    const first = cancelAll({ yes: true }, shell);
    await t.clock.settle();
    expect(await first).toBe(0);
    expect(said.err).toMatch(/1 protective stop left out: --stops/);
    expect(said.err).toMatch(/orders? of running bots left out: --bots/);
    expect(said.out).toMatch(/^done {4}BUY 1 BTCUSDT at 50: cancel/m);
    expect(said.out).toMatch(/^1 of 1 order cancelled$/m);
    expect(open(t).length).toBe(before - 1);
    const all = cancelAll({ yes: true, stops: true, bots: true }, shell);
    await t.clock.settle();
    expect(await all).toBe(0);
    expect(open(t).filter(({ type }) => type === 'STOP_MARKET')).toEqual([]);
  });

  it('needs the word with the count, and a terminal to type it at', async () => {
    const { t } = await busy();
    const before = open(t).length;
    expect(await cancelAll({}, shellOf(t, 'y').shell)).toBe(1);
    await expect(cancelAll({}, shellOf(t).shell)).rejects.toMatchObject({ exitCode: 2 });
    expect(open(t).length).toBe(before);
    const word = shellOf(t, 'cancel 1');
    const done = cancelAll({}, word.shell);
    await t.clock.settle();
    expect(await done).toBe(0);
    expect(word.said.questions[0]).toMatch(/About to cancel 1 order on paper-spot/);
  });

  it('is refused to a viewer by the desk, order by order said, with exit code 1', async () => {
    const { t } = await busy();
    const before = open(t).length;
    const { shell, said } = shellOf(t);
    expect(await cancelAll({ yes: true, role: 'viewer' }, shell)).toBe(1);
    expect(said.out).toMatch(/^FAILED {2}.*orders\.cancelAll needs the role operator; yours is viewer$/m);
    expect(open(t).length).toBe(before);
  });
});

describe('outcry logs', () => {
  it('prints the newest lines, and follows until nobody reads or the desk ends', async () => {
    const { t } = await openBots(['100']);
    const some = shellOf(t);
    expect(await logs({ lines: 1 }, some.shell)).toBe(0);
    expect(some.said.out.trim().split('\n')).toHaveLength(1);
    const { shell, said, hub } = shellOf(t);
    const reading = Promise.withResolvers<void>();
    const followed = logs({ follow: true, lines: 0, json: true }, shell, reading.promise);
    await t.clock.settle();
    expect(said.out).toBe('');
    for (const label of ['one', 'two']) {
      await t.call('keys.generate', { label, tier: 'read' });
      await t.clock.advance(1_000);
    }
    expect(jsonLines(said.out).map(({ text }) => text)).toEqual([
      expect.stringContaining('(one)'),
      expect.stringContaining('(two)'),
    ]);
    reading.resolve();
    expect(await followed).toBe(0);
    const other = logs({ follow: true }, shell, new Promise(() => {}));
    await t.clock.settle();
    hub.closeAll('stopped from a terminal');
    expect(await other).toBe(1);
    expect(said.err).toMatch(/the desk has ended: stopped from a terminal/);
  });
});

describe('outcry stop', () => {
  it('says what will rest, asks, and waits until the desk has ended its line', async () => {
    const { t } = await busy();
    const no = shellOf(t, 'y');
    expect(await stop({}, no.shell)).toBe(1);
    expect(no.said.questions[0]).toMatch(/1 bot rest.*orders at exchanges stay.*Type stop/);
    const { shell, said, hub } = shellOf(t);
    void t.desk.stopping.then(({ reason }) => hub.closeAll(reason));
    expect(await stop({ yes: true }, shell)).toBe(0);
    expect(said.out).toBe('the desk has stopped\n');
  });

  it('is refused by the desk to who may not, and the desk goes on', async () => {
    const t = await openTestDesk({ hold: true });
    const { shell, said } = shellOf(t);
    expect(await stop({ yes: true, role: 'operator' }, shell)).toBe(1);
    expect(said.err).toMatch(/not stopped: desk\.stop needs the role owner; yours is operator/);
    expect(await status({}, shell)).toBe(0);
  });
});

describe('the command line of these commands', () => {
  const parse = (text: string) => parseCommandLine(text.split(' '), '1');

  it('is read as settings', () => {
    expect(parse('logs -f --lines 3')).toEqual({ command: 'logs', settings: { follow: true, lines: 3 } });
    expect(parse('cancel-all --symbol BTCUSDT --symbol ETHUSDT --stops --yes')).toEqual({
      command: 'cancel-all',
      settings: { symbol: ['BTCUSDT', 'ETHUSDT'], stops: true, yes: true },
    });
    expect(parse('status --role viewer --json')).toMatchObject({ settings: { role: 'viewer', json: true } });
    expect(parse('doctor --json')).toMatchObject({ command: 'doctor', settings: { json: true } });
  });

  it.each([
    ['logs --lines 201', /--lines cannot be "201"/],
    ['logs --lines --follow', /--lines needs a value/],
    ['status --follow', /unknown option --follow/],
    ['orders now', /takes no arguments/],
    ['statu', /unknown command "statu"/],
  ])('that is wrong is refused with what is right: %s', (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });
});
