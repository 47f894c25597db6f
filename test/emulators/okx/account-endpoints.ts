/**
 * The account: balances, positions, configuration, leverage, fees, bills. Sources: the pages of OKX v5
 * "Trading Account".
 */
import { dec, decOfInt, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, leverOf, type MgnMode, type PosSide, ratesOf, setLever, sizeOf } from './account.ts';
import type { AccountRows } from './account-rows.ts';
import type { Exchange } from './exchange.ts';
import { familyOf, instrumentRow } from './instruments.ts';
import type { Keys } from './keys.ts';
import type { OkxMarket } from './market.ts';
import { newestFirst, within, wordsOf } from './paging.ts';
import { missing, type Params, wrong } from './params.ts';
import type { AccountLevel, PosMode } from './settings.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

const DAY = 86_400_000;

export interface AccountOptions {
  readonly exchange: Exchange;
  readonly rows: AccountRows;
  readonly keys: Keys;
}

export function accountEndpoints({ exchange, rows, keys }: AccountOptions): Endpoint[] {
  const { market, now, teller } = exchange.o;
  const accountOf = ({ account }: Call): Account => exchange.account(account);
  const read = { method: 'GET', permission: 'read_only', rule: 'user' } as const;
  const write = { method: 'POST', permission: 'trade', rule: 'user' } as const;
  const bills = (call: Call, days: number): unknown[] => {
    const { params } = call;
    const isTimely = within(params);
    const names = ['instType', 'instId', 'ccy', 'mgnMode', 'type', 'subType'] as const;
    return newestFirst(
      accountOf(call).bills,
      params,
      ({ billId }) => billId,
      ({ ts, row }) =>
        now() - ts <= days * DAY &&
        isTimely(ts) &&
        names.every((name) => !params.has(name) || row[name] === params.text(name)),
    ).map(({ row }) => row);
  };
  const billNames = 'instType instId ccy mgnMode ctType type subType after before begin end limit';

  return [
    {
      ...read,
      path: '/api/v5/account/balance',
      parameters: 'ccy',
      limit: [10, 2000],
      source: 'Account "Get balance"',
      handle: (call) => {
        const ccys = wordsOf(call.params, 'ccy');
        if (ccys && ccys.size > 20) throw wrong('ccy');
        return [rows.balance(accountOf(call), ccys)];
      },
    },
    {
      ...read,
      path: '/api/v5/account/positions',
      parameters: 'instType instId posId',
      limit: [10, 2000],
      source: 'Account "Get positions"',
      handle: (call) => {
        const { params } = call;
        const account = accountOf(call);
        const instType = params.oneOf('instType', ['MARGIN', 'SWAP', 'FUTURES', 'OPTION', 'EVENTS']);
        const [instIds, posIds] = [wordsOf(params, 'instId'), wordsOf(params, 'posId')];
        if ((instIds?.size ?? 0) > 10 || (posIds?.size ?? 0) > 20) throw wrong(instIds ? 'instId' : 'posId');
        return [...account.positions.values()]
          .filter(
            (position) =>
              (instType === '' || instType === 'SWAP') &&
              (!instIds || instIds.has(position.instId)) &&
              (!posIds || posIds.has(position.posId)) &&
              // A closed position is listed only by name, and for thirty days.
              (position.amount !== ZERO ||
                ((instIds !== null || posIds !== null) && now() - position.uTime <= 30 * DAY)),
          )
          .sort((a, b) => b.cTime - a.cTime)
          .map((position) => rows.position(account, position));
      },
    },
    {
      ...read,
      path: '/api/v5/account/positions-history',
      parameters: 'instType instId mgnMode type posId after before limit',
      limit: [10, 2000],
      source: 'Account "Get positions history"',
      handle: (call) => {
        const { params } = call;
        const [instId, after, before] = [
          params.text('instId'),
          params.whole('after'),
          params.whole('before'),
        ];
        return [...accountOf(call).closings]
          .reverse()
          .filter(
            ({ instId: of, uTime }) =>
              (instId === '' || of === instId) &&
              (after === null || Number(uTime) < after) &&
              (before === null || Number(uTime) > before),
          )
          .slice(0, params.limit(100));
      },
    },
    {
      ...read,
      path: '/api/v5/account/config',
      parameters: '',
      limit: [5, 2000],
      source: 'Account "Get account configuration"',
      handle: (call) => [configRow(accountOf(call), keys, call.apiKey)],
    },
    {
      ...read,
      path: '/api/v5/account/instruments',
      parameters: 'instType! instFamily instId',
      limit: [20, 2000],
      source: 'Account "Get instruments"',
      handle: (call) => {
        const instType = call.params.oneOf('instType', ['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION']);
        const instId = call.params.text('instId');
        return [...market.symbols.values()]
          .filter(({ spec }) => spec.instType === instType && (instId === '' || spec.symbol === instId))
          .map(({ spec }) => instrumentRow(spec));
      },
    },
    {
      ...read,
      path: '/api/v5/account/trade-fee',
      parameters: 'instType! instId instFamily groupId',
      limit: [5, 2000],
      source: 'Account "Get fee rates"',
      handle: (call) => [feeRow(accountOf(call), market, call.params, now())],
    },
    {
      ...read,
      path: '/api/v5/account/leverage-info',
      parameters: 'instId ccy mgnMode!',
      limit: [20, 2000],
      source: 'Account "Get leverage"',
      handle: (call) => leverageRows(accountOf(call), call.params),
    },
    {
      ...write,
      path: '/api/v5/account/set-leverage',
      parameters: 'instId ccy lever! mgnMode! posSide',
      limit: [20, 2000],
      source: 'Account "Set leverage"',
      handle: (call) => setLeverage(accountOf(call), call.params),
    },
    {
      ...write,
      path: '/api/v5/account/set-position-mode',
      parameters: 'posMode!',
      limit: [5, 2000],
      source: 'Account "Set position mode"',
      handle: (call) => {
        const account = accountOf(call);
        const posMode = call.params.oneOf('posMode', ['long_short_mode', 'net_mode']) as PosMode;
        if (account.acctLv === '1')
          throw new Refusal('51010', 'Request unsupported under current account mode');
        if (account.acctLv === '4' && posMode === 'long_short_mode')
          throw new Refusal('51041', 'Portfolio margin account only supports the Buy/Sell mode.');
        if (posMode !== account.posMode && isBusy(account))
          throw new Refusal(
            '59000',
            'Settings failed. Close any open positions or orders before modifying settings.',
          );
        account.posMode = posMode;
        return [{ posMode }];
      },
    },
    {
      ...write,
      path: '/api/v5/account/set-account-level',
      parameters: 'acctLv!',
      limit: [5, 2000],
      source: 'Account "Set account mode"',
      handle: (call) => {
        const account = accountOf(call);
        const acctLv = call.params.oneOf('acctLv', ['1', '2', '3', '4']) as AccountLevel;
        if (acctLv !== account.acctLv && isBusy(account))
          throw new Refusal(
            '59000',
            'Settings failed. Close any open positions or orders before modifying settings.',
          );
        account.acctLv = acctLv;
        return [{ acctLv }];
      },
    },
    {
      ...write,
      path: '/api/v5/account/position/margin-balance',
      parameters: 'instId! posSide! type! amt! ccy',
      limit: [20, 2000],
      source: 'Account "Increase/decrease margin"',
      handle: (call) => moveMargin(accountOf(call), call.params),
    },
    {
      ...read,
      path: '/api/v5/account/bills',
      parameters: billNames,
      limit: [5, 1000],
      source: 'Account "Get bills details (last 7 days)"',
      handle: (call) => bills(call, 7),
    },
    {
      ...read,
      path: '/api/v5/account/bills-archive',
      parameters: billNames,
      limit: [5, 2000],
      source: 'Account "Get bills details (last 3 months)"',
      handle: (call) => bills(call, 90),
    },
  ];

  function leverageRows(account: Account, params: Params): Record<string, unknown>[] {
    const mgnMode = params.oneOf('mgnMode', ['cross', 'isolated']) as MgnMode;
    const instIds = wordsOf(params, 'instId');
    if (!instIds && !params.has('ccy'))
      throw new Refusal('50015', 'Either parameter instId or ccy is required', 400);
    if (account.acctLv === '4' && mgnMode === 'cross')
      throw new Refusal('59111', "Leverage query isn't supported in portfolio margin account mode");
    return [...(instIds ?? [])].flatMap((instId) => {
      market.of(instId);
      const sides: PosSide[] = account.posMode === 'net_mode' ? ['net'] : ['long', 'short'];
      return sides.map((posSide) => ({
        ccy: '',
        instId,
        mgnMode,
        posSide,
        lever: str(leverOf(account, instId, mgnMode, posSide)),
      }));
    });
  }

  function setLeverage(account: Account, params: Params): Record<string, unknown>[] {
    const lever = params.positive('lever');
    if (lever === null) throw missing('lever');
    const mgnMode = params.oneOf('mgnMode', ['cross', 'isolated']) as MgnMode;
    if (params.has('ccy')) throw new Refusal('51010', 'Request unsupported under current account mode');
    const m = market.of(params.required('instId'));
    const instId = m.spec.symbol;
    if (m.spec.instType === 'SPOT' || account.acctLv === '1')
      throw new Refusal('51010', 'Request unsupported under current account mode');
    if (account.acctLv === '4' && mgnMode === 'cross')
      throw new Refusal(
        '51039',
        'Leverage cannot be adjusted for the cross positions of Expiry Futures and Perpetual Futures under the PM account.',
      );
    if (mgnMode === 'isolated' && (account.acctLv === '3' || account.acctLv === '4'))
      throw new Refusal(
        '50072',
        'Isolated margin mode is no longer supported in multi-currency margin mode and portfolio margin mode.',
      );
    const isHedged = mgnMode === 'isolated' && account.posMode === 'long_short_mode';
    const posSide = params.oneOf('posSide', ['net', 'long', 'short']);
    if (isHedged && posSide !== 'long' && posSide !== 'short') throw wrong('posSide');
    if (!isHedged && posSide !== '') params.odd('posSide where leverage has no sides');
    if (lever < dec('1'))
      throw new Refusal('59105', "Leverage can't be less than 1. Please increase the leverage.", 400);
    if (lever > decOfInt(m.spec.maxLever))
      throw new Refusal('59102', 'Leverage exceeds the maximum limit. Please lower the leverage.');
    const pending = account.orders.open(instId).some(({ tdMode }) => tdMode === mgnMode);
    const side: PosSide = isHedged ? (posSide as PosSide) : 'net';
    const before = leverOf(account, instId, mgnMode, side);
    if (pending && lever !== before) {
      throw mgnMode === 'isolated'
        ? new Refusal(
            '59101',
            "Leverage can't be modified. Please cancel all pending isolated margin orders before adjusting the leverage.",
          )
        : new Refusal(
            '59107',
            "Leverage can't be modified. Please cancel all pending cross-margin orders before adjusting the leverage.",
          );
    }
    setLever(account, instId, mgnMode, side, lever);
    const isShort = mgnMode === 'cross' && account.acctLv === '2' && marginShort(account, m.spec.settle);
    if (isShort) {
      setLever(account, instId, mgnMode, side, before);
      throw new Refusal(
        '59108',
        'Your account leverage is too low and has insufficient margins. Please increase the leverage.',
      );
    }
    const changed = [...account.positions.values()].filter((position) => position.instId === instId);
    if (changed.length > 0) teller.money(account, 'set_leverage', [m.spec.settle], changed);
    return [{ lever: str(lever), mgnMode, instId, posSide: isHedged ? posSide : '' }];
  }

  function marginShort(account: Account, ccy: string): boolean {
    return exchange.margin.kept(account, ccy) > exchange.margin.equity(account, ccy);
  }

  function moveMargin(account: Account, params: Params): Record<string, unknown>[] {
    const m = market.of(params.required('instId'));
    const posSide = params.oneOf('posSide', ['net', 'long', 'short']) as PosSide;
    const type = params.oneOf('type', ['add', 'reduce']);
    const amt = params.positive('amt');
    if (amt === null) throw missing('amt');
    const position = account.positions.get(`${m.spec.symbol} isolated ${posSide}`);
    if (!position || position.amount === ZERO) throw new Refusal('51023', "Position doesn't exist.");
    const change = type === 'add' ? amt : -amt;
    if (change > exchange.margin.available(account, m.spec.settle))
      throw new Refusal('59200', 'Insufficient account balance.');
    if (position.margin + change < exchange.margin.imr(account, position))
      throw new Refusal(
        '59108',
        'Your account leverage is too low and has insufficient margins. Please increase the leverage.',
      );
    position.margin += change;
    exchange.credit(account, {
      type: '6',
      subType: type === 'add' ? '160' : '161',
      ccy: m.spec.settle,
      change: -change,
      sz: sizeOf(change),
      instId: m.spec.symbol,
      mgnMode: 'isolated',
    });
    teller.money(account, 'adjust_margin', [m.spec.settle], [position]);
    return [{ amt: str(amt), ccy: m.spec.settle, instId: m.spec.symbol, leverage: '', posSide, type }];
  }
}

