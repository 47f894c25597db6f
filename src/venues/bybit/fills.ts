/**
 * Executions of an account, of one order or by symbol from a cursor on (DOC order/execution): the list goes
 * back two years, seven days per question, newest first. Only events contain the profit that a close has
 * realised; for executions that are read, it comes from the transaction log, whose trade ids are those of
 * executions.
 */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { ExchangeFill } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { PositionSide } from '../../schemas/order.ts';
import type { FillsPage, FillsQuery } from '../venue.ts';
import type { Category } from './category.ts';
import { figure } from './figures.ts';
import { type ExecutionRow, readExecutions, readLog } from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { sideOfOrder } from './order-states.ts';
import type { Questions } from './questions.ts';
import type { BybitRequests } from './requests.ts';

const DAY_MS = 24 * 3_600_000;
/** The longest time range of one question. */
const WINDOW_MS = 7 * DAY_MS - 1;
const OLDEST_MS = 729 * DAY_MS;
/** How much later than its time an execution may appear in the list. */
const LATE_MS = 60_000;
/** The largest number of executions taken from one window; a window with more is halved. */
const MOST = 5_000;

/** Kinds of executions that change a quantity; funding is money, and belongs to the ledger. */
const EXECUTIONS: ReadonlySet<string> = new Set(['Trade', 'AdlTrade', 'BustTrade', 'Settle', 'Delivery']);
/** Kinds that this desk does not count as executions; any other kind is reported. */
const NO_EXECUTIONS: ReadonlySet<string> = new Set([
  'Funding',
  'BlockTrade',
  'MovePosition',
  'FutureSpread',
  'CorporateAction',
]);
const BY_LIQUIDATION = /^CreateBy(?:Liq|TakeOver_PassThrough)$/;

export interface FillsGiven {
  readonly category: Category;
  readonly names: OrderNamesKept;
  readonly instrumentOf: (symbol: string) => Instrument | undefined;
  /** Whether a symbol has one position for each side; null: not known. */
  readonly isHedged: (symbol: string) => boolean | null;
}

/** Converts a row; null: it is not an execution. */
export function fillOf(row: ExecutionRow, given: FillsGiven): ExchangeFill | null {
  if (!EXECUTIONS.has(row.execType) || dec(figure(row.execQty)) === ZERO) return null;
  const { symbol, orderId, orderLinkId: clientId = '', execId, execType, createType = '' } = row;
  const commAsset = row.feeCurrency || feeAssetOf(row, given);
  const isForced = execType === 'BustTrade' || BY_LIQUIDATION.test(createType);
  return {
    tradeId: execId,
    clientId,
    venueId: orderId,
    symbol,
    side: sideOfOrder(row.side),
    price: figure(row.execPrice),
    qty: figure(row.execQty),
    comm: str(dec(figure(row.execFee)) + extraOf(row.extraFees, commAsset)),
    commAsset,
    maker: row.isMaker === true,
    rPnl: given.category === 'spot' || !row.execPnl ? null : figure(row.execPnl),
    posSide: positionSideOf(row, given),
    time: Number(row.execTime),
    ...(isForced ? { liquidation: true } : {}),
  };
}

/** Whether the kind of a row is unknown. */
export function isStrangeKind({ execType }: Pick<ExecutionRow, 'execType'>): boolean {
  return !EXECUTIONS.has(execType) && !NO_EXECUTIONS.has(execType);
}

/**
 * The asset of the fee (DOC enum, "Spot Fee Currency Instruction"): a buy pays in the asset bought, except
 * for a rebate.
 */
function feeAssetOf(
  { symbol, side, execFee, isMaker }: ExecutionRow,
  { category, instrumentOf }: FillsGiven,
): string {
  const instrument = instrumentOf(symbol);
  if (!instrument) return '';
  if (category === 'linear') return instrument.quote;
  const isRebate = dec(figure(execFee)) < ZERO && isMaker === true;
  return (side === 'Buy') !== isRebate ? instrument.base : instrument.quote;
}

/** Taxes charged in addition to the fee (DOC: GST and others); the field is "" if there are none. */
function extraOf(extra: unknown, asset: string): bigint {
  if (!Array.isArray(extra)) return ZERO;
  return extra.reduce<bigint>((sum, one) => {
    const { feeCoin, fee } = (one ?? {}) as { readonly feeCoin?: unknown; readonly fee?: unknown };
    const isFee = feeCoin === asset && typeof fee === 'string' && /^-?\d{1,20}(\.\d{1,30})?$/.test(fee);
    return isFee ? sum + dec(fee) : sum;
  }, ZERO);
}

/**
 * The position side, which rows do not contain: it follows from the order, or from whether the row has closed
 * anything.
 */
