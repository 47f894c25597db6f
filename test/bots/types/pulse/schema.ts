/**
 * Settings of PULSE, a bot type that only tests have: buys `below` percent under the first price, sells
 * `above` percent over it.
 */
import { Type } from 'typebox';
import { everyStrategy } from '../../../../src/schemas/bots/common.ts';
import { decimal, PERCENT } from '../../../../src/schemas/bots/parts.ts';

export const PulseSettings = Type.Object(
  {
    ...everyStrategy('PULSE', true),
    below: decimal('Percent under the first price of the entry.', PERCENT),
    above: Type.Optional(decimal('Percent over the first price of the exit.', { ...PERCENT, default: '1' })),
  },
  { title: 'PulseSettings' },
);
