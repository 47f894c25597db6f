/**
 * The fee rates of an OKX account (OD Get fee rates): OKX writes a charge as a negative rate; here it is
 * positive.
 */
import { dec, str } from '../../domain/decimal.ts';
import type { FeeRates } from '../../domain/exchange.ts';
import type { Parameters } from '../kit/caller.ts';
import { INST_TYPE, type OkxMarketKind } from './account-given.ts';
import type { Listing } from './instruments.ts';
import { readFees } from './messages.ts';
import type { Questions } from './questions.ts';
import { OKX } from './requests.ts';

/**
 * Returns the rates of BTC in USDT, or of the first pair in USDT: rates differ by groups of instruments.
 * Null: it could not be asked, or the answer has none.
 */
export async function feeRates(
  questions: Questions,
  kind: OkxMarketKind,
  listings: readonly Listing[],
): Promise<FeeRates | null> {
  const inUsdt = listings.filter(({ instrument }) => instrument.quote === 'USDT');
  const of = inUsdt.find(({ instrument }) => instrument.base === 'BTC') ?? inUsdt[0] ?? listings[0];
  if (!of) return null;
  const which: Parameters = kind === 'spot' ? { instId: of.instId } : { instFamily: of.family };
  const asked = await questions.one(OKX.fees, { instType: INST_TYPE[kind], ...which }, readFees);
  if (asked.kind !== 'found') return null;
  const { feeGroup = [], makerU, takerU, maker, taker } = asked.value;
  const [group] = feeGroup;
  // The fields beside the groups are being phased out, and for contracts name those margined with coins
  // first.
  const rates =
    group ?? (kind === 'swap' && makerU && takerU ? { maker: makerU, taker: takerU } : { maker, taker });
  if (!rates.maker || !rates.taker) return null;
  return { maker: str(-dec(rates.maker)), taker: str(-dec(rates.taker)) };
}
