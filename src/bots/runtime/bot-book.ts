/** The bots and runs in memory, and their records as clients see them. No decisions here. */
import type { AlertRecord, BotRecord, PublicBot } from '../../domain/bot.ts';
import { isManaged, MAX_MANAGED_BOTS } from '../../domain/bot-bounds.ts';
import { type Outcome, refuse } from '../../domain/errors.ts';
import { marketKey } from '../../domain/exchange.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { figuresOf, publicBot } from './figures.ts';
import type { LiveRun } from './live-run.ts';

export class BotBook {
  readonly bots = new Map<string, BotRecord>();
  readonly #runs = new Map<string, LiveRun>();
  readonly #bySymbol = new Map<string, Set<LiveRun>>();
  /** Running runs, and ended ones with orders that are still open, in order of their start. */
  readonly runs: ReadonlyMap<string, LiveRun> = this.#runs;
  /** The same runs by market and own symbol. */
  readonly bySymbol: ReadonlyMap<string, ReadonlySet<LiveRun>> = this.#bySymbol;
  readonly alerts = new Map<string, AlertRecord>();
  /** Label and figures of the last run that has ended, by bot. */
  readonly ended = new Map<string, Pick<PublicBot, 'stats'> & { label: string }>();

  add(live: LiveRun): void {
    this.#runs.set(live.id, live);
    const key = keyOf(live);
    const others = this.#bySymbol.get(key);
    if (others) others.add(live);
    else this.#bySymbol.set(key, new Set([live]));
  }

  remove(live: LiveRun): void {
    this.#runs.delete(live.id);
    const key = keyOf(live);
    const others = this.#bySymbol.get(key);
    others?.delete(live);
    if (others?.size === 0) this.#bySymbol.delete(key);
  }

  /** Runs that have this symbol of the market as their own, in order of their start. */
  runsOn(market: string, symbol: string): readonly LiveRun[] {
    return [...(this.#bySymbol.get(marketKey(market, symbol)) ?? [])];
  }

  /** A user's bots, oldest first. */
  of(user: string): BotRecord[] {
    return [...this.bots.values()].filter((bot) => bot.user === user);
  }

  /** Returns the refusal of one more bot of a user; null: there is room. */
  full(user: string, most: number): Outcome<never> | null {
    const { length } = this.of(user).filter((bot) => !isManaged(bot));
    if (length < most) return null;
    return refuse('CONFLICT', `there are ${length} bots, and ${most} is the most; delete one first`);
  }

  /** The same for bots that the desk makes for exits and alerts. */
  fullOfManaged(user: string): Outcome<never> | null {
    const { length } = this.of(user).filter(isManaged);
    if (length < MAX_MANAGED_BOTS) return null;
    const text = `${length} orders with exits and price alerts are watched, and ${MAX_MANAGED_BOTS} is the most; end one first`;
    return refuse('CONFLICT', text);
  }

  /** Returns one of a user's bots; bots of other users are not found. */
  one(user: string, id: string): BotRecord | null {
    const bot = this.bots.get(id);
    return bot?.user === user ? bot : null;
  }

  /** Returns the bot's running run. */
  running(bot: BotRecord): LiveRun | null {
    return bot.runId === null ? null : (this.runs.get(bot.runId) ?? null);
  }

  /** Returns the run that owns an order. */
  runOf(order: OrderRecord): LiveRun | undefined {
    if (order.creator !== 'BOT') return undefined;
    return this.runs.get(order.id.slice(order.id.lastIndexOf('_') + 1));
  }

  /**
   * Returns a refusal when a running run owns the order: the run places an order again that ends without its
   * request, so after a split it would exist twice.
   */
  ownershipRefusal(order: OrderRecord): string | null {
    const live = this.runOf(order);
    if (!live?.going) return null;
    return `order ${order.id} belongs to the run of bot ${live.parts.botId}; stop the bot first, leaving its orders`;
  }

  /** Returns the bot as it is shown now; without a running run, with the figures of the last one. */
  shown(bot: BotRecord): PublicBot {
    const live = this.running(bot);
    if (live) return publicBot(bot, { label: live.run.label(), figures: figuresOf(live.run) });
    const last = this.ended.get(bot.id);
    return publicBot(bot, last?.stats ? { label: last.label, figures: last.stats } : null);
  }
}

function keyOf({ parts, run }: LiveRun): string {
  return marketKey(parts.market, run.settings.symbol);
}
