/**
 * Positions and settings of a futures account as API and console show them. Reads of the engine's memory; no
 * decisions.
 */
import { createHash } from 'node:crypto';
import { type Dec, dec, decOfInt, div, fixed, mul, str, ZERO } from '../../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { byCodePoint } from '../../domain/market-name.ts';
import type { ExchangePosition } from '../../domain/position.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { AccountMemory, EngineMemory } from '../../engine/memory.ts';
import { positionOf, protection, signedAmount } from '../../engine/positions.ts';
import { unknownYet } from '../../engine/unread.ts';
import type { LeverageItem, Position } from '../../schemas/futures.ts';
import type { MarginType } from '../../schemas/order.ts';
import type { FuturesView, PositionView } from './protocol.ts';

/** Returns a position's opaque id (S20), stable for one account, symbol and side. */
export function positionId(exchange: string, position: Pick<ExchangePosition, 'symbol' | 'side'>): string {
  return createHash('sha256')
    .update(`${exchange} ${position.symbol} ${position.side}`)
    .digest('hex')
    .slice(0, 16);
}

/** Returns the answer to GET /portfolio/positions. */
export function apiPositions(memory: EngineMemory, exchange: string): Outcome<Record<string, Position>> {
  const account = memory.accounts.get(exchange);
  if (!account?.futures)
    return refuse('INTERNAL_ERROR', `${exchange} has no positions; it is a spot account`);
  const unread = unknownYet(account);
  if (unread) return unread;
  const entries = positionsNow(account).map(
    (position) => [positionId(exchange, position), positionOf(account, position)] as const,
  );
  return ok(Object.fromEntries(entries));
}

/** Returns the answer to GET /portfolio/position/leverage. In hedge mode both sides are listed. */
export function apiLeverage(
  memory: EngineMemory,
  q: { exchange: string; symbols: readonly string[]; marginType?: MarginType },
): Outcome<LeverageItem[]> {
  const account = memory.accounts.get(q.exchange);
  if (!account?.futures) return refuse('INTERNAL_ERROR', `${q.exchange} has no leverage`);
  const unread = unknownYet(account, ['settings']);
  if (unread) return unread;
  const { futures } = account;
  const unknown = q.symbols.find((symbol) => !account.instruments.has(symbol));
  if (unknown !== undefined) {
    return refuse(
      'INVALID_REQUEST',
      `symbols: ${JSON.stringify(unknown)} is not traded on ${q.exchange}`,
      'SYMBOL',
    );
  }
  const sides = futures.hedge ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const);
  const items = q.symbols.flatMap((symbol) =>
    sides.map((side): LeverageItem => {
      const info = futures.leverage.of(symbol, side);
      const position = futures.positions.get(`${symbol} ${side}`);
      return {
        symbol,
        side,
        leverage: String(info?.leverage ?? 1),
        type: info?.marginType ?? 'CROSSED',
        ...(position ? { cpnl: position.realizedPnl } : {}),
      };
    }),
  );
  return ok(q.marginType === undefined ? items : items.filter(({ type }) => type === q.marginType));
}

export function futuresViewOf(memory: EngineMemory, account: AccountMemory): FuturesView {
  const { futures } = account;
  if (!futures) return { positions: [], hedgeMode: false, leverage: {} };
  return {
    positions: positionsNow(account)
      .sort((a, b) => byCodePoint(a.symbol, b.symbol) || (a.side < b.side ? -1 : 1))
      .map((position) => viewOf(memory, account, position)),
    hedgeMode: futures.hedge,
    leverage: Object.fromEntries(
      [...futures.leverage.all()].map(({ symbol, leverage, marginType }) => [
        symbol,
        { leverage, marginType },
      ]),
    ),
  };
}

/**
 * Returns the distance from the mark price to the liquidation price, percent; null: it has none, or no mark
 * price is known.
 */
export function liquidationDistance({
  markPrice,
  liquidationPrice,
}: Pick<ExchangePosition, 'markPrice' | 'liquidationPrice'>): string | null {
  const mark = dec(markPrice);
  return liquidationPrice === null || mark === ZERO ? null : percent(dec(liquidationPrice) - mark, mark);
}

function viewOf(memory: EngineMemory, account: AccountMemory, position: ExchangePosition): PositionView {
  const mark = dec(position.markPrice);
  const amount = signedAmount(position);
  const size = amount < ZERO ? -amount : amount;
  const pnl = dec(position.unrealizedProfit);
  const margin = div(mul(size, mark), decOfInt(Math.max(1, position.leverage)));
  const entryMargin = div(mul(size, dec(position.entryPrice)), decOfInt(Math.max(1, position.leverage)));
  const { cover, since, held } = protection(memory, account, position);
  return {
    key: positionId(account.account.id, position),
    exchange: account.account.id,
    symbol: position.symbol,
    side: position.side,
    amount: str(amount),
    entryPrice: position.entryPrice,
    breakEvenPrice: position.breakEvenPrice,
    markPrice: str(mark),
    unrealizedProfit: fixed(pnl, 2),
    returnPercent: entryMargin === ZERO ? '0.00' : percent(pnl, entryMargin),
    marginType: position.marginType,
    leverage: position.leverage,
    margin: fixed(position.marginType === 'ISOLATED' ? dec(position.isolatedWallet) : margin, 2),
    liquidationPrice: position.liquidationPrice,
    liquidationDistance: liquidationDistance(position),
    protectedQty: cover,
    protectedSince: since,
    ...(dec(held) > ZERO ? { heldQty: held } : {}),
  };
}

function percent(part: Dec, whole: Dec): string {
  return fixed(mul(div(part, whole), decOfInt(100)), 2);
}
