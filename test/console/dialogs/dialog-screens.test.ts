/**
 * Dialogs that no screen's own test covers, whole, at both sizes: palette, split, results of a batch, panic,
 * leaving.
 */
import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_C, CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { someOrders } from '../support/some-orders.ts';

const open = rigPerTest();

/** The screen's text; a countdown, which uses the real clock, is set to its start. */
function picture(screen: Rig): string {
  return screen.screenText().replace(/settles in \d s/g, 'settles in 9 s');
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it('the palette, empty and with a few letters', async () => {
    const screen = await open(botDesk(), { columns, rows });
    await screen.press(':');
    expect(picture(screen)).toMatchSnapshot('palette');
    await screen.press('eth');
    expect(picture(screen)).toMatchSnapshot('palette with letters');
  });

  it('a split with its parts, and with more than there is room for', async () => {
    // No order is unresolved: its countdown would go on while the picture is taken.
    const orders = Object.fromEntries(Object.entries(someOrders()).filter(([, order]) => !order.unresolved));
    const screen = await open(new FakeDesk(deskState({ orders })), { columns, rows });
    await screen.press('2', 's', ...'61000..62000 5');
    await screen.shows('6,120');
    expect(picture(screen)).toMatchSnapshot('split');
    await screen.press('\x15', ...'61000..62000 50');
    await screen.shows('61,');
    await screen.until(() => /more/.test(screen.screenText()));
    expect(picture(screen)).toMatchSnapshot('split of many');
  });

  it('what came of a batch of bots', async () => {
    const desk = botDesk();
    const reason = 'the exchange refused the entry: the order would immediately match and take';
    const start = desk.answers['bots.batch'];
    desk.answers['bots.batch'] = async (request) => {
      const outcome = await start?.(request);
      if (!outcome?.ok) throw new Error('the desk has no answer');
      const data = outcome.data.map((result, at) =>
        at === 1 ? { id: result.id, success: false, error: { code: 'CONFLICT', message: reason } } : result,
      );
      return { ...outcome, data };
    };
    const screen = await open(desk, { columns, rows });
    await screen.press('3', 'A', 's', ...'start 6', 'y');
    await screen.shows('6 started');
    await screen.shows('6 running');
    expect(picture(screen)).toMatchSnapshot('batch');
  });

  it('panic: the choice, its word, and the result of each item', async () => {
    const desk = botDesk({ futures: somePositions() });
    const screen = await open(desk, { columns, rows });
    await screen.press('1', 'P');
    expect(picture(screen)).toMatchSnapshot('panic');
    await screen.press(CTRL_R);
    await screen.shows('type');
    expect(picture(screen)).toMatchSnapshot('panic word');
    await screen.press(...'panic', 'y');
    await screen.until(() => screen.session.ui.getState().panic?.running === false);
    await screen.settle();
    expect(picture(screen)).toMatchSnapshot('panic results');
  });

  it('leaving, a size too small, a line that is lost', async () => {
    const desk = new FakeDesk(deskState());
    const screen = await open(desk, { columns, rows });
    await screen.press(CTRL_C);
    expect(picture(screen)).toMatchSnapshot('leave');
    await screen.press(ESC, ENTER);
    desk.lose('the desk was stopped');
    await screen.shows('The line to the desk is lost');
    expect(picture(screen)).toMatchSnapshot('lost');
    await screen.resize(60, 20);
    await screen.until(() => /lost|too small/.test(screen.screenText()));
  });
});
