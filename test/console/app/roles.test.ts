/**
 * Footer, help and palette by role: nothing that the desk would refuse is offered, and nothing that it allows
 * is missing.
 */
import { describe, expect, it } from 'vitest';
import { ALL_BINDINGS } from '../../../src/console/app/bindings.ts';
import { runCommand } from '../../../src/console/app/session.ts';
import { allowedBindings, neededFor } from '../../../src/console/input/allowed.ts';
import type { CommandId } from '../../../src/console/input/binding.ts';
import { activeScopes } from '../../../src/console/input/scopes.ts';
import { topDialog } from '../../../src/console/state/ui.ts';
import { METHOD_ROLES, roleProblem } from '../../../src/desk/console/method-roles.ts';
import type { Me, Method, Params, Result } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { PLACES, type SCREENS } from '../support/parts.ts';
import { ENTER } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot } from '../support/some-bots.ts';
import { deskState, somePortfolios } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';

const open = rigPerTest();

const OWNER: Me = { session: 's1', name: 'local', role: 'owner', local: true, locked: null, pin: false };
const remote = (role: Me['role']): Me => ({ ...OWNER, name: 'alice', role, local: false });

/** Refuses as a desk does, and records its refusals. */
class StrictDesk extends FakeDesk {
  readonly refused: Method[] = [];
  readonly #me: Me;

  constructor(me: Me) {
    const state = deskState({ me, portfolios: somePortfolios(), futures: somePositions() });
    super({ ...state, bots: { b1: bot('b1') }, ...(me.role === 'owner' ? {} : { keys: [] }) });
    this.#me = me;
  }

  override async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const problem = roleProblem(method, this.#me);
    if (problem !== null) {
      this.refused.push(method);
      throw new Error(problem);
    }
    return await super.call(method, params);
  }
}

describe('the keys of a role', () => {
  it('are all of them for an owner at the desk’s own machine, and where the desk does not say', () => {
    expect(allowedBindings(ALL_BINDINGS, OWNER, true)).toBe(ALL_BINDINGS);
    expect(allowedBindings(ALL_BINDINGS, undefined, true)).toBe(ALL_BINDINGS);
  });

  it('are fewer with each step down', () => {
    const counts = (['owner', 'operator', 'viewer'] as const).map(
      (role) => allowedBindings(ALL_BINDINGS, remote(role), false).length,
    );
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(new Set([ALL_BINDINGS.length, ...counts]).size).toBe(4);
  });

  it('of a viewer change nothing, and let drafts be made but not reviewed', () => {
    const mine = allowedBindings(ALL_BINDINGS, remote('viewer'), true);
    expect(mine.filter(({ dangerous, acts }) => dangerous || acts)).toEqual([]);
    const commands = new Set(mine.map(({ command }) => command));
    for (const command of ['ticket.open', 'bot.new', 'pnl.open', 'lock.now', 'quit.open'] as const)
      expect(commands).toContain(command);
    for (const command of ['form.review', 'order.cancel', 'alert.seen', 'bot.tag', 'panic.open'] as const)
      expect(commands).not.toContain(command);
  });

  it('of an operator trade, and lead to no key, connection, operator or file', () => {
    const commands = new Set(
      allowedBindings(ALL_BINDINGS, remote('operator'), false).map(({ command }) => command),
    );
    for (const command of [
      'order.cancel',
      'panic.open',
      'bot.start',
      'account.compare',
      'alert.seen',
    ] as const)
      expect(commands).toContain(command);
    for (const command of [
      'key.revoke',
      'account.connect',
      'operators.open',
      'feed.toggle',
      'vault.open',
    ] as const)
      expect(commands).not.toContain(command);
    for (const { command } of ALL_BINDINGS.filter((binding) => neededFor(binding) === 'local'))
      expect(commands).not.toContain(command);
  });
});

/** The method that a command calls in the end. */
const ASKS: Readonly<Partial<Record<CommandId, Method>>> = {
  'order.cancel': 'orders.cancel',
  'orders.cancel-all': 'orders.cancelAll',
  'order.split': 'orders.split',
  'orders.export': 'orders.export',
  'trades.export': 'trades.export',
  'portfolio.export': 'portfolio.export',
  'portfolio.dust': 'futures.set',
  'pnl.open': 'pnl.read',
  'pnl.export': 'pnl.export',
  'pnl.export-trades': 'pnl.export',
  'position.close': 'orders.place',
  'position.stop': 'orders.place',
  'position.leverage': 'futures.set',
  'bot.start': 'bots.start',
  'bot.stop': 'bots.stop',
  'bot.delete': 'bots.delete',
  'bot.rule': 'bots.message',
  'bot.tag': 'bots.tag',
  'editor.review': 'bots.create',
  'alert.seen': 'alerts.seen',
  'alerts.seen': 'alerts.seen',
  'alerts.mute-some': 'alerts.mute',
  'key.generate': 'keys.generate',
  'key.paste': 'keys.register',
  'key.revoke': 'keys.revoke',
  'key.lab': 'keys.explain',
  'key.reveal': 'keys.reveal',
  'account.connect': 'connections.add',
  'account.test': 'connections.test',
  'account.disconnect': 'connections.remove',
  'account.settings': 'paper.configure',
  'account.balance': 'paper.balance',
  'account.faults': 'paper.fault',
  'account.guards': 'guards.set',
  'account.compare': 'exchange.reconcile',
  'account.reset': 'paper.reset',
  'account.lift': 'guards.lift',
  'account.rights': 'exchange.confirmRights',
  'feed.toggle': 'feed.control',
  'feed.step': 'feed.control',
  'feed.speed': 'feed.speed',
  'vault.open': 'vault.unlock',
  'vault.lock': 'vault.lock',
  'vault.change': 'vault.change',
  'operators.open': 'operators.list',
  'operator.add': 'operators.set',
  'operator.change': 'operators.set',
  'operator.remove': 'operators.remove',
  'operator.login': 'ssh.view',
  'sessions.open': 'sessions.list',
  'session.end': 'sessions.end',
  'session.end-why': 'sessions.end',
  'lock.now': 'session.lock',
  'lock.pin': 'session.pin',
  'panic.open': 'desk.panic',
  'maintenance.switch': 'desk.maintenance',
  'desk.stop': 'desk.stop',
  'quit.stop': 'desk.stop',
};

