/** The header line: account, desk, person, equity and time; shortened part by part until it fits. Pure. */
import type { AccountView, ClockView, DeskState } from '../../desk/console/protocol.ts';
import { MODE_TONES, mixedModes, modeOf, modeSpan } from '../dialogs/mode.ts';
import { guardBadge } from '../trading/guard-meters.ts';
import { ofAccount } from '../trading/one-account.ts';
import { orderFacts } from '../trading/orders.ts';
import { isMissed } from '../trading/vault.ts';
import { amount, clockTime, dateTime, percent, percentChange } from '../ui/format.ts';
import { type Line, lineWidth, type Span, span, spread } from '../ui/line.ts';
import { zoneLabel } from '../ui/zone.ts';

/** Shortens a name (`paper-futures`, `futures`, `fut`, `F`) unless another name has the same end. */
function shortName({ id }: AccountView, level: number, all: readonly AccountView[]): string {
  const name = id.replace(/^.*-/, '');
  const isOne = all.every((other) => other.id === id || !other.id.endsWith(`-${name}`));
  if (level === 0 || (!isOne && level < 7)) return id;
  if (level < 4) return name;
  const short = name === 'futures' ? 'fut' : name;
  return level < 5 ? short : short.slice(0, 1).toUpperCase();
}

/** Width of the one account's name when there is little room, in cells. */
const SHORT_ONLY = 14;

/** The one account that is looked at and traded on: always shown, with its mode if the modes differ. */
function onlyOne(state: DeskState, id: string, level: number): Span[] {
  const account = state.accounts.find((one) => one.id === id);
  const name = level >= 5 && id.length > SHORT_ONLY ? `${id.slice(0, SHORT_ONLY - 1)}…` : id;
  if (!account) return [span(` @${name} not here `, 'danger', { inverse: true, bold: true }), span('  ')];
  const up = account.link === 'up';
  const modes = mixedModes(state);
  return [
    span(` @${name} `, 'focus', { inverse: true, bold: true }),
    ...(modes ? [span(' '), modeSpan(modes.get(id))] : []),
    span(up ? ' ●' : ' ○', up ? 'ok' : 'danger'),
    span(level >= 5 ? ' ' : '  '),
  ];
}

function accounts(state: DeskState, level: number): Span[] {
  const out: Span[] = [];
  for (const account of state.accounts) {
    const up = account.link === 'up';
    if (level >= 7 && up) continue;
    const name = shortName(account, level, state.accounts);
    const link = span(up ? '●' : '○', up ? 'ok' : 'danger');
    out.push(span(level >= 5 && up ? name : `${name} `, 'muted'), link, span(level >= 5 ? ' ' : '  '));
  }
  return out;
}

/** The time of header and Overview: market time, which is wall time while a live market is not held. */
export function shownTime(clock: ClockView, minute: number): string {
  if (!clock.live) return dateTime(clock.market);
  return clockTime(clock.held ? clock.market : minute * 60_000);
}

/** The zone of `shownTime`. */
export function shownZone(clock: ClockView, minute: number): string {
  return zoneLabel(clock.live && !clock.held ? minute * 60_000 : clock.market);
}

/** The name of the shown time in a replay, where market and desk differ; empty if live: they are the same. */
export function timeName({ live }: Pick<ClockView, 'live'>, which: 'wall' | 'market'): string {
  return live ? '' : `${which} time`;
}

/** The name of the shown time as a note behind other text. */
export function timeNote(clock: Pick<ClockView, 'live'>, which: 'wall' | 'market', before = ' · '): Line {
  const name = timeName(clock, which);
  return name === '' ? [] : [span(before + name, 'muted')];
}

/** The mark of maintenance: the API refuses programs, and nobody at a console should forget it. */
function maintenance(level: number): Span[] {
  const text = level < 3 ? ' MAINTENANCE ' : ' MAINT ';
  return [span(text, 'warn', { inverse: true, bold: true }), span('  ')];
}

/** The mark of a locked vault: connections wait until somebody unlocks it. */
function vaultLocked(level: number): Span[] {
  return [span(level < 3 ? ' VAULT LOCKED ' : ' LOCKED ', 'warn', { inverse: true, bold: true }), span('  ')];
}

/**
 * The mark of a missing passphrase file: after a restart, stops that this desk holds do nothing until
 * somebody unlocks the vault. While there is such a stop, the mark is shown at any width.
 */
