/**
 * Events of an account for the subscribed sockets. Orders at once; balances and positions merged over a
 * moment, only the changed ones; snapshots first and from time to time. Sources: OKX v5 "Order channel",
 * "Account channel", "Positions channel", "Balance and position channel", "Algo orders channel", "Advance
 * algo orders channel".
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import { str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, cashOf, entryOf, leverOf, type Position } from './account.ts';
import { type AccountRows, posText } from './account-rows.ts';
import { type AlgoNews, type AlgoOrder, algoNews, isAdvanced } from './algo.ts';
import type { Subscription } from './channels.ts';
import type { Teller } from './exchange.ts';
import type { OkxMarket } from './market.ts';
import { type OkxOrder, type OrderNews, orderNews } from './order.ts';
import type { OkxSocket } from './socket.ts';

export interface PrivateFeedOptions {
  readonly market: OkxMarket;
  readonly clock: Clock;
  readonly now: () => number;
  readonly mergeMs: number;
  readonly algoLagMs: () => number;
  /** Every so many order messages one comes twice; 0: none. */
  readonly repeatEvery: number;
  readonly sockets: () => Iterable<OkxSocket>;
}

interface Waiting {
  readonly ccys: Set<string>;
  readonly positions: Set<Position>;
  timer: Cancelable;
}

/** Most rows in a message of a snapshot. */
const PAGE = 20;
/** Delay of a repeated message, ms. */
const REPEAT_MS = 3;

export class PrivateFeed implements Teller {
  readonly #o: PrivateFeedOptions;
  /** Set once the exchange is built. */
  rows: AccountRows | null = null;
  readonly #waiting = new Map<Account, Waiting>();
  #told = 0;
  readonly #pushed = new WeakMap<Subscription, number>();

  constructor(o: PrivateFeedOptions) {
    this.#o = o;
  }

  order(account: Account, order: OkxOrder, news: OrderNews): void {
    const { market, repeatEvery, clock } = this.#o;
    let row: Record<string, unknown> | null = null;
    for (const [socket, subscription] of this.#of(account, 'orders')) {
      if (!fits(subscription, order)) continue;
      row ??= orderNews(order, news, market.of(order.instId), market);
      socket.push(subscription, [row], {}, account.uid);
      if (repeatEvery === 0 || ++this.#told % repeatEvery !== 0) continue;
      const again = { ...row, uTime: String(order.uTime + REPEAT_MS) };
      clock.after(REPEAT_MS, () => socket.push(subscription, [again], {}, account.uid));
    }
  }

  algo(account: Account, algo: AlgoOrder, news: AlgoNews): void {
    const { market, clock, now } = this.#o;
    const lag = this.#o.algoLagMs();
    const row = algoNews(algo, news, market.of(algo.instId), market, now());
    const push = () => {
      for (const [socket, subscription] of this.#of(
        account,
        isAdvanced(algo) ? 'algo-advance' : 'orders-algo',
      ))
        if (fits(subscription, algo)) socket.push(subscription, [row], {}, account.uid);
    };
    if (lag > 0 && algo.state !== 'live') clock.after(lag, push);
    else push();
  }

  money(
    account: Account,
    why: string,
    ccys: readonly string[],
    positions: readonly Position[],
    trades: readonly { instId: string; tradeId: string }[] = [],
  ): void {
    if (why !== '') this.#balanceAndPosition(account, why, ccys, positions, trades);
    let waiting = this.#waiting.get(account);
    if (!waiting) {
      const timer = this.#o.clock.after(this.#o.mergeMs, () => this.#flush(account));
      waiting = { ccys: new Set(), positions: new Set(), timer };
      this.#waiting.set(account, waiting);
    }
    for (const ccy of ccys) waiting.ccys.add(ccy);
    for (const position of positions) waiting.positions.add(position);
  }

  /** Sends the first messages of a new subscription. */
  subscribed(socket: OkxSocket, account: Account, subscription: Subscription): void {
    const { channel } = subscription.arg;
    if (channel === 'account' || channel === 'positions') this.#snapshot(socket, account, subscription);
    if (channel === 'balance_and_position') this.#firstBalance(socket, account, subscription);
    if (channel === 'algo-advance') this.#firstAdvanced(socket, account, subscription);
  }

