/** Fields of an order as a person reads them: texts of the desk name them as the API does, the forms do not. Pure. */

/** As the ticket calls them. */
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

/** Only names that are no words of the language: `exchange` in a sentence is one. */
const NAMES = /\b[a-z]{4,12}[A-Z][A-Za-z]{2,12}\b/g;

export function labelOfField(field: string): string {
  return LABELS[field] ?? field;
}

/** The text with the labels of the form in place of the API's names. */
export function inLabels(text: string): string {
  return text.replace(NAMES, (name) => labelOfField(name));
}

/** `stop price: is needed for STOP_MARKET`. */
export function problemWords({
  field,
  message,
}: {
  readonly field: string;
  readonly message: string;
}): string {
  const label = labelOfField(field);
  const text = inLabels(message);
  // Most of them begin with the field.
  return text.startsWith(`${label} `) ? text : `${label}: ${text}`;
}
