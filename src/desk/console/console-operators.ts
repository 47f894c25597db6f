/** The consoles' calls about operators: an owner's alone. */
import { actorLabel } from '../../domain/actor.ts';
import type { CallerFaceOptions } from './console-face.ts';
import type { Params } from './protocol.ts';

export function operatorHandlers({ operators, actor }: Pick<CallerFaceOptions, 'operators' | 'actor'>) {
  const by = actorLabel(actor);
  return {
    'operators.list': () => operators.list(),
    'operators.set': (form: Params<'operators.set'>) => operators.set(form, by),
    'operators.remove': ({ name }: Params<'operators.remove'>) => operators.remove(name, by),
  };
}
