/**
 * Fields of an order in readable words: the desk's texts name them as the API does, the forms do not. Pure.
 */

/** The labels that the ticket uses. */
const LABELS: Readonly<Record<string, string>> = {
  exchange: 'account',
  stopPrice: 'stop price',
  trailingDelta: 'trailing',
  activationPrice: 'arms at',
  percentPrice: 'arms after',
  goodTillDate: 'good till',
  timeInForce: 'in force',
  icebergQty: 'iceberg',
  quoteOrderQty: 'spend',
  origQty: 'quantity',
  closePosition: 'close position',
  reduceOnly: 'reduce only',
  positionSide: 'position',
  marginType: 'margin',
  workingType: 'trigger by',
};

/** Matches only names that cannot be ordinary words: `exchange` in a sentence is one. */
const NAMES = /\b[a-z]{4,12}[A-Z][A-Za-z]{2,12}\b/g;

export function labelOfField(field: string): string {
  return LABELS[field] ?? field;
}

/** Replaces the API's names in a text by the labels of the forms. */
export function inLabels(text: string): string {
  return text.replace(NAMES, (name) => labelOfField(name));
}

/** A problem with its field: `stop price: is needed for STOP_MARKET`. */
export function problemWords({
  field,
  message,
}: {
  readonly field: string;
  readonly message: string;
}): string {
  const label = labelOfField(field);
  const text = inLabels(message);
  // Most messages begin with the field already.
  return text.startsWith(`${label} `) ? text : `${label}: ${text}`;
}
