/** Conversion of small balances into BNB by the wallet of a live account: once in six hours. */

import type { Clock } from '../../../domain/clock.ts';
import type { SettingOutcome } from '../../../domain/position.ts';
import { visible } from '../../../domain/visible.ts';
import type { Dust } from '../../../schemas/futures.ts';
import type { Caller } from '../../kit/caller.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { DustVenue } from '../../venue.ts';
import { errorOf, REPEATED } from '../dialect.ts';
import { troubleOf } from '../trouble.ts';
import { readDustDone, readDustList } from './messages.ts';
import { SPOT } from './requests.ts';

const TOKEN = 'BNB';
/** Codes that say that the outcome is unknown. */
const UNDECIDED: ReadonlySet<number> = new Set([-1000, -1001, -1006, -1007]);
const INTERVAL_MS = 6 * 3_600_000;

export class SpotDust implements DustVenue {
  readonly #o: { readonly caller: Caller; readonly complaints: Complaints; readonly clock: Clock };
  /** When this process last converted, `Clock.monotonic`. */
  #doneAt = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly caller: Caller; readonly complaints: Complaints; readonly clock: Clock }) {
    this.#o = options;
  }

  /** Lists what can be converted; its worth is in BTC. */
  async list(): Promise<Dust | null> {
    return this.#o.caller.ask(SPOT.dust, {}, (called) => {
      if (called.kind !== 'answer' || called.status !== 200) return null;
      const read = readDustList(called.text);
      if (!read.ok) {
        this.#o.complaints.say(SPOT.dust.name, read.problem);
        return null;
      }
      const assets = read.value.details.map(({ asset, amountFree, toBTC, toBNBOffExchange }) => ({
        asset,
        free: amountFree,
        value: toBTC,
        toAsset: TOKEN,
        toAmount: toBNBOffExchange,
      }));
      return { assets };
    });
  }

  waitMs(): number {
    return Math.max(0, this.#doneAt + INTERVAL_MS - this.#o.clock.monotonic());
  }

  async convert(assets: readonly string[], toAsset = TOKEN): Promise<SettingOutcome> {
    if (toAsset !== TOKEN)
      return {
        kind: 'rejected',
        code: 'FORM',
        message: `small balances become ${TOKEN} here, not ${toAsset}`,
      };
    const outcome = await this.#o.caller.ask<SettingOutcome>(
      SPOT.convertDust,
      { asset: assets.join(REPEATED) },
      (called) => {
        if (called.kind === 'unsent') return { kind: 'rejected', code: 'UNREACHED', message: called.cause };
        if (called.kind === 'lost') return { kind: 'unknown', cause: called.cause };
        const error = errorOf(called.text);
        // SPOTDOC errors.md: the outcome of these is unknown.
        const isOpen = error !== null && UNDECIDED.has(error.code);
        if (error && !isOpen && called.status >= 400 && called.status < 500)
          return {
            kind: 'rejected',
            code: String(error.code),
            message: visible(error.message).slice(0, 200),
          };
        const read = called.status === 200 ? readDustDone(called.text) : null;
        if (!read?.ok) return { kind: 'unknown', cause: troubleOf(called) };
        this.#doneAt = this.#o.clock.monotonic();
        const { totalTransfered, transferResult } = read.value;
        const converted = transferResult.map((one) => ({
          asset: one.fromAsset,
          amount: one.amount,
          received: one.transferedAmount,
          fee: one.serviceChargeAmount,
        }));
        return { kind: 'done', dust: { converted, toAsset: TOKEN, received: totalTransfered } };
      },
    );
    return outcome ?? { kind: 'rejected', code: 'BUDGET', message: 'not sent: there was no turn for it' };
  }
}