  /** Sends regular pushes that are due. */
  regular(account: Account): void {
    const now = this.#o.now();
    for (const channel of ['account', 'positions'])
      for (const [socket, subscription] of this.#of(account, channel)) {
        const { everyMs } = subscription;
        if (everyMs === 0 || now - (this.#pushed.get(subscription) ?? 0) < everyMs) continue;
        this.#snapshot(socket, account, subscription);
      }
  }

  /** Sends a margin call. */
  warn(account: Account, positions: readonly Position[]): void {
    const rows = this.#rows();
    for (const [socket, subscription] of this.#of(account, 'liquidation-warning')) {
      const data = positions
        .filter((position) => fits(subscription, { instType: 'SWAP', instId: position.instId }))
        .map((position) => {
          const { cTime, ccy, instId, lever, markPx, mgnMode, mgnRatio, pos, posId, posSide, uTime } =
            rows.position(account, position);
          const pTime = String(this.#o.now());
          return {
            cTime,
            ccy,
            instId,
            instType: 'SWAP',
            lever,
            markPx,
            mgnMode,
            mgnRatio,
            pTime,
            pos,
            posCcy: '',
            posId,
            posSide,
            uTime,
          };
        });
      if (data.length > 0) socket.push(subscription, data, {}, account.uid);
    }
  }

  #rows(): AccountRows {
    if (!this.rows) throw new Error('the feed has no rows yet');
    return this.rows;
  }

  *#of(account: Account, channel: string): Generator<[OkxSocket, Subscription]> {
    for (const socket of this.#o.sockets()) {
      if (socket.account !== account.name) continue;
      for (const subscription of socket.subscriptions.values())
        if (subscription.arg.channel === channel) yield [socket, subscription];
    }
  }

  #flush(account: Account): void {
    const waiting = this.#waiting.get(account);
    this.#waiting.delete(account);
    if (!waiting) return;
    const rows = this.#rows();
    for (const [socket, subscription] of this.#of(account, 'account')) {
      const { ccy } = subscription.arg;
      const ccys = new Set([...waiting.ccys].filter((one) => ccy === undefined || one === ccy));
      if (ccys.size === 0) continue;
      const data = [rows.balance(account, ccys)];
      socket.push(subscription, data, { eventType: 'event_update' }, account.uid);
    }
    for (const [socket, subscription] of this.#of(account, 'positions')) {
      const data = [...waiting.positions]
        .filter(({ instId }) => fits(subscription, { instType: 'SWAP', instId }))
        .map((position) => this.#positionNews(account, position));
      if (data.length > 0) socket.push(subscription, data, { eventType: 'event_update' }, account.uid);
    }
  }

  #positionNews(account: Account, position: Position): Record<string, unknown> {
    return { ...this.#rows().position(account, position), pTime: String(this.#o.now()) };
  }

  #snapshot(socket: OkxSocket, account: Account, subscription: Subscription): void {
    this.#pushed.set(subscription, this.#o.now());
    const rows = this.#rows();
    if (subscription.arg.channel === 'account') {
      const { ccy } = subscription.arg;
      const whole = rows.balance(account, ccy === undefined ? null : new Set([ccy]));
      const details = whole.details as unknown[];
      this.#paged(details, (part, more) =>
        socket.push(subscription, [{ ...whole, details: part }], more, account.uid),
      );
      return;
    }
    const open = [...account.positions.values()].filter(
      ({ amount, instId }) => amount !== ZERO && fits(subscription, { instType: 'SWAP', instId }),
    );
    this.#paged(
      open.map((position) => this.#positionNews(account, position)),
      (part, more) => socket.push(subscription, part, more, account.uid),
    );
  }

  #paged(all: readonly unknown[], push: (part: unknown[], more: Record<string, unknown>) => void): void {
    const pages = Math.max(1, Math.ceil(all.length / PAGE));
    for (let page = 0; page < pages; page++)
      push(all.slice(page * PAGE, (page + 1) * PAGE), {
        eventType: 'snapshot',
        curPage: page + 1,
        lastPage: page === pages - 1,
      });
  }

  #firstBalance(socket: OkxSocket, account: Account, subscription: Subscription): void {
    const ccys = [...account.wallet.keys()].filter((ccy) => cashOf(account, ccy) !== ZERO);
    const positions = [...account.positions.values()].filter(({ amount }) => amount !== ZERO);
    socket.push(subscription, [this.#balanceRow(account, 'snapshot', ccys, positions, [])], {}, account.uid);
  }

  #balanceAndPosition(
    account: Account,
    why: string,
    ccys: readonly string[],
    positions: readonly Position[],
    trades: readonly { instId: string; tradeId: string }[],
  ): void {
    for (const [socket, subscription] of this.#of(account, 'balance_and_position'))
      socket.push(subscription, [this.#balanceRow(account, why, ccys, positions, trades)], {}, account.uid);
  }

  #balanceRow(
    account: Account,
    eventType: string,
    ccys: readonly string[],
    positions: readonly Position[],
    trades: readonly { instId: string; tradeId: string }[],
  ): Record<string, unknown> {
    return {
      pTime: String(this.#o.now()),
      eventType,
      balData: ccys.map((ccy) => ({
        ccy,
        cashBal: str(cashOf(account, ccy)),
        uTime: String(account.touched.get(ccy) ?? this.#o.now()),
      })),
      posData: positions.map((position) => ({
        posId: position.posId,
        tradeId: position.tradeId,
        instId: position.instId,
        instType: 'SWAP',
        mgnMode: position.mgnMode,
        posSide: position.posSide,
        pos: posText(position),
        ccy: position.ccy,
        posCcy: '',
        avgPx: position.amount === ZERO ? '' : str(entryOf(position)),
        lever: str(leverOf(account, position.instId, position.mgnMode, position.posSide)),
        nonSettleAvgPx: '',
        settledPnl: '',
        uTime: String(position.uTime),
      })),
      trades,
    };
  }

  #firstAdvanced(socket: OkxSocket, account: Account, subscription: Subscription): void {
    const { market, now } = this.#o;
    const data = account.algos
      .live()
      .filter((algo) => isAdvanced(algo) && fits(subscription, algo))
      .map((algo) => algoNews(algo, {}, market.of(algo.instId), market, now()));
    if (data.length > 0) socket.push(subscription, data, {}, account.uid);
  }
}

/** Whether a subscription, by its instrument type, family and instrument, includes this. */
function fits({ arg }: Subscription, of: { instType: string; instId: string }): boolean {
  const { instType, instId, instFamily } = arg;
  if (instType !== undefined && instType !== 'ANY' && instType !== of.instType) return false;
  if (instId !== undefined) return instId === of.instId;
  return instFamily === undefined || of.instId.startsWith(`${instFamily}-`);
}
