/**
 * Binance for the simulation: its adapter over the emulator of `test/emulators`, spot and USD-M futures of
 * one connection.
 */
import { createHmac } from 'node:crypto';
import { type Dec, dec, ZERO } from '../../../src/domain/decimal.ts';
import { binanceKind } from '../../../src/venues/binance/kind.ts';
import { algoName } from '../../../src/venues/kit/algo-names.ts';
import { BinanceEmulator } from '../../emulators/binance/emulator.ts';
import { isOpenStatus, settingOf, sizeOf } from '../../emulators/binance/futures/account.ts';
import { type AlgoOrder, type FuturesOrder, isOpenAlgo } from '../../emulators/binance/futures/order.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import { isOpen, type SpotOrder } from '../../emulators/binance/spot/order.ts';
import { randomOf } from '../../emulators/binance/support.ts';
import type { SymbolSpec } from '../../emulators/binance/symbols.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';
import {
  EmulatedExchange,
  type HeldPosition,
  type Resting,
  type StrangersOrder,
  type SymbolChange,
} from './emulated-exchange.ts';
import { tradesOf } from './money-log.ts';
import type { AccountKind, Truth, TruthOrder, VenueGiven, VenueWorld } from './venue-world.ts';

const ACCOUNT = 'main';
const STRANGER = 'web_';
const LEAST_VALUES = ['5', '20', '100'] as const;
const CONTRACT = dec('0.001');
/** Client ids of orders that the exchange makes itself. */
const ITS_OWN = /^(?:autoclose-|adl_autoclose)/;

export const BINANCE_WORLD: VenueWorld = {
  name: 'binance',
  markets: ['spot', 'futures'],
  credentials: { apiKey: TEST_KEY.apiKey, secret: TEST_KEY.secret },
  hearsOnly: ['spot'],
  cutsExits: false,
  sharesWallet: false,
  banMs: 0,
  tellsLeverage: true,
  open: (given) => new BinanceExchange(given),
};

class BinanceExchange extends EmulatedExchange<BinanceEmulator> {
  constructor(given: VenueGiven) {
    super(given, STRANGER, (note) => emulatorOf(given, note));
  }

  kind(net: Parameters<typeof binanceKind>[0]) {
    return binanceKind(net);
  }

  truth(kind: AccountKind): Truth {
    const common = { trades: tradesOf(this.log, kind), moved: this.moved(kind) };
    return kind === 'spot' ? { ...common, ...this.#spot() } : { ...common, ...this.#futures() };
  }

  #spot(): Omit<Truth, 'trades' | 'moved'> {
    const account = this.emulator.spot.account(ACCOUNT);
    const wallets = [...account.wallets].map(
      ([asset, { free, locked }]) => [asset, { whole: free + locked, free }] as const,
    );
    return {
      orders: account.orders.all.map((order) => this.#spotOrder(order)),
      wallets: new Map(wallets),
      positions: [],
      hedge: false,
      leverage: new Map(),
    };
  }

  #spotOrder(order: SpotOrder): TruthOrder {
    const { symbol, orderId, clientOrderId, side, status, qty, executed, price, isWorking } = order;
    return {
      symbol,
      clientId: clientOrderId,
      side,
      qty,
      executed,
      venueIds: [String(orderId)],
      price: price === ZERO ? null : price,
      state: isOpen(order) ? 'open' : status === 'FILLED' ? 'filled' : 'ended',
      waits: isOpen(order) && !isWorking,
      byOthers: isOthers(clientOrderId),
    };
  }

