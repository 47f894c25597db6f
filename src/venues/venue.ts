/**
 * The exchange port. Implementations never throw for what an exchange may say: a lost answer is `unknown`, a refusal is
 * `rejected`. One object serves one exchange account. Money fields are decimal strings in base units.
 */
import type {
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../domain/exchange.ts';
import type { Instrument } from '../domain/instrument.ts';

export interface OrderRef {
  readonly clientId: string;
  readonly symbol: string;
}

/** Called in the exchange's order. Each call is one input of the engine. */
export interface VenueSink {
  order(state: ExchangeOrderState): void;
  fill(fill: ExchangeFill): void;
  /** Absolute balances of the assets that changed. */
  balances(changed: readonly ExchangeBalance[]): void;
  /** `gap`: events may be missing, the desk reconciles. */
  stream(state: 'up' | 'down' | 'gap'): void;
}

export interface Venue {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  /** Connects; resolves when instruments and balances can be read. */
  open(sink: VenueSink): Promise<void>;
  close(): Promise<void>;
  instruments(): readonly Instrument[];
  submit(order: ExchangeOrder): Promise<SubmitOutcome>;
  cancel(ref: OrderRef): Promise<CancelOutcome>;
  /** `absent` is what the exchange says; what it proves is for the engine to decide. */
  query(ref: OrderRef): Promise<QueryOutcome>;
  /** null: the question failed and proves nothing. */
  openOrders(): Promise<readonly ExchangeOrderState[] | null>;
  fills(q: { symbol: string; from: number }): Promise<readonly ExchangeFill[] | null>;
  balances(): Promise<readonly ExchangeBalance[] | null>;
}
