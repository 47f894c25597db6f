/**
 * Events for the API's subscribers, made from the effects of commits, in their order (specification,
 * "Events"; S13, S14). Orders are sent as they were at the moment of the event; balances and positions as
 * they are once its commit is done. Nothing is rendered while nobody listens, and a listener that fails does
 * not affect others.
 */
import type { Instrument } from '../../domain/instrument.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { balanceOf } from '../../engine/balances.ts';
import type { AccountMemory, EngineMemory } from '../../engine/memory.ts';
import type { Effect } from '../../engine/step.ts';
import { knowsAsset } from '../../engine/unread.ts';
import { orderOf } from '../../engine/views.ts';
import type { ApiEvent, ApiEventListener, BalanceChange } from './api-port.ts';
import { futuresTotal } from './futures-total.ts';
import { PositionDeltas } from './position-deltas.ts';

export interface ApiEventsOptions {
  /** Returns the engine's present memory; another one after a reload. */
  readonly memory: () => EngineMemory;
  /** Wall time, Unix ms. */
  readonly wall: () => number;
  /** A listener threw. */
  readonly failed: (error: unknown) => void;
}

/** The last sent values of an asset, except its worth, which moves with every price. */
type Told = Pick<BalanceChange, 'free' | 'wallet' | 'locked' | 'lockedByBot'>;

export class ApiEvents {
  readonly #options: ApiEventsOptions;
  readonly #listeners = new Set<ApiEventListener>();
  /** Last sent balances by exchange and asset; bounded by the exchanges' assets. */
  readonly #balances = new Map<string, Map<string, Told>>();
  readonly #positions = new PositionDeltas();

  constructor(options: ApiEventsOptions) {
    this.#options = options;
  }

  /** Adds a listener; returns a function that removes it. */
  listen(listener: ApiEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes an effect whose commit is done. Never throws: an error must not affect what follows it. */
  released(effect: Effect): void {
    if (this.#listeners.size === 0) return;
    try {
      this.#tell(effect);
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** Sends an event that is complete already (botStatus). */
  publish(event: ApiEvent): void {
    for (const listener of this.#listeners) {
      try {
        if (listener.wants(event.user, event.channel)) listener.event(event);
      } catch (error) {
        this.#options.failed(error);
      }
    }
  }

  /**
   * Called when memory was loaded again and events were lost with a failed commit: subscribers may have wrong
   * data. The next report of the exchange is sent in full.
   */
  reloaded(): void {
    this.#balances.clear();
    this.#positions.doubt();
  }

  #tell(effect: Effect): void {
    switch (effect.kind) {
      case 'order-event':
        this.#order(effect);
        break;
      case 'balance-event':
        this.#balance(effect.user, effect.exchange, effect.assets);
        break;
      case 'position-event':
        this.#position(effect.user, effect.exchange);
        break;
    }
  }

  #wants(user: string, channel: ApiEvent['channel']): boolean {
    return [...this.#listeners].some((listener) => listener.wants(user, channel));
  }

  #order({ user, event, order }: Extract<Effect, { kind: 'order-event' }>): void {
    if (this.#wants(user, 'orders')) this.publish({ channel: 'orders', user, event, order: orderOf(order) });
    // The engine's own reservation for the order is in no report of the exchange.
    const assets = assetsOf(this.#options.memory(), order);
    if (assets.length > 0) this.#balance(user, order.exchange, assets);
  }

  /** Sends the assets whose values differ from the last sent ones. */
  #balance(user: string, exchange: string, assets: readonly string[]): void {
    const memory = this.#options.memory();
    const account = memory.accounts.get(exchange);
    if (!account) return;
    if (!this.#wants(user, 'balance')) {
      // Later subscribers read a newer state than the one remembered here.
      this.#balances.delete(exchange);
      return;
    }
    const told = this.#balances.get(exchange) ?? new Map<string, Told>();
    this.#balances.set(exchange, told);
    const changes: Record<string, BalanceChange> = {};
    for (const asset of assets) {
      if (!knowsAsset(account, asset)) continue;
      const change = changeOf(account, asset);
      if (isSame(told.get(asset), change)) continue;
      told.set(asset, change);
      changes[asset] = change;
    }
    if (Object.keys(changes).length === 0) return;
    const { kind } = account.account;
    const total = futuresTotal(account, this.#options.wall());
    this.publish({
      channel: 'balance',
      user,
      event: 'BALANCE_UPDATE',
      exchange,
      marketType: kind,
      changes,
      ...(total === null ? {} : { total }),
    });
  }

  #position(user: string, exchange: string): void {
    const account = this.#options.memory().accounts.get(exchange);
    if (!account?.futures) return;
    if (!this.#wants(user, 'positions')) {
      this.#positions.forget(exchange);
      return;
    }
    for (const changes of this.#positions.take(exchange, account, account.futures)) {
      this.publish({ channel: 'positions', user, event: 'POSITION_UPDATE', exchange, changes });
    }
  }
}

/** Returns the assets that an order of this kind may have reserved. */
function assetsOf(memory: EngineMemory, order: OrderRecord): string[] {
  const account = memory.accounts.get(order.exchange);
  const instrument: Instrument | undefined = account?.instruments.get(order.symbol);
  if (!account || !instrument) return [];
  return [instrument.base, instrument.quote].filter(
    (asset) => account.wallet.balances.has(asset) || account.wallet.locks.has(asset),
  );
}

function changeOf(account: AccountMemory, asset: string): BalanceChange {
  const { free, wallet, locked, lockedByBot, usd } = balanceOf(account, asset);
  return {
    free,
    wallet,
    locked,
    ...(lockedByBot === null ? {} : { lockedByBot }),
    ...(usd === undefined ? {} : { usd }),
  };
}

function isSame(before: Told | undefined, now: Told): boolean {
  return (
    before !== undefined &&
    before.free === now.free &&
    before.wallet === now.wallet &&
    before.locked === now.locked &&
    before.lockedByBot === now.lockedByBot
  );
}
