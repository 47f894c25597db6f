/** The Bots screen at work: what it asks of the desk, what it keeps, and how it reports refusals. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { settingsLevels } from '../../../src/console/bots/bot-levels.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, botDesk, detailOf, figures, SQUEEZE_SETTINGS } from '../support/some-bots.ts';

const RIGHT = '\x1b[C';
const LEFT = '\x1b[D';
const DOWN = '\x1b[B';
const TAB = '\t';
const CTRL_U = '\x15';
const CTRL_Z = '\x1a';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const open = rigPerTest(botDesk);

const sent = (desk: FakeDesk, method: string) =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);
const selected = (screen: Rig) => screen.screenLines().find((line) => line.startsWith('▸'));
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

describe('the list', () => {
  it('keeps the cursor on its bot when others come, go and change places', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j');
    expect(selected(screen)).toContain('b8a2c4e');
    desk.push({
      bots: {
        bnewest0000: bot('bnewest0000', { status: 'ERROR' }),
        b2errorxxx0: null,
        b8a2c4e6g80: { ...(desk.state.bots.b8a2c4e6g80 ?? bot('x')), status: 'STOPPED', runId: undefined },
      },
    });
    await screen.shows('bnewest');
    expect(selected(screen)).toContain('b8a2c4e');
    desk.push({ bots: { b8a2c4e6g80: null } });
    await screen.until(() => !screen.screenText().includes('b8a2c4e'));
    expect(selected(screen)).toBeDefined();
  });

  it('sorts by what is asked for, and filters as one types', async () => {
    const screen = await open();
    await screen.press('3', 'o');
    expect(screen.screenText()).toContain('symbol ▼');
    await screen.press('o', 'o');
    expect(screen.screenText()).toContain('realised ▼');
    await screen.press('O');
    expect(screen.screenText()).toContain('realised ▲');
    await screen.press('O', 'o');
    expect(screen.screenText()).toMatch(/─ Bots ─+ by age ▼/);
    await screen.press('/', 'eth');
    expect(screen.screenText()).toContain('Bots matching "eth"');
    expect(screen.screenText()).not.toContain('XRPUSDT');
    await screen.press(ENTER, 'x');
    expect(screen.screenText()).toContain('Stop bot');
    await screen.press(ESC, ESC);
    expect(screen.screenText()).toContain('XRPUSDT');
    await screen.press('/', 'nothing', ENTER);
    expect(screen.screenText()).toContain('no bots match "nothing" · esc clears the filter');
  });

  it('marks what is to be done together, and shows the result of each', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'A', 'u', 'j', 'j', ' ', 'j', 'j', ' ');
    expect(screen.screenText()).toContain('2 marked');
    await screen.press('s');
    expect(screen.screenText()).toContain('1 already running');
    await screen.press(...'start 2', 'y');
    await screen.shows('1 of 2 started');
    expect(sent(desk, 'bots.batch')).toEqual([{ op: 'start', ids: ['b8a2c4e6g80', 'b4newbot000'] }]);
    expect(screen.screenText()).toMatch(/✗ {2}b8a2c4e .* is running already/);
    expect(screen.screenText()).toMatch(/✓ {2}b4newbo .* started/);
    await screen.press(ESC, 'x');
    await screen.shows('Stop 2 bots');
    await screen.press(CTRL_R, ...'stop 2', 'y');
    await screen.shows('2 of 2 stopped');
    expect(sent(desk, 'bots.batch')[1]).toEqual({
      op: 'stop',
      runs: [
        ['b8a2c4e6g80', 'run8a2c4e6'],
        ['b4newbot000', 'run-b4newbot000'],
      ],
      way: { cleanup: 'cancelAllOrders' },
    });
    await screen.press(ESC, ESC);
    expect(screen.screenText()).not.toContain('marked');
  });

  // proves: bot decided batch
  it('asks for no more than twenty bots at a time', async () => {
    const bots = Object.fromEntries(
      Array.from({ length: 45 }, (_, at) => bot(`bmany${String(at).padStart(6, '0')}`)).map((one) => [
        one.id,
        one,
      ]),
    );
    const desk = botDesk({ bots });
    const screen = await open(desk);
    await screen.press('3', 'A', 'd', ...'delete 45', 'y');
    await screen.shows('45 of 45 deleted');
    const asked = sent(desk, 'bots.batch') as { ids: string[] }[];
    expect(asked.map(({ ids }) => ids.length)).toEqual([20, 20, 5]);
    expect(new Set(asked.flatMap(({ ids }) => ids)).size).toBe(45);
    await screen.press(ESC);
    expect(screen.screenText()).toContain('no bots · n writes one');
  });

  it('a batch that is refused as a whole has failed for each', async () => {
    const desk = botDesk();
    desk.answers['bots.batch'] = () => refuse('SERVICE_UNAVAILABLE', 'the store does not take it');
    const screen = await open(desk);
    await screen.press('3', 'A', 's', ...'start 6', 'y');
    await screen.shows('0 of 6 started');
    expect(screen.screenText().match(/the store does not take it/g)).toHaveLength(6);
  });

  it('deletes running ones by force, each by itself, the rest together', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', ' ', 'j', 'j', 'j', ' ', 'd');
    expect(screen.screenText()).toContain('1 of them are stopped first');
    await screen.press(...'delete 2', 'y');
    await screen.shows('2 of 2 deleted');
    expect(sent(desk, 'bots.delete')).toEqual([{ id: 'b1alarm00x0', force: true }]);
    expect(sent(desk, 'bots.batch')).toEqual([{ op: 'delete', ids: ['b4newbot000'] }]);
  });
});

describe('the detail', () => {
  it('is asked for again when the bot moves, and shows the newest answer', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER, 'v', 'v');
    await screen.shows('bought 0.00327');
    const before = sent(desk, 'bots.detail').length;
    desk.answers['bots.detail'] = ({ id }) => {
      const found = detailOf(desk.state.bots[id] ?? bot(id), {});
      return { ...found, notices: found.notices.map((notice) => ({ ...notice, text: 'sold it all' })) };
    };
    desk.push({ bots: { b7f3k2m9q10: { ...(desk.state.bots.b7f3k2m9q10 ?? bot('x')), state: 'waiting' } } });
    await screen.shows('sold it all');
    expect(sent(desk, 'bots.detail').length).toBe(before + 1);
  });

  it('is not asked for with every price that moves the profit, and again after five seconds', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.until(() => /log \d/.test(screen.screenText()));
    const asked = () => sent(desk, 'bots.detail').length;
    const before = asked();
    const worth = async (unrealised: string) => {
      const stats = figures({ unrealised });
      desk.push({ bots: { b7f3k2m9q10: { ...(desk.state.bots.b7f3k2m9q10 ?? bot('x')), stats } } });
      await screen.shows(unrealised);
    };
    await worth('+1.50');
    await worth('+2.50');
    expect(asked()).toBe(before);
    // The message names the bot without a changed field: one of its rules may have changed.
    desk.push({ bots: { b7f3k2m9q10: { ...(desk.state.bots.b7f3k2m9q10 ?? bot('x')) } } });
    await screen.until(() => asked() === before + 1);
    screen.time.now += 5_000;
    await worth('+3.50');
    await screen.until(() => asked() === before + 2);
  });

  it('asks one question at a time however fast the bot moves', async () => {
    const desk = botDesk();
    const waiting: (() => void)[] = [];
    desk.answers['bots.detail'] = ({ id }) =>
      new Promise((resolve) =>
        waiting.push(() => resolve(detailOf(desk.state.bots[id] ?? bot(id), desk.state.orders))),
      );
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.shows('loading');
    for (let at = 1; at <= 5; at++) {
      const stats = figures({ realised: `1${at}` });
      desk.push({ bots: { b7f3k2m9q10: { ...(desk.state.bots.b7f3k2m9q10 ?? bot('x')), stats } } });
      await screen.shows(`+1${at}.00`);
    }
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await screen.until(() => waiting.length === 2);
    waiting[1]?.();
    await screen.settle();
    expect(waiting).toHaveLength(2);
  });

  it('takes candles long enough for the run, and longer ones where the feed has no others', async () => {
    const desk = botDesk();
    const frames: number[] = [];
    desk.answers['market.candles'] = ({ frameMs }) => {
      frames.push(frameMs / 60_000);
      return frameMs < 3_600_000
        ? []
        : [{ time: 0, open: '1', high: '2', low: '1', close: '2', volume: '1' }];
    };
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.shows('candles of 1 h');
    expect(frames).toEqual([3, 5, 15, 30, 60]);
  });

  it('says that a link is down, and when a bot starts again', async () => {
    const desk = botDesk();
    const [spot, futures] = desk.state.accounts;
    if (!spot || !futures) throw new Error('no accounts');
    const stopped = {
      ...(desk.state.bots.b3stopped00 ?? bot('x')),
      restartAt: desk.state.clock.market + 45_000,
    };
    desk.push({ accounts: [{ ...spot, link: 'down' }, futures], bots: { b3stopped00: stopped } });
    const screen = await open(desk);
    await screen.press('3', 'G', ENTER);
    await screen.shows('paper-spot: the link is down, figures may be old');
    expect(screen.screenText()).toMatch(/starts again in 4\d s of market time/);
  });

  it('draws the levels that the settings name', () => {
    const levels = (type: Parameters<typeof settingsLevels>[0]['type'], settings: Record<string, unknown>) =>
      settingsLevels({ type, settings }, 1_500).map(({ price, name }) => `${name} ${price}`);
    expect(levels('INTRADAY', { trend: { '1000': '100', '2000': 110 } })).toEqual(['level 105']);
    expect(levels('ALARM', { range: { trend: { '1': 5, '2': 5 } } })).toEqual(['alarm 5']);
    expect(
      levels('FIBO', {
        channels: [
          { name: '0', fiboPrice: '100' },
          { name: '0.5' },
          { name: '1', fiboPrice: 200 },
          { name: 'x' },
        ],
      }),
    ).toEqual(['0 100', '0.5 150', '1 200']);
    expect(
      levels('CHANNEL', {
        grid: { low: '1', high: '2' },
        levels: [{ buy: '3', sell: '4' }],
        stopBelow: '0.5',
      }),
    ).toEqual(['high 2', 'low 1', 'buys 3', 'sells 4', 'ends 0.5']);
    expect(levels('INTRADAY', { trend: { a: '1', b: '2' } })).toEqual([]);
    expect(levels('ALARM', { range: 'x' })).toEqual([]);
  });
});

describe('a new bot', () => {
  it('is made of a template after a look, and stands under the cursor', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'N', LEFT);
    await screen.shows('"type": "CHANNEL"');
    await screen.press(CTRL_R);
    await screen.shows('y create this bot');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.shows('created CHANNEL bnew000; s starts it');
    expect(sent(desk, 'bots.create')).toMatchObject([
      { bot: { type: 'CHANNEL', settings: { exchange: 'paper-spot', flavor: 'GRID' } } },
    ]);
    await screen.until(() => selected(screen)?.includes('bnew000') === true);
    expect(screen.screenText()).not.toContain('template');
  });

  it('is checked while it is written, each remark beside its line', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'N', TAB, TAB, CTRL_U);
    await screen.shows('nothing written yet');
    await screen.press('{', ENTER, '"type": "SQUEEZE",', ENTER, '"settings": {"exchange": "paper-spot"');
    await screen.shows('"," or "}" expected, found the end');
    await screen.press('}', '}');
    await screen.shows('deposit: missing');
    expect(screen.screenText()).toMatch(/3✗ "settings"/);
    await screen.press(CTRL_Z, CTRL_Z);
    await screen.shows('found the end');
  });

  it('with problems can be made all the same: they only keep it from starting', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'N', TAB, paste('{"type":"SQUEEZE","settings":{"exchange":"paper-spot"}}'));
    await screen.shows('deposit: missing');
    await screen.press(CTRL_R);
    await screen.shows('With these settings it would not start');
    await screen.press('y');
    await screen.shows('created SQUEEZE');
  });

  it('comes from a file whose path is written, with its line of error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outcry-bot-'));
    folders.push(folder);
    const good = join(folder, 'good.json');
    writeFileSync(good, JSON.stringify({ type: 'SQUEEZE', settings: SQUEEZE_SETTINGS, tag: 'from a file' }));
    const screen = await open();
    await screen.press('3', 'N', TAB, join(folder, 'none.json'), ENTER);
    await screen.shows('there is no such file');
    await screen.press(CTRL_U, folder, ENTER);
    await screen.shows('is not a file');
    await screen.press(CTRL_U, good, ENTER);
    await screen.shows('line 1 of 19');
    await screen.press(CTRL_R);
    await screen.shows('SQUEEZE from a file');
  });

  it('takes JSON that is pasted where the path is asked for, line ends and all', async () => {
    const screen = await open();
    const text = JSON.stringify({ type: 'ALARM', settings: { exchange: 'paper-spot', deposit: 1 } }, null, 2);
    await screen.press('3', 'N', TAB, paste(text.replaceAll('\n', '\r\n')));
    await screen.shows('"type": "ALARM",');
    expect(screen.screenText()).toContain(`line 1 of ${text.split('\n').length}`);
    await screen.press('\x1b[F', paste(' \x1b[2Jx'));
    expect(screen.screenText()).toContain('{ [2Jx');
  });

  it('keeps what is written: another template, and leaving, ask first', async () => {
    const screen = await open();
    await screen.press('3', 'N', TAB, TAB, DOWN, '  ', '\x1b[Z', '\x1b[Z', RIGHT);
    await screen.shows('what is written stays');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('esc again leaves what is written behind');
    await screen.press(TAB, TAB, 'x', ESC);
    expect(screen.screenText()).toContain('esc again');
    await screen.press(ESC);
    expect(screen.screenText()).not.toContain('New bot');
    await screen.press('N', ESC);
    expect(screen.screenText()).not.toContain('New bot');
  });

  it('keeps the text with the reason when it is refused', async () => {
    const desk = botDesk();
    desk.answers['bots.create'] = () => refuse('SERVICE_UNAVAILABLE', 'the store is full');
    const screen = await open(desk);
    await screen.press('3', 'N', CTRL_R);
    await screen.shows('y create this bot');
    await screen.press('y');
    await screen.shows('refused: the store is full');
    expect(screen.screenText()).toContain('"type": "SQUEEZE"');
  });

  it('can be a clone', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 'c');
    await screen.shows('Clone of dip buyer, SQUEEZE BTCUSDT');
    await screen.shows('✓ checked');
    await screen.press(CTRL_R);
    await screen.shows('y create this bot');
    await screen.press('y');
    await screen.shows('created');
    expect(sent(desk, 'bots.create')).toEqual([
      { bot: { type: 'SQUEEZE', settings: SQUEEZE_SETTINGS, tag: 'dip buyer' } },
    ]);
  });

  it('goes from problem to problem', async () => {
    const desk = botDesk();
    desk.answers['bots.check'] = () => ({
      problems: [
        { path: 'deposit.value', message: 'too much' },
        { path: 'price.percent.buy', message: 'too little' },
      ],
      warnings: [],
      text: '',
    });
    const screen = await open(desk);
    await screen.press('3', 'N', TAB, TAB);
    await screen.shows('too little');
    await screen.press('\x0e');
    await screen.shows('line 7 of');
    await screen.press('\x0e');
    await screen.shows('line 8 of');
    await screen.press('\x0e');
    await screen.shows('line 7 of');
  });
});

describe('starting', () => {
  // proves: endpoint POST /bots/{id}/runs
  it('looks at the settings first and says what stands against them', async () => {
    const desk = botDesk();
    desk.push({
      bots: {
        b2errorxxx0: { ...(desk.state.bots.b2errorxxx0 ?? bot('x')), settings: { exchange: 'paper-spot' } },
      },
    });
    const screen = await open(desk);
    await screen.press('3', 's');
    await screen.shows('✗ deposit: missing');
    expect(desk.acting).toEqual([]);
    await screen.press(ESC, 'G', 's');
    await screen.shows('y start this bot');
    await screen.press('y');
    await screen.shows('grid XRPUSDT started, run run-b3stopped00');
  });

  it.each(['the list of orders', 'a question'] as const)(
    'asks nothing when the look at the settings comes back to %s',
    async (place) => {
      const desk = botDesk();
      const { promise, resolve } = Promise.withResolvers<void>();
      const whole = { problems: [], warnings: [], text: '' };
      desk.answers['bots.check'] = () => promise.then(() => whole) as never;
      const screen = await open(desk);
      await screen.press('3', 'G', 's');
      await screen.until(() => sent(desk, 'bots.check').length === 1);
      await screen.press(...(place === 'a question' ? ['d'] : ['2']));
      const before = screen.session.ui.getState();
      resolve();
      await screen.settle();
      const { dialogs, screen: shown } = screen.session.ui.getState();
      expect([dialogs.length, shown]).toEqual([before.dialogs.length, before.screen]);
      expect([dialogs.length, shown]).toEqual(place === 'a question' ? [1, 'bots'] : [0, 'orders']);
    },
  );

  it('shows a long refusal whole, one thing a line', async () => {
    const desk = botDesk();
    desk.answers['bots.start'] = () =>
      refuse(
        'INVALID_REQUEST',
        'insufficient balance: the bot needs 500 USDT, 320.5 is available (200 reserved by other bots); channel 0.236: order of 8.00 USDT is below the exchange minimum of 10 USDT',
      );
    const screen = await open(desk);
    await screen.press('3', 'G', 's');
    await screen.shows('y start this bot');
    await screen.press('y');
    await screen.shows('grid does not start');
    expect(screen.screenText()).toContain('✗ insufficient balance');
    expect(screen.screenText()).toContain('✗ channel 0.236');
  });

  it('does not start twice', async () => {
    const screen = await open();
    await screen.press('3', 'j', 's');
    expect(screen.screenText()).toContain('SOL breaks out is running already');
  });
});

describe('stopping and deleting', () => {
  it('asks with the clean-up, the action and force that were chosen', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 'x');
    await screen.shows('2: SELL 0.00327 at 61,500.00, BUY 0.00330 at 60,100.00');
    await screen.press(RIGHT);
    expect(screen.screenText()).toContain('1: BUY 0.00330');
    expect(screen.screenText()).toMatch(/stay +1: SELL 0\.00327/);
    await screen.press(TAB, RIGHT);
    await screen.shows('entry 61,120.40');
    expect(screen.screenText()).toMatch(/sold +200\.24 at 61,234\.10, PnL -3\.21 before the fee/);
    await screen.press(TAB, RIGHT, TAB, ENTER);
    await screen.shows('type sell BTCUSDT');
    await screen.press(...'sell BTCUSDT', 'y');
    await screen.shows('dip buyer BTCUSDT: STOPPED, operator');
    expect(sent(desk, 'bots.stop')).toEqual([
      {
        id: 'b7f3k2m9q10',
        runId: 'run7f3k2m9',
        way: { cleanup: 'cancelBuyOrders', action: 'stop_and_sell', force: true },
      },
    ]);
  });

  it('cannot be confirmed before it is known what is sold', async () => {
    const desk = botDesk();
    const detail = desk.answers['bots.detail'];
    desk.answers['bots.detail'] = () => new Promise(() => {});
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 'x', CTRL_R);
    await screen.shows('still asking what it holds; press again');
    expect(screen.screenText()).toContain('asking …');
    desk.answers['bots.detail'] = detail;
    await screen.press(CTRL_R);
    await screen.shows('entry 61,120.40');
    await screen.press(CTRL_R);
    await screen.shows('y stop this bot');
  });

  it('a slow stop can be left alone, and closes nothing else when it is done', async () => {
    const desk = botDesk();
    let done = () => {};
    desk.answers['bots.stop'] = ({ id, runId }) =>
      new Promise((resolve) => {
        done = () =>
          resolve({ ok: true, data: { id, status: 'STOPPED', runId, stoppedAt: 0, reason: 'operator' } });
      });
    const screen = await open(desk);
    await screen.press('3', 'j', 'x', CTRL_R);
    await screen.shows('y stop this bot');
    await screen.press('y');
    await screen.shows('at work');
    await screen.press(ESC, ESC, 'd');
    await screen.shows('type delete b1alarm');
    done();
    await screen.shows('STOPPED, operator');
    expect(screen.screenText()).toContain('type delete b1alarm');
  });

  it('says so when there is nothing to stop, and when a stop is refused', async () => {
    const desk = botDesk();
    desk.answers['bots.stop'] = () => refuse('NOT_FOUND', 'bot x has no run y that goes on');
    const screen = await open(desk);
    await screen.press('3', 'x');
    expect(screen.screenText()).toContain('nothing to stop: no bot runs here');
    await screen.press('j', 'x', CTRL_R);
    await screen.shows('y stop this bot');
    await screen.press('y');
    await screen.shows('not stopped: bot x has no run y that goes on');
    expect(screen.screenText()).toContain('▸ orders');
  });

  it('deletes by the word, one that runs with force', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'd', ...'delete b1alarm', 'y');
    await screen.shows('SOL breaks out SOLUSDT deleted');
    expect(sent(desk, 'bots.delete')).toEqual([{ id: 'b1alarm00x0', force: true }]);
  });
});

describe('stop rules of a running bot', () => {
  // proves: endpoint POST /bots/{id}/runs/{runId}/message
  it('are added after y', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press(
      '3',
      'j',
      'j',
      'j',
      'r',
      TAB,
      RIGHT,
      TAB,
      RIGHT,
      TAB,
      '59500',
      TAB,
      RIGHT,
      RIGHT,
      CTRL_R,
    );
    await screen.shows('y add this rule');
    expect(screen.screenText()).toContain('fixed 59500, looked at by the exchange');
    await screen.press('y');
    await screen.shows('stop rule added');
    expect(sent(desk, 'bots.message')).toEqual([
      {
        id: 'b7f3k2m9q10',
        runId: 'run7f3k2m9',
        message: 'add_stoploss',
        params: {
          strategy: 'fixed',
          trigger: { type: 'exchange', closed: false },
          order: { type: 'STOP_MARKET', stopPrice: '59500' },
          complete: true,
          disabled: false,
        },
      },
    ]);
  });

  it('are changed with their values in the form, and deleted', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 'r', RIGHT);
    await screen.shows('1 of 2');
    await screen.press(TAB, TAB);
    expect(screen.screenText()).toMatch(/▸ value +2 /);
    await screen.press('\x7f', '3', CTRL_R);
    await screen.shows('y change this rule');
    await screen.press('y');
    await screen.shows('stop rule changed');
    await screen.press('r', RIGHT, RIGHT);
    await screen.shows('1 of 2');
    await screen.press(TAB, RIGHT, CTRL_R);
    await screen.shows('y delete this rule');
    await screen.press('y');
    await screen.shows('stop rule deleted');
    const [changed, deleted] = sent(desk, 'bots.message') as { message: string; params: unknown }[];
    expect(changed).toMatchObject({ message: 'update_stoploss', params: { trigger: { value: '3' } } });
    expect(deleted).toMatchObject({ message: 'delete_stoploss', params: { strategy: 'trailing' } });
  });

  // proves: bot command fired
  it('keep the form with the desk’s words when they are refused', async () => {
    const desk = botDesk();
    desk.answers['bots.message'] = () =>
      refuse('INVALID_REQUEST', 'the stop has already fired: price 95.20 is below 96.00');
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 'r', TAB, TAB, TAB, '1', CTRL_R);
    await screen.shows('y add this rule');
    await screen.press('y');
    await screen.shows('refused: the stop has already fired');
    expect(screen.screenText()).toContain('the stop has already fired: price 95.20 is below 96.00');
    expect(screen.screenText()).toContain('▸ value');
  });

  it('need a run that trades', async () => {
    const screen = await open();
    await screen.press('3', 'r');
    expect(screen.screenText()).toContain('this one does not run');
    await screen.press('j', 'r');
    expect(screen.screenText()).toContain('ALARM has no stop rules: it does not trade');
  });
});

describe('a tag', () => {
  it('is given at once, with what it was before', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', 't', CTRL_U, 'deep water', CTRL_R);
    await screen.shows('tagged "deep water"; it was "dip buyer"');
    await screen.until(() => screen.session.desk.getState().state?.bots.b7f3k2m9q10?.tag === 'deep water');
    await screen.press('t', CTRL_U, ENTER, ENTER);
    await screen.shows('tag taken off; it was "deep water"');
    expect(sent(desk, 'bots.tag')).toEqual([
      { id: 'b7f3k2m9q10', tag: 'deep water' },
      { id: 'b7f3k2m9q10', tag: '' },
    ]);
  });

  // proves: bot decided tag
  it('that is too long stays to be shortened', async () => {
    const screen = await open();
    await screen.press('3', 't', 'x'.repeat(51), CTRL_R);
    await screen.shows('51 characters; at most 50');
    expect(screen.screenText()).toContain('▸ tag');
  });
});

describe('ways between screens', () => {
  it('a log line of a bot leads to it', async () => {
    const desk = botDesk();
    desk.push({
      log: [{ at: 1, level: 'warn', source: 'bot', text: 'b7f3k2m9q10: bought 0.00327 at 61,120.40' }],
    });
    const screen = await open(desk);
    await screen.press('9', ENTER, 'b');
    await screen.shows('─ dip buyer b7f3k2m');
    expect(selected(screen)).toContain('dip buyer');
  });

  it('copies the whole id', async () => {
    const screen = await open();
    await screen.press('3', 'y');
    expect(screen.stdout.chunks.join('')).toContain(
      `\x1b]52;c;${Buffer.from('b2errorxxx0').toString('base64')}\x07`,
    );
  });
});
