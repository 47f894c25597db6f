/**
 * The account: coins, log, fees, margin mode, the key, disconnection protection. Sources:
 * account/wallet-balance.mdx, transaction-log.mdx, fee-rate.mdx, account-info.mdx, set-margin-mode.mdx,
 * dcp-info.mdx, order/dcp.mdx, user/apikey-info.mdx.
 */
import { type Dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, coinOf, type LogRow } from './account.ts';
import type { Exchange } from './exchange.ts';
import { FULL_RIGHTS, type Keys } from './keys.ts';
import { windowOf } from './order-endpoints.ts';
import { bad, type Params } from './params.ts';
import { paged } from './public-endpoints.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

export interface AccountOptions {
  readonly exchange: Exchange;
  readonly keys: Keys;
  readonly account: (name: string) => Account;
  readonly now: () => number;
  /** `unifiedMarginStatus`: 6 is the pro version of UTA 2.0, 1 a classic account. */
  readonly unifiedMarginStatus: () => number;
  /** Whether disconnection protection is granted, which only institutions get (order/dcp.mdx). */
  readonly hasDcp: () => boolean;
}

const DAY = 86_400_000;
const PRODUCTS = ['SPOT', 'DERIVATIVES', 'OPTIONS'] as const;

export function accountEndpoints(o: AccountOptions): Endpoint[] {
  const { exchange, now } = o;
  const read = { method: 'GET', security: 'signed', right: 'read' } as const;
  const mine = (call: Call) => o.account(call.account);
  return [
    {
      ...read,
      path: '/v5/account/wallet-balance',
      parameters: 'accountType! coin',
      perSecond: 50,
      source: 'account/wallet-balance.mdx',
      handle: (call) => {
        if (call.params.required('accountType') !== 'UNIFIED')
          throw new Refusal(10001, 'accountType only support UNIFIED.');
        const account = mine(call);
        const asked = call.params.text('coin')?.split(',') ?? null;
        const { teller } = exchange;
        // Unless coins are named, those with a zero balance are left out.
        const coins = asked ?? [...account.coins.keys()].filter((coin) => coinOf(account, coin) !== ZERO);
        return {
          list: [{ ...teller.accountRow(account), coin: coins.map((coin) => teller.coinRow(account, coin)) }],
        };
      },
    },
    {
      ...read,
      path: '/v5/account/transaction-log',
      parameters:
        'accountType category currency baseCoin type transSubType startTime:i endTime:i limit:i cursor',
      perSecond: 25,
      source: 'account/transaction-log.mdx',
      handle: (call) => {
        const { params } = call;
        const { from, to } = windowOf(params, now(), DAY);
        const isMeant = (row: LogRow) =>
          row.time >= from &&
          row.time <= to &&
          (params.text('category') ?? row.category) === row.category &&
          (params.text('currency') ?? row.currency) === row.currency &&
          (params.text('type') ?? row.type) === row.type &&
          (!params.has('baseCoin') || row.symbol.startsWith(params.required('baseCoin')));
        const all = mine(call).log.filter(isMeant).reverse();
        const { rows, next } = paged(params, all, params.limit(20, 50));
        return { list: rows.map(logText), nextPageCursor: next };
      },
    },
    {
      ...read,
      path: '/v5/account/fee-rate',
      parameters: 'category! symbol baseCoin',
      perSecond: 5,
      source: 'account/fee-rate.mdx',
      handle: (call) => {
        const { params } = call;
        const category = params.category();
        if (category === null) return { category: params.text('category'), list: [] };
        const { maker, taker } = mine(call).fees[category];
        const market = exchange.market(category);
        const symbols = params.has('symbol')
          ? [market.of(params.required('symbol'))]
          : [...market.symbols.values()];
        const list = symbols.map(({ spec }) => ({
          symbol: spec.symbol,
          takerFeeRate: str(taker),
          makerFeeRate: str(maker),
        }));
        return category === 'spot' ? { category, list } : { list };
      },
    },
    {
      ...read,
      path: '/v5/account/info',
      parameters: '',
      perSecond: 50,
      source: 'account/account-info.mdx',
      handle: (call) => ({
        marginMode: mine(call).marginMode,
        updatedTime: String(mine(call).updatedTime),
        unifiedMarginStatus: o.unifiedMarginStatus(),
        dcpStatus: 'OFF',
        timeWindow: 0,
        smpGroup: 0,
        isMasterTrader: false,
        spotHedgingStatus: 'OFF',
      }),
    },
    {
      method: 'POST',
      security: 'signed',
      right: 'Position',
      path: '/v5/account/set-margin-mode',
      parameters: 'setMarginMode!',
      perSecond: 5,
      source: 'account/set-margin-mode.mdx',
      handle: (call) => setMarginMode(call.params, mine(call)),
    },
    {
      ...read,
      path: '/v5/user/query-api',
      parameters: '',
      perSecond: 10,
      source: 'user/apikey-info.mdx',
      handle: (call) => {
        const account = mine(call);
        const {
          readOnly = false,
          permissions = FULL_RIGHTS,
          ips = [],
          publicKey = '',
        } = o.keys.of(call.apiKey);
        return {
          id: '2208369',
          note: 'emulator',
          apiKey: call.apiKey,
          readOnly: readOnly ? 1 : 0,
          secret: '',
          permissions,
          ips: ips.length > 0 ? ips : ['*'],
          type: 1,
          deadlineDay: ips.length > 0 ? -2 : 83,
          expiredAt: ips.length > 0 ? '1970-01-01T00:00:00Z' : new Date(now() + 83 * DAY).toISOString(),
          createdAt: '2025-10-13T03:20:45Z',
          unified: 0,
          uta: o.unifiedMarginStatus() === 1 ? 0 : 1,
          userID: account.uid,
          inviterID: 0,
          vipLevel: 'No VIP',
          mktMakerLevel: '0',
          affiliateID: 0,
          rsaPublicKey: publicKey,
          isMaster: true,
          parentUid: '0',
          kycLevel: 'LEVEL_1',
          kycRegion: 'MYS',
        };
      },
    },
    {
      ...read,
      path: '/v5/account/query-dcp-info',
      parameters: '',
      perSecond: 5,
      source: 'account/dcp-info.mdx',
      handle: (call) => ({
        dcpInfos: o.hasDcp()
          ? [...mine(call).dcp].map(([product, seconds]) => ({
              product,
              dcpStatus: 'ON',
              timeWindow: String(seconds),
            }))
          : [],
      }),
    },
    {
      method: 'POST',
      security: 'signed',
      right: 'Order',
      path: '/v5/order/disconnected-cancel-all',
      parameters: 'product timeWindow!:i',
      perSecond: 5,
      source: 'order/dcp.mdx',
      handle: (call) => {
        const product = call.params.oneOf('product', PRODUCTS) ?? 'OPTIONS';
        const seconds = call.params.integer('timeWindow') ?? 0;
        if (seconds < 3 || seconds > 300) throw bad('timeWindow invalid');
        if (!o.hasDcp())
          throw new Refusal(10005, 'Permission denied, please check your API key permissions.');
        mine(call).dcp.set(product, seconds);
        return {};
      },
    },
  ];

  function setMarginMode(params: Params, account: Account): unknown {
    const mode = params.oneOf('setMarginMode', ['ISOLATED_MARGIN', 'REGULAR_MARGIN', 'PORTFOLIO_MARGIN']);
    if (mode === null) throw bad('setMarginMode invalid');
    const refused = (reasonCode: string, reasonMsg: string) =>
      new Refusal(3_400_045, 'Set margin mode failed', { reasons: [{ reasonCode, reasonMsg }] });
    if (mode === 'PORTFOLIO_MARGIN' && exchange.margin.totals(account).wallet < 1000n * 10n ** 30n)
      throw refused('3400000', 'Equity needs to be equal to or greater than 1000 USDC');
    if (mode === 'PORTFOLIO_MARGIN' && [...account.hedged.values()].includes(true))
      throw refused('3400208', 'You have unclosed hedge mode or isolated mode USDT perpetual positions');
    if (mode !== account.marginMode && exchange.margin.held(account).length > 0 && mode === 'ISOLATED_MARGIN')
      throw refused('3400054', 'You have uncancelled USDT perpetual orders');
    account.marginMode = mode;
    account.updatedTime = now();
    return { reasons: [] };
  }
}

function logText(row: LogRow): Record<string, unknown> {
  const given = (value: Dec | null) => (value === null ? '' : str(value));
  return {
    id: row.id,
    symbol: row.symbol,
    category: row.category,
    side: row.side,
    transactionTime: String(row.time),
    type: row.type,
    transSubType: '',
    qty: str(row.qty),
    size: str(row.size),
    currency: row.currency,
    tradePrice: row.tradePrice > ZERO ? str(row.tradePrice) : '',
    funding: given(row.funding),
    fee: str(row.fee),
    cashFlow: str(row.cashFlow),
    change: str(row.change),
    cashBalance: str(row.cashBalance),
    feeRate: given(row.feeRate),
    bonusChange: '',
    tradeId: row.tradeId,
    orderId: row.orderId,
    orderLinkId: row.orderLinkId,
    extraFees: '',
  };
}
