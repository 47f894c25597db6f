/**
 * The exchange's counters: requests per address (600 in five seconds; beyond it HTTP 403 and a ban of ten
 * minutes), requests per account and endpoint in a rolling second (10006), 500 sockets in five minutes.
 * Sources: rate-limit.mdx, error.mdx 403.
 */
import { GateRefusal, Refusal } from './wire.ts';

export interface LimitSettings {
  readonly addressRequests: number;
  /** Number of sockets that may be opened in five minutes. */
  readonly sockets: number;
  /** Factor of the endpoint limits. */
  readonly factor: number;
  readonly banMs: number;
}

export const LIMITS: LimitSettings = { addressRequests: 600, sockets: 500, factor: 1, banMs: 600_000 };

const ADDRESS_WINDOW_MS = 5_000;
const SECOND = 1_000;
const SOCKET_WINDOW_MS = 300_000;

export class Limits {
  readonly settings: LimitSettings;
  readonly #address = new Map<string, number[]>();
  readonly #endpoints = new Map<string, number[]>();
  readonly #sockets = new Map<string, number[]>();
  #bannedUntil = 0;

  constructor(settings: LimitSettings) {
    this.settings = settings;
  }

  /** Bans every address until then. */
  ban(until: number): void {
    this.#bannedUntil = until;
  }

  /** Counts a request of an address. Throws GateRefusal 403. */
  address(ip: string, now: number): void {
    if (now < this.#bannedUntil) throw tooFrequent();
    const times = recent(this.#address, ip, now - ADDRESS_WINDOW_MS);
    times.push(now);
    if (times.length <= this.settings.addressRequests) return;
    this.#bannedUntil = now + this.settings.banMs;
    throw tooFrequent();
  }

  /** Counts a new socket; returns whether it may be opened. */
  socket(ip: string, now: number): boolean {
    const times = recent(this.#sockets, ip, now - SOCKET_WINDOW_MS);
    if (times.length >= this.settings.sockets) return false;
    times.push(now);
    return true;
  }

  /** Counts a request and returns the rate headers. Throws Refusal 10006, with the same headers. */
  endpoint(account: string, name: string, perSecond: number, now: number): Record<string, string> {
    const limit = perSecond * this.settings.factor;
    const times = recent(this.#endpoints, `${account} ${name}`, now - SECOND);
    const isOver = times.length >= limit;
    if (!isOver) times.push(now);
    return {
      'x-bapi-limit': String(limit),
      'x-bapi-limit-status': String(limit - times.length),
      'x-bapi-limit-reset-timestamp': String(isOver ? (times[0] as number) + SECOND : now),
      ...(isOver ? { over: 'true' } : {}),
    };
  }
}

export const tooManyVisits = (): Refusal =>
  new Refusal(10006, 'Too many visits. Exceeded the API Rate Limit.');

function tooFrequent(): GateRefusal {
  return new GateRefusal(403, 'access too frequent');
}

function recent(store: Map<string, number[]>, name: string, since: number): number[] {
  const times = store.get(name) ?? [];
  let old = 0;
  while (old < times.length && (times[old] as number) <= since) old++;
  if (old > 0) times.splice(0, old);
  store.set(name, times);
  return times;
}
