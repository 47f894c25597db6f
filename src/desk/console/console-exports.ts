/**
 * A terminal's calls that write CSV files: balances, every order that has ended, every trade. One file at a
 * time.
 */
import { OWNER } from '../../domain/actor.ts';
import { dec, div, fixed } from '../../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { FillRecord } from '../../domain/order.ts';
import { portfolioOf, usdPrice } from '../../engine/balances.ts';
import { orderViewOf } from '../../engine/views.ts';
import type { ConsoleFacadeOptions } from './console-facade.ts';
import { type CsvRow, type ExportOptions, writeExport } from './export-file.ts';
import type { ExportFile, Params, Result } from './protocol.ts';

/** What files are made from, and the folder they are written to. */
export type ExportDesk = Pick<ConsoleFacadeOptions, 'core' | 'store' | 'dataDir' | 'wall'>;

/** Rows that are read at a time. */
const PAGE = 500;
/** Most rows of one page that a terminal asks for. */
const PAGE_MAX = 500;

const PORTFOLIO_HEAD = ['account', 'asset', 'free', 'locked', 'lockedByBot', 'total', 'usd', 'btc'];
const ORDER_HEAD = [
  'orderTime',
  'endedAt',
  'account',
  'symbol',
  'side',
  'positionSide',
  'type',
  'status',
  'timeInForce',
  'price',
  'stopPrice',
  'origQty',
  'executedQty',
  'fillPrice',
  'reduceOnly',
  'closePosition',
  'creator',
  'creatorId',
  'id',
  'text',
];
const TRADE_HEAD = [
  'time',
  'account',
  'symbol',
  'side',
  'positionSide',
  'price',
  'qty',
  'fee',
  'feeAsset',
  'maker',
  'realisedPnl',
  'orderId',
  'tradeId',
];

export function exportHandlers(o: ExportDesk) {
  const state = { busy: false };
  return {
    'trades.page': (q: Params<'trades.page'>): Promise<Result<'trades.page'>> =>
      o.core.turn.read(() => o.store.tradePage({ ...q, user: OWNER, limit: Math.min(q.limit, PAGE_MAX) })),
    'portfolio.export': ({ exchange }: Wanted) =>
      ofAccount(o, state, 'portfolio', exchange, PORTFOLIO_HEAD, balances(o, exchange)),
    'orders.export': ({ exchange }: Wanted) =>
      ofAccount(o, state, 'orders', exchange, ORDER_HEAD, orders(o, exchange)),
    'trades.export': ({ exchange }: Wanted) =>
      ofAccount(o, state, 'trades', exchange, TRADE_HEAD, trades(o, exchange)),
  };
}

type Wanted = Params<'orders.export'>;

/** Writes a file of one account, whose name becomes part of the file's name, or of all accounts. */
async function ofAccount(
  o: ExportDesk,
  state: { busy: boolean },
  what: string,
  exchange: string | undefined,
  head: readonly string[],
  pages: ExportOptions['pages'],
): Promise<Outcome<ExportFile>> {
  if (exchange === undefined) return written(o, state, what, head, pages);
  const isOwn = await o.core.turn.read(() =>
    o.core.engine.memory.accountsOf(OWNER).some(({ account }) => account.id === exchange),
  );
  if (!isOwn) return refuse('NOT_FOUND', 'there is no such account');
  return written(o, state, `${what}-${exchange}`, head, pages);
}

/** Writes one file, unless another is being written. The file's name begins with `what`. */
export async function written(
  { core, dataDir, wall }: ExportDesk,
  state: { busy: boolean },
  what: string,
  head: readonly string[],
  pages: ExportOptions['pages'],
): Promise<Outcome<ExportFile>> {
  if (state.busy) return refuse('SERVICE_UNAVAILABLE', 'another file is being written; wait for its end');
  state.busy = true;
  try {
    const file = await writeExport({ dataDir, what, wall: wall(), head, pages });
    core.report('info', 'desk', `${what} written as CSV by operator: ${file.rows} rows, ${file.path}`);
    return ok(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse('SERVICE_UNAVAILABLE', `the file could not be written to exports/: ${code ?? message}`);
  } finally {
    state.busy = false;
  }
}

async function* balances({ core }: ExportDesk, exchange?: string): AsyncGenerator<readonly CsvRow[]> {
  yield await core.turn.read(() => {
    const { memory } = core.engine;
    const own = memory.accountsOf(OWNER);
    return own.flatMap((account) => {
      if (exchange !== undefined && account.account.id !== exchange) return [];
      const btc = usdPrice(account.market, 'BTC');
      const { balances: list = [] } = portfolioOf(account, { full: false, totalOnly: false });
      return list.map(({ asset, free, locked, lockedByBot, total, usd }) => {
        const inBtc = usd === undefined || btc === null ? '' : fixed(div(dec(usd), btc), 8);
        return [account.account.id, asset, free, locked, lockedByBot ?? '', total, usd ?? '', inBtc];
      });
    });
  });
}

async function* orders({ core, store }: ExportDesk, exchange?: string): AsyncGenerator<readonly CsvRow[]> {
  let before: string | undefined;
  do {
    const page = await core.turn.read(() =>
      store.closedOrders({ user: OWNER, exchange, before, limit: PAGE }),
    );
    yield page.orders.map((record) => {
      const order = orderViewOf(record);
      return [
        iso(order.orderTime),
        iso(record.endedAt),
        order.exchange,
        order.symbol,
        order.side,
        order.positionSide,
        order.type,
        order.status,
        order.timeInForce,
        order.price ?? '',
        order.stopPrice ?? '',
        order.origQty,
        order.executedQty,
        order.fillPrice ?? '',
        order.reduceOnly,
        order.closePosition,
        order.creator,
        order.creatorId,
        order.id,
        order.text ?? '',
      ];
    });
    before = page.next ?? undefined;
  } while (before !== undefined);
}

async function* trades({ core, store }: ExportDesk, exchange?: string): AsyncGenerator<readonly CsvRow[]> {
  let before: string | undefined;
  do {
    const page = await core.turn.read(() => store.tradePage({ user: OWNER, exchange, before, limit: PAGE }));
    yield page.trades.map(tradeRow);
    before = page.next ?? undefined;
  } while (before !== undefined);
}

function tradeRow(fill: FillRecord): CsvRow {
  return [
    iso(fill.time),
    fill.exchange,
    fill.symbol,
    fill.side,
    fill.posSide,
    fill.price,
    fill.qty,
    fill.comm,
    fill.commAsset,
    fill.maker,
    fill.rPnl ?? '',
    fill.orderId,
    fill.tradeId,
  ];
}

function iso(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString();
}
