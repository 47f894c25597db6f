/** Planted bugs of a desk that has a dead-man switch, in the connection to the rough exchange. */
import type { Venue } from '../../../src/venues/venue.ts';
import type { Mutation } from '../mutations.ts';
import { over } from '../venue-over.ts';

export const DEAD_MAN_MUTATION_NAMES = ['never-renewed', 'never-armed', 'never-taken-back'] as const;

export type DeadManMutationName = (typeof DEAD_MAN_MUTATION_NAMES)[number];

type Arm = Required<Required<Venue>['deadMan']>['arm'];

export const DEAD_MAN_MUTATIONS: Readonly<Record<DeadManMutationName, Mutation>> = {
  'never-renewed': {
    name: 'a countdown is begun and not renewed',
    venue: (venue) => {
      const begun = new Set<string | null>();
      return arming(venue, (arm) => async (countdown, dispatch) => {
        const { symbol, seconds } = countdown;
        if (seconds > 0 && begun.has(symbol)) return { kind: 'done' };
        const outcome = await arm(countdown, dispatch);
        if (seconds > 0 && outcome.kind === 'done') begun.add(symbol);
        if (seconds === 0) begun.delete(symbol);
        return outcome;
      });
    },
  },
  'never-armed': {
    name: 'an entry has no countdown behind it',
    venue: (venue) => arming(venue, () => async () => ({ kind: 'done' })),
  },
  'never-taken-back': {
    name: 'a countdown goes on without an entry',
    venue: (venue) =>
      arming(
        venue,
        (arm) => async (countdown, dispatch) =>
          countdown.seconds === 0 ? { kind: 'done' } : arm(countdown, dispatch),
      ),
  },
};

function arming(venue: Venue, change: (arm: Arm) => Arm): Venue {
  const arm = venue.deadMan?.arm;
  return arm ? over(venue, { deadMan: { arm: change(arm) } }) : venue;
}
