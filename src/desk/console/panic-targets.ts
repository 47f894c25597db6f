/** What a panic acts on, read page by page, for a terminal that mirrors no state. Pure reads. */
import { OWNER } from '../../domain/actor.ts';
import { mayBeOpen } from '../../domain/order.ts';
import { orderViewOf } from '../../engine/views.ts';
import type { DeskCore } from '../core/desk-core.ts';
import { botView } from './console-bots.ts';
import { futuresViewOf } from './futures-view.ts';
import { mirroredBot } from './mirrored.ts';
import type { BotView, FuturesView, PanicTargets, Params } from './protocol.ts';

/** Bots or orders on one page. */
export const TARGETS_PAGE = 1_000;

export function panicTargetsOf(core: DeskCore, { part, after }: Params<'panic.targets'>): PanicTargets {
  const none: PanicTargets = { bots: {}, orders: {}, futures: {}, next: null };
  const { memory } = core.engine;
  switch (part) {
    case 'holdings':
    case 'bots': {
      const due = (core.bots?.book.of(OWNER) ?? []).filter(
        ({ runId, restartAt }) => runId !== null || restartAt !== null,
      );
      const { ids, next } = pageOf(
        due.map(({ id }) => id),
        after,
      );
      const bots: Record<string, BotView> = {};
      for (const id of ids) {
        const bot = botView(core, id);
        if (bot) bots[id] = mirroredBot(bot);
      }
      return { ...none, bots, next };
    }
    case 'orders': {
      const open = [...memory.orders.values()].filter((order) => order.user === OWNER && mayBeOpen(order));
      const { ids, next } = pageOf(
        open.map(({ id }) => id),
        after,
      );
      const wanted = new Set(ids);
      const shown = open.filter(({ id }) => wanted.has(id)).map((order) => [order.id, orderViewOf(order)]);
      return { ...none, orders: Object.fromEntries(shown), next };
    }
    case 'positions': {
      const accounts = memory.accountsOf(OWNER).filter(({ futures, unread }) => futures && unread.size === 0);
      const futures: Record<string, FuturesView> = {};
      for (const account of accounts) futures[account.account.id] = futuresViewOf(memory, account);
      return { ...none, futures };
    }
  }
}

/** Returns a page in the order of ids, so that items that come and go meanwhile do not shift it. */
function pageOf(all: readonly string[], after = ''): { ids: readonly string[]; next: string | null } {
  const rest = all.filter((id) => id > after).sort();
  const ids = rest.slice(0, TARGETS_PAGE);
  return { ids, next: rest.length > ids.length ? (ids.at(-1) ?? null) : null };
}
