/**
 * What proves that an order never was at an exchange, as data with its source: the lists that are asked, all of them, how far they
 * lag, and how long an order stays in them. The adapter asks the lists; after how long their silence counts is `settleMs` of its caps,
 * by which the engine decides.
 */
export interface AbsenceProof {
  /** Requests that each of them has to be silent in, in the order in which they are asked; as `RequestForm.path`. */
  readonly lists: readonly string[];
  /** They may lag by so much, ms. */
  readonly settleMs: number;
  /** So long an order that ended without an execution is told by one of them, ms: later silence says that nothing was executed. */
  readonly keptMs: number;
  readonly source: string;
}
