/** Marks: an action on several rows applies to the marked rows, and to nothing else. */
import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';

const open = rigPerTest(() => new FakeDesk());

describe('marked orders', () => {
  it('are cancelled together after a word; the order under the cursor is not', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j', ' ', 'j', ' ', 'k', 'k');
    await screen.shows('2 marked · 4 open');
    expect(screen.screenText()).toMatch(/^ ●14:06:31 {2}BTCUSDT/m);
    await screen.press('x');
    await screen.shows('Cancel 2 orders');
    expect(screen.session.ui.getState().dialogs.at(-1)).toMatchObject({
      word: 'cancel 2',
      action: { type: 'cancel-all', ids: ['oc-7f3k2m9q1a2b', 'oc-7f3k2m9q1a2c'] },
    });
    await screen.press(ESC, 'u', 'x');
    await screen.shows('XRPUSDT LIMIT');
    expect(screen.session.ui.getState().dialogs.at(-1)).toMatchObject({ action: { type: 'cancel' } });
  });

  it('are those that can be cancelled, and their mark goes when they end', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', '\x01');
    await screen.shows('4 marked');
    const order = desk.state.orders['oc-7f3k2m9q1a2b'];
    if (order) desk.push({ orders: { [order.id]: { ...order, status: 'CLOSED' } } });
    await screen.shows('3 marked');
    await screen.press('G', ' ');
    await screen.shows('there is nothing to be done to it');
    await screen.press(ESC);
    await screen.until(() => !screen.screenText().includes('marked'));
  });
});

describe('marked alerts', () => {
  it('are seen together', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', ' ', 'j', ' ');
    await screen.shows('2 marked');
    await screen.press('s');
    const asked = desk.calls.filter(({ method }) => method === 'alerts.seen');
    expect(asked.at(-1)?.params).toEqual({ ids: ['a3', 'a2'] });
    await screen.until(() => !screen.screenText().includes('marked'));
  });
});
