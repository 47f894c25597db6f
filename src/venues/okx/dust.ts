/**
 * Converts small balances of an OKX wallet into OKB (OD Easy convert): assets that the list names, five at a
 * time. Live only. The list gives amounts, not their worth.
 */
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Dust } from '../../schemas/futures.ts';
import type { DustVenue } from '../venue.ts';
import { OKX_CODES } from './codes.ts';
import { LINES } from './dialect.ts';
import { readConverted, readSmallBalances } from './messages.ts';
import { figure } from './order-states.ts';
import type { Questions } from './questions.ts';
import { OKX } from './requests.ts';

const TOKEN = 'OKB';
const MOST = 5;

export class OkxDust implements DustVenue {
  readonly #questions: Questions;

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  async list(): Promise<Dust | null> {
    const rows = await this.#questions.rows(OKX.smallBalances, {}, readSmallBalances);
    if (!rows) return null;
    const assets = rows.flatMap(({ fromData, toCcy }) =>
      toCcy.includes(TOKEN)
        ? fromData.map(({ fromCcy, fromAmt }) => ({
            asset: fromCcy,
            free: figure(fromAmt),
            value: '0',
            toAsset: TOKEN,
            toAmount: '0',
          }))
        : [],
    );
    return { assets };
  }

  /** Returns 0: the exchange sets no pause except between two requests. */
  waitMs(): number {
    return 0;
  }

  async convert(assets: readonly string[], toAsset = TOKEN): Promise<SettingOutcome> {
    if (toAsset !== TOKEN) return refused(`small balances become ${TOKEN} here, not ${toAsset}`);
    if (assets.length > MOST) return refused(`OKX converts ${MOST} at a time; name ${MOST} of them`);
    const asked = await this.#questions.ask(
      OKX.convert,
      { fromCcy: assets.join(LINES), toCcy: TOKEN },
      readConverted,
    );
    if (asked.kind !== 'found') {
      const code = asked.kind === 'failed' ? asked.code : undefined;
      const isRefused =
        code !== undefined && OKX_CODES.meaning('submit', { code, message: '' }).kind === 'rejected';
      return isRefused
        ? { kind: 'rejected', code, message: asked.cause }
        : { kind: 'unknown', cause: asked.cause };
    }
    const converted = asked.value.data.map(({ fromCcy, fillFromSz, fillToSz }) => ({
      asset: fromCcy,
      amount: figure(fillFromSz),
      received: figure(fillToSz),
      fee: '0',
    }));
    const received = converted.reduce((sum, one) => sum + dec(one.received), ZERO);
    return { kind: 'done', dust: { converted, toAsset: TOKEN, received: str(received) } };
  }
}

function refused(message: string): SettingOutcome {
  return { kind: 'rejected', code: 'FORM', message };
}
