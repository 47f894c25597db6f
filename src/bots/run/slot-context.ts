/**
 * What the slots of a run see of it. One object for each run, with shared functions: there may be thousands
 * of runs. Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { CommonSettings, MarketRules } from '../settings/compiled.ts';
import type { RunAction } from './contract.ts';
import type { LotBook } from './lots.ts';
import type { RunParts } from './run-parts.ts';
import type { BlockingRule, EntryFill, SlotContext } from './slot.ts';

export class RunSlotContext implements SlotContext {
  readonly settings: CommonSettings;
  readonly rules: MarketRules;
  readonly lots: LotBook;
  readonly #run: RunParts;

  constructor(run: RunParts) {
    this.settings = run.settings;
    this.rules = run.rules;
    this.lots = run.lots;
    this.#run = run;
  }

  now(): number {
    return this.#run.now;
  }

  price(): Dec | null {
    return this.#run.market.price;
  }

  shared(): boolean {
    return this.#run.world.shared?.() === true;
  }

  entriesAllowed(): boolean {
    const { gate, phase, pause, failed } = this.#run.state;
    // Where entries cannot be cancelled now, no cancel is requested either.
    if (failed !== undefined && pause?.withdraws !== false) return false;
    return gate && phase === 'running' && pause?.withdraws !== true;
  }

  isPaused(): boolean {
    return this.#run.state.pause != null || this.#run.state.failed !== undefined;
  }

  blockingRuleOf(fill: EntryFill): BlockingRule | null {
    return this.#run.stops.blockingRuleOf(fill);
  }

  stopSells(): boolean {
    return this.#run.stops.isSelling();
  }

  cycledNow(): boolean {
    return this.#run.state.cycledAt === this.#run.now;
  }

  act(action: RunAction): void {
    this.#run.act(action);
  }

  notice(level: 1 | 2 | 3, text: string): void {
    this.#run.notice(level, text);
  }

  timer(name: string, at: number | null): void {
    this.#run.timer(name, at);
  }

  failed(reason: string): void {
    this.#run.fail(reason);
  }

  stopFired(slot: string, lots: readonly string[]): void {
    this.#run.stops.held(slot, lots);
  }

  followed(): void {
    this.#run.moved = true;
  }

  vanished(slot: string, lots: readonly string[]): void {
    this.#run.vanished(slot, lots);
  }
}
