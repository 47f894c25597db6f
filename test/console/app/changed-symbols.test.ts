/**
 * Symbols that appear, disappear and get other steps while a console is open: lists offer what is traded,
 * existing orders and positions keep their figures.
 */
import { expect, it } from 'vitest';
import { detailLines } from '../../../src/console/orders/order-detail.ts';
import { positionDetailLines } from '../../../src/console/positions/position-detail.ts';
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import { shownPrices } from '../../../src/console/trading/watch.ts';
import type { Line } from '../../../src/console/ui/line.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const textOf = (lines: readonly Line[]) =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

/** The state after the desk's message about instruments. */
function told(state: DeskState, symbol: string, change: Partial<Instrument>): DeskState {
  const instruments = state.instruments
    .filter((one) => one.symbol === symbol)
    .map((one) => ({ ...one, ...change }));
  return applyDelta(state, { instruments });
}

it('a delta takes the place of what it names and adds what is new, in its order', () => {
  const state = deskState();
  const changed = told(state, 'BTCUSDT', { tickSize: '0.5' });
  const ticks = ({ instruments }: DeskState) =>
    instruments.filter(({ symbol }) => symbol === 'BTCUSDT').map(({ tickSize }) => tickSize);
  expect(ticks(changed)).toEqual(['0.5', '0.5']);
  expect(changed.instruments.map(({ symbol }) => symbol)).toEqual(
    state.instruments.map(({ symbol }) => symbol),
  );
  const [first] = state.instruments;
  const fresh = { ...(first as Instrument), symbol: 'NEWUSDT' };
  expect(applyDelta(changed, { instruments: [fresh] }).instruments.at(-1)).toEqual(fresh);
});

it('what is not traded any more leaves the watchlist, and its orders and positions say so', () => {
  const state = told(deskState(), 'BTCUSDT', { delisted: true });
  const symbols = shownPrices(state).map(({ symbol }) => symbol);
  expect(symbols).not.toContain('BTCUSDT');
  expect(symbols).toContain('ETHUSDT');
  const one = order('a', { price: '60500' });
  const text = textOf(detailLines(one, null, state, NOON, 80));
  expect(text).toContain('no longer traded');
  expect(text).toContain('60,500.00');
  const held = { ...position('BTCUSDT'), id: 'a' };
  expect(textOf(positionDetailLines(held, state, [], NOON, 80))).toContain('no longer traded here');
});

it('a position in a contract of several units says how many', () => {
  const state = told(deskState(), 'BTCUSDT', { base: '1000BTC', multiplier: '1000' });
  const text = textOf(positionDetailLines({ ...position('BTCUSDT'), id: 'a' }, state, [], NOON, 80));
  expect(text).toMatch(/one is +1000 BTC/);
});

it('an open ticket has the tick of now and offers what is traded now', async () => {
  const desk = new FakeDesk(deskState());
  const screen = await open(desk);
  await screen.press('2', 'n');
  await screen.shows('last 0.6120');
  const change = (symbol: string, one: Partial<Instrument>) =>
    desk.push({
      instruments: desk.state.instruments
        .filter((each) => each.symbol === symbol)
        .map((each) => ({ ...each, ...one })),
    });
  change('XRPUSDT', { tickSize: '0.000001' });
  await screen.settle();
  expect(screen.screenText()).toContain('last 0.612000');
});
