/**
 * What proves that an order never existed at an exchange, as data with its source: which lists have to be
 * asked, how far they may lag, and how long an order stays in them. The adapter asks the lists; the engine
 * decides, by `settleMs` of the account's caps, from when on their silence counts.
 */
export interface AbsenceProof {
  /**
   * The lists that must all be without the order, in the order in which they are asked; named as
   * `RequestForm.path`.
   */
  readonly lists: readonly string[];
  /** How far the lists may lag, ms. */
  readonly settleMs: number;
  /**
   * How long an order that ended without an execution stays in one of the lists, ms: silence after that says
   * that nothing was executed.
   */
  readonly keptMs: number;
  readonly source: string;
}
