/**
 * Events of a spot account read and told: executions before the order's state, absolute balances with their time, changes of a
 * wallet that are no execution as entries of the ledger. What cannot be read is a gap, and never a guess.
 */
import type { LedgerEntry } from '../../../domain/ledger.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { VenueSink } from '../../venue.ts';
import { readBalanceUpdate, readEventKind, readPosition, readReport } from './messages.ts';
import { fillOfReport, plain, stateOfReport } from './order-states.ts';

export interface AccountEventsOptions {
  readonly sink: VenueSink;
  readonly complaints: Complaints;
  /** In which a fee of nothing is told. */
  readonly quoteOf: (symbol: string) => string;
  readonly moved: (entry: LedgerEntry) => void;
  /** The account has, or had, something of an asset. */
  held(asset: string): void;
  /** Something holds money of the account that no order does: balances are to be asked for. */
  readonly doubted: () => void;
}

/** `text`: a frame with its event. */
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
      // The exchange gives it no number. Deposits, withdrawals and transfers are alike.
      o.moved({ id: `balanceUpdate ${time} ${asset} ${amount}`, time, asset, amount, kind: 'transfer' });
      o.sink.ledger?.();
      return;
    }
    case 'externalLockUpdate':
      o.doubted();
      return;
    // Of order lists, which have reports of their own for each order.
    case 'listStatus':
      return;
    default:
      o.complaints.say(
        'an event of the account',
        `${kind.value.event.e.slice(0, 40)} is not known and was left out`,
      );
  }
}
