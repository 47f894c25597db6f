/**
 * Endpoints beside the markets: the key's permissions, conversion of small balances into BNB or another
 * asset, the BNB discount. Sources: binance-connector-js clients/wallet (2026-07-24):
 * account/apiRestrictions, asset/dust*, bnbBurn.
 */
import { type Dec, dec, div, fixed, floorTo, mul, ZERO } from '../../../src/domain/decimal.ts';
import type { Keys } from './keys.ts';
import type { Market } from './market.ts';
import { missing } from './params.ts';
import type { SpotAccount, SpotExchange } from './spot/exchange.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

export interface WalletOptions {
  readonly exchange: SpotExchange;
  readonly market: Market;
  readonly keys: Keys;
  readonly now: () => number;
  readonly portfolioMargin: () => boolean;
}

const SOURCE = 'binance-connector-js clients/wallet';
const SIX_HOURS = 21_600_000;
const FEE = dec('0.02');
const UNIT = dec('0.00000001');
const eight = (value: Dec): string => fixed(value, 8);

interface Row {
  readonly tranId: number;
  readonly fromAsset: string;
  readonly amount: Dec;
  readonly got: Dec;
  readonly charge: Dec;
  readonly target: string;
  readonly time: number;
}

export function walletEndpoints(o: WalletOptions): Endpoint[] {
  const { exchange, market, now } = o;
  const account = (call: Call) => exchange.account(call.account);
  const read = { security: 'signed', right: 'read', source: SOURCE } as const;
  const trade = { security: 'signed', right: 'spot', source: SOURCE } as const;
  const history: { account: string; rows: Row[] }[] = [];
  let tranId = 2_970_932_918;
  return [
    {
      security: 'none',
      source: SOURCE,
      method: 'GET',
      path: '/sapi/v1/system/status',
      parameters: '',
      weight: () => 1,
      handle: () => ({ status: 0, msg: 'normal' }),
    },
    {
      ...read,
      method: 'GET',
      path: '/sapi/v1/account/apiRestrictions',
      parameters: '',
      weight: () => 1,
      handle: (call) => {
        const { rights = ['read', 'spot', 'futures'], withdraw = false, ips = [] } = o.keys.of(call.apiKey);
        return {
          ipRestrict: ips.length > 0,
          createTime: 1_698_645_219_000,
          enableReading: rights.includes('read'),
          enableWithdrawals: withdraw,
          enableInternalTransfer: false,
          enableMargin: false,
          enableFutures: rights.includes('futures') && !o.portfolioMargin(),
          permitsUniversalTransfer: false,
          enableVanillaOptions: false,
          enableFixApiTrade: false,
          enableFixReadOnly: false,
          enableSpotAndMarginTrading: rights.includes('spot'),
          enablePortfolioMarginTrading: o.portfolioMargin(),
        };
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/sapi/v1/bnbBurn',
      parameters: '',
      weight: () => 1,
      handle: (call) => ({ spotBNBBurn: account(call).paysInBnb, interestBNBBurn: false }),
    },
    {
      ...trade,
      method: 'POST',
      path: '/sapi/v1/bnbBurn',
      parameters: 'spotBNBBurn interestBNBBurn',
      weight: () => 1,
      handle: (call) => {
        account(call).paysInBnb = call.params.flag('spotBNBBurn') ?? account(call).paysInBnb;
        return { spotBNBBurn: account(call).paysInBnb, interestBNBBurn: false };
      },
    },
    {
      ...read,
      method: 'POST',
      path: '/sapi/v1/asset/dust-btc',
      parameters: 'accountType',
      weight: () => 1,
      handle: (call) => {
        const rows = small(account(call), 'BNB');
        const sum = (of: (row: (typeof rows)[number]) => Dec) =>
          rows.reduce((total, row) => total + of(row), ZERO);
        return {
          details: rows.map(({ asset, free, inTarget, inBtc }) => ({
            asset,
            assetFullName: asset,
            amountFree: eight(free),
            toBTC: eight(inBtc),
            toBNB: eight(inTarget),
            toBNBOffExchange: eight(mul(inTarget, dec('0.98'))),
            exchange: eight(mul(inTarget, FEE)),
          })),
          totalTransferBtc: eight(sum((row) => row.inBtc)),
          totalTransferBNB: eight(sum((row) => row.inTarget)),
          dribbletPercentage: '0.02',
        };
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/sapi/v1/asset/dust',
      parameters: 'asset!* accountType',
      weight: () => 10,
      handle: (call) => convert(call, call.params.all('asset'), 'BNB'),
    },
    {
      ...read,
      method: 'POST',
      path: '/sapi/v1/asset/dust-convert/query-convertible-assets',
      parameters: 'targetAsset! dustQuotaAssetToTargetAssetPrice',
      weight: () => 1,
      handle: (call) => {
        const target = call.params.required('targetAsset');
        const rows = small(account(call), target);
        const total = rows.reduce((sum, row) => sum + row.inTarget, ZERO);
        return {
          details: rows.map(({ asset, free, inTarget }) => ({
            asset,
            assetFullName: asset,
            amountFree: eight(free),
            exchange: eight(mul(inTarget, FEE)),
            toQuotaAssetAmount: eight(inTarget),
            toTargetAssetAmount: eight(inTarget),
            toTargetAssetOffExchange: eight(mul(inTarget, dec('0.98'))),
          })),
          totalTransferQuotaAssetAmount: eight(total),
          totalTransferTargetAssetAmount: eight(total),
          dribbletPercentage: '0.02',
          dribbletBase: '10',
        };
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/sapi/v1/asset/dust-convert/convert',
      parameters: 'asset! clientId targetAsset thirdPartyClientId dustQuotaAssetToTargetAssetPrice',
      weight: () => 10,
      handle: (call) =>
        convert(
          call,
          call.params.all('asset').flatMap((list) => list.split(',')),
          call.params.text('targetAsset') ?? 'BNB',
        ),
    },
    {
      ...read,
      method: 'GET',
      path: '/sapi/v1/asset/dribblet',
      parameters: 'accountType startTime endTime',
      weight: () => 1,
      handle: (call) => {
        const mine = history.filter((entry) => entry.account === call.account);
        return {
          total: mine.length,
          userAssetDribblets: mine.map(({ rows }) => ({
            operateTime: rows[0]?.time ?? 0,
            totalTransferedAmount: eight(rows.reduce((sum, { got }) => sum + got, ZERO)),
            totalServiceChargeAmount: eight(rows.reduce((sum, { charge }) => sum + charge, ZERO)),
            transId: rows[0]?.tranId ?? 0,
            userAssetDribbletDetails: rows.map((row) => ({
              transId: row.tranId,
              serviceChargeAmount: eight(row.charge),
              amount: eight(row.amount),
              operateTime: row.time,
              transferedAmount: eight(row.got),
              fromAsset: row.fromAsset,
              targetAsset: row.target,
            })),
          })),
        };
      },
    },
  ];

  /** The value in another asset, converted through USDT; null: there is no price. */
  function valueIn(asset: string, amount: Dec, target: string): Dec | null {
    const inUsdt = asset === 'USDT' ? amount : priceOf(asset, amount);
    if (inUsdt === null || target === 'USDT') return inUsdt;
    const price = market.symbols.get(`${target}USDT`)?.last;
    return price ? floorTo(div(inUsdt, price), UNIT) : null;
  }

  function priceOf(asset: string, amount: Dec): Dec | null {
    const price = market.symbols.get(`${asset}USDT`)?.last;
    return price ? mul(price, amount) : null;
  }

  function small(
    mine: SpotAccount,
    target: string,
  ): { asset: string; free: Dec; inTarget: Dec; inBtc: Dec }[] {
    return [...mine.wallets].flatMap(([asset, { free }]) => {
      if (asset === target || free <= ZERO) return [];
      const inTarget = valueIn(asset, free, target);
      const inBtc = valueIn(asset, free, 'BTC');
      if (inTarget === null || inBtc === null || inBtc >= dec('0.0001')) return [];
      return [{ asset, free, inTarget, inBtc }];
    });
  }

  function convert(call: Call, assets: readonly string[], target: string): unknown {
    const mine = account(call);
    if (assets.length === 0 || assets.some((asset) => asset === '')) throw missing('asset');
    if (mine.dustAt > 0 && now() - mine.dustAt < SIX_HOURS)
      throw new Refusal(32_110, 'Only can be requested once within 6 hours.');
    const rows = small(mine, target);
    const unknown = assets.find((asset) => !rows.some((row) => row.asset === asset));
    if (unknown !== undefined) throw new Refusal(-9000, `user have no avaliable amount. asset: ${unknown}`);
    const time = now();
    mine.dustAt = time;
    const done = assets.map((asset): Row => {
      const { free, inTarget } = rows.find((row) => row.asset === asset) as (typeof rows)[number];
      const charge = floorTo(mul(inTarget, FEE), UNIT);
      exchange.transfer(mine.name, asset, -free);
      exchange.transfer(mine.name, target, inTarget - charge);
      return {
        tranId: ++tranId,
        fromAsset: asset,
        amount: free,
        got: inTarget - charge,
        charge,
        target,
        time,
      };
    });
    history.push({ account: mine.name, rows: done });
    return {
      totalServiceCharge: eight(done.reduce((sum, { charge }) => sum + charge, ZERO)),
      totalTransfered: eight(done.reduce((sum, { got }) => sum + got, ZERO)),
      transferResult: done.map((row) => ({
        amount: eight(row.amount),
        fromAsset: row.fromAsset,
        operateTime: row.time,
        serviceChargeAmount: eight(row.charge),
        tranId: row.tranId,
        transferedAmount: eight(row.got),
      })),
    };
  }
}
