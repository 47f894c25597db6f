/**
 * `total` of a futures account's balance updates (specification, "Events" detail 2), as far as the engine
 * knows it. Pure.
 */
import { type Dec, dec, decOfInt, div, mul, roundTo, str, ZERO } from '../../domain/decimal.ts';
import { usdPrice } from '../../engine/balances.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { signedAmount } from '../../engine/positions.ts';

const STEP = dec('0.00000001');

/**
 * Returns maintenance and initial margin of the positions (orders' margins are in `locked`), their unrealised
 * PnL, that of the crossed ones, and the wallet in dollars less the margin of isolated positions. Null on
 * spot.
 */
export function futuresTotal(account: AccountMemory, ts: number): Record<string, string | number> | null {
  if (!account.futures) return null;
  let [mmr, imr, upnl, crossUpnl, isolated] = [ZERO, ZERO, ZERO, ZERO, ZERO];
  for (const position of positionsNow(account)) {
    const amount = signedAmount(position);
    const notional = mul(amount < ZERO ? -amount : amount, dec(position.markPrice));
    const profit = dec(position.unrealizedProfit);
    mmr += dec(position.maintenanceMargin);
    imr += div(notional, decOfInt(Math.max(1, position.leverage)));
    upnl += profit;
    if (position.marginType === 'CROSSED') crossUpnl += profit;
    else isolated += dec(position.isolatedWallet);
  }
  const money = (value: Dec) => str(roundTo(value, STEP));
  return {
    ts,
    mmr: money(mmr),
    imr: money(imr),
    upnl: money(upnl),
    crossUpnl: money(crossUpnl),
    crossWallet: money(wallet(account) - isolated),
  };
}

function wallet(account: AccountMemory): Dec {
  let sum = ZERO;
  for (const [asset, { free, locked }] of account.wallet.balances) {
    sum += mul(free + locked, usdPrice(account.market, asset) ?? ZERO);
  }
  return sum;
}
