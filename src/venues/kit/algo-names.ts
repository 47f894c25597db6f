/**
 * Names of orders at exchanges with two books, one of conditional orders and one of all others: a number of the first begins with a
 * letter here, since it may be a number of the second too. An order that a trigger has made has both names.
 */

/** Begins the names of conditional orders. */
const ALGO = 'a';

export function algoName(algoId: string): string {
  return `${ALGO}${algoId}`;
}

/** The numbers among the names of an order. */
export function numbersOf(venueIds: readonly string[] = []): { algoId?: string; orderId?: string } {
  const algo = venueIds.find((id) => id.startsWith(ALGO));
  const order = venueIds.findLast((id) => !id.startsWith(ALGO));
  return {
    ...(algo === undefined ? {} : { algoId: algo.slice(ALGO.length) }),
    ...(order === undefined ? {} : { orderId: order }),
  };
}
