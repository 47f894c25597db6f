/** The world around a bot that is being written, as the engine of this desk knows it: what the preview is told of it. Pure reads. */
import type { Tier } from '../../bots/ladder/liquidation.ts';
import type { CompiledSettings } from '../../bots/settings/compiled.ts';
import { OWNER } from '../../domain/actor.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import { availability } from '../../engine/balances.ts';
import type { Feed } from '../../market/feed.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { PreviewWorldOf } from './preview.ts';
import type { PreviewWorld } from './preview-messages.ts';

export interface PreviewSources {
  readonly core: DeskCore;
  readonly feed: Feed;
  readonly marketTime: () => number;
  readonly lastPrice: (symbol: string) => string | null;
}

export function previewWorld({ core, feed, marketTime, lastPrice }: PreviewSources): PreviewWorldOf {
  const bots = () => {
    if (!core.bots) throw new Error('this desk has no bots');
    return core.bots;
  };
  return {
    compile: ({ type, settings, options }) =>
      bots().compile({ type, settings, options: options ?? null, user: OWNER }, marketTime()),
    world(exchange): PreviewWorld {
      const { now, accounts, targets, symbols } = bots().world.settings(OWNER, marketTime());
      const rules = symbols(exchange).flatMap((symbol) => bots().world.rules(exchange, symbol) ?? []);
      return { now, accounts, targets, exchange, rules };
    },
    ground(settings) {
      const last = lastPrice(settings.symbol);
      const rules = bots().world.rules(settings.exchange, settings.symbol);
      const account = core.engine.memory.accounts.get(settings.exchange);
      if (last === null || !rules || !account || account.unread.size > 0) return null;
      const { futures } = account;
      const info = futures?.leverage.get(settings.symbol);
      const side = futures?.hedge ? (settings.short ? 'SHORT' : 'LONG') : 'BOTH';
      const held = futures?.positions.get(`${settings.symbol} ${side}`);
      const amount = held ? dec(held.amount) : ZERO;
      return {
        rules,
        price: dec(last),
        now: marketTime(),
        available: availability(account, settings.deposit?.asset ?? rules.quote).available,
        base: futures ? ZERO : availability(account, rules.base).available,
        position:
          held && amount !== ZERO
            ? { amount: side === 'SHORT' ? -amount : amount, entryPrice: dec(held.entryPrice) }
            : null,
        tiers: tiersOf(core, settings),
        crossed: (info?.marginType ?? 'CROSSED') === 'CROSSED',
        leverage: info?.leverage ?? 1,
      };
    },
    symbols: feed.symbols,
    frameMs: feed.frameMs ?? 60_000,
    marketTime,
    candles: (symbol, frameMs, from, to) => feed.candles(symbol, frameMs, from, to),
  };
}

function tiersOf(core: DeskCore, { exchange, symbol }: CompiledSettings): readonly Tier[] {
  const brackets = core.links.get(exchange)?.venue.futures?.brackets(symbol) ?? [];
  return brackets.map(({ notionalFloor, notionalCap, maintenanceMarginRate, cumulative }) => ({
    floor: dec(notionalFloor),
    cap: dec(notionalCap),
    rate: dec(maintenanceMarginRate),
    cumulative: dec(cumulative),
  }));
}
