/** The Alerts screen, the count on its tab, and the bell. */

import { describe, expect, it } from 'vitest';
import { deliveriesSpan, ringing } from '../../../src/console/alerts/alert-list.ts';
import { tabLine } from '../../../src/console/app/Frame.tsx';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { SCREENS } from '../support/parts.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { alert, botDesk, someAlerts } from '../support/some-bots.ts';

const open = rigPerTest(botDesk);

const BELL = { target: 'bell', state: 'done', tries: 0, nextAt: null, error: null } as const;
const bells = (screen: Rig) => screen.stdout.chunks.filter((chunk) => chunk === '\x07').length;
const seen = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'alerts.seen').map(({ params }) => params);

describe('the screen', () => {
  it('has the newest first, and counts on the tab what is not seen', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    expect(screen.screenLines()[1]).toContain('8 Ale !2');
    await screen.press('8');
    const rows = screen.screenLines().filter((line) => /03-02 \d\d:\d\d/.test(line));
    expect(rows.map((line) => /03-02 (\d\d:\d\d)/.exec(line)?.[1])).toEqual(['14:06', '13:07', '11:07']);
    await screen.press('s');
    await screen.shows('8 Ale !1');
    expect(seen(desk)).toEqual([{ ids: ['a3'] }]);
    await screen.press('S');
    await screen.until(() => !screen.screenText().includes('!1'));
    expect(seen(desk)).toEqual([{ ids: ['a3'] }, { ids: ['a2'] }]);
    await screen.press('S');
    expect(screen.screenText()).toContain('all alerts are seen');
  });

  it('S marks those that the filter shows, and leaves new what it hides', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    const fresh = someAlerts().filter((one) => !one.seen);
    const [first] = fresh;
    const symbol = first?.symbol ?? '';
    const shown = fresh.filter((one) => one.symbol === symbol).map(({ id }) => id);
    expect(shown.length).toBeLessThan(fresh.length);
    await screen.press('8', '/', symbol, ENTER, 'S');
    expect(seen(desk)).toEqual([{ ids: expect.any(Array) }]);
    expect([...(seen(desk)[0] as { ids: string[] }).ids].sort()).toEqual(shown.sort());
    await screen.press('S');
    await screen.shows('all that the filter shows are seen');
  });

  it('an alert that is opened is seen, and leads to its bot', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', ENTER);
    await screen.shows('ops: waiting, next try in');
    expect(seen(desk)).toEqual([{ ids: ['a3'] }]);
    await screen.press('b');
    await screen.shows('─ SOL breaks out b1alarm');
  });

  it('keeps the cursor on its alert when others come in', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', 'j');
    desk.push({ alerts: [...desk.state.alerts, alert('a4', { message: 'one more' })] });
    await screen.shows('one more');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('ADAUSDT');
  });

  it('says that the bot of an alert has gone', async () => {
    const screen = await open();
    await screen.press('8', 'j', 'b');
    expect(screen.screenText()).toContain('that bot is not there any more');
    await screen.press(ENTER);
    expect(screen.screenText()).toContain('bgone00 (bgone000000), deleted');
    await screen.press('b', ESC);
    expect(screen.screenText()).toContain('─ Alerts');
  });
});

describe('the bell', () => {
  it('rings once for a new alert that asks for it, however often it changes', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    expect(bells(screen)).toBe(0);
    const fired = alert('a4', { message: 'ring', deliveries: [BELL] });
    desk.push({ alerts: [...desk.state.alerts, fired] });
    await screen.shows('!3');
    expect(bells(screen)).toBe(1);
    desk.push({ alerts: desk.state.alerts.map((one) => ({ ...one, seen: true })) });
    await screen.until(() => !screen.screenText().includes('!3'));
    expect(bells(screen)).toBe(1);
  });

  it('rings once for several that come together, and not for those without it', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    const more = ['b1', 'b2', 'b3'].map((id) => alert(id, { deliveries: [BELL] }));
    desk.push({ alerts: [...desk.state.alerts, ...more] });
    await screen.shows('!5');
    expect(bells(screen)).toBe(1);
    desk.push({ alerts: [...desk.state.alerts, alert('quiet')] });
    await screen.shows('!6');
    expect(bells(screen)).toBe(1);
  });

  it('is off on a terminal that wants it so', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', 'm');
    expect(screen.screenText()).toContain('bell off');
    desk.push({ alerts: [...desk.state.alerts, alert('a4', { deliveries: [BELL] })] });
    await screen.shows('!3');
    expect(bells(screen)).toBe(0);
    await screen.press('m');
    desk.push({ alerts: [...desk.state.alerts, alert('a5', { deliveries: [BELL] })] });
    await screen.shows('!4');
    expect(bells(screen)).toBe(1);
  });

  it('does not ring for what was there at the first look', () => {
    expect(ringing(null, someAlerts())).toEqual([]);
    expect(ringing([], someAlerts())).toEqual(['a2', 'a3']);
    expect(ringing(someAlerts(), someAlerts())).toEqual([]);
  });
});

/** The badges of the tabs with this number of new alerts. */
const badges = (fresh: number) => SCREENS.map(({ id }) => (id === 'alerts' ? fresh : 0));

it('the tabs give way letter by letter where there is no room', () => {
  for (const width of [200, 80, 60, 40]) {
    for (const fresh of [0, 7, 200]) {
      const line = tabLine(SCREENS, 'positions', badges(fresh), width);
      const text = line.map((part) => part.text).join('');
      expect(text).toContain(' 5 ');
      // A tab keeps its place, whichever screen is in view.
      const others = SCREENS.map(({ id }) => tabLine(SCREENS, id, badges(fresh), width));
      for (const other of others) expect(other.map((part) => part.text).join('')).toBe(text);
      expect(text).toContain(' 8 ');
      if (width >= 60) expect(lineWidth(line)).toBeLessThanOrEqual(width + 1);
      if (fresh > 0) expect(text).toContain(`!${fresh}`);
    }
  }
});

describe('the deliveries of an alert', () => {
  const to = (target: string, state: 'done' | 'waiting' | 'failed', error: string | null = null) =>
    ({ target, state, tries: 1, nextAt: null, error }) as const;
  it.each([
    ['console', 'muted', []],
    ['bell ✓', 'ok', [to('bell', 'done')]],
    ['bell ✓ ops …', 'warn', [to('bell', 'done'), to('ops', 'waiting')]],
    ['ops … tg ✗', 'danger', [to('ops', 'waiting'), to('tg', 'failed', 'HTTP 404')]],
    ['ops muted bell ✓', 'ok', [to('ops', 'failed', 'muted'), to('bell', 'done')]],
    ['ops muted', 'muted', [to('ops', 'failed', 'muted')]],
  ] as const)('are written %s, in the tone %s of the worst', (text, tone, deliveries) => {
    expect(deliveriesSpan(deliveries)).toMatchObject({ text, tone });
  });
});
