/** The consoles' calls about operators and their SSH access: only for owners. */
import { actorLabel } from '../../domain/actor.ts';
import type { CallerFacadeOptions } from './console-facade.ts';
import type { Params } from './protocol.ts';

export function operatorHandlers({
  operators,
  ssh,
  actor,
}: Pick<CallerFacadeOptions, 'operators' | 'ssh' | 'actor'>) {
  const by = actorLabel(actor);
  return {
    'operators.list': () => operators.list(),
    'operators.set': (form: Params<'operators.set'>) => operators.set(form, by),
    'operators.remove': ({ name }: Params<'operators.remove'>) => operators.remove(name, by),
    'ssh.view': () => ssh.view(),
    'ssh.rotate': ({ now }: Params<'ssh.rotate'>) => ssh.rotate(now),
  };
}
