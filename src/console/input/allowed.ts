/** Which keys a terminal has, by its role at the desk: what the desk would refuse is in no footer, help or palette. The desk decides all the same. Pure. */
import type { Me } from '../../desk/console/protocol.ts';
import { allows } from '../../domain/operator.ts';
import type { BoundBinding, Needed } from './binding.ts';

/** The role that a key needs: what changes something is an operator's, where the table does not say otherwise. */
export function neededFor({
  needs,
  dangerous,
  acts,
}: Pick<BoundBinding, 'needs' | 'dangerous' | 'acts'>): Needed {
  return needs ?? (dangerous || acts ? 'operator' : 'viewer');
}

export function isAllowed(needed: Needed, { role, local }: Pick<Me, 'role' | 'local'>): boolean {
  return needed === 'local' ? local && role === 'owner' : allows(role, needed);
}

/** Whether whoever is there may change anything at all; a desk that does not say lets everybody. */
export function mayAct(me: Pick<Me, 'role' | 'local'> | undefined): boolean {
  return me === undefined || isAllowed('operator', me);
}

/**
 * The same table where nothing of it is refused. `draft`: a form is open that only a confirmation goes on from: whoever looks
 * only fills it in, and does not review it.
 */
export function allowedBindings(
  bindings: readonly BoundBinding[],
  me: Pick<Me, 'role' | 'local'> | undefined,
  draft: boolean,
): readonly BoundBinding[] {
  if (!me || isAllowed('local', me)) return bindings;
  const noReview = draft && !mayAct(me);
  return bindings.filter(
    (binding) => isAllowed(neededFor(binding), me) && !(noReview && binding.command === 'form.review'),
  );
}
