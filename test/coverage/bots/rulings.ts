/** Rulings on what the strategies left open (strategies.md 10). */
import { type Item, prefixed, section } from '../item.ts';

export const RULING_ITEMS: readonly Item[] = section(
  'Rulings',
  prefixed('bot ruling', {
    R1: 'An entry is not sent while a stop rule would fire at once at the price at which it fills; a cycle a tick, three sends of a slot a moment.',
    R2: 'A stop entry whose price has been passed waits until the price is back, with one notice; what is left of one that has triggered is an ordinary order. The tick market refuses a passed stop, and at the trigger what its wallet cannot pay.',
    R3: 'SCALE: every filled order is a lot; a rule without `complete` sells the newest, the one exit is placed anew for the rest.',
    R4: 'FIBO short with mergeChannels: two by two from the top, the mean rounded up, the target that of the lower.',
    R5: 'startBuy computes quantities with the rounded level, as resting entries do.',
    R6: 'With a time frame entries wait for the close, where the last price decides anew; a cell that the price has reached during a pause waits until the price has been beyond its level.',
    R7: 'A percent budget on futures leaves room for the entry’s fee and opening loss; a fixed one beyond that is refused with the largest that fits.',
    R8: 'oncePerTimeFrame: the next entry at the first candle close after the cycle has completed.',
    R9: 'What a fill has spent or brought counts from the fill on.',
    R10: 'A tick: stops first, those that the engine or the run holds included; the run decides about it once what they sell is sold.',
    R11: 'A refusal by our own check with an older price than the fill’s never counts as the exchange’s word.',
    R12: 'An account that is not ready, a symbol that is halted: the run waits, entries withdrawn, exits kept.',
    R13: 'Runs that share a symbol: exits by their own lots; what others close is taken from them in proportion.',
  }),
);