function isBusy(account: Account): boolean {
  return (
    account.orders.open().some(({ instType }) => instType === 'SWAP') ||
    account.algos.live().some(({ instType }) => instType === 'SWAP') ||
    [...account.positions.values()].some(({ amount }) => amount !== ZERO)
  );
}

function configRow(account: Account, keys: Keys, apiKey: string): Record<string, unknown> {
  const key = keys.get(apiKey);
  return {
    acctLv: account.acctLv,
    acctStpMode: 'cancel_maker',
    autoLoan: false,
    ctIsoMode: 'automatic',
    enableSpotBorrow: false,
    feeType: '0',
    greeksType: 'PA',
    ip: (key?.ips ?? []).join(','),
    kycLv: '3',
    label: key?.label ?? '',
    level: 'Lv1',
    levelTmp: '',
    liquidationGear: '-1',
    mainUid: account.uid,
    mgnIsoMode: 'automatic',
    opAuth: '0',
    perm: (key?.permissions ?? ['read_only', 'trade']).join(','),
    posMode: account.posMode,
    roleType: '0',
    settleCcy: 'USDC',
    settleCcyList: ['USD', 'USDC', 'USDG'],
    spotBorrowAutoRepay: false,
    spotOffsetType: '',
    spotRoleType: '0',
    spotTraderInsts: [],
    stgyType: '0',
    traderInsts: [],
    type: '0',
    uid: account.uid,
  };
}

