/**
 * What an account pays for executions: asked for when it is connected, once a day, and when an execution shows another rate. The
 * last that was told is stored: a start without the exchange goes on with it.
 */
import type { Clock } from '../../domain/clock.ts';
import { dec, decOfInt, div, mul, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill, FeeRates } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Row } from '../../domain/rows.ts';
import { DailyQuestion } from './daily-question.ts';

/** An execution may differ from the rate by this part of it: amounts are rounded. */
const TOLERANCE = dec('0.1');

export interface FeeReaderOptions {
  readonly clock: Clock;
  /** Null: the question failed. */
  readonly ask: () => Promise<FeeRates | null>;
  readonly known: () => FeeRates | null;
  readonly instrument: (symbol: string) => Pick<Instrument, 'base' | 'quote'> | undefined;
  /** Other rates than those that are known. */
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

  /** The account is connected. */
  start(): void {
    this.#question.start();
  }

  /** An execution: one at another rate than the known one says that it has changed. */
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

  /** As a part of what was traded; null where it cannot be said: it was paid in a third asset, or the symbol is not known. */
  #paid({ symbol, price, qty, comm, commAsset, inferred }: ExchangeFill): bigint | null {
    const instrument = this.#o.instrument(symbol);
    if (!instrument || inferred) return null;
    const { base, quote } = instrument;
    const traded = commAsset === base ? dec(qty) : commAsset === quote ? mul(dec(qty), dec(price)) : ZERO;
    return traded === ZERO ? null : div(dec(comm), traded);
  }
}

/** The row that keeps the rates of an account for the next start. */
export function feesRow(exchange: string, rates: FeeRates): Row {
  return { kind: 'meta', name: feesName(exchange), value: rates };
}

export function feesName(exchange: string): string {
  return `fee rates ${exchange}`;
}

/** `0.1 %`. */
export function rateWords(rate: string): string {
  return `${str(mul(dec(rate), decOfInt(100)))} %`;
}
