/**
 * Names of orders at exchanges that number conditional orders and all other orders separately: the number of
 * a conditional order gets a letter in front here, since another order may have the same number. An order
 * that a trigger has made has both names.
 */

/** The first letter of the names of conditional orders. */
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