it.each(Object.entries(ASKS))('%s needs the role that %s does', (command, method) => {
  const mine = ALL_BINDINGS.filter((binding) => binding.command === command);
  expect(mine.length).toBeGreaterThan(0);
  expect(new Set(mine.map(neededFor))).toEqual(new Set([METHOD_ROLES[method]]));
});

/** Presses every key of every place, and reviews whatever it opens. */
async function everything(me: Me) {
  const desk = new StrictDesk(me);
  const rig = await open(desk, { columns: 100, rows: 40, hosting: false });
  const { session } = rig;
  const leaves = /^(quit|screen|lock|palette|help)\./;
  const tried = new Set<string>();
  for (const { id } of PLACES) {
    if (id === 'operators' || id === 'sessions') continue;
    const { of, show } = session.ui.getState().parts.places[id];
    const reset = () => {
      session.ui.setState({ dialogs: [], screen: of ?? (id as (typeof SCREENS)[number]['id']) });
      show?.(session);
    };
    reset();
    const scopes = activeScopes(session.ui.getState(), 'open');
    for (const { command, scope } of session.bindings) {
      if (!scopes.includes(scope) || leaves.test(command) || tried.has(command)) continue;
      reset();
      tried.add(command);
      runCommand(session, command);
      await new Promise((resolve) => setImmediate(resolve));
      const dialog = topDialog(session.ui.getState());
      if (!dialog) continue;
      const inside = activeScopes(session.ui.getState(), 'open');
      if (
        session.bindings.some(
          (binding) => binding.command === 'form.review' && inside.includes(binding.scope),
        )
      )
        runCommand(session, 'form.review');
    }
  }
  session.ui.setState({ dialogs: [] });
  await rig.settle();
  return { desk, tried };
}

describe('every key that is offered', () => {
  it.each(['viewer', 'operator'] as const)(
    'to a %s asks the desk for nothing that it refuses',
    async (role) => {
      const { desk, tried } = await everything(remote(role));
      expect([...new Set(desk.refused)]).toEqual([]);
      expect(tried.size).toBeGreaterThan(role === 'viewer' ? 40 : 60);
      const asked = desk.calls.filter(({ method }) => METHOD_ROLES[method] !== 'viewer');
      if (role === 'viewer') expect(asked).toEqual([]);
    },
  );
});

describe('the screen', () => {
  it('of a viewer has the badge and the name, and no key that acts in footer, hints, help or palette', async () => {
    const rig = await open(new StrictDesk(remote('viewer')), { columns: 120, rows: 40, hosting: false });
    await rig.press('2');
    expect(rig.screenLines()[0]).toContain('VIEWER');
    expect(rig.screenLines()[0]).toContain('alice');
    expect(rig.screenLines().at(-1)).toMatch(/n new +\/ filter/);
    await rig.press('x', 'X', 's');
    expect(rig.session.ui.getState().dialogs).toEqual([]);
    await rig.press('?');
    expect(rig.screenText()).not.toContain('cancel all shown');
    await rig.press('q', ':', ...'cancel');
    expect(rig.screenText()).not.toContain('Orders: cancel');
    expect(rig.screenText()).not.toContain('only by');
  });

  it('of a viewer fills in a ticket, sees its checks, and has no way on', async () => {
    const desk = new StrictDesk(remote('viewer'));
    const rig = await open(desk, { hosting: false });
    await rig.press('2', 'n');
    expect(rig.screenText()).not.toContain('ctrl-r');
    rig.session.ui.setState(({ dialogs }) => ({
      dialogs: dialogs.map((dialog) =>
        'field' in dialog ? ({ ...dialog, field: 'review' } as never) : dialog,
      ),
    }));
    await rig.press(ENTER);
    expect(rig.session.ui.getState().dialogs.map(({ kind }) => kind)).toEqual(['ticket']);
    expect(desk.refused).toEqual([]);
  });

  it('says the role of an operator, and that keys are an owner’s', async () => {
    const rig = await open(new StrictDesk(remote('operator')), { columns: 140, rows: 40, hosting: false });
    expect(rig.screenLines()[0]).toContain('alice operator');
    await rig.press('6');
    expect(rig.screenText()).toContain('Keys are an owner’s');
  });
});
