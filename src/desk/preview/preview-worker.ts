/**
 * Entry of the preview's thread, bundled to `dist/preview-worker.js`: lays out and replays bots that are
 * still being written, with the runtime of the live desk. It has no access to the store or an exchange. A
 * replay runs in short steps, so that it can be ended.
 */
import { parentPort } from 'node:worker_threads';
import { previewBacktest } from '../../bots/backtest/preview.ts';
import { ladderAnswer } from '../../bots/ladder/answer.ts';
import { type CandleTable, tableOfCandles } from '../../bots/market/candle-table.ts';
import type { SettingsWorld } from '../../bots/settings/compiled.ts';
import { errorText } from '../../domain/errors.ts';
import type { FromPreview, PreviewCandles, PreviewWorld, ToPreview } from './preview-messages.ts';

/** Time between two progress messages of a replay, ms. */
const PROGRESS_MS = 100;

const ended = new Set<number>();
const going = new Set<number>();
/** The candles of the last replay, by key. */
let tables = new Map<string, CandleTable>();

function tell(message: FromPreview): void {
  parentPort?.postMessage(message);
}

function worldOf({ exchange, rules, ...rest }: PreviewWorld): SettingsWorld {
  const known = new Map(rules.map((one) => [one.symbol, one]));
  return {
    ...rest,
    instrument: (account, symbol) => (account === exchange ? (known.get(symbol) ?? null) : null),
    symbols: (account) => (account === exchange ? [...known.keys()] : []),
  };
}

function tableOf({ key, symbol, frameMs, candles }: PreviewCandles): CandleTable {
  const table = candles ? tableOfCandles(symbol, frameMs, candles) : tables.get(key);
  if (!table) throw new Error(`no candles ${key}`);
  return table;
}

async function replay(message: Extract<ToPreview, { t: 'replay' }>): Promise<void> {
  const { id, bot, world, count, balance } = message;
  const own = new Map(message.tables.map((given) => [given.key, tableOf(given)]));
  tables = own;
  const steps = previewBacktest({
    bot,
    candles: [...own.values()],
    world: worldOf(world),
    count,
    ...(balance === null ? {} : { balance }),
  });
  let toldAt = performance.now();
  for (;;) {
    if (ended.has(id)) {
      tell({ t: 'replay', id, preview: null });
      return;
    }
    const step = steps.next();
    if (step.done) {
      tell({ t: 'replay', id, preview: step.value });
      return;
    }
    if (performance.now() - toldAt >= PROGRESS_MS) {
      toldAt = performance.now();
      tell({ t: 'progress', id, ...step.value });
    }
    // Messages are handled between two steps.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function handle(message: ToPreview): Promise<void> {
  const { id } = message;
  try {
    if (message.t === 'end') {
      // A replay that is over already is not remembered.
      if (going.has(id)) ended.add(id);
    } else if (message.t === 'ladder') {
      tell({
        t: 'ladder',
        id,
        answer: ladderAnswer(message.bot, worldOf(message.world), () => message.ground),
      });
    } else {
      going.add(id);
      await replay(message);
    }
  } catch (error) {
    tell({ t: 'failed', id, message: errorText(error) });
  } finally {
    if (message.t === 'replay') {
      ended.delete(id);
      going.delete(id);
    }
  }
}

parentPort?.on('message', (message: ToPreview) => void handle(message));
