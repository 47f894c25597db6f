/** Parts of the settings with which a new bot begins. No logic. */

/** Account, symbol and present price for which a template is made. */
export interface TemplateGround {
  /** Account id. */
  readonly exchange: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Returns the price that is this many percent away from the present one, rounded to the tick. */
  at(percent: string): string;
}

const DAY_MS = 86_400_000;

/** Account and pair of the settings. */
export function marketOf({ exchange, base, quote }: TemplateGround) {
  return { exchange, symbol: { base, quote } };
}

export function depositOf({ quote }: TemplateGround, value: string) {
  return { value, asset: quote };
}

/** A stop rule that sells all at this many percent below the entry. */
export function stopLossAt(percent: string) {
  return {
    strategy: 'price_percent_buy',
    trigger: { type: 'kline', value: percent },
    order: { type: 'MARKET' },
    complete: true,
  };
}

/** A horizontal line: the same price at two times. */
export function levelAt({ now }: TemplateGround, price: string): Record<string, string> {
  return { [String(now)]: price, [String(now + DAY_MS)]: price };
}
