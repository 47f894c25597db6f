/** Muting on the Alerts screen: per bot and per target, at once, and undone as easily. */
import { describe, expect, it } from 'vitest';
import { ringing } from '../../../src/console/alerts/alert-list.ts';
import { muteRows } from '../../../src/console/alerts/alert-mutes.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { alert, botDesk, someAlerts, someBots } from '../support/some-bots.ts';

const open = rigPerTest();

const asked = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'alerts.mute').map(({ params }) => params);

describe('the list of what can be muted', () => {
  it('has bots that tell and those of recent alerts, then the targets', () => {
    const mutes = { bots: ['b1alarm00x0'], targets: ['old'] };
    const rows = muteRows({ alerts: someAlerts(), bots: someBots(), mutes });
    expect(rows.map(({ kind, name, muted }) => `${kind} ${name}${muted ? ' muted' : ''}`)).toEqual([
      expect.stringMatching(/^bot SOL breaks out SOLUSDT muted$/),
      expect.stringMatching(/^bot b4newbo/),
      expect.stringMatching(/^bot bgone00 \(deleted\)$/),
      'target bell',
      'target old muted',
      'target ops',
    ]);
  });

  it('has no bot for a notice, which is of none, but its targets', () => {
    const hook = { target: 'ops', state: 'done', tries: 1, nextAt: null, error: null } as const;
    const notice = alert('a9', { botId: '', runId: '', deliveries: [hook] });
    const rows = muteRows({ alerts: [notice], bots: {}, mutes: { bots: [], targets: [] } });
    expect(rows.map(({ key }) => key)).toEqual(['target ops']);
  });

  it('opens on the bot of the alert; space mutes it, space again does not', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', 'M');
    await screen.shows('▸ [ ] bot     SOL breaks out');
    await screen.press(' ');
    await screen.shows('▸ [x] bot     SOL breaks out');
    expect(screen.screenText()).toContain('are kept and shown, but not sent');
    await screen.press(' ');
    await screen.shows('▸ [ ] bot     SOL breaks out');
    expect(asked(desk)).toEqual([
      { kind: 'bot', id: 'b1alarm00x0', on: true },
      { kind: 'bot', id: 'b1alarm00x0', on: false },
    ]);
  });

  it('mutes a target, and the screen says how many are muted', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', 'M', '\x1b[A', ' ');
    await screen.until(() => desk.state.mutes.targets.length + desk.state.mutes.bots.length === 1);
    await screen.press(ESC);
    await screen.shows('1 muted');
  });

  it('Enter mutes nothing', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('8', 'M', ENTER, ENTER, ENTER, ENTER, ENTER, ENTER, ENTER);
    expect(asked(desk)).toEqual([]);
  });

  it('says why it was refused', async () => {
    const desk = botDesk();
    desk.answers['alerts.mute'] = () => refuse('INVALID_REQUEST', 'id: 1,000 bots are muted already');
    const screen = await open(desk);
    await screen.press('8', 'M', ' ');
    await screen.shows('refused: id: 1,000 bots are muted already');
  });
});

it('a muted bell does not ring', () => {
  const bell = { target: 'bell', tries: 0, nextAt: null };
  const loud = alert('a8', { deliveries: [{ ...bell, state: 'done', error: null }] });
  const quiet = alert('a9', { deliveries: [{ ...bell, state: 'failed', error: 'muted' }] });
  expect(ringing([], [loud, quiet])).toEqual(['a8']);
});
