/**
 * The instruments of OKX (OD "Get instruments"), read one by one; an unreadable one is left out with a
 * sentence. The exchange counts swaps in contracts, this program in base units: `Listed` knows both, and
 * every quantity is converted by it, exactly or not at all. Pure.
 */
import { type Static, Type } from 'typebox';
import { type Dec, dec, isMultiple, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { nameProblem } from '../../domain/market-name.ts';
import { INSTRUMENT_LIST } from '../kit/bounds.ts';
import {
  checked,
  known,
  nameOf,
  positive,
  SkippedInstruments,
  UnreadableInstrument,
} from '../kit/instrument-reading.ts';
import { type Message, messageReader } from '../kit/messages.ts';
import { symbolsOf } from '../kit/symbols.ts';
import type { OkxMarketKind } from './account-given.ts';

/** An instrument with the names and units of both sides. */
export interface Listing {
  readonly instrument: Instrument;
  /** The exchange's name, such as `BTC-USDT-SWAP`. */
  readonly instId: string;
  /** `BTC-USDT`; a swap's tiers and fees go by it. */
  readonly family: string;
  /** Base units per unit of `sz`: for a contract ctVal x ctMult, for spot one. */
  readonly unit: Dec;
  /** Highest leverage; swaps only. */
  readonly lever: string;
}

/** A price band without effect: OKX gives its price limits, which change all the time, in another request. */
const NO_BAND = { percentDown: '0', percentUp: '1000000' } as const;
/** Most open orders of a symbol ("General Info"). */
const MAX_ORDERS = 500;
/** Stands for the highest price, which OKX does not state. */
const HIGHEST_PRICE = '1000000000000';
/** Bounds of a trailing stop's callback, basis points: chosen, see `forms.ts`. */
const TRAILING = { trailingMinBps: 10, trailingMaxBps: 1_000 } as const;
const MARGINS: ReadonlySet<string> = new Set(['USDT', 'USDC']);

type Halt = Instrument['halt'] | 'left out';

/** Instrument states. Instruments about to be listed, or there for tests, are not traded. */
const STATES = new Map<string, Halt | null>([
  ['live', null],
  ['suspend', 'halted'],
  ['rebase', 'halted'],
  // Only post-only orders are accepted.
  ['post_only', 'halted'],
  ['preopen', 'left out'],
  ['test', 'left out'],
  ['settling', 'halted'],
]);

const FIGURE = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,18})?$' });
const MAYBE = Type.Optional(Type.Union([FIGURE, Type.Literal('')]));
const WORD = Type.Optional(Type.String());
const ROW = Type.Object({
  instId: Type.String(),
  instType: Type.String(),
  baseCcy: WORD,
  quoteCcy: WORD,
  settleCcy: WORD,
  ctVal: MAYBE,
  ctMult: MAYBE,
  ctType: WORD,
  ctValCcy: WORD,
  instFamily: WORD,
  expTime: WORD,
  lever: MAYBE,
  tickSz: FIGURE,
  lotSz: FIGURE,
  minSz: FIGURE,
  maxLmtSz: MAYBE,
  maxMktSz: MAYBE,
  state: Type.String(),
});
type InstrumentRow = Static<typeof ROW>;

const readEnvelope = messageReader(
  Type.Object({ code: Type.Literal('0'), data: Type.Array(Type.Unknown()) }),
  INSTRUMENT_LIST,
);

export interface OkxInstruments {
  readonly listings: readonly Listing[];
  /** The exchange's names of listed instruments that could not be read. */
  readonly unread: readonly string[];
  /**
   * Why instruments were left out that should not be: one sentence for each kind of problem, fit to be shown.
   */
  readonly problems: readonly string[];
}

/** Reads a list of instruments, for an account or a mirror named `exchange`. */
export function readInstruments(
  text: string,
  exchange: string,
  kind: OkxMarketKind,
): Message<OkxInstruments> {
  const envelope = readEnvelope(text);
  if (!envelope.ok) return envelope;
  const leftOut = new SkippedInstruments();
  const drafts = envelope.value.data.flatMap((raw) => {
    const draft = leftOut.unless(nameOf(raw, 'instId'), () => {
      const row = checked(ROW, raw);
      const pair = kind === 'spot' ? spotPair(row) : swapPair(row);
      const halt = pair && known(STATES, row.state, 'state');
      return !pair || halt === 'left out' ? null : { row, ...pair, halt: halt ?? null };
    });
    return draft ? [draft] : [];
  });
  const symbols = symbolsOf(drafts.map(({ row, base, quote }) => ({ name: row.instId, base, quote })));
  const listings = drafts.flatMap((draft) => {
    const { instId } = draft.row;
    const listing = leftOut.unless(instId.slice(0, 64), () => {
      const symbol = symbols.get(instId);
      if (symbol === undefined)
        throw new UnreadableInstrument('is named twice, or by a name that cannot be taken');
      return listingOf(draft, symbol, exchange, kind);
    });
    return listing ? [listing] : [];
  });
  return { ok: true, value: { listings, unread: leftOut.names, problems: leftOut.problems } };
}

