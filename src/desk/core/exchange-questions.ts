/**
 * Questions of the API and the consoles to an exchange that are not commands of the engine: modes, brackets,
 * dust. The adapter or the engine's memory answers; what an adapter throws becomes a refusal, and its words
 * go to the log.
 */
import { errorText, type Outcome, ok, refuse } from '../../domain/errors.ts';
import { notTraded } from '../../domain/lookalike.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { unknownYet } from '../../engine/unread.ts';
import type { Bracket, Dust } from '../../schemas/futures.ts';
import type { VenueLink } from './venue-link.ts';

export interface ExchangeQuestionsOptions {
  /** The link to an account; undefined: no account has this id. */
  readonly link: (exchange: string) => Pick<VenueLink, 'venue'> | undefined;
  /** Memory of the current engine. */
  readonly memory: () => EngineMemory;
  /** An adapter has failed: one line for the log. */
  readonly failed: (text: string) => void;
}

export class ExchangeQuestions {
  readonly #o: ExchangeQuestionsOptions;

  constructor(options: ExchangeQuestionsOptions) {
    this.#o = options;
  }

  async marginMode(exchange: string): Promise<Outcome<{ mode: number }>> {
    const futures = this.#o.link(exchange)?.venue.futures;
    if (!futures) return refuse('INTERNAL_ERROR', `${exchange} has no margin mode`);
    return this.#asked(
      exchange,
      () => futures.marginMode(),
      (mode) => ({ mode }),
    );
  }

  /**
   * Asks an exchange. What its adapter throws is an unknown failure (D1, S16), and its words go to the log.
   */
  async #asked<T, D>(
    exchange: string,
    ask: () => Promise<T | null>,
    data: (answer: T) => D,
  ): Promise<Outcome<D>> {
    try {
      const answer = await ask();
      if (answer === null) return refuse('SERVICE_UNAVAILABLE', `${exchange} gave no answer; try again`);
      return ok(data(answer));
    } catch (error) {
      this.#o.failed(`${exchange}: adapter failure: ${errorText(error)}`);
      return refuse('UNKNOWN_ERROR', `${exchange} failed in a way that is not known`);
    }
  }

  hedgeMode(exchange: string): Outcome<{ dualSidePosition: boolean }> {
    const account = this.#o.memory().accounts.get(exchange);
    if (!account?.futures)
      return refuse('INVALID_REQUEST', `${exchange} has no hedge mode; name a futures exchange`);
    return unknownYet(account, ['settings']) ?? ok({ dualSidePosition: account.futures.hedge });
  }

  brackets(exchange: string, symbol: string): Outcome<Bracket[]> {
    const venue = this.#o.link(exchange)?.venue;
    if (!venue?.futures) return refuse('INTERNAL_ERROR', `${exchange} has no leverage brackets`);
    const brackets = venue.futures.brackets(symbol);
    if (brackets.length === 0) {
      const known = [...this.#o.memory().account(exchange).instruments.keys()];
      return refuse('INVALID_REQUEST', notTraded(symbol, exchange, known), 'SYMBOL');
    }
    return ok(
      brackets.map(({ initialLeverage, notionalFloor, notionalCap, maintenanceMarginRate }) => ({
        initialLeverage,
        notionalFloor,
        notionalCap,
        maintenanceMarginRate,
      })),
    );
  }

  async dust(exchange: string): Promise<Outcome<Dust>> {
    const conversion = this.#o.link(exchange)?.venue.conversion;
    if (!conversion) return refuse('INTERNAL_ERROR', `${exchange} has no dust conversion`);
    // S25: what a run has reserved is not dust.
    const isKept = (asset: string) => this.#o.memory().account(exchange).wallet.reserved.has(asset);
    return this.#asked(
      exchange,
      () => conversion.list(),
      ({ assets }) => ({ assets: assets.filter(({ asset }) => !isKept(asset)) }),
    );
  }
}