  #futures(): Omit<Truth, 'trades' | 'moved'> {
    const account = this.emulator.futures.account(ACCOUNT);
    const wallets = [...account.wallets].map(([asset, whole]) => [asset, { whole }] as const);
    return {
      orders: [
        ...account.orders.all.filter(({ algo }) => algo === null).map((order) => this.#futuresOrder(order)),
        ...account.algos.all.map((algo) => this.#algoOrder(algo)),
      ],
      wallets: new Map(wallets),
      positions: [...account.positions.values()].map(({ symbol, side, amount }) => ({
        symbol,
        side,
        amount,
      })),
      hedge: account.hedge,
      leverage: new Map(this.symbols.map(({ symbol }) => [symbol, settingOf(account, symbol).leverage])),
    };
  }

  #futuresOrder(order: FuturesOrder): TruthOrder {
    const { symbol, orderId, clientOrderId, side, status, qty, executed, price, type } = order;
    const isAtRest = isOpenStatus(status);
    return {
      symbol,
      clientId: clientOrderId,
      side,
      qty,
      executed,
      venueIds: [String(orderId)],
      waits: false,
      price: type === 'MARKET' ? null : price,
      state: isAtRest ? 'open' : status === 'FILLED' ? 'filled' : 'ended',
      byOthers: isOthers(clientOrderId),
      ...(clientOrderId === 'adl_autoclose' ? { nameless: true as const } : {}),
    };
  }

  /** An algo order together with the order that its trigger has made: to the client they are one. */
  #algoOrder(algo: AlgoOrder): TruthOrder {
    const { symbol, algoId, clientAlgoId, side, child, qty } = algo;
    const own = { symbol, side, clientId: clientAlgoId, byOthers: isOthers(clientAlgoId) };
    if (child) {
      const made = this.#futuresOrder(child);
      return { ...made, ...own, venueIds: [algoName(String(algoId)), ...made.venueIds] };
    }
    const state = isOpenAlgo(algo) ? 'open' : 'ended';
    return {
      ...own,
      qty,
      state,
      executed: ZERO,
      waits: state === 'open',
      venueIds: [algoName(String(algoId))],
      price: null,
    };
  }

  protected marketOf(symbol: string, isSpot: boolean) {
    return (isSpot ? this.emulator.spotMarket : this.emulator.futuresMarket).of(symbol);
  }

  protected override seen({ mid }: ReturnType<typeof this.marketOf>): Dec {
    return mid;
  }

  protected printed(symbol: string, price: string, volume: string, isSale: boolean): void {
    this.emulator.printSpot(symbol, price, volume, isSale);
    this.emulator.printFutures(symbol, price, Math.max(Number(volume), 0.001).toFixed(3), isSale);
  }

  protected change(symbol: string, isSpot: boolean, change: SymbolChange): void {
    const market = isSpot ? this.emulator.spotMarket : this.emulator.futuresMarket;
    const halted = isSpot ? 'HALT' : 'SETTLING';
    if ('least' in change) market.change(symbol, { minNotional: LEAST_VALUES[change.least] });
    else if ('tick' in change) market.change(symbol, change);
    else market.change(symbol, { status: change.trades ? 'TRADING' : halted });
  }

  protected resting(isSpot: boolean): Resting[] {
    const { spot, futures } = this.emulator;
    const path = isSpot ? '/api/v3/order' : '/fapi/v1/order';
    const open: readonly Named[] = isSpot
      ? spot.openOrders(spot.account(ACCOUNT))
      : futures.openOrders(futures.account(ACCOUNT));
    return open.map(({ symbol, orderId, clientOrderId: clientId }) => ({
      clientId,
      isOurs: !isOthers(clientId),
      cancel: () => this.#asked('DELETE', path, { symbol, orderId: String(orderId) }),
    }));
  }

  protected override waiting(isSpot: boolean): Resting[] {
    const { futures, algos } = this.emulator;
    if (isSpot) return [];
    return algos.open(futures.account(ACCOUNT)).map(({ algoId, clientAlgoId: clientId }) => ({
      clientId,
      isOurs: true,
      cancel: () => this.#asked('DELETE', '/fapi/v1/algoOrder', { algoId: String(algoId) }),
    }));
  }

  protected place(order: StrangersOrder, dice: Dice): boolean {
    const { isSpot, isBuy, quantity, limit, clientId: newClientOrderId } = order;
    const { symbol, quantityDigits } = order.symbol;
    const { hedge } = this.emulator.futures.account(ACCOUNT);
    return this.#asked('POST', isSpot ? '/api/v3/order' : '/fapi/v1/order', {
      symbol,
      side: isBuy ? 'BUY' : 'SELL',
      newClientOrderId,
      quantity: quantity.toFixed(isSpot ? quantityDigits : 3),
      ...(limit === null ? { type: 'MARKET' } : { type: 'LIMIT', timeInForce: 'GTC', price: limit }),
      ...(isSpot || !hedge ? {} : { positionSide: dice.pick(['LONG', 'SHORT']) }),
    });
  }

  protected held(): HeldPosition[] {
    const account = this.emulator.futures.account(ACCOUNT);
    const held = [...account.positions.values()].filter(({ amount }) => amount !== ZERO);
    return held.map(({ symbol, side, amount }) => ({
      size: sizeOf(amount),
      unit: CONTRACT,
      reduce: (qty) => this.emulator.acts.adl(account, symbol, side, qty),
    }));
  }

  protected leverageIs(symbol: string, leverage: string): boolean {
    return this.#asked('POST', '/fapi/v1/leverage', { symbol, leverage });
  }

  protected override coinsOf(isSpot: boolean): readonly string[] {
    return isSpot ? super.coinsOf(isSpot) : ['USDT'];
  }

  protected spendable(asset: string, isSpot: boolean): Dec {
    const { spot, futures } = this.emulator;
    return isSpot
      ? (spot.account(ACCOUNT).wallets.get(asset)?.free ?? ZERO)
      : futures.margin.available(futures.account(ACCOUNT), asset);
  }

  protected transfer(asset: string, change: Dec, isSpot: boolean): void {
    const { spot, futures } = this.emulator;
    (isSpot ? spot : futures).transfer(ACCOUNT, asset, change);
  }

  /** Sends a request as another program with the same key does; false: it was refused. */
  #asked(method: string, path: string, params: Readonly<Record<string, string>>): boolean {
    const text = Object.entries({ ...params, timestamp: String(this.emulator.now()) })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const signature = createHmac('sha256', TEST_KEY.secret).update(text).digest('hex');
    const answer = this.emulator.request({
      method,
      path: `${path}?${text}&signature=${signature}`,
      headers: { 'x-mbx-apikey': TEST_KEY.apiKey },
    });
    return answer.status === 200;
  }
}

