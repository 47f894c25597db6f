/** The terminals' calls about the PnL book: one book is read at a time, whoever asks. */
import { type Outcome, refuse } from '../../domain/errors.ts';
import { groupCells, groupHead, TRADES_HEAD, tradeCells } from '../pnl/pnl-csv.ts';
import type { PnlMethods, PnlTrade } from '../pnl/pnl-methods.ts';
import { type PnlDesk, readPnl } from '../pnl/read-pnl.ts';
import type { ExportFile } from './account-views.ts';
import { type ExportDesk, written } from './console-exports.ts';
import type { CsvRow } from './export-file.ts';

/** Most reads that wait for the present one; beyond it a call is refused. */
export const PNL_WAITING_MAX = 8;

export function pnlHandlers(o: PnlDesk & ExportDesk) {
  const writing = { busy: false };
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const read: typeof readPnl = async (...asked) => {
    if (waiting >= PNL_WAITING_MAX)
      return refuse('SERVICE_UNAVAILABLE', 'many ask for the PnL book at this moment; try again');
    waiting += 1;
    const mine = last
      .then(() => readPnl(...asked))
      .finally(() => {
        waiting -= 1;
      });
    // The next read begins even if this one fails.
    last = mine.catch(() => null);
    return mine;
  };
  return {
    'pnl.read': (q: PnlMethods['pnl.read'][0]) => read(o, q),
    'pnl.export': ({ what, ...q }: PnlMethods['pnl.export'][0]): Promise<Outcome<ExportFile>> =>
      what === 'trades'
        ? written(
            o,
            writing,
            'pnl-trades',
            TRADES_HEAD,
            tradePages((traded) => read(o, q, traded)),
          )
        : written(
            o,
            writing,
            `pnl-by-${q.by}`,
            groupHead(q.by),
            groupPages(() => read(o, { ...q, points: 1 })),
          ),
  };
}

async function* groupPages(read: () => ReturnType<typeof readPnl>): AsyncGenerator<readonly CsvRow[]> {
  const view = await read();
  if (!view.ok) throw new Error(view.error.message);
  yield view.data.rows.map(groupCells);
}

/** Yields trades page by page as the book meets them; the book waits until a page is written. */
async function* tradePages(
  read: (traded: (trades: readonly PnlTrade[]) => Promise<void>) => ReturnType<typeof readPnl>,
): AsyncGenerator<readonly CsvRow[]> {
  let page: { trades: readonly PnlTrade[]; taken: () => void } | null = null;
  let wake = () => {};
  let over = false;
  const reading = read((trades) =>
    over
      ? Promise.resolve()
      : new Promise((taken) => {
          page = { trades, taken };
          wake();
        }),
  ).finally(() => {
    over = true;
    wake();
  });
  reading.catch(() => {});
  const next = () => page;
  try {
    for (;;) {
      const here = next();
      if (here) {
        page = null;
        yield here.trades.map(tradeCells);
        here.taken();
      } else if (over) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    const view = await reading;
    if (!view.ok) throw new Error(view.error.message);
  } finally {
    // Nobody reads the pages any more.
    over = true;
    next()?.taken();
  }
}
