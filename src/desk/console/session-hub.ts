/** All terminals of one desk: places, the list, ending one, and the effects of changed operators. */
import type { Role } from '../../domain/operator.ts';
import type { DeskLine } from '../hosting/transports/line.ts';
import { type Hub, Session, type SessionOptions } from './session.ts';
import { SharedChanges } from './shared-changes.ts';
import { Turns } from './turns.ts';
import type { Who } from './who.ts';

/**
 * Most terminals of one desk at the same time; and as many again that only make calls and get no state, so
 * that these always get through.
 */
export const MAX_SESSIONS = 32;
/** Most terminals of one operator at the same time. */
export const MAX_OF_ONE = 4;
/** Most connections that have not said hello. With one more, the oldest of them is closed. */
export const MAX_SILENT = 32;

export interface SessionHub {
  /**
   * Serves a terminal on `line` until either side ends it; beyond MAX_SESSIONS it gets a message and is
   * closed.
   */
  accept(line: DeskLine): void;
  /** Returns the number of terminals served now. */
  size(): number;
  /** Ends every session with `reason`; later connections get it as well. */
  closeAll(reason: string): void;
}

/** Makes the hub for all terminals of one desk. */
export function createSessionHub(options: SessionOptions): SessionHub {
  const silent = new Set<Session>();
  const serving = { full: new Set<Session>(), light: new Set<Session>() };
  let over: string | null = null;
  let last = 0;
  const all = () => [...serving.full, ...serving.light];
  const roles = new Map<Session, Role>();
  const turns = new Turns(options.clock);
  const hub: Hub = {
    changes: new SharedChanges(options.desk, options.clock),
    inTurn: (run, isLocal) => turns.add(run, isLocal),
    admit(session, kind) {
      const problem = placeProblem(serving[kind], session);
      if (problem !== null) return problem;
      silent.delete(session);
      serving[kind].add(session);
      roles.set(session, session.role);
      return null;
    },
    onEnd(session) {
      roles.delete(session);
      for (const set of [silent, serving.full, serving.light]) set.delete(session);
    },
    list: () => all().flatMap((session) => session.view() ?? []),
    end(id, reason) {
      const session = all().find((one) => one.id === id);
      session?.end(reason);
      return session !== undefined;
    },
  };
  options.desk.roster?.onChange(() => {
    for (const [session, before] of [...roles]) session.review(before);
  });
  return {
    accept(line) {
      last += 1;
      const session = new Session(`s${last}`, line, options, hub);
      silent.add(session);
      if (over !== null) session.end(over);
      const [oldest] = silent;
      if (silent.size > MAX_SILENT) oldest?.end('too many connections that have not said hello');
    },
    size: () => serving.full.size + serving.light.size,
    closeAll(reason) {
      over = reason;
      for (const set of [silent, serving.full, serving.light])
        for (const session of [...set]) session.end(reason);
    },
  };
}

/**
 * Returns why a session gets no place. One place is reserved for the machine's own terminal, and one for an
 * owner: others can never lock them out.
 */
function placeProblem(taken: ReadonlySet<Session>, session: Session): string | null {
  const who = session.who as Who;
  const mine = [...taken].filter((other) => other.who?.name === who.name);
  if (!who.isLocal && mine.length >= MAX_OF_ONE)
    return `${who.name} has ${MAX_OF_ONE} terminals at this desk already; close one of them`;
  const kept = who.isLocal ? 0 : session.role === 'owner' ? 1 : 2;
  return taken.size >= MAX_SESSIONS - kept
    ? `${taken.size} terminals are attached to this desk already; close one of them`
    : null;
}