function positionSideOf(row: ExecutionRow, { category, names, isHedged }: FillsGiven): PositionSide {
  if (category === 'spot') return 'BOTH';
  const known = names.positionSide(row.orderId);
  if (known !== null) return known;
  if (isHedged(row.symbol) !== true) return 'BOTH';
  const closes = dec(figure(row.closedSize)) > ZERO;
  return (row.side === 'Buy') !== closes ? 'LONG' : 'SHORT';
}

export interface BybitFillsOptions extends FillsGiven {
  readonly questions: Questions;
  readonly requests: BybitRequests;
  /** The exchange's time now, Unix ms. */
  readonly now: () => number;
}

export class BybitFills {
  readonly #o: BybitFillsOptions;

  constructor(options: BybitFillsOptions) {
    this.#o = options;
  }

  async page({ symbol, after, since }: FillsQuery): Promise<FillsPage | null> {
    const { questions, requests, category, now } = this.#o;
    const today = now();
    const from = cursorOf(after) ?? since;
    const start = Math.max(from, today - OLDEST_MS);
    let end = Math.min(start + WINDOW_MS, today);
    if (end <= start) return { fills: [], next: after, more: false };
    for (;;) {
      const parameters = { category, symbol, startTime: String(start), endTime: String(end), limit: '100' };
      const asked = await questions.list(requests.executions, parameters, readExecutions, { most: MOST });
      if (asked.kind === 'failed') return null;
      const { rows, isWhole } = asked.value;
      if (!isWhole && end - start > 1) {
        // The oldest come last, so if a window has too many, none of them can be left out.
        end = start + Math.floor((end - start) / 2);
        continue;
      }
      const fills = await this.#named(rows);
      if (!fills) return null;
      const isPast = end < today;
      const last = fills.at(-1)?.time;
      // The cursor moves rarely, since each one is stored. Times whose executions may still appear late are
      // read again.
      let next = from;
      if (isPast) next = end - LATE_MS > start ? end - LATE_MS : end;
      else if (last !== undefined) next = Math.max(from, last - LATE_MS);
      else if (today - start > DAY_MS) next = today - LATE_MS;
      return { fills, next: textOf(next), more: isPast };
    }
  }

  /** Returns the executions of one order, ascending; null: the question failed. */
  async of(which: Readonly<Record<string, string>>): Promise<readonly ExchangeFill[] | null> {
    const { questions, requests, category } = this.#o;
    const rows = await questions.rows(
      requests.executions,
      { category, ...which, limit: '100' },
      readExecutions,
    );
    const [id, value] = Object.entries(which).find(([name]) => name !== 'symbol') ?? ['', ''];
    const own = rows?.filter((row) => (id === 'orderId' ? row.orderId : row.orderLinkId) === value);
    return own ? this.#named(own) : null;
  }

  async #named(rows: readonly ExecutionRow[]): Promise<ExchangeFill[] | null> {
    const realised = await this.#realised(rows);
    if (!realised) return null;
    const byId = new Map(rows.map((row) => [row.execId, row]));
    return [...byId.values()]
      .flatMap((row) => {
        const execPnl = row.execPnl || realised.get(row.execId);
        return fillOf(execPnl === undefined ? row : { ...row, execPnl }, this.#o) ?? [];
      })
      .sort((a, b) => a.time - b.time || (a.tradeId < b.tradeId ? -1 : 1));
  }

  /**
   * The realised profits of executions that have closed something, by their ids; null: the question failed.
   */
  async #realised(rows: readonly ExecutionRow[]): Promise<ReadonlyMap<string, string> | null> {
    const { category, questions, requests } = this.#o;
    const realised = new Map<string, string>();
    if (category === 'spot') return realised;
    const closing = rows.filter(
      (row) => EXECUTIONS.has(row.execType) && !row.execPnl && dec(figure(row.closedSize)) > ZERO,
    );
    if (closing.length === 0) return realised;
    const times = closing.map(({ execTime }) => Number(execTime));
    const start = Math.min(...times) - 1_000;
    const log = await questions.rows(
      requests.ledger,
      {
        accountType: 'UNIFIED',
        category,
        limit: '50',
        startTime: String(start),
        endTime: String(Math.min(Math.max(...times) + 1_000, start + WINDOW_MS)),
      },
      readLog,
    );
    if (!log) return null;
    for (const { tradeId = '', cashFlow } of log)
      if (tradeId !== '' && cashFlow) realised.set(tradeId, cashFlow);
    return realised;
  }
}

function cursorOf(after: string | null): number | null {
  const match = /^@(\d{1,16})$/.exec(after ?? '');
  return match ? Number(match[1]) : null;
}

function textOf(time: number): string {
  return `@${time}`;
}
