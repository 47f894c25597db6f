/** Parts of the settings that a new bot begins with. No logic. */

/** What a template is made for. */
export interface TemplateGround {
  /** Account id. */
  readonly exchange: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** Market time, Unix ms. */
  readonly now: number;
  /** The price this many percent away from the present one, on the tick. */
  at(percent: string): string;
}

const DAY_MS = 86_400_000;

/** Account and pair. */
export function marketOf({ exchange, base, quote }: TemplateGround) {
  return { exchange, symbol: { base, quote } };
}

export function depositOf({ quote }: TemplateGround, value: string) {
  return { value, asset: quote };
}

/** A rule that sells all at this many percent below the entry. */
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
