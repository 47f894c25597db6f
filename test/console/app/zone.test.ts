/** Times in the operator's zone: every time on the screens, and the typed ones. */
import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../../../src/console/bots/editor/draft.ts';
import type { Leaf } from '../../../src/console/bots/editor/fields.ts';
import { formOfOperator, newOperator, operatorForm } from '../../../src/console/operators/operator-form.ts';
import { amendForm, amendmentOf } from '../../../src/console/orders/amend/amend-form.ts';
import { parseGoodTill } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { setZone } from '../../../src/console/ui/zone.ts';
import type { OperatorRecord } from '../../../src/desk/console/protocol.ts';
import type { FillRecord, OrderView } from '../../../src/domain/order.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { alert, botDesk } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order, someOrders } from '../support/some-orders.ts';
import { SOME_OPERATORS } from '../support/some-people.ts';

afterEach(() => setZone('UTC'));
const open = rigPerTest();

/** Without summer time, and not a whole number of hours from UTC: no time is right by chance. */
const KATHMANDU = 'Asia/Kathmandu';
const SHIFT = 345 * 60_000;

const FILL: FillRecord = {
  exchange: 'paper-spot',
  tradeId: 't1',
  orderId: 'oc-7f3k2m9q1a2f',
  user: 'owner',
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '60000',
  qty: '0.1',
  comm: '0.0001',
  commAsset: 'BTC',
  maker: true,
  rPnl: null,
  posSide: 'BOTH',
  time: NOON - 86_400_000,
};

function desk(): FakeDesk {
  const made = botDesk({
    orders: someOrders(),
    futures: somePositions(),
    alerts: [alert('a1', { at: NOON, market: NOON })],
  });
  made.answers['orders.detail'] = ({ id }) => ({
    order: made.state.orders[id] as OrderView,
    events: [
      {
        orderId: id,
        user: 'owner',
        at: NOON,
        market: NOON,
        kind: 'created',
        status: 'NEW',
        text: 'asked by operator',
      },
    ],
    fills: [FILL],
  });
  made.answers['trades.page'] = () => ({ trades: [FILL], next: null });
  return made;
}

const TIME = /(?:(\d{4})-)?(?:(\d\d)-(\d\d) )?\b(\d\d):(\d\d)(?::(\d\d))?\b/g;

/** Least number of times in each place, the header's included. */
const MORE = 2;

/** Every time in a text, shifted by this much; the date moves with it. */
function timesOf(text: string, shift: number): string[] {
  return [...text.matchAll(TIME)].map(
    ([all, year = '2026', month = '01', day = '15', hour, minute, second]) => {
      const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) + shift;
      const moved = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}${second === undefined ? '' : `:${second}`}`;
      return moved.slice(-all.length);
    },
  );
}

/** Keys from one place to the next; each place shows times. */
const WALK: [what: string, keys: string[]][] = [
  ['the Overview', []],
  ['an order', ['2', ENTER]],
  ['the trades', ['2', 't']],
  ['the runs of a bot', ['3', ENTER, 'v']],
  ['the log of a bot', ['v']],
  ['the PnL', ['4', 'w']],
  ['closed trades', ['t']],
  ['a closed trade', [ENTER]],
  ['a position', [ESC, '5', 'j', 'j', ENTER]],
  ['a key', ['6', ENTER]],
  ['an account', ['7', ENTER]],
  ['an alert', ['8', ENTER]],
  ['the log', [ESC, '9']],
  ['a line of the log', [ENTER]],
];

async function walked(timeZone: string): Promise<[what: string, text: string][]> {
  const screen = await open(desk(), { columns: 120, rows: 40, timeZone });
  const texts: [string, string][] = [];
  for (const [what, keys] of WALK) {
    await screen.press(...keys);
    // An answer of the desk may come a turn later.
    await screen.until(() => timesOf(screen.screenText(), 0).length >= MORE);
    texts.push([what, screen.screenText()]);
  }
  await screen.close();
  return texts;
}

describe('in a time zone', () => {
  it('every time on the screens is that of the zone, and says so', async () => {
    const [utc, there] = [await walked('UTC'), await walked(KATHMANDU)];
    for (const [at, [what, text]] of utc.entries()) {
      const [, moved = ''] = there[at] ?? [];
      expect(timesOf(moved, 0), what).toEqual(timesOf(text, SHIFT));
      expect(moved.match(/.*(?<!days of )\bUTC(?!\+5:45).*/g) ?? [], what).toEqual([]);
    }
  });

  it('that is chosen in the palette all is shown anew, and the desk keeps it', async () => {
    const made = desk();
    const screen = await open(made);
    await screen.press('9');
    expect(screen.screenText()).toContain('14:07:26');
    await screen.press(':', ...'zone Asia/Kathmandu');
    await screen.press(ENTER);
    await screen.shows('19:52:26');
    await screen.close();
    expect(made.calls.filter(({ method }) => method === 'memory.write').at(-1)?.params).toMatchObject({
      memory: { 'time-zone': { chosen: KATHMANDU, asked: 'UTC' } },
    });
  });

  it('what is typed is read as it is shown', () => {
    setZone(KATHMANDU);
    const noon = Math.floor(NOON / 60_000) * 60_000;
    const till = order('t', { timeInForce: 'GTD', goodTillDate: noon });
    const form = amendForm(till);
    expect(form.values.goodTillDate).toBe('2026-03-02 19:52');
    const later = { ...form.values, goodTillDate: '2026-03-02 20:52' };
    const { change } = amendmentOf(deskState(), { order: till, values: later });
    expect(change).toEqual({ goodTillDate: noon + 3_600_000 });
    expect(parseGoodTill('2026-03-02 19:52', 0)).toBe(noon);

    const last = operatorForm({ ...newOperator(), name: 'jo', key: 'ssh-ed25519 A', end: '2027-01-31' });
    expect(new Date(last.expiresAt ?? 0).toISOString()).toBe('2027-01-31T18:15:00.000Z');
    // An end that is not midnight in this zone stays the same when its form is opened.
    const known = { ...(SOME_OPERATORS[0] as OperatorRecord), expiresAt: Date.UTC(2027, 1, 1) };
    expect(operatorForm(formOfOperator(known)).expiresAt).toBe(known.expiresAt);

    const leaf = { kind: 'line', name: 'line', choices: [] } as unknown as Leaf;
    expect(textOf(leaf, { [noon]: '1', [noon + 1]: '2' })).toBe(`2026-03-02T19:52=1 ${noon + 1}=2`);
  });
});
