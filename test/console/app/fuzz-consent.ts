/**
 * The rules for what a console may ask of its desk, checked beside it while it is fuzzed: every change must
 * follow from `y` alone in a confirmation that was open, visible, past its deaf time and had its typed word;
 * and it must be exactly what that confirmation was for.
 */

import {
  type Action,
  type ConfirmDialog,
  type Dialog,
  tooSmall,
  topDialog,
} from '../../../src/console/state/ui.ts';
import { isRunning } from '../../../src/console/trading/bots.ts';
import type { Method, Params } from '../../../src/desk/console/protocol.ts';
import type { Rig } from '../support/rig.tsx';
import { bytesOf } from './fuzz-keys.ts';

const DEAF_MS = 300;

/**
 * What each method needs: nothing (reads, and changes that are undone as easily), its own key (the feed), or
 * a confirmation.
 */
const NEEDS: Readonly<Record<Method, 'nothing' | 'key' | 'consent'>> = {
  'orders.place': 'consent',
  'orders.check': 'nothing',
  'orders.cancel': 'consent',
  'orders.cancelAll': 'consent',
  'orders.amend': 'consent',
  'orders.amendCheck': 'nothing',
  'orders.split': 'consent',
  'orders.splitPreview': 'nothing',
  'orders.detail': 'nothing',
  'orders.closed': 'nothing',
  'portfolio.ledger': 'nothing',
  'trades.list': 'nothing',
  'trades.page': 'nothing',
  'orders.export': 'nothing',
  'trades.export': 'nothing',
  'pnl.read': 'nothing',
  'pnl.export': 'nothing',
  'market.candles': 'nothing',
  'memory.read': 'nothing',
  'memory.write': 'nothing',
  'market.look': 'nothing',
  'market.lookAway': 'nothing',
  'futures.set': 'consent',
  'futures.brackets': 'nothing',
  'futures.marginMode': 'nothing',
  'portfolio.dust': 'nothing',
  'portfolio.export': 'nothing',
  'bots.create': 'consent',
  'bots.manage': 'consent',
  'bots.check': 'nothing',
  'bots.ladder': 'nothing',
  'bots.replay': 'nothing',
  'bots.replayProgress': 'nothing',
  'bots.replayEnd': 'nothing',
  'bots.patch': 'consent',
  'bots.tag': 'nothing',
  'bots.delete': 'consent',
  'bots.start': 'consent',
  'bots.stop': 'consent',
  'bots.message': 'consent',
  'bots.batch': 'consent',
  'bots.detail': 'nothing',
  'alerts.mute': 'nothing',
  'alerts.seen': 'nothing',
  'keys.list': 'nothing',
  'panic.targets': 'nothing',
  'keys.check': 'nothing',
  'keys.generate': 'consent',
  'keys.register': 'consent',
  'keys.revoke': 'consent',
  'keys.example': 'nothing',
  'keys.reveal': 'key',
  'keys.explain': 'nothing',
  'feed.control': 'key',
  'feed.speed': 'consent',
  'exchange.takeOver': 'consent',
  'exchange.confirmRights': 'consent',
  'exchange.reconcile': 'nothing',
  'connections.list': 'nothing',
  'connections.test': 'nothing',
  'connections.makeKey': 'consent',
  'connections.add': 'consent',
  'connections.remove': 'consent',
  'connections.confirm': 'consent',
  'guards.read': 'nothing',
  'guards.set': 'consent',
  'guards.lift': 'consent',
  'vault.init': 'nothing',
  'vault.unlock': 'nothing',
  'vault.lock': 'consent',
  'vault.change': 'nothing',
  'vault.forget': 'consent',
  'paper.configure': 'consent',
  'paper.balance': 'consent',
  'paper.reset': 'consent',
  'paper.faults': 'consent',
  'paper.fault': 'consent',
  'desk.panic': 'consent',
  'desk.maintenance': 'consent',
  'operators.list': 'nothing',
  'operators.set': 'consent',
  'operators.remove': 'consent',
  'ssh.view': 'nothing',
  'ssh.rotate': 'consent',
  'sessions.list': 'nothing',
  'sessions.end': 'consent',
  'session.lock': 'nothing',
  'session.unlock': 'nothing',
  'session.pin': 'consent',
  'desk.stop': 'consent',
};
/** The commands whose own key is enough. */
const OWN_KEYS: Readonly<Partial<Record<Method, readonly string[]>>> = {
  'feed.control': ['feed.toggle', 'feed.step'],
  'keys.reveal': ['key.reveal'],
};
const PANIC: ReadonlySet<string> = new Set<Method>([
  'desk.panic',
  'bots.batch',
  'orders.cancelAll',
  'orders.place',
]);

const METHODS: Readonly<Partial<Record<Action['type'], readonly Method[]>>> = {
  place: ['orders.place'],
  futures: ['futures.set'],
  cancel: ['orders.cancel'],
  'cancel-all': ['orders.cancelAll'],
  split: ['orders.split'],
  amend: ['orders.amend'],
  exits: ['bots.manage'],
  reverse: ['orders.place'],
  generate: ['keys.generate'],
  register: ['keys.register'],
  revoke: ['keys.revoke'],
  maintenance: ['desk.maintenance'],
  'vault-lock': ['vault.lock'],
  'bot-create': ['bots.create'],
  'bot-patch': ['bots.patch'],
  'bots-start': ['bots.start', 'bots.batch'],
  'bots-stop': ['bots.stop', 'bots.batch'],
  'bots-delete': ['bots.delete', 'bots.batch'],
  'bot-message': ['bots.message'],
  'price-alerts-remove': ['bots.delete'],
};