function spotPair({ instType, baseCcy = '', quoteCcy = '' }: InstrumentRow) {
  if (instType !== 'SPOT') return null;
  return named(baseCcy, quoteCcy);
}

/** The pair of a swap. Null: it is inverse, or not margined in USDT or USDC. */
function swapPair({ instType, ctType, settleCcy = '', ctValCcy = '', instFamily = '' }: InstrumentRow) {
  if (instType !== 'SWAP' || ctType !== 'linear' || !MARGINS.has(settleCcy)) return null;
  const [base = '', quote = ''] = instFamily.split('-');
  if (quote !== settleCcy) return null;
  if (base !== ctValCcy)
    throw new UnreadableInstrument('counts its contracts in something else than its base');
  return named(base, quote);
}

function named(base: string, quote: string) {
  for (const name of [base, quote]) {
    const problem = nameProblem(name);
    if (problem !== null) throw new UnreadableInstrument(`has a name that cannot be taken (${problem})`);
  }
  return { base, quote };
}

function listingOf(
  {
    row,
    base,
    quote,
    halt,
  }: { row: InstrumentRow; base: string; quote: string; halt: Instrument['halt'] | null },
  symbol: string,
  exchange: string,
  kind: OkxMarketKind,
): Listing {
  const unit =
    kind === 'spot'
      ? ONE
      : mul(positive(row.ctVal, 'contract value'), positive(row.ctMult, 'contract multiplier'));
  if (unit === ZERO) throw new UnreadableInstrument('has contracts of no size');
  const size = (text: string | undefined, what: string) => str(mul(positive(text, what), unit));
  const tick = str(positive(row.tickSz, 'tick size'));
  const step = size(row.lotSz, 'lot size');
  const most = size(row.maxLmtSz, 'largest size of a limit order');
  const endsAt = Number(row.expTime ?? '');
  const instrument: Instrument = {
    exchange,
    symbol,
    base,
    quote,
    kind: kind === 'spot' ? 'spot' : 'futures',
    tickSize: tick,
    minPrice: tick,
    maxPrice: HIGHEST_PRICE,
    stepSize: step,
    minQty: size(row.minSz, 'least size'),
    maxQty: most,
    // For spot this is an amount in USDT, which only the exchange can check.
    marketMaxQty:
      kind === 'spot' || !row.maxMktSz ? most : size(row.maxMktSz, 'largest size of a market order'),
    minNotional: '0',
    maxNotional: '0',
    ...NO_BAND,
    ...TRAILING,
    maxOrders: MAX_ORDERS,
    maxIcebergParts: 0,
    ...(halt === null ? {} : { halt }),
    ...(Number.isSafeInteger(endsAt) && endsAt > 0 ? { endsAt } : {}),
  };
  return { instrument, instId: row.instId, family: row.instFamily ?? '', unit, lever: row.lever || '1' };
}

/** All instruments listed since this process started: delisted ones can still be asked about. */
export class Listed {
  #all: readonly Listing[] = [];
  #unread: readonly string[] = [];
  readonly #byName = new Map<string, Listing>();
  readonly #bySymbol = new Map<string, Listing>();

  /**
   * Replaces the list. A known instrument that is listed but unreadable takes no entries, and is not removed.
   */
  replace({ listings, unread }: Pick<OkxInstruments, 'listings' | 'unread'>): void {
    const read = new Set(listings.map(({ instId }) => instId));
    const kept = this.#all
      .filter(({ instId }) => unread.includes(instId) && !read.has(instId))
      .map((one) => ({ ...one, instrument: { ...one.instrument, halt: 'halted' as const } }));
    this.#all = [...listings, ...kept];
    this.#unread = unread;
    for (const one of this.#all) {
      this.#byName.set(one.instId, one);
      this.#bySymbol.set(one.instrument.symbol, one);
    }
  }

  /**
   * Names of listed but unreadable instruments, as they would be called here: base and quote, or the
   * exchange's own name.
   */
  get unread(): readonly string[] {
    return this.#unread.flatMap((instId) => [instId.split('-').slice(0, 2).join(''), instId]);
  }

  get instruments(): readonly Instrument[] {
    return this.#all.map(({ instrument }) => instrument);
  }

  get all(): readonly Listing[] {
    return this.#all;
  }

  named(instId: string): Listing | undefined {
    return this.#byName.get(instId);
  }

  of(symbol: string): Listing | undefined {
    return this.#bySymbol.get(symbol);
  }
}

/** Converts base units to `sz`, exactly; null: impossible, since nothing is rounded. */
export function sizeOf({ unit }: Pick<Listing, 'unit'>, quantity: string): string | null {
  if (!/^\d{1,30}(?:\.\d{1,30})?$/.test(quantity)) return null;
  const value = dec(quantity);
  if (value <= ZERO) return null;
  return isMultiple(value * ONE, unit) ? str((value * ONE) / unit) : null;
}

/** Converts `sz` to base units. */
export function quantityOf({ unit }: Pick<Listing, 'unit'>, size: string): string {
  return str(mul(dec(size), unit));
}