function unattended({ vault, accounts: all, orders }: DeskState, level: number): Span[] {
  if (!vault.unattended) return [];
  const theirs = new Set(
    all.flatMap(({ id, connection }) =>
      connection && vault.unattended?.includes(connection.name) ? [id] : [],
    ),
  );
  const isHeld = orderFacts(orders).open.some((order) => order.held && theirs.has(order.exchange));
  if (level >= 3 && !isHeld) return [];
  return [span(level < 3 ? 'no passphrase file' : 'no file', 'warn'), span('  ')];
}

/** The mark of a stop that has not reached its exchange, so that its position is unprotected. */
function withoutStop(level: number): Span[] {
  return [span(level < 6 ? ' WITHOUT STOP ' : ' STOP ', 'danger', { inverse: true, bold: true }), span('  ')];
}

function time(state: DeskState, minute: number, short: boolean, shortest: boolean): Line {
  const { clock } = state;
  const text = shownTime(clock, minute);
  const zone = shownZone(clock, minute);
  if (clock.live) {
    const held: Line = clock.held ? [span('HELD ', 'warn')] : [];
    return [...held, span(short ? text : `${text} ${zone}`)];
  }
  const speed = clock.speed === 'max' ? 'max' : `x${clock.speed}`;
  const end = clock.ended ? ' ENDED' : clock.held ? ' HELD' : '';
  return [
    span(shortest ? '' : clock.feed === 'synthetic' ? 'SYNTHETIC ' : 'REPLAY ', 'warn'),
    span(`${text} ${speed}`),
    span(end, 'warn'),
  ];
}

/** The terminal's user: an operator's name and the viewer mark are always shown. */
function person({ desk, me }: DeskState, level: number): Line {
  if (!me || me.name === LOCAL) return level < 3 ? [span(`${desk.user}  `, 'muted')] : [];
  const badge =
    me.role === 'viewer' ? [span(' VIEWER ', 'warn', { inverse: true, bold: true }), span(' ')] : [];
  const role = me.role !== 'viewer' && level < 3 ? [span(`${me.role}  `, 'muted')] : [];
  return [...badge, span(`${me.name}${role.length > 0 ? ' ' : '  '}`, 'focus'), ...role];
}

/** The desk's name for the owner of its folder. */
const LOCAL = 'local';

/**
 * The header line. `minute`: of the wall clock. `only`: the one account that is looked at, whose equity is
 * shown. The left part is shortened before equity and time are.
 */
export function headerLine(
  state: DeskState,
  minute: number,
  width: number,
  only: string | null = null,
): Line {
  const mode = modeOf(state);
  const { equity } = ofAccount(state, only);
  const change = percentChange(equity.dayStartUsd, equity.usd);
  const changeTone = change === null || change === 0n ? 'muted' : change > 0n ? 'up' : 'down';
  const unsent = orderFacts(state.orders).withoutStop.length > 0;
  for (let level = 0; ; level++) {
    // The gaps get narrow before the accounts are left out.
    const tight = level >= 6;
    const left: Line = [
      span(' '),
      span('OUTCRY', 'title', { bold: true }),
      span(tight ? ' ' : '  '),
      span(` ${mode} `, MODE_TONES[mode], { inverse: true, bold: true }),
      span(tight ? ' ' : '  '),
      ...(unsent ? withoutStop(level) : []),
      ...guardBadge(state, level === 0 ? 'all' : level < 3 ? 'some' : 'none'),
      ...(isMissed(state.vault) ? vaultLocked(level) : unattended(state, level)),
      ...(state.maintenance === null ? [] : maintenance(level)),
      ...person(state, level),
      ...(only === null ? accounts(state, level) : onlyOne(state, only, level)),
    ];
    const right: Line = [
      ...(level < 2 ? [span('equity ', 'muted')] : []),
      span(amount(equity.usd, 2)),
      ...(equity.partial ? [span(' partial', 'warn')] : []),
      span(tight ? ' ' : '  '),
      span(percent(change), changeTone),
      span(tight ? '  ' : '   '),
      ...time(state, minute, level >= 2, level >= 8),
      span(' '),
    ];
    if (level === 8 || lineWidth(left) + lineWidth(right) <= width) return spread(left, right, width);
  }
}
