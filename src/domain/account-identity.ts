/** The identity of an account at its exchange, which no key and no name here can change. Pure. */

/** The identity as the exchange reports it. */
export interface AccountIdentity {
  /** Id of the account that trades. */
  readonly id: string;
  /** Id of the main account that it belongs to; left out: it has none, or the exchange does not say. */
  readonly mainId?: string;
}

/** Returns the name of the meta row that keeps the identity an account had when it was first connected. */
export function identityName(exchange: string): string {
  return `identity ${exchange}`;
}
