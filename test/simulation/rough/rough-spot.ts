/** The rough exchange's spot account: other people on it, and their deposits and withdrawals. */
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { ENDS } from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { TradeDoc } from '../../../src/venues/paper/changes.ts';
import { PaperCore } from '../../../src/venues/paper/core.ts';
import { compilePaperOptions } from '../../../src/venues/paper/options.ts';
import type { PaperOrderDoc } from '../../../src/venues/paper/paper-order.ts';
import { SYMBOLS } from '../market.ts';
import { isOfOthers, ROUGH_SCALE, ROUGH_SPOT, strangersId } from './rough-account.ts';
import { addTo, type Past, RoughExchange, type RoughExchangeOptions, walletOf } from './rough-exchange.ts';

interface BalanceDoc {
  readonly free: string;
  readonly locked: string;
}

export class RoughSpot extends RoughExchange {
  readonly #transfers = new Map<string, Dec>();
  /** Free plus locked, by asset. */
  readonly #wallet = new Map<string, Dec>();
  #strangers = 0;

  constructor(o: RoughExchangeOptions) {
    super(o, ROUGH_SPOT, ROUGH_SCALE, { makerRate: o.plan.makerFee, takerRate: o.plan.takerFee });
  }

  transfers(): ReadonlyMap<string, Dec> {
    return this.#transfers;
  }

  core(tables: Past['tables']): PaperCore {
    const config = { kind: 'spot', instruments: this.instruments, options: compilePaperOptions() } as const;
    return new PaperCore(config, tables);
  }

  protected pictureOf(table: string, doc: unknown): string | null {
    return table === 'balance' ? walletOf(doc as BalanceDoc) : null;
  }

  protected strangerActs(): void {
    const { dice, struck } = this.o;
    const s = dice.pick(SYMBOLS);
    const last = this.last(s.symbol);
    if (last === null) return;
    const alive = this.docs<PaperOrderDoc>('order').filter(({ status }) => !ENDS.has(status));
    if (dice.chance(0.3) && alive.length > 0) {
      const { clientId, symbol } = dice.pick(alive);
      struck(isOfOthers(clientId) ? 'stranger cancels his own' : 'stranger cancels ours');
      void this.inner.venue.cancel({ clientId, symbol });
      return;
    }
    struck('stranger trades');
    const side = dice.chance(0.5) ? ('BUY' as const) : ('SELL' as const);
    const off = (side === 'BUY' ? -1 : 1) * dice.between(-0.002, 0.005);
    const limit = dice.chance(0.7);
    void this.inner.venue.submit({
      clientId: strangersId(++this.#strangers),
      symbol: s.symbol,
      side,
      type: limit ? 'LIMIT' : 'MARKET',
      quantity: (dice.between(20, 800) / last).toFixed(s.quantityDigits),
      ...(limit ? { price: (last * (1 + off)).toFixed(s.priceDigits) } : {}),
      timeInForce: 'GTC',
    });
  }

  protected transfer(): void {
    const { dice, struck } = this.o;
    const asset = dice.pick(['USDT', 'BTC']);
    const doc = this.inner.tables.get('spot.balance')?.get(asset) as BalanceDoc | undefined;
    const amount = Number(str(dec(doc?.free ?? '0'))) * dice.between(0.6, 1.3);
    struck('transfer');
    void this.inner.venue.setBalance(asset, amount.toFixed(4));
  }

  /** Notes balances that moved without a trade. */
  protected note(rows: readonly Row[]): void {
    const moved = new Map<string, Dec>();
    const add = (asset: string, amount: Dec) => addTo(moved, asset, amount);
    for (const row of rows) {
      if (row.kind !== 'paper' || row.doc === null) continue;
      if (row.table === 'spot.balance') {
        const total = dec(walletOf(row.doc as BalanceDoc));
        add(row.id, total - (this.#wallet.get(row.id) ?? total));
        this.#wallet.set(row.id, total);
      } else if (row.table === 'spot.trade') {
        const { symbol, side, qty, price, comm, commAsset } = row.doc as TradeDoc;
        const instrument = this.instruments.find((one) => one.symbol === symbol) as Instrument;
        const sign = side === 'BUY' ? 1n : -1n;
        add(instrument.base, -sign * dec(qty));
        add(instrument.quote, sign * mul(dec(qty), dec(price)));
        add(commAsset, dec(comm));
      }
    }
    for (const [asset, amount] of moved) if (amount !== ZERO) addTo(this.#transfers, asset, amount);
  }
}
