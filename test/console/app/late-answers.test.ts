/**
 * Keys in quick succession, late answers, and leaving in the middle: nothing happens that was not asked for
 * here and now.
 */
import { describe, expect, it } from 'vitest';
import type { BotDetail } from '../../../src/desk/console/protocol.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_C, CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { detailOf, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const kinds = (screen: Rig) => screen.session.ui.getState().dialogs.map(({ kind }) => kind);

/** Lets a test decide when and what a method answers. */
function later<T>(desk: FakeDesk, method: 'orders.cancel' | 'orders.place'): (value: T) => void {
  const { promise, resolve } = Promise.withResolvers<T>();
  desk.answers[method] = () => promise as never;
  return resolve;
}

async function reviewed(screen: Rig, quantity: string): Promise<void> {
  await screen.press('2', 'n', '\t', '\t', '\t', quantity, '\t', '60500');
  await screen.until(() => screen.session.ui.getState().dialogs.some((d) => d.kind === 'ticket' && !d.stale));
  await screen.press(CTRL_R);
  await screen.until(() => kinds(screen).at(-1) === 'confirm');
}

describe('keys of one event', () => {
  it.each([':cancel\ry', ':cancel\r\ry'])('open a question and do not answer it: %j', async (keys) => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j');
    await screen.send(keys);
    expect(kinds(screen)).toEqual(['confirm']);
    expect(desk.acting).toEqual([]);
  });

  it('do not stop the desk on their way through the palette', async () => {
    const screen = await open(new FakeDesk());
    await screen.press(':', 'quit');
    await screen.send('\rs');
    expect(kinds(screen)).toEqual(['quit']);
    expect(screen.exit()).toBeNull();
  });
});

describe('an answer that comes when its question has been left', () => {
  it('leaves another question alone', async () => {
    const desk = new FakeDesk();
    const answer = later(desk, 'orders.cancel');
    const screen = await open(desk);
    await screen.press('2', 'j', 'x', 'y', ESC, 'X', 'c', 'a', 'n');
    expect(kinds(screen)).toEqual(['confirm']);
    answer(ok(order('x', { status: 'CANCELLED' })));
    await screen.shows('CANCELLED');
    expect(kinds(screen)).toEqual(['confirm']);
  });

  it('closes the ticket that it was of, so that the order is not placed twice', async () => {
    const desk = new FakeDesk();
    const answer = later(desk, 'orders.place');
    const screen = await open(desk);
    await reviewed(screen, '0.5');
    await screen.press('y', ESC);
    expect(kinds(screen)).toEqual(['ticket']);
    answer(ok(order('x')));
    await screen.until(() => kinds(screen).length === 0);
  });

  it.each([
    ['good', ok(order('x'))],
    ['bad', refuse('INVALID_REQUEST', 'no funds for 0.5')],
  ])('leaves a ticket written meanwhile as it is, the answer %s', async (_, outcome) => {
    const desk = new FakeDesk();
    const answer = later(desk, 'orders.place');
    const screen = await open(desk);
    await reviewed(screen, '0.5');
    await screen.press('y', ESC, ESC);
    await reviewed(screen, '7');
    answer(outcome);
    await screen.until(() => screen.session.ui.getState().message?.result === true);
    expect(kinds(screen)).toEqual(['ticket', 'confirm']);
    expect(screen.session.ui.getState().dialogs[0]).toMatchObject({
      draft: { quantity: '7' },
      refusal: null,
    });
  });

  it('stands in the ticket it is of when it is a refusal', async () => {
    const desk = new FakeDesk();
    desk.answers['orders.place'] = () => refuse('INVALID_REQUEST', 'no funds');
    const screen = await open(desk);
    await reviewed(screen, '0.5');
    await screen.press('y');
    await screen.until(() => kinds(screen).at(-1) === 'ticket');
    expect(screen.session.ui.getState().dialogs[0]).toMatchObject({ refusal: 'refused: no funds' });
  });
});

