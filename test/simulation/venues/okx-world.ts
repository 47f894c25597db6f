/**
 * OKX for the simulation: its adapter over the emulator of `test/emulators`, spot and swaps of one account
 * that share a wallet.
 */
import { type Dec, dec, mul, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import { algoName } from '../../../src/venues/kit/algo-names.ts';
import { idOfWire } from '../../../src/venues/okx/client-ids.ts';
import { okxKind } from '../../../src/venues/okx/kind.ts';
import { type Account, leverOf, type Position, type PosSide, sizeOf } from '../../emulators/okx/account.ts';
import type { AlgoOrder } from '../../emulators/okx/algo.ts';
import { OkxEmulator } from '../../emulators/okx/emulator.ts';
import { INSTRUMENTS, type InstrumentSpec, unitOf } from '../../emulators/okx/instruments.ts';
import { signOf, TEST_KEY } from '../../emulators/okx/keys.ts';
import { isOpen, type OkxOrder } from '../../emulators/okx/order.ts';
import { randomOf } from '../../emulators/okx/support.ts';
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
import type { AccountKind, Truth, TruthOrder, TruthPosition, VenueGiven, VenueWorld } from './venue-world.ts';

const ACCOUNT = 'main';
/** Prefix of strangers' client ids, which OKX limits to letters and digits. */
const STRANGER = 'web';
/** Factors by which the smallest size changes. */
const LEAST_STEPS = [1n, 5n, 20n] as const;
const SIDES = { net: 'BOTH', long: 'LONG', short: 'SHORT' } as const satisfies Record<PosSide, string>;

export const OKX_WORLD: VenueWorld = {
  name: 'okx',
  markets: ['spot', 'swap'],
  credentials: { apiKey: TEST_KEY.apiKey, secret: TEST_KEY.secret, passphrase: TEST_KEY.passphrase },
  hearsOnly: [],
  cutsExits: false,
  cutsStops: true,
  sharesWallet: true,
  banMs: 0,
  tellsLeverage: false,
  open: (given) => new OkxExchange(given),
};

class OkxExchange extends EmulatedExchange<OkxEmulator> {
  constructor(given: VenueGiven) {
    super(given, STRANGER, (note) => emulatorOf(given, note));
  }

  kind(net: Parameters<typeof okxKind>[0]) {
    return okxKind(net);
  }

  truth(kind: AccountKind): Truth {
    const account = this.#account;
    const isSpot = kind === 'spot';
    const type = isSpot ? 'SPOT' : 'SWAP';
    const leverage = isSpot
      ? []
      : this.symbols.map(({ symbol }) => {
          const lever = leverOf(account, this.#swap(symbol).spec.symbol, 'cross', 'net');
          return [symbol, Number(str(lever))] as const;
        });
    return {
      orders: [
        ...account.orders.all
          .filter(({ instType, algoId }) => instType === type && algoId === '')
          .map((order) => this.#order(order)),
        ...account.algos.all
          .filter(({ instType }) => instType === type)
          .map((algo) => this.#conditional(account, algo)),
      ],
      trades: tradesOf(this.log, kind),
      wallets: new Map([...account.wallet].map(([ccy, whole]) => [ccy, { whole }])),
      moved: this.moved(),
      positions: isSpot ? [] : [...account.positions.values()].map((one) => this.#position(one)),
      hedge: !isSpot && account.posMode === 'long_short_mode',
      leverage: new Map(leverage),
    };
  }

  get #account(): Account {
    return this.emulator.exchange.account(ACCOUNT);
  }

  #spot(symbol: string) {
    return this.emulator.market.of(spotName(symbol));
  }

  #swap(symbol: string) {
    return this.emulator.market.of(swapName(symbol));
  }

  /** Base units of one unit of size. */
  #unit(instId: string): Dec {
    const { spec } = this.emulator.market.of(instId);
    return spec.instType === 'SWAP' ? unitOf(spec) : ONE;
  }

  #order(order: OkxOrder): TruthOrder {
    const { instId, ordId, clOrdId, side, state, qty, filled, px } = order;
    const unit = this.#unit(instId);
    return {
      symbol: symbolOf(instId),
      clientId: idOfWire(clOrdId),
      venueIds: [ordId],
      side: side === 'buy' ? 'BUY' : 'SELL',
      qty: mul(qty, unit),
      executed: mul(filled, unit),
      price: px,
      waits: false,
      state: isOpen(order) ? 'open' : state === 'filled' ? 'filled' : 'ended',
      byOthers: isOthers(clOrdId),
      ...(clOrdId === '' ? { nameless: true as const } : {}),
    };
  }

  /** An algo order together with the order that its trigger has made: to the client they are one. */
  #conditional(account: Account, algo: AlgoOrder): TruthOrder {
    const { instId, algoId, algoClOrdId, side, sz, ordId, state } = algo;
    const own = { clientId: idOfWire(algoClOrdId), byOthers: isOthers(algoClOrdId) };
    const child = ordId === '' ? undefined : account.orders.byId(ordId);
    if (child) {
      return { ...this.#order(child), ...own, venueIds: [algoName(algoId), ordId] };
    }
    const isLive = state === 'live';
    return {
      symbol: symbolOf(instId),
      side: side === 'buy' ? 'BUY' : 'SELL',
      executed: ZERO,
      price: null,
      ...own,
      venueIds: [algoName(algoId)],
      qty: mul(sz ?? ZERO, this.#unit(instId)),
      state: isLive ? 'open' : 'ended',
      waits: isLive,
    };
  }

  #position({ instId, posSide, amount }: Position): TruthPosition {
    return { symbol: symbolOf(instId), side: SIDES[posSide], amount: mul(amount, this.#unit(instId)) };
  }

  protected marketOf(symbol: string, isSpot: boolean) {
    return isSpot ? this.#spot(symbol) : this.#swap(symbol);
  }

  protected printed(symbol: string, price: string, volume: string, isSale: boolean): void {
    this.emulator.print('spot', symbol, price, volume, isSale);
    const { spec, step } = this.#swap(symbol);
    const contracts = Math.max(Number(volume) / Number(spec.ctVal), Number(str(step)));
    this.emulator.print('swap', symbol, price, contracts.toFixed(spec.step.length - 2), isSale);
  }

  protected change(symbol: string, isSpot: boolean, change: SymbolChange): void {
    const { spec } = this.marketOf(symbol, isSpot);
    if ('least' in change)
      this.emulator.change(spec.symbol, { minSz: str(dec(spec.step) * LEAST_STEPS[change.least]) });
    else if ('tick' in change) this.emulator.change(spec.symbol, change);
    else this.emulator.change(spec.symbol, { state: change.trades ? 'live' : 'suspend' });
  }

  protected resting(isSpot: boolean): Resting[] {
    const type = isSpot ? 'SPOT' : 'SWAP';
    const open = this.#account.orders.open().filter(({ instType }) => instType === type);
    return open.map(({ instId, ordId, clOrdId: clientId, algoId }) => ({
      clientId,
      isOurs: algoId !== '' || !isOthers(clientId),
      cancel: () => this.#asked('/api/v5/trade/cancel-order', { instId, ordId }),
    }));
  }

  protected override waiting(isSpot: boolean): Resting[] {
    const type = isSpot ? 'SPOT' : 'SWAP';
    const ours = this.#account.algos
      .live()
      .filter(({ instType, algoClOrdId }) => instType === type && !isOthers(algoClOrdId));
    return ours.map(({ instId, algoId, algoClOrdId: clientId }) => ({
      clientId,
      isOurs: true,
      cancel: () => this.#asked('/api/v5/trade/cancel-algos', [{ instId, algoId }]),
    }));
  }

  protected place(order: StrangersOrder, dice: Dice): boolean {
    const { isSpot, isBuy, quantity, limit, clientId: clOrdId } = order;
    const { symbol, quantityDigits } = order.symbol;
    const { spec } = this.marketOf(symbol, isSpot);
    const isHedge = !isSpot && this.#account.posMode === 'long_short_mode';
    return this.#asked('/api/v5/trade/order', {
      instId: spec.symbol,
      tdMode: isSpot ? 'cash' : 'cross',
      side: isBuy ? 'buy' : 'sell',
      clOrdId,
      sz: isSpot
        ? quantity.toFixed(quantityDigits)
        : (quantity / Number(spec.ctVal)).toFixed(spec.step.length - 2),
      ...(limit === null ? { ordType: 'market' } : { ordType: 'limit', px: limit }),
      ...(isSpot && limit === null ? { tgtCcy: 'base_ccy' } : {}),
      ...(isHedge ? { posSide: dice.pick(['long', 'short']) } : {}),
    });
  }

  protected held(): HeldPosition[] {
    const held = [...this.#account.positions.values()].filter(({ amount }) => amount !== ZERO);
    return held.map(({ instId, mgnMode, posSide, amount }) => ({
      size: sizeOf(amount),
      unit: this.emulator.market.of(instId).step,
      reduce: (contracts) => this.emulator.acts.adl(ACCOUNT, instId, mgnMode, posSide, contracts),
    }));
  }

  protected leverageIs(symbol: string, lever: string): boolean {
    const { spec } = this.#swap(symbol);
    return this.#asked('/api/v5/account/set-leverage', { instId: spec.symbol, lever, mgnMode: 'cross' });
  }

  protected spendable(ccy: string): Dec {
    return this.emulator.exchange.margin.available(this.#account, ccy);
  }

  protected transfer(ccy: string, change: Dec): void {
    this.emulator.exchange.transfer(ACCOUNT, ccy, change);
  }

  /** Sends a request as another program with the same key does; false: it was refused. */
  #asked(path: string, params: object): boolean {
    const body = JSON.stringify(params);
    const timestamp = new Date(this.emulator.now()).toISOString();
    const answer = this.emulator.request({
      method: 'POST',
      path,
      body,
      headers: {
        'ok-access-key': TEST_KEY.apiKey,
        'ok-access-passphrase': TEST_KEY.passphrase,
        'ok-access-timestamp': timestamp,
        'ok-access-sign': signOf(TEST_KEY.secret, `${timestamp}POST${path}${body}`),
        'content-type': 'application/json',
      },
    });
    return answer.status === 200 && answer.body.startsWith('{') && JSON.parse(answer.body).code === '0';
  }
}

function emulatorOf(given: VenueGiven, note: (row: object) => void): OkxEmulator {
  const { clock, dice, symbols, settings, taken } = given;
  const lagMs = Math.min(settings.hiddenMs, 800);
  return new OkxEmulator({
    clock,
    random: randomOf(dice('venue ids').int(0, 1_000_000)),
    settings: {
      instruments: symbols.flatMap((one) => [spotOf(one), swapOf(one)]),
      // Spot and contracts share one wallet: the margin of positions and the balance for spot.
      balances: { USDT: str(dec(settings.futuresWallet) + dec('20000')), BTC: '0.3', ETH: '5' },
      posMode: settings.hedge ? 'long_short_mode' : 'net_mode',
      clockAheadMs: settings.clockAheadMs,
      hiddenMs: settings.hiddenMs,
      algoLagMs: settings.triggeringMs,
      cancelLagMs: lagMs,
      amendLagMs: lagMs,
      // Where clocks differ, OKX also sends messages twice, with different times.
      repeatEvery: settings.clockAheadMs > 0 ? 7 : 0,
      cashTimes: settings.clockAheadMs < 0,
    },
    log: (row) => {
      const market = row.market === 'swap' ? 'futures' : row.market;
      note({ ...row, market });
      const own = takenId(row);
      if (own !== null) taken(market === 'spot' ? 'spot' : 'futures', own, String(row.symbol));
    },
  });
}

/**
 * The client id of one of the desk's orders, if the row says that it has reached the books. An order that a
 * trigger makes belongs to the exchange.
 */
function takenId(row: Record<string, unknown>): string | null {
  const isNew = row.kind === 'order' && row.execution === 'NEW' && row.algoClientId === '';
  const id = String(isNew ? row.clientOrderId : row.kind === 'algo' ? row.clientAlgoId : '');
  return isOthers(id) ? null : idOfWire(id);
}

/** Orders that the exchange makes itself have no client id. */
function isOthers(clientId: string): boolean {
  return clientId === '' || clientId.startsWith(STRANGER);
}

function spotName(symbol: string): string {
  return `${symbol.slice(0, -4)}-USDT`;
}

function swapName(symbol: string): string {
  return `${spotName(symbol)}-SWAP`;
}

function symbolOf(instId: string): string {
  const [base = '', quote = ''] = instId.split('-');
  return base + quote;
}

function likeOf(instId: string): InstrumentSpec {
  const like = INSTRUMENTS.find(({ symbol }) => symbol === instId);
  if (!like) throw new Error(`the emulator has no ${instId}`);
  return like;
}

function spotOf({ symbol, start, quantityDigits }: SimSymbol): InstrumentSpec {
  const step = (10 ** -quantityDigits).toFixed(quantityDigits);
  return { ...likeOf(spotName(symbol)), price: String(start), tick: '0.01', step, minSz: step };
}

/** The smallest size is a thousandth of the base, whatever a contract is worth. */
function swapOf({ symbol, start }: SimSymbol): InstrumentSpec {
  const like = likeOf(swapName(symbol));
  const step = like.ctVal === '0.1' ? '0.01' : '0.1';
  return { ...like, price: String(start), tick: '0.01', step, minSz: step, maxLever: 100 };
}
