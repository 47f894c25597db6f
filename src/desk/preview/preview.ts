/**
 * The preview of bots that are being written: a worker thread lays them out and replays them, so that neither
 * trading nor a terminal waits for it. It is started by the first question and ended when none has come for a
 * while; a thread that hangs is ended and started anew. It places nothing and stores nothing.
 */
import { Worker } from 'node:worker_threads';
import { PREVIEW_CANDLES } from '../../bots/backtest/preview.ts';
import type { LadderGround } from '../../bots/ladder/ladder.ts';
import type { LadderAnswer } from '../../bots/ladder/ladder-text.ts';
import type { Compiled, CompiledSettings } from '../../bots/settings/compiled.ts';
import { kindOf } from '../../bots/types/kinds.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { Candle } from '../../domain/rows.ts';
import type { BotSketch, ReplayView } from '../console/protocol.ts';
import type { MarketHistory } from '../market/market-history.ts';
import type { FromPreview, PreviewCandles, PreviewWorld, ToPreview } from './preview-messages.ts';

export interface Preview {
  ladder(sketch: BotSketch): Promise<LadderAnswer>;
  /** Replays a bot, one replay at a time for a token: the next one ends the one before. */
  replay(request: BotSketch & { readonly token: string; readonly candles?: number }): Promise<ReplayView>;
  progress(token: string): { done: number; of: number } | null;
  end(token: string): void;
  close(): Promise<void>;
}

/** What the preview's thread needs to know about a bot's surroundings. */
export interface PreviewWorldOf {
  compile(sketch: BotSketch): Compiled;
  world(exchange: string): PreviewWorld;
  /** Returns null while the symbol has no price. */
  ground(settings: CompiledSettings): LadderGround | null;
  /** Returns the market that an account trades on. */
  market(exchange: string): string;
  readonly history: MarketHistory;
  marketTime(): number;
}

export interface PreviewOptions {
  readonly of: PreviewWorldOf;
  readonly clock: Clock;
  /** For tests. */
  readonly worker?: () => PreviewThread;
}

/** The part of a worker thread that is used here. */
export interface PreviewThread {
  postMessage(message: ToPreview): void;
  on(event: 'message', listener: (message: FromPreview) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  terminate(): Promise<unknown>;
}

/** Candles before the first one played, for indicators. */
const HISTORY = 500;
/** Most candles that are replayed: a feed answers with 5,000 at most. */
const MAX_REPLAYED = 4_500;
/** Most symbols that a scan is replayed on. */
const MAX_SYMBOLS = 50;
const IDLE_MS = 120_000;
/** Longest time for an answer, ms: nothing takes this long unless something is wrong. */
const LIMIT_MS = 20_000;
const DEFAULT_FRAME_MS = 60_000;
const MEMORY_MB = 384;

interface Waiting {
  readonly token: string | null;
  readonly done: (message: FromPreview | null) => void;
  readonly limit: Cancelable;
  progress: { done: number; of: number } | null;
}

/**
 * Returns the address of the thread's file, which the bundle has in `dist`; this module is there, or in
 * `chunks` below.
 */
function threadUrl(): URL {
  if (import.meta.url.endsWith('.ts')) return new URL('./preview-worker.ts', import.meta.url);
  const here = new URL('.', import.meta.url).pathname;
  return new URL(here.endsWith('/chunks/') ? '../preview-worker.js' : './preview-worker.js', import.meta.url);
}

function startThread(): PreviewThread {
  const worker = new Worker(threadUrl(), {
    name: 'outcry preview',
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  // The thread never keeps a desk alive.
  worker.unref();
  return worker;
}

export function createPreview({ of, clock, worker = startThread }: PreviewOptions): Preview {
  return new WorkerPreview(of, clock, worker);
}

class WorkerPreview implements Preview {
  readonly #of: PreviewWorldOf;
  readonly #clock: Clock;
  readonly #start: () => PreviewThread;
  readonly #waiting = new Map<number, Waiting>();
  /** Keys of the candles that the thread has. */
  #sent = new Set<string>();
  #thread: PreviewThread | null = null;
  #idle: Cancelable | null = null;
  #next = 1;
  #closed = false;

  constructor(of: PreviewWorldOf, clock: Clock, start: () => PreviewThread) {
    this.#of = of;
    this.#clock = clock;
    this.#start = start;
  }

  async ladder(sketch: BotSketch): Promise<LadderAnswer> {
    const settings = settingsOf(this.#of.compile(sketch));
    if (typeof settings === 'string') return { ok: false, text: settings };
    const answer = await this.#ask(null, (id) => ({
      t: 'ladder',
      id,
      bot: sketch,
      world: this.#of.world(settings.exchange),
      ground: this.#of.ground(settings),
    }));
    if (answer?.t === 'ladder') return answer.answer;
    return { ok: false, text: 'The orders of these settings cannot be laid out.' };
  }

  async replay({
    token,
    candles = PREVIEW_CANDLES,
    ...sketch
  }: BotSketch & { readonly token: string; readonly candles?: number }): Promise<ReplayView> {
    this.end(token);
    const settings = settingsOf(this.#of.compile(sketch));
    if (typeof settings === 'string') return { done: 'impossible', text: settings };
    const market = this.#of.market(settings.exchange);
    const frameMs = Math.max(settings.timeFrame ?? DEFAULT_FRAME_MS, this.#of.history.frameMs(market));
    const count = Math.min(Math.max(Math.floor(candles) || PREVIEW_CANDLES, 1), MAX_REPLAYED);
    const tables = await this.#tables(settings, { market, frameMs, count: count + HISTORY });
    if (tables.length === 0) {
      return { done: 'impossible', text: `There are no candles of ${settings.symbol || 'any symbol'} yet.` };
    }
    const percent = settings.deposit?.strategy === 'percent';
    const balance = percent ? (this.#of.ground(settings)?.available ?? null) : null;
    this.end(token);
    const answer = await this.#ask(token, (id) => ({
      t: 'replay',
      id,
      bot: sketch,
      world: this.#of.world(settings.exchange),
      tables: this.#fresh(tables),
      count,
      balance,
    }));
    if (answer?.t === 'replay') {
      return answer.preview ? { done: 'played', preview: answer.preview, frameMs } : { done: 'cancelled' };
    }
    return { done: 'impossible', text: 'These settings cannot be replayed.' };
  }

  progress(token: string): { done: number; of: number } | null {
    for (const waiting of this.#waiting.values()) if (waiting.token === token) return waiting.progress;
    return null;
  }

  end(token: string): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.token !== token) continue;
      this.#thread?.postMessage({ t: 'end', id });
      this.#over(id, { t: 'replay', id, preview: null });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  /** Asks the thread. Null: it has died, or took too long. */
  #ask(token: string | null, message: (id: number) => ToPreview): Promise<FromPreview | null> {
    if (this.#closed) return Promise.resolve(null);
    const id = this.#next++;
    this.#idle?.cancel();
    this.#idle = this.#clock.after(IDLE_MS, () => void this.#drop());
    const thread = this.#running();
    return new Promise((resolve) => {
      const limit = this.#clock.after(LIMIT_MS, () => void this.#drop());
      this.#waiting.set(id, { token, done: resolve, limit, progress: null });
      thread.postMessage(message(id));
    });
  }

  #running(): PreviewThread {
    if (this.#thread) return this.#thread;
    const thread = this.#start();
    this.#thread = thread;
    this.#sent = new Set();
    thread.on('message', (message) => this.#take(message));
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#thread === thread) void this.#drop();
    });
    return thread;
  }