describe('the stop rule that is chosen', () => {
  it('stays the one that is meant when the rules change under it', async () => {
    const stop = (value: string) => ({
      strategy: 'price_percent_buy',
      trigger: 'kline',
      level: value,
      disabled: false,
      rule: { strategy: 'price_percent_buy', trigger: { type: 'kline', value }, complete: true },
    });
    const desk = new FakeDesk(deskState({ bots: someBots() }));
    const bot = Object.values(desk.state.bots).find(({ id }) => id.startsWith('b7f3k2m'));
    if (!bot) throw new Error('no such bot');
    const known = detailOf(bot, desk.state.orders);
    const detail = (...values: string[]): BotDetail => ({
      ...known,
      live: known.live && { ...known.live, stops: values.map(stop) },
    });
    const answers: ((detail: BotDetail) => void)[] = [];
    desk.answers['bots.detail'] = () => new Promise<BotDetail>((resolve) => void answers.push(resolve));
    const screen = await open(desk);
    screen.session.ui.setState(({ bots }) => ({
      screen: 'bots',
      bots: { ...bots, selection: { id: bot.id, index: 0 }, detail: detail('1', '2', '3') },
    }));
    await screen.press('r', ' ', ' ', '\t', ' ');
    await screen.until(() => answers.length > 0);
    for (const answer of answers) answer(detail('2', '3'));
    await screen.settle();
    await screen.press(CTRL_R);
    const asked = screen.session.ui.getState().dialogs.at(-1);
    expect(asked).toMatchObject({ action: { params: { trigger: { value: '2' } } } });
    expect(screen.screenText()).toContain('price_percent_buy 2,');
  });
});

describe('the figures of a ticket', () => {
  /** A desk whose order check uses the current price. */
  function priced(): FakeDesk {
    const desk = new FakeDesk();
    const { answers } = desk;
    const check = answers['orders.check'];
    desk.answers['orders.check'] = (draft) => ({
      ...(check ? check(draft) : ({} as never)),
      problems: [],
      notional: String(Number(desk.state.prices['paper BTCUSDT']?.last) * Number(draft.quantity ?? 0)),
    });
    return desk;
  }
  const fall = (desk: FakeDesk) => {
    const price = desk.state.prices['paper BTCUSDT'];
    if (price) desk.push({ prices: { 'paper BTCUSDT': { ...price, last: '50000.00' } } });
  };

  it('are asked for again before the question, and go with the market while it is open', async () => {
    const desk = priced();
    const screen = await open(desk);
    await screen.press('2', 'n', 'BTCUSDT', '\t', '\t', ' ', '\t', '\t', '0.5');
    await screen.shows('30,617.05');
    fall(desk);
    await screen.press(CTRL_R);
    await screen.shows('place this order');
    expect(screen.screenText()).toContain('25,000');
    const price = desk.state.prices['paper BTCUSDT'];
    if (price) desk.push({ prices: { 'paper BTCUSDT': { ...price, last: '40000.00' } } });
    await screen.shows('20,000');
    expect(kinds(screen)).toEqual(['ticket', 'confirm']);
    expect(desk.acting).toEqual([]);
  });
});

describe('leaving a console of another desk', () => {
  it('asks while a panic is under way, and says what would be left', async () => {
    const desk = new FakeDesk(deskState({ futures: somePositions() }));
    desk.answers['orders.cancelAll'] = () => new Promise<never>(() => {});
    const screen = await open(desk, { hosting: false });
    await screen.press('1', 'P', ENTER, ...'panic', 'y');
    await screen.press('q', 'q');
    expect(screen.exit()).toBeNull();
    expect(screen.screenText()).toContain('The panic is under way.');
  });

  it('asks while a bot is being written', async () => {
    const screen = await open(new FakeDesk(), { hosting: false });
    await screen.press('3', 'n', ENTER, 'X', CTRL_C);
    expect(screen.exit()).toBeNull();
    expect(kinds(screen).at(-1)).toBe('quit');
  });

  it('is one key otherwise; the desk is stopped by a command', async () => {
    const screen = await open(new FakeDesk(), { hosting: false });
    await screen.press(':', 'stop the desk', ENTER, 's');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'stop' });
  });
});
