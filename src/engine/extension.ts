/**
 * The port of what works beside the orders in the same step: the bots. The engine knows only this of them;
 * they place and cancel through `commands.ts` and see the result in the same step, so that one transaction
 * holds both. Types only.
 */
import type { BotCommand } from '../domain/bot.ts';
import type { Outcome } from '../domain/errors.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { Setting } from '../domain/position.ts';
import type { Row } from '../domain/rows.ts';
import type { Waiter } from './memory.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

export interface EngineExtension {
  /** Runs in the first step after a load. */
  start(step: StepContext): void;
  /** Sees an input before the engine does. */
  before(step: StepContext, event: EngineEvent): void;
  /**
   * Handles a command like the engine: returns a refusal, or null when it answers by itself, now or later.
   */
  command(
    step: StepContext,
    event: Extract<EngineEvent, { type: 'command' }>,
    command: BotCommand,
    waiter: Waiter,
  ): Outcome<unknown> | null;
  /** Returns why nobody else may change this order, in words; null when no bot owns it. */
  claim(order: OrderRecord): string | null;
  /**
   * Returns why nobody may change this setting of an account, in words; null: the extension does not depend
   * on it.
   */
  keeps(exchange: string, setting: Setting): string | null;
  /**
   * Reacts to what the step has done so far. True: it has done something, so the engine looks at the step
   * again.
   */
  after(step: StepContext, event: EngineEvent | null): boolean;
  /**
   * Returns rows of values that have followed the prices since they were last stored: they go with every
   * commit.
   */
  moved(): Row[];
  /** Notes that the commit contains them. */
  stored(): void;
  /**
   * After a failed commit: takes over the requests that wait in the previous extension, where their intent is
   * stored. Returns the tokens of those that keep waiting, and of those whose intent was lost.
   */
  carryOver(before: EngineExtension): {
    readonly kept: ReadonlySet<number>;
    readonly lost: readonly number[];
  };
}
