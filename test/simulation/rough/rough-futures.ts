/**
 * The rough exchange's futures account: other people who trade, close positions, change leverage, margin type
 * and mode; the exchange itself, which liquidates and reduces positions; fees in an asset of their own,
 * rebates.
 */
import { type Dec, dec, div, mul, roundTo, str, ZERO } from '../../../src/domain/decimal.ts';
import { ENDS, type ExchangeFill, type ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { PositionSide } from '../../../src/schemas/order.ts';
import type { TradeDoc } from '../../../src/venues/paper/changes.ts';
import { FuturesCore } from '../../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions } from '../../../src/venues/paper/options.ts';
import type { PaperOrderDoc } from '../../../src/venues/paper/paper-order.ts';
import { SYMBOLS } from '../market.ts';
import {
  isLiquidation,
  isOfOthers,
  isReduction,
  ROUGH_FUTURES_SCALE,
  reductionId,
  roughFutures,
  strangersId,
} from './rough-account.ts';
import { addTo, type Past, RoughExchange, type RoughExchangeOptions } from './rough-exchange.ts';
import type { RoughFuturesPlan } from './rough-plan.ts';

const FEE_UNIT = dec('0.00000001');

interface AccountDoc {
  readonly start: string;
  readonly wallet: string;
  readonly hedge: boolean;
}

interface PositionDoc {
  readonly symbol: string;
  readonly side: PositionSide;
  /** Signed, also in hedge mode. */
  readonly amount: string;
  readonly cost: string;
}

export class RoughFutures extends RoughExchange<RoughFuturesPlan> {
  /** Commissions of trades for which its core charges nothing, by the core's trade number. */
  readonly #commissions = new Map<string, Pick<ExchangeFill, 'comm' | 'commAsset'>>();
  #strangers = 0;
  #reductions = 0;

  constructor(o: RoughExchangeOptions<RoughFuturesPlan>) {
    const { plan } = o;
    const account = roughFutures(plan);
    const isFree = plan.feeAsset !== null;
    super(o, account, ROUGH_FUTURES_SCALE, {
      makerRate: isFree ? '0' : plan.makerFee,
      takerRate: isFree ? '0' : plan.takerFee,
    });
    if (plan.feeAsset !== null)
      this.beside.set(plan.feeAsset, dec(account.startBalances[plan.feeAsset] as string));
    if (plan.startsHedged) this.#startHedged();
  }

  override async open(): Promise<void> {
    await super.open();
    this.every(this.plan.adlEveryMs, () => this.#reduce());
    this.every(this.plan.settingsEveryMs, () => void this.#changeSetting());
  }

  core(tables: Past['tables']): FuturesCore {
    return new FuturesCore(
      { instruments: this.instruments, options: compilePaperOptions(this.o.paper, 'futures') },
      tables,
    );
  }

  transfers(): ReadonlyMap<string, Dec> {
    const start = dec(this.#account()?.start ?? '0');
    return new Map([['USDT', start - dec(this.simAccount.startBalances.USDT as string)]]);
  }

  override commission(trade: TradeDoc | ExchangeFill): Pick<ExchangeFill, 'comm' | 'commAsset'> {
    return this.#commissions.get(trade.tradeId) ?? super.commission(trade);
  }

  protected pictureOf(table: string, doc: unknown): string {
    if (table === 'balance') return (doc as AccountDoc).wallet;
    if (table === 'setting') return JSON.stringify(doc);
    const { amount, cost } = doc as PositionDoc;
    return `${amount} ${cost}`;
  }

  protected note(rows: readonly Row[]): void {
    const { struck } = this.o;
    for (const row of rows) {
      if (row.kind !== 'paper' || row.doc === null) continue;
      if (row.table === 'futures.order') {
        const { clientId, status } = row.doc as PaperOrderDoc;
        if (isLiquidation(clientId)) struck('liquidation');
        if (isReduction(clientId) && status === 'FILLED') struck('reduced by the exchange');
      } else if (row.table === 'futures.trade' && !this.isPast(row.id)) this.#charge(row.doc as TradeDoc);
    }
  }

  protected strangerActs(): void {
    const { dice, struck } = this.o;
    const alive = this.docs<PaperOrderDoc>('order').filter(({ status }) => !ENDS.has(status));
    if (dice.chance(0.2) && alive.length > 0) {
      const { clientId, symbol } = dice.pick(alive);
      struck(isOfOthers(clientId) ? 'stranger cancels his own' : 'stranger cancels ours');
      void this.inner.venue.cancel({ clientId, symbol });
      return;
    }
    const held = this.#positions();
    if (dice.chance(0.35) && held.length > 0) {
      struck('stranger closes a position');
      this.#close(strangersId(++this.#strangers), dice.pick(held));
      return;
    }
    const s = dice.pick(SYMBOLS);
    const last = this.last(s.symbol);
    if (last === null || !this.#isTraded(s.symbol)) return;
    struck('stranger trades');
    const side = dice.chance(0.5) ? ('BUY' as const) : ('SELL' as const);
    const off = (side === 'BUY' ? -1 : 1) * dice.between(-0.002, 0.005);
    const limit = dice.chance(0.6);
    const long = dice.chance(0.8) === (side === 'BUY');
    void this.inner.venue.submit({
      clientId: strangersId(++this.#strangers),
      symbol: s.symbol,
      side,
      type: limit ? 'LIMIT' : 'MARKET',
      quantity: Math.max(dice.between(110, 1_500) / last, 0.001).toFixed(3),
      ...(limit ? { price: (last * (1 + off)).toFixed(s.priceDigits) } : {}),
      ...(this.#isHedged ? { positionSide: long ? 'LONG' : 'SHORT' } : {}),
      timeInForce: 'GTC',
    });
  }

  protected transfer(): void {
    const { dice, struck } = this.o;
    const free = Number(this.core(this.inner.tables).balances()[0]?.free ?? '0');
    struck('transfer');
    void this.inner.venue.setBalance('USDT', (free * dice.between(0.6, 1.3)).toFixed(4));
  }

  /**
   * Whether the desk has traded the contract: if not, nothing may tell it what others do there once their
   * events are lost.
   */
  #isTraded(symbol: string): boolean {
    return this.docs<PaperOrderDoc>('order').some(
      (doc) => doc.symbol === symbol && !isOfOthers(doc.clientId),
    );
  }

  get #isHedged(): boolean {
    return this.#account()?.hedge === true;
  }

  #account(): AccountDoc | undefined {
    return this.inner.tables.get('futures.balance')?.get('USDT') as AccountDoc | undefined;
  }

  #positions(): PositionDoc[] {
    return this.docs<PositionDoc>('position').sort((a, b) =>
      `${a.symbol} ${a.side}` < `${b.symbol} ${b.side}` ? -1 : 1,
    );
  }

  /** Reduces a winning position, as an exchange does to close a losing one of somebody else. */
  #reduce(): void {
    const winners = this.#positions().filter(({ symbol, amount, cost }) => {
      const mark = this.inner.venue.futures?.markPrice(symbol);
      return mark != null && mul(dec(amount), dec(mark)) > dec(cost);
    });
    if (winners.length > 0) this.#close(reductionId(++this.#reductions), this.o.dice.pick(winners));
  }

  /** Closes a part of a position, or all of it. */
  #close(clientId: string, { symbol, side, amount }: PositionDoc): void {
    const { dice } = this.o;
    const size = Math.abs(Number(amount));
    const order: ExchangeOrder = {
      clientId,
      symbol,
      side: Number(amount) > 0 ? 'SELL' : 'BUY',
      type: 'MARKET',
      quantity: Math.max(size * dice.pick([0.2, 0.5, 1, 1]), 0.001).toFixed(3),
      ...(side === 'BOTH' ? { reduceOnly: true } : { positionSide: side }),
      timeInForce: 'GTC',
    };
    void this.inner.venue.submit(order);
  }

  /** Changes how the account trades, as somebody on the website does. */
  async #changeSetting(): Promise<void> {
    const { dice, struck } = this.o;
    const { futures } = this.inner.venue;
    if (!futures) return;
    const { symbol } = dice.pick(SYMBOLS);
    const what = dice.weighted({ leverage: 5, marginType: 3, mode: 2 });
    let outcome: SettingOutcome;
    if (what === 'leverage')
      outcome = await futures.setLeverage({ symbol, leverage: dice.pick(this.plan.taste.leverages) });
    else if (what === 'marginType')
      outcome = await futures.setMarginType(symbol, dice.pick(['ISOLATED', 'CROSSED'] as const));
    else outcome = await futures.setHedgeMode(!this.#isHedged);
    if (outcome.kind === 'done') struck(`${what} changed elsewhere`);
  }

  /** Charges the fee of a trade in the fee asset; a liquidation is charged the core's fee. */
  #charge(trade: TradeDoc): void {
    const { tradeId, maker, qty, price } = trade;
    const { feeAsset, makerFee, takerFee } = this.plan;
    const { struck } = this.o;
    if (feeAsset === null) {
      if (dec(trade.comm) < ZERO) struck('rebate');
      return;
    }
    const worth = this.last(`${feeAsset}USDT`);
    if (trade.liquidation || worth === null) return;
    const fee = mul(mul(dec(qty), dec(price)), dec(maker ? makerFee : takerFee));
    const comm = roundTo(div(fee, dec(String(worth))), FEE_UNIT);
    this.#commissions.set(tradeId, { comm: str(comm), commAsset: feeAsset });
    if (comm === ZERO) return;
    struck(comm < ZERO ? 'rebate' : 'fee in a third asset');
    addTo(this.beside, feeAsset, -comm);
    this.movedAt.set(`balance ${feeAsset}`, this.o.clock.now);
    this.onBeside?.(feeAsset);
  }

  /** Replaces the books, before anything has happened, by those of a new account in hedge mode. */
  #startHedged(): void {
    const options = { ...this.o.paper, startBalances: this.simAccount.startBalances };
    const config = { instruments: this.instruments, options: compilePaperOptions(options, 'futures') };
    const core = new FuturesCore(config, new Map());
    this.inner.seed([...core.begin().rows, ...core.setHedgeMode(true).rows]);
  }
}
