/**
 * What an account pays for executions: asked for when it is connected, once a day, and when an execution shows another rate. The
 * last that was told is stored: a start without the exchange goes on with it.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { dec, decOfInt, div, mul, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill, FeeRates } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Row } from '../../domain/rows.ts';

export const FEES_EVERY_MS = 24 * 3_600_000;
/** A question that failed, or an execution at another rate, leads to another one after this at the earliest. */
export const FEES_AGAIN_MS = 60_000;
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
  #timer: Cancelable | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isClosed = false;

  constructor(options: FeeReaderOptions) {
    this.#o = options;
  }

  /** The account is connected. */
  start(): void {
    void this.#read();
  }

  /** An execution: one at another rate than the known one says that it has changed. */
  filled(fill: ExchangeFill): void {
    const rates = this.#o.known();
    const paid = this.#paid(fill);
    if (!rates || paid === null) return;
    const expected = dec(fill.maker ? rates.maker : rates.taker);
    const off = paid > expected ? paid - expected : expected - paid;
    const most = mul(expected > ZERO ? expected : -expected, TOLERANCE);
    if (off <= most) return;
    const wait = this.#askedAt + FEES_AGAIN_MS - this.#o.clock.monotonic();
    if (wait <= 0) void this.#read();
    else this.#arm(wait);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** As a part of what was traded; null where it cannot be said: it was paid in a third asset, or the symbol is not known. */
  #paid({ symbol, price, qty, comm, commAsset, inferred }: ExchangeFill): bigint | null {
    const instrument = this.#o.instrument(symbol);
    if (!instrument || inferred) return null;
    const { base, quote } = instrument;
    const traded = commAsset === base ? dec(qty) : commAsset === quote ? mul(dec(qty), dec(price)) : ZERO;
    return traded === ZERO ? null : div(dec(comm), traded);
  }

  async #read(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    this.#askedAt = this.#o.clock.monotonic();
    const rates = await this.#o.ask();
    this.#isAsking = false;
    if (this.#isClosed) return;
    this.#arm(rates ? FEES_EVERY_MS : FEES_AGAIN_MS);
    const known = this.#o.known();
    if (rates && (known?.maker !== rates.maker || known.taker !== rates.taker)) this.#o.tell(rates);
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#o.clock.after(ms, () => void this.#read());
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
