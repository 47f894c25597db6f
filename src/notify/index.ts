/** Makes the targets of a desk from their options. */
import type { Target } from './target.ts';
import type { TargetOptions } from './target-options.ts';
import { Telegram } from './telegram.ts';
import { Webhook } from './webhook.ts';

/** Returns the targets by name. The options must be valid (`targetsProblem`). */
export function createTargets(options: readonly TargetOptions[]): ReadonlyMap<string, Target> {
  return new Map(
    options.map((one) => [one.name, one.type === 'webhook' ? new Webhook(one) : new Telegram(one)]),
  );
}
