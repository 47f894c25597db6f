/**
 * What works beside the orders in the same step: the bots. The engine knows nothing of them but this; they place and
 * cancel through `commands.ts` and see what became of it in the same step, so that one transaction holds both. Types only.
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
  /** The first step after a load. */
  start(step: StepContext): void;
  /** Sees an input before the engine does. */
  before(step: StepContext, event: EngineEvent): void;
  /** As a command of the engine: a refusal, or null when it answers by itself, now or later. */
  command(
    step: StepContext,
    event: Extract<EngineEvent, { type: 'command' }>,
    command: BotCommand,
    waiter: Waiter,
  ): Outcome<unknown> | null;
  /** Why nobody else may take this order apart, in words; null when it is nobody's. */
  claim(order: OrderRecord): string | null;
  /** Why nobody may change this setting of an account, in words; null: it counts for nothing here. */
  keeps(exchange: string, setting: Setting): string | null;
  /** Follows what the step has done so far. True: it has done something, so the engine looks at the step again. */
  after(step: StepContext, event: EngineEvent | null): boolean;
  /** Rows of what has followed the prices since it was last stored: they go with every commit. */
  moved(): Row[];
  /** The commit has them. */
  stored(): void;
  /**
   * After a failed commit: takes over the requests that wait in the extension of before, where what they want is stored.
   * Tells the tokens of those that wait on, and of those whose intent was lost.
   */
  carryOver(before: EngineExtension): {
    readonly kept: ReadonlySet<number>;
    readonly lost: readonly number[];
  };
}
