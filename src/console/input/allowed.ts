/**
 * Which keys a terminal has, by its role at the desk: what the desk would refuse appears in no footer, help
 * or palette. The desk checks every request nevertheless. Pure.
 */
import type { Me } from '../../desk/console/protocol.ts';
import { allows } from '../../domain/operator.ts';
import type { BoundBinding, Needed } from './binding.ts';

/**
 * The role that a key needs: where the table does not say otherwise, a key that changes something needs an
 * operator.
 */
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

/** Whether the person at this terminal may change anything at all; true where the desk names no role. */
export function mayAct(me: Pick<Me, 'role' | 'local'> | undefined): boolean {
  return me === undefined || isAllowed('operator', me);
}

/**
 * The bindings that the role allows. `draft`: a form is open whose next step is a confirmation: a viewer may
 * fill it in, but not review it.
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