interface Moment {
  readonly bytes: string;
  readonly dialog: Dialog | undefined;
  readonly now: number;
}

/** Whether the dialog had been on the screen for its deaf time. */
function seen({ shownAt }: { readonly shownAt: number | null }, now: number): boolean {
  return shownAt !== null && now - shownAt >= DEAF_MS;
}

export class Consent {
  /** Changes made without consent, one sentence each. */
  readonly broken: string[] = [];
  /** Number of confirmations given. */
  given = 0;
  private readonly rig: Rig;
  private readonly yes: readonly string[];
  private readonly stop: readonly string[];
  private readonly grants: { readonly action: Action; readonly calls: Set<string> }[] = [];
  private moment: Moment | null = null;
  /**
   * The previous input: half a sequence delays the input after it until that is known not to belong to it.
   */
  private late = '';

  constructor(rig: Rig) {
    this.rig = rig;
    const bytes = (command: string) =>
      rig.session.bindings
        .filter((binding) => binding.command === command)
        .flatMap(({ keys }) => keys.flatMap((key) => bytesOf(key)));
    this.yes = bytes('confirm.yes');
    this.stop = bytes('quit.stop');
  }

  /** Called before an input event is sent. */
  before(bytes: string): void {
    this.late = this.moment?.bytes ?? '';
    const ui = this.rig.session.ui.getState();
    // Where the screen is too small for it, no dialog receives keys.
    const dialog = tooSmall(ui) ? undefined : topDialog(ui);
    this.moment = { bytes, dialog, now: this.rig.time.now };
    if (dialog?.kind === 'confirm' && this.isYes(dialog, this.moment)) {
      const screen = this.rig.screenText();
      if (!screen.includes(dialog.verb.slice(0, 20)))
        this.broken.push(`"${dialog.verb}" was confirmed unseen: the screen showed\n${screen}`);
      this.given++;
      this.grants.push({ action: dialog.action, calls: new Set() });
    }
  }

  /** Called when the desk is asked. */
  called(method: Method, params: unknown): void {
    // A price alert places no order, and is removed as easily as it is made.
    const tells = method === 'bots.manage' && (params as Params<'bots.manage'>).bot.type === 'ALARM';
    const needs = tells ? 'nothing' : NEEDS[method];
    if (needs === 'nothing') return;
    if (needs === 'key') {
      this.keyed(method);
      return;
    }
    const text = `${method} ${JSON.stringify(params)}`;
    // A panic ends once, whatever its counts are.
    const once = endsPanic(method, params) ? `${method} end` : text;
    const grant = this.grants.findLast(
      ({ action, calls }) => !calls.has(once) && this.covers(action, method, params),
    );
    if (grant) grant.calls.add(once);
    else
      this.broken.push(`${text} after ${JSON.stringify(this.moment?.bytes)} in ${this.moment?.dialog?.kind}`);
  }

  /** Called when the console is left. */
  exited(action: string): void {
    if (action !== 'stop' || !this.moment) return;
    const { bytes, dialog, now } = this.moment;
    const running = Object.values(this.rig.session.desk.getState().state?.bots ?? {}).some(isRunning);
    const asked = dialog?.kind === 'quit' && this.stop.includes(bytes) && seen(dialog, now) && !running;
    const told =
      dialog?.kind === 'confirm' && dialog.action.type === 'stop-desk' && this.isYes(dialog, this.moment);
    if (!asked && !told)
      this.broken.push(`the desk was stopped by ${JSON.stringify(bytes)} in ${dialog?.kind}`);
  }

  private isYes(dialog: ConfirmDialog, moment: Moment): boolean {
    const { busy, word, typed } = dialog;
    if (!this.yes.includes(moment.bytes) || busy || !seen(dialog, moment.now)) return false;
    return word === undefined || word === typed;
  }

  private covers(action: Action, method: Method, params: unknown): boolean {
    if (action.type === 'panic' || action.type === 'panic-again')
      return PANIC.has(method) && (this.panics() || endsPanic(method, params));
    const methods = METHODS[action.type];
    if (methods && !methods.includes(method)) return false;
    const whole = JSON.stringify(action);
    return strings(params).every((text) => whole.includes(JSON.stringify(text).slice(1, -1)));
  }

  private panics(): boolean {
    return this.rig.session.ui.getState().panic?.running === true;
  }

  private keyed(method: Method): void {
    const heard = this.late + (this.moment?.bytes ?? '');
    const keys = this.rig.session.bindings
      .filter(({ command }) => OWN_KEYS[method]?.includes(command))
      .flatMap((binding) => binding.keys.flatMap((key) => bytesOf(key)));
    if (!keys.some((key) => heard.includes(key)))
      this.broken.push(`${method} after ${JSON.stringify(this.moment?.bytes)}`);
  }
}

/**
 * The message that a panic is done, for the log: sent when nothing of it runs any more; it changes nothing.
 */
function endsPanic(method: Method, params: unknown): boolean {
  return method === 'desk.panic' && (params as Params<'desk.panic'>).phase === 'end';
}

/** Every text in a value, at any depth. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(strings);
}