/**
 * The row of fees; negative: charged. By fee group; the figures beside the groups are deprecated, and `maker`
 * of swaps is that of the inverse ones.
 */
function feeRow(account: Account, market: OkxMarket, params: Params, time: number): Record<string, unknown> {
  const instType = params.oneOf('instType', ['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION', 'EVENTS']);
  const named = params.has('instId') || params.has('instFamily');
  if (params.has('groupId') && named) throw wrong('groupId');
  if (params.has('instId') && instType !== 'SPOT' && instType !== 'MARGIN') params.odd('instId of a swap');
  const type = instType === 'SPOT' || instType === 'MARGIN' ? 'SPOT' : 'SWAP';
  const wanted = params.text('groupId');
  const groups = new Set(
    market
      .ofType(type)
      .filter(
        ({ spec }) =>
          (!params.has('instId') || spec.symbol === params.text('instId')) &&
          (!params.has('instFamily') || familyOf(spec) === params.text('instFamily')),
      )
      .map(({ spec }) => spec.groupId)
      .filter((groupId) => wanted === '' || groupId === wanted),
  );
  const row = (groupId: string) => {
    const { maker, taker } = ratesOf(account, type, groupId);
    return { maker: str(-maker), taker: str(-taker) };
  };
  const of = (groupId: string) =>
    instType === 'SPOT' || instType === 'SWAP' ? row(groupId) : { maker: '', taker: '' };
  const [u, usdc] = type === 'SPOT' ? [{ maker: '', taker: '' }, of('2')] : [of('2'), of('3')];
  return {
    category: '1',
    delivery: '',
    exercise: '',
    feeGroup: [...groups].sort().map((groupId) => ({ elpMaker: '', groupId, ...row(groupId) })),
    fiat: [],
    instType,
    level: 'Lv1',
    maker: of('1').maker,
    makerU: u.maker,
    makerUSDC: usdc.maker,
    ruleType: 'normal',
    taker: of('1').taker,
    takerU: u.taker,
    takerUSDC: usdc.taker,
    ts: String(time),
  };
}
