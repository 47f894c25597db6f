/**
 * Symbols that an exchange names but that cannot be decoded are not delisted, also not in the first list
 * after a start.
 */
import { expect, it } from 'vitest';
import { ReadableVenue } from '../../../src/desk/core/readable-venue.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { SaidVenue } from './link-rig.ts';

function started(change: (venue: SaidVenue) => void, known?: (list: readonly Instrument[]) => Instrument[]) {
  const venue = new SaidVenue('spot', 3);
  const before = venue.list;
  change(venue);
  const options = { clock: new VirtualClock(), report: () => {} };
  const readable = new ReadableVenue(venue, { ...options, known: () => known?.(before) ?? before });
  return {
    venue,
    told: () => readable.instruments().map(({ symbol, halt }) => `${symbol} ${halt ?? 'trades'}`),
  };
}

const lacksFirst = (venue: SaidVenue) => {
  venue.list = venue.list.slice(1);
  Object.assign(venue, { unreadSymbols: () => ['BTCUSDT', 'NEWUSDT'] });
};

it('one that the exchange names and that its adapter cannot read is halted, as it was known before the start', () => {
  expect(started(lacksFirst).told()).toEqual(['S1USDT trades', 'S2USDT trades', 'BTCUSDT halted']);
});

it('one whose figures cannot be taken stays as it was known before the start', () => {
  const { told } = started((venue) => {
    venue.list = venue.list.map((one, at) => (at === 0 ? { ...one, tickSize: 'no number' } : one));
  });
  expect(told()).toEqual(['BTCUSDT trades', 'S1USDT trades', 'S2USDT trades']);
});

it('one that was gone before stays gone', () => {
  const gone = started(lacksFirst, (list) => list.map((one) => ({ ...one, delisted: true as const })));
  expect(gone.told()).toEqual(['S1USDT trades', 'S2USDT trades']);
});

it('one that the exchange names no more is gone, however it was read before', () => {
  const { venue, told } = started(lacksFirst);
  told();
  venue.list = [...venue.list];
  Object.assign(venue, { unreadSymbols: () => [] });
  expect(told()).toEqual(['S1USDT trades', 'S2USDT trades']);
});
