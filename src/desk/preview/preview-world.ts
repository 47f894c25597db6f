/**
 * What the preview needs to know about the surroundings of a bot that is being written, as this desk's engine
 * knows them. Pure reads.
 */
import type { Tier } from '../../bots/ladder/liquidation.ts';
import type { CompiledSettings } from '../../bots/settings/compiled.ts';
import { fixedRules } from '../../bots/settings/market-rules.ts';
import { OWNER } from '../../domain/actor.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import { marketOf } from '../../domain/exchange.ts';
import { availability } from '../../engine/balances.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { MarketHistory } from '../market/market-history.ts';
import type { PreviewWorldOf } from './preview.ts';
import type { PreviewWorld } from './preview-messages.ts';

export interface PreviewSources {
  readonly core: DeskCore;
  readonly history: MarketHistory;
  readonly marketTime: () => number;
  readonly lastPrice: (market: string, symbol: string) => string | null;
}

export function previewWorld({ core, history, marketTime, lastPrice }: PreviewSources): PreviewWorldOf {
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
      return { now, accounts, targets, exchange, rules: rules.map((one) => fixedRules(one)) };
    },
    ground(settings) {
      const rules = bots().world.rules(settings.exchange, settings.symbol);
      const account = core.engine.memory.accounts.get(settings.exchange);
      if (!rules || !account || account.unread.size > 0) return null;
      const last = lastPrice(marketOf(account.account), settings.symbol);
      if (last === null) return null;
      const { futures } = account;
      const side = futures?.hedge ? (settings.short ? 'SHORT' : 'LONG') : 'BOTH';
      const info = futures?.leverage.of(settings.symbol, side);
      const held = futures?.positions.get(`${settings.symbol} ${side}`);
      const amount = held ? dec(held.amount) : ZERO;
      return {
        rules: fixedRules(rules),
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
    market: (exchange) => marketOf(core.engine.memory.account(exchange).account),
    history,
    marketTime,
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
