/**
 * Changes of leverage, margin type, position mode and asset mode, with the refusals of each. Source: USD-M
 * "Error Codes" -4028 .. -4171.
 */
import { type Dec, ZERO } from '../../../../src/domain/decimal.ts';
import type { SymbolSpec } from '../symbols.ts';
import { Refusal } from '../wire.ts';
import { type FuturesAccount, positionOf, settingOf } from './account.ts';
import type { FuturesExchange } from './exchange.ts';
import type { PositionSide } from './order.ts';

const holds = (account: FuturesAccount, symbol?: string): boolean =>
  [...account.positions.values()].some(
    (position) => position.amount !== ZERO && (symbol === undefined || position.symbol === symbol),
  );

export function changeLeverage(
  exchange: FuturesExchange,
  account: FuturesAccount,
  spec: SymbolSpec,
  leverage: number,
): void {
  if (leverage < 1 || leverage > (spec.maxLeverage ?? 75))
    throw new Refusal(-4028, `Leverage ${leverage} is not valid`);
  const setting = settingOf(account, spec.symbol);
  if (setting.marginType === 'ISOLATED' && leverage < setting.leverage && holds(account, spec.symbol))
    throw new Refusal(
      -4161,
      'Leverage reduction is not supported in Isolated Margin Mode with open positions.',
    );
  setting.leverage = leverage;
  tellConfig(exchange, account, { ac: { s: spec.symbol, l: leverage } });
}

export function changeMarginType(
  exchange: FuturesExchange,
  account: FuturesAccount,
  symbol: string,
  type: 'ISOLATED' | 'CROSSED',
  openAlgos: number,
): void {
  const setting = settingOf(account, symbol);
  if (account.multiAssets && type === 'ISOLATED')
    throw new Refusal(-4168, 'Unable to adjust to isolated-margin mode under the Multi-Assets mode.');
  if (setting.marginType === type) throw new Refusal(-4046, 'No need to change margin type.');
  if (exchange.openOrders(account, symbol).length + openAlgos > 0)
    throw new Refusal(-4047, 'Margin type cannot be changed if there exists open orders.');
  if (holds(account, symbol))
    throw new Refusal(-4048, 'Margin type cannot be changed if there exists position.');
  setting.marginType = type;
}

export function changePositionMode(
  exchange: FuturesExchange,
  account: FuturesAccount,
  isHedge: boolean,
  openAlgos: number,
): void {
  if (account.hedge === isHedge) throw new Refusal(-4059, 'No need to change position side.');
  if (exchange.openOrders(account).length + openAlgos > 0)
    throw new Refusal(-4067, 'Position side cannot be changed if there exists open orders.');
  if (holds(account)) throw new Refusal(-4068, 'Position side cannot be changed if there exists position.');
  account.hedge = isHedge;
}

export function changeMultiAssets(
  exchange: FuturesExchange,
  account: FuturesAccount,
  isOn: boolean,
  openAlgos: number,
): void {
  if (account.multiAssets === isOn) throw new Refusal(-4171, 'No need to change Multi-Assets mode.');
  if (isOn && [...account.settings.values()].some(({ marginType }) => marginType === 'ISOLATED'))
    throw new Refusal(-4167, 'Unable to adjust to Multi-Assets mode with symbols of isolated-margin mode.');
  if (exchange.openOrders(account).length + openAlgos > 0)
    throw new Refusal(-4170, 'Unable to adjust the Multi-Assets mode when there are open orders.');
  account.multiAssets = isOn;
  tellConfig(exchange, account, { ai: { j: isOn } });
}

/** Moves margin into an isolated position, or out of it. */
export function moveMargin(
  exchange: FuturesExchange,
  account: FuturesAccount,
  symbol: string,
  side: string,
  amount: Dec,
): void {
  const position = positionOf(account, symbol, side as PositionSide);
  const { spec } = exchange.o.market.of(symbol);
  if (settingOf(account, symbol).marginType !== 'ISOLATED' || position.amount === ZERO)
    throw new Refusal(-4054, 'Cannot add position margin: position is 0.');
  if (amount > ZERO && amount > exchange.margin.available(account, spec.quote))
    throw new Refusal(-4051, 'Isolated balance insufficient.');
  if (position.isolatedWallet + amount < exchange.margin.initial(account, position))
    throw new Refusal(-4051, 'Isolated balance insufficient.');
  position.isolatedWallet += amount;
  exchange.teller.update(account, 'MARGIN_TRANSFER', [spec.quote], [position]);
}

function tellConfig(exchange: FuturesExchange, account: FuturesAccount, what: Record<string, unknown>): void {
  const time = exchange.o.now();
  exchange.o.tell(account.name, { e: 'ACCOUNT_CONFIG_UPDATE', E: time, T: time, ...what });
}
