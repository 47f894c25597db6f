/**
 * What has changed since the last message to a terminal: sets of bounded size, or the note that they became
 * too large. Pure.
 */
import { marketKey } from '../../domain/exchange.ts';
import { instrumentKey } from '../../domain/instrument.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { ChangeMark, DirtyMarks } from '../running.ts';
import { LOG_LINES } from './protocol.ts';

/** With more orders (or prices) marked than this, a fresh snapshot is sent instead of a delta. */
export const MAX_MARKED = 5_000;
/** The same limit for instruments, which are sent as one list. */
export const MAX_INSTRUMENTS = 1_000;
/** Marks since the last state message, or the note that they became too many. */
export class Marks implements DirtyMarks {
  readonly orders = new Set<string>();
  readonly prices = new Set<string>();
  readonly portfolios = new Set<string>();
  readonly positions = new Set<string>();
  readonly bots = new Set<string>();
  readonly instruments = new Set<string>();
  alerts = false;
  clock = false;
  accounts = false;
  equity = false;
  wallets = false;
  keys = false;
  vault = false;
  maintenance = false;
  log: LogLine[] = [];
  any = false;
  tooMany = false;

  add(mark: ChangeMark): void {
    this.any = true;
    if (this.tooMany) return;
    switch (mark.kind) {
      case 'order':
        this.orders.add(mark.id);
        break;
      case 'price':
        this.prices.add(marketKey(mark.market, mark.symbol));
        break;
      case 'portfolio':
        this.portfolios.add(mark.exchange);
        break;
      case 'positions':
        this.positions.add(mark.exchange);
        break;
      case 'bot':
        this.bots.add(mark.id);
        break;
      case 'instrument':
        this.instruments.add(instrumentKey(mark));
        break;
      case 'log':
        // The mirror keeps only the newest LOG_LINES anyway.
        if (this.log.push(mark.line) > LOG_LINES) this.log.shift();
        break;
      default:
        this[mark.kind] = true;
    }
    if (this.instruments.size > MAX_INSTRUMENTS) this.#giveUp();
    if ([this.orders, this.prices, this.bots].some((set) => set.size > MAX_MARKED)) this.#giveUp();
  }

  #giveUp(): void {
    this.tooMany = true;
    this.orders.clear();
    this.prices.clear();
    this.portfolios.clear();
    this.positions.clear();
    this.bots.clear();
    this.instruments.clear();
    this.log = [];
  }
}
