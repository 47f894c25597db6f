/** Several bots and lots at once: sums of what belongs together, and marks that stay on what was refused. */
import { describe, expect, it } from 'vitest';
import { botSums, runningProfit } from '../../../src/console/bots/bot-columns.ts';
import type { BotStopForm } from '../../../src/console/bots/bot-forms.ts';
import { overviewBots } from '../../../src/console/bots/bot-overview.ts';
import { stopRows } from '../../../src/console/bots/bot-stop.ts';
import type { BotDetail, BotView } from '../../../src/desk/console/protocol.ts';
import { refuse } from '../../../src/domain/errors.ts';
import { ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, botDesk, botOrders, detailOf, figures, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const open = rigPerTest(botDesk);
const running = (id: string, change: Partial<BotView> = {}) =>
  bot(id, { runId: `run ${id}`, status: 'STARTED', startedAt: NOON, stats: figures(), ...change });

describe('the profit of all that run', () => {
  const earns = (realised: string, unrealised: string, asset = 'USDT') => ({
    stats: figures({ realised, unrealised }),
    settings: { exchange: 'paper-spot', deposit: { value: '100', asset } },
  });

  it('is the sum of those that trade; what has ended is none of it', () => {
    const bots = [
      running('a', earns('10', '-3')),
      running('b', earns('-1', '0.5')),
      running('alarm', { ...earns('100', '0'), type: 'ALARM' }),
      bot('ended', { ...earns('1000', '0'), status: 'STOPPED' }),
      running('new', { ...earns('0', '0'), stats: undefined }),
    ];
    expect(runningProfit(bots)).toEqual({ text: '+6.50', tone: 'up' });
    expect(runningProfit(bots.slice(1, 2))).toEqual({ text: '-0.50', tone: 'down' });
    expect(runningProfit(bots.slice(2))).toBeNull();
    expect(
      botSums(bots)
        .map(({ text }) => text)
        .join(''),
    ).toBe('4 running · 5 in all');
  });

  it('is none of amounts of several assets, whatever the assets of those that have ended', () => {
    const [usdt, btc] = [running('a', earns('10', '0')), running('b', earns('1', '0', 'BTC'))];
    expect(runningProfit([usdt, btc])).toBeNull();
    expect(runningProfit([usdt, { ...btc, runId: undefined }])).toEqual({ text: '+10.00', tone: 'up' });
  });
});

it('the Overview has bots in error first, the oldest first among each', () => {
  const at = (id: string, createdAt: number, change: Partial<BotView>) => bot(id, { createdAt, ...change });
  const bots = [
    at('young', 5, { runId: 'r', status: 'STARTED' }),
    at('error young', 4, { status: 'ERROR' }),
    at('old', 1, { runId: 'r', status: 'STARTED' }),
    at('error old', 2, { status: 'ERROR' }),
    at('stopped', 0, { status: 'STOPPED' }),
  ];
  const shown = overviewBots(Object.fromEntries(bots.map((one) => [one.id, one])));
  expect(shown.map(({ id }) => id)).toEqual(['error old', 'error young', 'old', 'young']);
});

describe('the position of a bot that is to be stopped', () => {
  const rows = (change: Partial<BotView['settings']>, sell: boolean, lots: readonly string[]) => {
    const dip = someBots().b7f3k2m9q10 as BotView;
    const holding = { ...dip, settings: { ...dip.settings, ...change } };
    const state = deskState({ bots: { [dip.id]: holding }, orders: botOrders() });
    const known = detailOf(holding, {});
    const live = known.live && {
      ...known.live,
      lots: lots.map((qty) => ({ label: 'x', qty, entryPrice: '61120.40', openedAt: NOON })),
    };
    const detail = { ...known, live } as BotDetail;
    const form: BotStopForm = {
      kind: 'bot-stop',
      runs: [[dip.id, 'run']],
      cleanup: 'leaveAllOrders',
      sell,
      force: false,
      focus: 'review',
      detail,
    };
    return stopRows(state, form).map(({ name, value }) => `${name}: ${value}`);
  };

  it('is all its lots, sold or kept; what a short has sold is bought back', () => {
    // 0.3 at 61,234.10.
    const worth = '18,370.23 at 61,234.10, PnL -3.21 before the fee';
    const two = ['0.1', '0.2'];
    expect(rows({}, true, two)).toEqual(
      expect.arrayContaining(['position: 0.3 BTCUSDT, entry 61,120.40', `sold: ${worth}`]),
    );
    expect(rows({}, false, two)).toContain(`kept: ${worth}`);
    expect(rows({ short: true }, true, two)).toContain(`bought back: ${worth}`);
    expect(rows({ short: true }, false, two)).toContain(`kept: ${worth}`);
    expect(rows({}, true, [])).toContain('position: nothing: there is nothing to sell');
  });

  it('says which orders stay at the exchange, and that none is cancelled', () => {
    const told = rows({}, false, []);
    expect(told).toContain('cancelled: no orders');
    expect(told).toContain('stay: 2: SELL 0.00327 at 61,500.00, BUY 0.00330 at 60,100.00');
  });
});

describe('marks', () => {
  it('stay on the bot that was refused to be deleted, and go with those that are deleted', async () => {
    const desk = botDesk();
    desk.answers['bots.delete'] = () => refuse('CONFLICT', 'it cannot be stopped now');
    const screen = await open(desk);
    await screen.press('3', 'j', ' ', 'j', 'j', 'j', ' ', 'd', ...'delete 2', 'y');
    await screen.shows('1 of 2 deleted');
    expect(screen.screenText()).toMatch(/✗ {2}b1alarm .*it cannot be stopped now/);
    expect(screen.screenText()).toMatch(/✓ {2}b4newbo .*deleted/);
    await screen.press(ESC);
    expect(screen.session.ui.getState().bots.marked).toEqual(['b1alarm00x0']);
  });
});
