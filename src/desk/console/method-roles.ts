/**
 * Which role each call of a terminal needs (remote.md 2), in one table: a method without a row does not
 * compile. The desk checks it at every call; footers, help and palettes only show it. Data only.
 */
import { allows, type Role } from '../../domain/operator.ts';
import type { Method } from './protocol.ts';

/** `local`: an owner at a terminal of this machine, for calls that use its files or show something once. */
export type Needed = Role | 'local';

export const METHOD_ROLES: Readonly<Record<Method, Needed>> = {
  'orders.place': 'operator',
  'orders.check': 'viewer',
  'orders.cancel': 'operator',
  'orders.cancelAll': 'operator',
  'orders.amend': 'operator',
  'orders.amendCheck': 'viewer',
  'orders.split': 'operator',
  'orders.splitPreview': 'viewer',
  'orders.detail': 'viewer',
  'orders.closed': 'viewer',
  'orders.export': 'local',
  'trades.list': 'viewer',
  'trades.page': 'viewer',
  'trades.export': 'local',
  'portfolio.ledger': 'viewer',
  'portfolio.dust': 'viewer',
  'portfolio.export': 'local',
  'pnl.read': 'viewer',
  'pnl.export': 'local',
  'market.candles': 'viewer',
  'market.look': 'viewer',
  'market.lookAway': 'viewer',
  'futures.set': 'operator',
  'futures.brackets': 'viewer',
  'futures.marginMode': 'viewer',
  'bots.create': 'operator',
  'bots.manage': 'operator',
  'bots.check': 'viewer',
  'bots.ladder': 'viewer',
  'bots.replay': 'viewer',
  'bots.replayProgress': 'viewer',
  'bots.replayEnd': 'viewer',
  'bots.patch': 'operator',
  'bots.tag': 'operator',
  'bots.delete': 'operator',
  'bots.start': 'operator',
  'bots.stop': 'operator',
  'bots.message': 'operator',
  'bots.batch': 'operator',
  'bots.detail': 'viewer',
  'alerts.mute': 'operator',
  'alerts.seen': 'operator',
  'keys.list': 'owner',
  'keys.check': 'owner',
  'keys.generate': 'local',
  'keys.register': 'owner',
  'keys.revoke': 'owner',
  'keys.example': 'owner',
  'keys.reveal': 'local',
  'keys.explain': 'owner',
  'feed.control': 'owner',
  'feed.speed': 'owner',
  'exchange.confirmRights': 'owner',
  'exchange.takeOver': 'owner',
  'exchange.reconcile': 'operator',
  'paper.configure': 'owner',
  'paper.balance': 'owner',
  'paper.reset': 'owner',
  'paper.faults': 'owner',
  'paper.fault': 'owner',
  'guards.read': 'owner',
  'guards.set': 'owner',
  'guards.lift': 'owner',
  'connections.list': 'owner',
  'connections.test': 'owner',
  'connections.makeKey': 'owner',
  'connections.add': 'owner',
  'connections.remove': 'owner',
  'connections.confirm': 'owner',
  'vault.init': 'owner',
  'vault.unlock': 'owner',
  'vault.lock': 'owner',
  'vault.change': 'owner',
  'vault.forget': 'owner',
  'operators.list': 'owner',
  'operators.set': 'owner',
  'operators.remove': 'owner',
  'memory.read': 'viewer',
  'memory.write': 'viewer',
  'ssh.view': 'owner',
  'ssh.rotate': 'local',
  'sessions.list': 'owner',
  'sessions.end': 'owner',
  'session.lock': 'viewer',
  'session.unlock': 'viewer',
  'session.pin': 'local',
  'panic.targets': 'operator',
  'desk.panic': 'operator',
  'desk.maintenance': 'owner',
  'desk.stop': 'owner',
};

/** Calls that a screen repeats while it is visible: they get no line in the audit. */
const LOOKS: ReadonlySet<Method> = new Set<Method>(['sessions.list', 'operators.list', 'ssh.view']);

/** Whether the audit notes who has made the call. */
export function isAudited(method: Method): boolean {
  return METHOD_ROLES[method] !== 'viewer' && !LOOKS.has(method);
}

/** Returns why a caller may not make a call; null: it may. */
export function roleProblem(
  method: Method,
  { role, local }: { readonly role: Role; readonly local: boolean },
): string | null {
  const needed = METHOD_ROLES[method];
  if (needed === 'local')
    return local && role === 'owner' ? null : `${method} is for an owner at the desk's own machine`;
  return allows(role, needed) ? null : `${method} needs the role ${needed}; yours is ${role}`;
}
