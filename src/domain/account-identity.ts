/** Who an account is at its exchange: what no key and no name here can change. Pure. */

/** As the exchange tells it. */
export interface AccountIdentity {
  /** Of the account that trades. */
  readonly id: string;
  /** Of the account that it is a part of; left out: it is none, or the exchange does not say. */
  readonly mainId?: string;
}

/** Meta row: who an account was when it was first connected. */
export function identityName(exchange: string): string {
  return `identity ${exchange}`;
}