interface Named {
  readonly symbol: string;
  readonly orderId: number;
  readonly clientOrderId: string;
}

function isOthers(clientId: string): boolean {
  return clientId.startsWith(STRANGER) || ITS_OWN.test(clientId);
}

function emulatorOf(given: VenueGiven, note: (row: object) => void): BinanceEmulator {
  const { clock, dice, symbols, settings, taken } = given;
  const algos = new Set<string>();
  return new BinanceEmulator({
    clock,
    random: randomOf(dice('venue ids').int(0, 1_000_000)),
    settings: {
      spotSymbols: symbols.map((one) => specOf(one, 'spot')),
      futuresSymbols: symbols.map((one) => specOf(one, 'futures')),
      spotBalances: { USDT: '100000', BTC: '1.5', ETH: '25', BNB: '5' },
      futuresBalances: { USDT: settings.futuresWallet, BNB: '0' },
      clockAheadMs: settings.clockAheadMs,
      hiddenMs: settings.hiddenMs,
      triggeringMs: settings.triggeringMs,
      hedge: settings.hedge,
    },
    log: (row) => {
      note(row);
      const isNew = row.execution === 'NEW' || (row.kind === 'algo' && row.status === 'NEW');
      const id = String(row.clientOrderId ?? row.clientAlgoId);
      if (!isNew || isOthers(id) || (row.kind === 'order' && algos.has(id))) return;
      if (row.kind === 'algo') algos.add(id);
      taken(row.market === 'spot' ? 'spot' : 'futures', id, String(row.symbol));
    },
  });
}

function specOf({ symbol, start, quantityDigits }: SimSymbol, kind: AccountKind): SymbolSpec {
  const isSpot = kind === 'spot';
  return {
    symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    price: String(start),
    tick: '0.01',
    step: (10 ** -(isSpot ? quantityDigits : 3)).toFixed(isSpot ? quantityDigits : 3),
    maxQty: '9000',
    marketMaxQty: '2000',
    minNotional: isSpot ? '5' : '50',
    // Only one of the spot symbols allows conditional orders without a limit.
    ...(isSpot ? { stopMarket: symbol.startsWith('ETH') } : { contractType: 'PERPETUAL', maxLeverage: 125 }),
  };
}
