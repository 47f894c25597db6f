/**
 * What an account pays for executions: asked for when it is connected, once a day, and when an execution
 * shows another rate. The last known rates are stored: a start without the exchange uses them.
 */
import type { Clock } from '../../domain/clock.ts';
import { dec, decOfInt, div, mul, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill, FeeRates } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Row } from '../../domain/rows.ts';
import { DailyQuestion } from './daily-question.ts';

/** The fee of an execution may differ from the rate by this part of it: amounts are rounded. */
const TOLERANCE = dec('0.1');

export interface FeeReaderOptions {
  readonly clock: Clock;
  /** Null: the question failed. */
  readonly ask: () => Promise<FeeRates | null>;
  readonly known: () => FeeRates | null;
  readonly instrument: (symbol: string) => Pick<Instrument, 'base' | 'quote'> | undefined;
  /** Called with rates that differ from the known ones. */
  readonly tell: (rates: FeeRates) => void;
}

export class FeeReader {
  readonly #o: FeeReaderOptions;
  readonly #question: DailyQuestion<FeeRates>;

  constructor(options: FeeReaderOptions) {
    this.#o = options;
    const { clock, ask, known, tell } = options;
    this.#question = new DailyQuestion({
      clock,
      ask,
      answered: (rates) => {
        const before = known();
        if (before?.maker !== rates.maker || before.taker !== rates.taker) tell(rates);
      },
    });
  }

  /** Begins to ask: the account is connected. */
  start(): void {
    this.#question.start();
  }

  /** Checks an execution: a rate other than the known one shows that the rate has changed. */
  filled(fill: ExchangeFill): void {
    const rates = this.#o.known();
    const paid = this.#paid(fill);
    if (!rates || paid === null) return;
    const expected = dec(fill.maker ? rates.maker : rates.taker);
    const off = paid > expected ? paid - expected : expected - paid;
    const most = mul(expected > ZERO ? expected : -expected, TOLERANCE);
    if (off > most) this.#question.again();
  }

  close(): void {
    this.#question.close();
  }

  /**
   * Returns the fee as a part of the traded amount; null where that is unknown: it was paid in a third asset,
   * or the symbol is not known.
   */
  #paid({ symbol, price, qty, comm, commAsset, inferred }: ExchangeFill): bigint | null {
    const instrument = this.#o.instrument(symbol);
    if (!instrument || inferred) return null;
    const { base, quote } = instrument;
    const traded = commAsset === base ? dec(qty) : commAsset === quote ? mul(dec(qty), dec(price)) : ZERO;
    return traded === ZERO ? null : div(dec(comm), traded);
  }
}

/** Returns the row that keeps the rates of an account for the next start. */
export function feesRow(exchange: string, rates: FeeRates): Row {
  return { kind: 'meta', name: feesName(exchange), value: rates };
}

export function feesName(exchange: string): string {
  return `fee rates ${exchange}`;
}

/** Returns a rate as text: `0.1 %`. */
export function rateWords(rate: string): string {
  return `${str(mul(dec(rate), decOfInt(100)))} %`;
}