  #take(message: FromPreview): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    if (message.t === 'progress') waiting.progress = { done: message.done, of: message.of };
    else this.#over(message.id, message);
  }

  #over(id: number, message: FromPreview | null): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.limit.cancel();
    waiting.done(message);
  }

  /** Ends the thread; whoever waits for an answer gets none. */
  async #drop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    this.#idle?.cancel();
    this.#idle = null;
    for (const id of [...this.#waiting.keys()]) this.#over(id, null);
    await thread?.terminate();
  }

  /** Returns the candles of a bot, one symbol after the other: the desk goes on between them. */
  async #tables(
    settings: CompiledSettings,
    { market, frameMs, count }: { market: string; frameMs: number; count: number },
  ): Promise<PreviewCandles[]> {
    const { history } = this.#of;
    if (frameMs % history.frameMs(market) !== 0) return [];
    const scanned = settings.symbol === '' ? this.#scanned(settings) : [settings.symbol];
    const to = Math.floor(this.#of.marketTime() / frameMs) * frameMs;
    const tables: PreviewCandles[] = [];
    for (const symbol of scanned) {
      if (!history.has(market, symbol)) continue;
      const key = `${market} ${symbol} ${frameMs} ${to} ${count}`;
      const known = this.#thread !== null && this.#sent.has(key);
      const candles = known ? null : history.candles(market, symbol, frameMs, to - count * frameMs, to);
      if (candles === null || candles.length > 0) tables.push({ key, market, symbol, frameMs, candles });
      if (!known) await new Promise((resolve) => setImmediate(resolve));
    }
    return tables;
  }

  #scanned(settings: CompiledSettings): readonly string[] {
    const quote = kindOf(settings.type).scannedQuote?.(settings) ?? null;
    const { rules } = this.#of.world(settings.exchange);
    return rules
      .filter((one) => quote === null || one.quote === quote)
      .slice(0, MAX_SYMBOLS)
      .map(({ symbol }) => symbol);
  }

  /** Returns the tables to send: candles that the thread has are not sent again. A new thread has none. */
  #fresh(tables: readonly PreviewCandles[]): readonly PreviewCandles[] {
    const whole = tables.map((table) =>
      table.candles === null && !this.#sent.has(table.key)
        ? { ...table, candles: this.#again(table) }
        : table,
    );
    this.#sent = new Set(tables.map(({ key }) => key));
    return whole;
  }

  #again({ key, market, symbol, frameMs }: PreviewCandles): readonly Candle[] {
    const [to = 0, count = 0] = key.split(' ').slice(3).map(Number);
    return this.#of.history.candles(market, symbol, frameMs, to - count * frameMs, to);
  }
}

/** Returns the settings, or why there are none. */
function settingsOf(compiled: Compiled): CompiledSettings | string {
  if (compiled.settings) return compiled.settings;
  const [first] = compiled.ok ? [] : compiled.problems;
  return first ? (first.path === '' ? first.message : `${first.path}: ${first.message}`) : '';
}
