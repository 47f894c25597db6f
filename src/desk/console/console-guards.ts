/**
 * The consoles' calls about the guards of an account: to read them, set them, and lift a loss limit. Only for
 * owners (S51): no other facade has them.
 */
import type { Actor } from '../../domain/actor.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { NO_GUARDS } from '../../domain/guards.ts';
import { unknownAccount } from '../../engine/accounts.ts';
import { guardMeters } from '../../engine/guard-settings.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { GuardsView, Params, Result } from './protocol.ts';

export interface GuardDeskOptions {
  readonly core: DeskCore;
  readonly requestId: () => string;
  /** The caller. */
  readonly actor: Actor;
}

export function guardHandlers({ core, requestId, actor }: GuardDeskOptions) {
  return {
    'guards.read': ({ exchange }: Params<'guards.read'>): Promise<Outcome<GuardsView>> =>
      core.turn.read(
        () => unknownAccount(core.engine.memory, actor, exchange) ?? ok(guardsViewOf(core, exchange)),
      ),
    'guards.set': async ({ exchange, change }: Params<'guards.set'>): Promise<Result<'guards.set'>> => {
      const { outcome } = await core.execute(
        actor,
        { type: 'guards', exchange, change },
        { requestId: requestId() },
      );
      if (!outcome) return refuse('INTERNAL_ERROR', 'the desk gave no answer');
      if (outcome.ok) {
        core.accounts.deadMen.get(exchange)?.look();
        core.mark({ kind: 'accounts' });
      }
      return outcome as Result<'guards.set'>;
    },
    'guards.lift': async ({ exchange }: Params<'guards.lift'>): Promise<Result<'guards.lift'>> => {
      const { outcome } = await core.execute(actor, { type: 'lift', exchange }, { requestId: requestId() });
      if (!outcome) return refuse('INTERNAL_ERROR', 'the desk gave no answer');
      if (outcome.ok) core.mark({ kind: 'accounts' });
      return outcome as Result<'guards.lift'>;
    },
  };
}

/** Returns the guards of an account; `meters` null: no guard is set. */
export function guardsViewOf(core: DeskCore, exchange: string): GuardsView {
  const { memory } = core.engine;
  const account = memory.account(exchange);
  return {
    set: account.guards?.set ?? NO_GUARDS,
    meters: guardMeters(memory, account, core.turn.now().mono),
  };
}
