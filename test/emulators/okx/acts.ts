/**
 * Acts of the exchange itself: funding, liquidation, reduction for others (ADL), margin calls. Sources: OKX
 * v5 "Get bills details" (types 5, 8, 9), "Order details" (category), "Transaction details" (tradeId,
 * subType).
 */
import { type Dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, type Position, sizeOf } from './account.ts';
import type { Exchange } from './exchange.ts';
import { unitOf } from './instruments.ts';
import type { Instrument } from './market.ts';
import { CANCEL, type OkxOrder } from './order.ts';
import { namesOf } from './settlement.ts';

const EIGHT_HOURS = 28_800_000;

export class Acts {
  readonly #exchange: Exchange;
  readonly #warn: (account: Account, positions: readonly Position[]) => void;
  #isActing = false;

  constructor(exchange: Exchange, warn: (account: Account, positions: readonly Position[]) => void) {
    this.#exchange = exchange;
    this.#warn = warn;
  }

  /** Settles funding that is due. Longs pay if the rate is above zero. */
  funding(m: Instrument): void {
    const { now, log, teller } = this.#exchange.o;
    while (m.nextFunding <= now()) {
      const time = m.nextFunding;
      m.nextFunding += EIGHT_HOURS;
      for (const account of this.#exchange.accounts.values())
        for (const position of this.#exchange.margin.open(account)) {
          if (position.instId !== m.spec.symbol) continue;
          const paid = -mul(mul(mul(position.amount, unitOf(m.spec)), m.mark), m.fundingRate);
          position.funding += paid;
          const isIsolated = position.mgnMode === 'isolated';
          if (isIsolated) position.margin += paid;
          this.#exchange.credit(account, {
            type: '8',
            subType: paid < ZERO ? '173' : '174',
            ccy: position.ccy,
            change: isIsolated ? ZERO : paid,
            sz: sizeOf(position.amount),
            pnl: paid,
            px: m.mark,
            instId: position.instId,
            mgnMode: position.mgnMode,
          });
          log({
            kind: 'income',
            account: account.name,
            ...namesOf(m),
            incomeType: 'FUNDING_FEE',
            income: str(paid),
            asset: position.ccy,
            time,
          });
          teller.money(account, 'funding_fee', [position.ccy], [position]);
        }
    }
  }

  /** Liquidates positions that their margin no longer covers. */
  onMark(m: Instrument): void {
    if (this.#isActing) return;
    this.#isActing = true;
    try {
      for (const account of this.#exchange.accounts.values()) this.#check(account, m);
    } finally {
      this.#isActing = false;
    }
  }

  #check(account: Account, m: Instrument): void {
    const { margin } = this.#exchange;
    const ccy = m.spec.settle;
    for (const position of [...margin.open(account, ccy, 'isolated')])
      if (position.instId === m.spec.symbol && position.margin + margin.upl(position) <= margin.mmr(position))
        this.liquidate(account, position);
    const crossed = [...margin.open(account, ccy, 'cross')];
    if (crossed.length === 0 || !this.#isShort(account, ccy)) return;
    // Orders are cancelled first: their margin may be enough.
    for (const order of account.orders.open())
      if (order.tdMode === 'cross') this.#exchange.cancel(account, order, CANCEL.risk);
    if (!this.#isShort(account, ccy)) return;
    for (const position of crossed) this.liquidate(account, position);
  }

  #isShort(account: Account, ccy: string): boolean {
    const { margin } = this.#exchange;
    if (account.acctLv === '2') {
      const equity = margin.equity(account, ccy) - margin.isolatedEquity(account, ccy);
      return equity <= margin.sum(account, ccy, 'cross', (position) => margin.mmr(position));
    }
    const { adjEq, mmr } = margin.usd(account);
    return adjEq <= mmr;
  }

  liquidate(account: Account, position: Position): void {
    this.#close(account, position, sizeOf(position.amount), 'full_liquidation');
  }

  /** Reduces a position for others. */
  adl(name: string, instId: string, mgnMode: string, posSide: string, contracts: Dec): void {
    const account = this.#exchange.account(name);
    const position = account.positions.get(`${instId} ${mgnMode} ${posSide}`);
    if (position) this.#close(account, position, contracts, 'adl');
  }

  warn(name: string): void {
    const account = this.#exchange.account(name);
    this.#warn(account, [...this.#exchange.margin.open(account)]);
  }

  #close(account: Account, position: Position, contracts: Dec, category: OkxOrder['category']): void {
    const m = this.#exchange.o.market.of(position.instId);
    this.#exchange.accept(
      account,
      {
        m,
        side: position.amount > ZERO ? 'sell' : 'buy',
        posSide: position.posSide,
        tdMode: position.mgnMode,
        ordType: 'market',
        px: null,
        sz: contracts,
        tgtCcy: '',
        reduceOnly: account.posMode === 'net_mode',
        banAmend: true,
        amendsPrice: false,
        clOrdId: '',
        tag: '',
        stpMode: '',
      },
      { category },
    );
  }
}
