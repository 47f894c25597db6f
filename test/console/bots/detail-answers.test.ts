/** The desk's answers about a bot in view: each is for its own bot, and what has changed is asked for again. */
import { describe, expect, it } from 'vitest';
import type { BotDetail } from '../../../src/desk/console/protocol.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, botDesk, detailOf, figures } from '../support/some-bots.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest(botDesk);
const DIP = 'b7f3k2m9q10';
const FIBO = 'b8a2c4e6g80';
const asked = (desk: FakeDesk) =>
  desk.calls
    .filter(({ method }) => method === 'bots.detail')
    .map(({ params }) => (params as { id: string }).id);

/** A desk whose details come when they are let, by bot. */
function slow() {
  const desk = botDesk();
  const waiting: { readonly id: string; readonly answer: () => void }[] = [];
  desk.answers['bots.detail'] = ({ id }) =>
    new Promise<BotDetail>((resolve) =>
      waiting.push({
        id,
        answer: () => resolve(detailOf(desk.state.bots[id] ?? bot(id), desk.state.orders)),
      }),
    );
  return { desk, waiting };
}

describe('the detail in view', () => {
  it('is asked for again when an order of the bot comes or goes, though nothing else of it has changed', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.until(() => screen.session.ui.getState().bots.detail?.bot.id === DIP);
    await screen.settle();
    const before = asked(desk).length;
    desk.push({ orders: { more: order('more', { creator: 'BOT', creatorId: DIP }) } });
    await screen.until(() => asked(desk).length === before + 1);
    desk.push({ orders: { other: order('other', { creator: 'BOT', creatorId: FIBO }) } });
    desk.push({ orders: { mine: order('mine') } });
    await screen.settle();
    expect(asked(desk)).toHaveLength(before + 1);
    // With every price its profit moves, too: only the order makes the difference.
    const now = desk.state.bots[DIP] ?? bot(DIP);
    const worth = (unrealised: string) => ({ [DIP]: { ...now, stats: figures({ unrealised }) } });
    desk.push({ bots: worth('7.00') });
    await screen.shows('+7.00');
    expect(asked(desk)).toHaveLength(before + 1);
    desk.push({ orders: { more: null }, bots: worth('8.00') });
    await screen.until(() => asked(desk).length === before + 2);
  });

  it('is that of the bot under the cursor, whichever answer comes last', async () => {
    const { desk, waiting } = slow();
    const screen = await open(desk);
    const shown = () => screen.session.ui.getState().bots.detail?.bot.id;
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.until(() => waiting.length === 1);
    screen.session.ui.setState(({ bots }) => ({ bots: { ...bots, selection: { id: FIBO, index: 0 } } }));
    await screen.until(() => waiting.length === 2);
    expect(waiting.map(({ id }) => id)).toEqual([DIP, FIBO]);
    waiting[1]?.answer();
    await screen.until(() => shown() === FIBO);
    waiting[0]?.answer();
    await screen.settle();
    expect(shown()).toBe(FIBO);
  });

  it('that comes when another bot is looked at is not taken for that one', async () => {
    const { desk, waiting } = slow();
    const screen = await open(desk);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.until(() => waiting.length === 1);
    screen.session.ui.setState(({ bots }) => ({ bots: { ...bots, selection: { id: FIBO, index: 0 } } }));
    waiting[0]?.answer();
    await screen.until(() => waiting.length === 2);
    await screen.settle();
    expect(screen.session.ui.getState().bots.detail?.bot.id).not.toBe(DIP);
  });
});

it('what a bot holds is not written into the question of a stop that was opened for another one', async () => {
  const { desk, waiting } = slow();
  const screen = await open(desk);
  await screen.press('3', 'j', 'j', 'j', 'x');
  await screen.until(() => waiting.length === 1);
  await screen.press(ESC, 'k', 'x');
  await screen.until(() => waiting.length === 2);
  const form = () => screen.session.ui.getState().dialogs.find(({ kind }) => kind === 'bot-stop');
  expect(form()).toMatchObject({ runs: [[FIBO, 'run8a2c4e6']], detail: null });
  waiting[0]?.answer();
  await screen.settle();
  expect(form()).toMatchObject({ detail: null });
  waiting[1]?.answer();
  await screen.until(() => (form() as { detail?: unknown }).detail !== null);
  expect(form()).toMatchObject({ detail: { bot: { id: FIBO } } });
});
