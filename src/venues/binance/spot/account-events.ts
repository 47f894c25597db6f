/**
 * Reads the events of a spot account and passes them on: executions before the order's state, absolute
 * balances with their time, other changes of a wallet as entries of the ledger. An unreadable event is a gap,
 * never a guess.
 */
import type { LedgerEntry } from '../../../domain/ledger.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { VenueSink } from '../../venue.ts';
import { readBalanceUpdate, readEventKind, readPosition, readReport } from './messages.ts';
import { fillOfReport, plain, stateOfReport } from './order-states.ts';

export interface AccountEventsOptions {
  readonly sink: VenueSink;
  readonly complaints: Complaints;
  /** The quote asset of a symbol: a fee of zero is reported in it. */
  readonly quoteOf: (symbol: string) => string;
  readonly moved: (entry: LedgerEntry) => void;
  /** Called for an asset that the account has, or had. */
  held(asset: string): void;
  /** Called when something other than an order holds money of the account: balances must be asked for. */
  readonly doubted: () => void;
}

/** Reads one event and passes it on. `text`: a frame with its event. */
export function tellEvent(text: string, o: AccountEventsOptions): void {
  const kind = readEventKind(text);
  const unread = (problem: string) => {
    o.complaints.say('an event of the account', problem);
    o.sink.stream('gap');
  };
  if (!kind.ok) {
    unread(kind.problem);
    return;
  }
  switch (kind.value.event.e) {
    case 'executionReport': {
      const read = readReport(text);
      if (!read.ok) {
        unread(read.problem);
        return;
      }
      const report = read.value.event;
      const fill = fillOfReport(report, o.quoteOf(report.s));
      const state = stateOfReport(report);
      if (fill) o.sink.fill(fill);
      if (state) o.sink.order(state);
      else unread(`its status ${report.X.slice(0, 40)} is not known`);
      return;
    }
    case 'outboundAccountPosition': {
      const read = readPosition(text);
      if (!read.ok) {
        unread(read.problem);
        return;
      }
      const { u: time, B } = read.value.event;
      for (const { a: asset } of B) o.held(asset);
      o.sink.balances(B.map(({ a: asset, f, l }) => ({ asset, free: plain(f), locked: plain(l), time })));
      return;
    }
    case 'balanceUpdate': {
      const read = readBalanceUpdate(text);
      if (!read.ok) {
        unread(read.problem);
        return;
      }
      const { a: asset, d, T: time } = read.value.event;
      const amount = plain(d);
      // The exchange gives it no number. Deposits, withdrawals and transfers look alike.
      o.moved({ id: `balanceUpdate ${time} ${asset} ${amount}`, time, asset, amount, kind: 'transfer' });
      o.sink.ledger?.();
      return;
    }
    case 'externalLockUpdate':
      o.doubted();
      return;
    // Events of order lists: each of their orders has its own report.
    case 'listStatus':
      return;
    default:
      o.complaints.say(
        'an event of the account',
        `${kind.value.event.e.slice(0, 40)} is not known and was left out`,
      );
  }
}
