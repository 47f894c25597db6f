/** Price alerts: one key, the price, Enter; the list of waiting alerts, and removing them. */
import { describe, expect, it } from 'vitest';
import { type PriceAlertForm, resolveAlert } from '../../../src/console/alerts/price-alerts.ts';
import type { BotView } from '../../../src/desk/console/protocol.ts';
import { ok } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';

const open = rigPerTest();

/** The bot that the desk makes for a price alert. */
function waiting(id: string, symbol: string, price: string): BotView {
  return bot(id, {
    type: 'ALARM',
    status: 'STARTED',
    runId: `run${id}`,
    createdAt: NOON,
    options: { managed: true },
    settings: {
      exchange: 'paper-spot',
      symbol: { base: symbol.slice(0, -4), quote: 'USDT' },
      ticker: symbol,
      range: [{ trend: { 1: price, 2: price } }],
    },
  });
}

/** A desk that makes and removes the alerts it is asked to. */
function deskOf(...bots: readonly BotView[]): FakeDesk {
  const desk = new FakeDesk(
    deskState({ bots: Object.fromEntries(bots.map((one) => [one.id, one])), futures: somePositions() }),
  );
  desk.answers['bots.manage'] = ({ bot: { settings } }) => {
    const made = waiting(`b${desk.calls.length}`, String(settings.ticker), priceOf(settings));
    desk.push({ bots: { [made.id]: made } });
    return ok(made);
  };
  desk.answers['bots.delete'] = ({ id }) => {
    desk.push({ bots: { [id]: null } });
    return ok({ id });
  };
  return desk;
}

function priceOf({ range }: Readonly<Record<string, unknown>>): string {
  return (range as { trend: Record<string, string> }[])[0]?.trend['1'] ?? '';
}

const asked = (desk: FakeDesk, method: 'bots.manage' | 'bots.delete') =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);
const digits = (price: string): string[] => [...price];

describe('a price alert', () => {
  it.each([
    ['the Overview', '1', 'ADAUSDT', '0.75', 'paper-spot', 'above 0.7500'],
    ['Orders', '2', 'XRPUSDT', '0.6', 'paper-spot', 'below 0.6000'],
    ['Positions', '5', 'BTCUSDT', '61000', 'paper-futures', 'below 61,000.00'],
  ])('on %s is A, the digits and Enter', async (_, screenKey, symbol, price, exchange, told) => {
    const desk = deskOf();
    const screen = await open(desk);
    await screen.press(screenKey);
    const keys = ['A', ...digits(price), ENTER];
    expect(keys.length - price.length).toBeLessThanOrEqual(3);
    await screen.press(...keys);
    await screen.shows(`alert set: ${symbol} ${told}; 8, p lists it`);
    expect(asked(desk, 'bots.manage')).toMatchObject([
      { bot: { type: 'ALARM', settings: { exchange, ticker: symbol, notify: ['bell'] } } },
    ]);
  });

  it('shows the price of now, and on which side of it the typed one is', async () => {
    const screen = await open(deskOf());
    await screen.press('2', 'A');
    await screen.shows('Price alert, XRPUSDT');
    expect(screen.screenText()).toMatch(/last +0\.6120 {2}paper-spot/);
    await screen.press('0', '.', '7');
    await screen.shows('▲ tells once it rises to 0.7000');
    await screen.press('\x15', '-', '1', '%');
    await screen.shows('▼ tells once it falls to 0.6058');
  });

  it('is not set at the price of now, at none, or twice', async () => {
    const desk = deskOf(waiting('b1', 'XRPUSDT', '0.7'));
    const screen = await open(desk);
    await screen.press('2', 'A', ENTER);
    await screen.shows('type the price that it is to tell of');
    await screen.press(...digits('0.612'), ENTER);
    await screen.shows('that is the price now');
    await screen.press('\x15', ...digits('0.70'), ENTER);
    await screen.shows('there is an alert at that price already');
    expect(asked(desk, 'bots.manage')).toEqual([]);
    await screen.press(ESC);
    expect(screen.session.ui.getState().dialogs).toEqual([]);
  });

  it('says why the desk refuses, and keeps what was typed', async () => {
    const desk = deskOf();
    desk.answers['bots.manage'] = () => ({
      ok: false,
      error: { code: 'CONFLICT', message: '200 are watched', status: 409 },
    });
    const screen = await open(desk);
    await screen.press('2', 'A', '9', ENTER);
    await screen.shows('refused: 200 are watched');
    expect(screen.session.ui.getState().dialogs).toMatchObject([{ kind: 'price-alert', value: '9' }]);
  });

  it('of a symbol that its account does not trade has no price', () => {
    const form: PriceAlertForm = {
      kind: 'price-alert',
      exchange: 'paper-spot',
      symbol: 'NOSUCH',
      value: '1',
      busy: false,
      refusal: null,
    };
    expect(resolveAlert(deskState(), form)).toMatchObject({
      price: null,
      problem: 'paper-spot does not trade NOSUCH',
    });
  });
});

describe('those that wait', () => {
  const three = () =>
    deskOf(
      waiting('b1', 'BTCUSDT', '62000'),
      waiting('b2', 'BTCUSDT', '60000'),
      waiting('b3', 'ETHUSDT', '3000'),
    );
  const rows = (screen: Rig) => screen.screenLines().filter((line) => /▲ above|▼ below/.test(line));

  it('stand behind p on Alerts, with their distance, and p goes back', async () => {
    const screen = await open(three());
    await screen.press('8');
    await screen.shows('3 prices waited for: p');
    await screen.press('p');
    expect(rows(screen).map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringContaining('▸ BTCUSDT 62,000.00 ▲ above 61,234.10 +1.25 %'),
      expect.stringContaining('BTCUSDT 60,000.00 ▼ below'),
      expect.stringContaining('ETHUSDT 3,000.00 ▼ below'),
    ]);
    await screen.press('p');
    expect(screen.screenText()).toContain('─ Alerts');
  });

  it('are removed one by one or all that are marked, after y', async () => {
    const desk = three();
    const screen = await open(desk);
    await screen.press('8', 'p', 'x');
    await screen.shows('BTCUSDT at 62,000.00');
    await screen.press('y');
    await screen.shows('1 price alert removed');
    await screen.press(' ', 'j', ' ', 'x');
    await screen.shows('Remove 2 price alerts');
    await screen.press(ENTER);
    expect(asked(desk, 'bots.delete')).toHaveLength(1);
    await screen.press('x', 'y');
    await screen.shows('no price is waited for');
    expect(asked(desk, 'bots.delete')).toEqual([
      { id: 'b1', force: true },
      { id: 'b2', force: true },
      { id: 'b3', force: true },
    ]);
  });
});
