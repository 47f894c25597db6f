/** Rows have exactly the fields of the official pages' examples; where they differ, the reason is given. */
import { expect, it } from 'vitest';
import { PAGE_FIELDS } from './pages.ts';
import { testEmulator } from './support.ts';

type Page = keyof typeof PAGE_FIELDS;

/** Fields that the table of the page (or of its sister) names, but its example does not have. */
const IN_THE_TABLE: Partial<Record<Page, string>> = {
  'order/open-order':
    'createType parentOrderLinkId marketUnit extraFees rpiMatchedQty rpiTakerAccess slippageTolerance slippageToleranceType',
  'order/order-list': 'createType parentOrderLinkId marketUnit',
  'order/execution': 'createType marketUnit',
  'position/position': 'openTime mmrSysUpdatedTime',
  'position/close-pnl': 'openFee closeFee',
  'websocket/private/order':
    'createType parentOrderLinkId isLeverage marketUnit slippageToleranceType slippageTolerance extraFees',
  'websocket/private/position': 'openTime',
  'websocket/public/trade': 'RPI',
};
/** A field of the example alone: the table spells it mmrSysUpdatedTime. */
const MISSPELT: Partial<Record<Page, string>> = { 'position/position': 'mmrSysUpdateTime' };

it('has rows of the fields that the pages show', () => {
  const rig = testEmulator();
  const { rows } = rig.userStream();
  const sockets = { linear: rig.socket('/v5/public/linear'), spot: rig.socket('/v5/public/spot') };
  for (const { say } of Object.values(sockets))
    say({ op: 'subscribe', args: ['tickers.BTCUSDT', 'publicTrade.BTCUSDT', 'kline.5.BTCUSDT'] });
  const linear = { category: 'linear', symbol: 'BTCUSDT' };
  const order = { ...linear, side: 'Buy', orderType: 'Market', qty: '0.010' };
  rig.post('/v5/order/create', { ...order, orderType: 'Limit', price: '59000' });
  rig.post('/v5/order/create', order);
  rig.post('/v5/order/create', { ...order, side: 'Sell', reduceOnly: true });
  rig.emulator.printSpot('BTCUSDT', '60001');
  rig.emulator.printLinear('BTCUSDT', '60021');
  const first = (path: string, params: Record<string, string>) => rig.get(path, params).result.list[0];
  const open = (path: string, params: Record<string, string>) => rig.open(path, params).result.list[0];
  const said = (category: 'linear' | 'spot', topic: string) => {
    const { data } = sockets[category].messages.find((message) => message.topic === topic);
    return Array.isArray(data) ? data[0] : data;
  };
  const wallet = first('/v5/account/wallet-balance', { accountType: 'UNIFIED' });
  const ours: Record<Page, Record<string, unknown>> = {
    'order/open-order': first('/v5/order/realtime', linear),
    'order/order-list': first('/v5/order/history', linear),
    'order/execution': first('/v5/execution/list', linear),
    'position/position': first('/v5/position/list', linear),
    'position/close-pnl': first('/v5/position/closed-pnl', linear),
    'account/wallet-balance': wallet,
    'account/wallet-balance coin': wallet.coin[0],
    'account/transaction-log': first('/v5/account/transaction-log', {}),
    'account/fee-rate': first('/v5/account/fee-rate', linear),
    'account/account-info': rig.get('/v5/account/info').result,
    'market/instrument linear': open('/v5/market/instruments-info', linear),
    'market/instrument spot': open('/v5/market/instruments-info', { category: 'spot' }),
    'market/tickers spot': open('/v5/market/tickers', { category: 'spot' }),
    'market/recent-trade': open('/v5/market/recent-trade', linear),
    'market/orderbook': rig.open('/v5/market/orderbook', linear).result,
    'market/risk-limit': open('/v5/market/risk-limit', linear),
    'websocket/private/order': rows('order')[0],
    'websocket/private/execution': rows('execution')[0],
    'websocket/private/position': rows('position')[0],
    'websocket/private/wallet': rows('wallet')[0],
    'websocket/public/ticker linear': said('linear', 'tickers.BTCUSDT'),
    'websocket/public/ticker spot': said('spot', 'tickers.BTCUSDT'),
    'websocket/public/trade': said('linear', 'publicTrade.BTCUSDT'),
    'websocket/public/kline': said('linear', 'kline.5.BTCUSDT'),
  };
  const names = (text = '') => text.split(' ').filter((name) => name !== '');
  for (const page of Object.keys(PAGE_FIELDS) as Page[]) {
    const wrong = names(MISSPELT[page]);
    const theirs = [...names(PAGE_FIELDS[page]), ...names(IN_THE_TABLE[page])].filter(
      (name) => !wrong.includes(name),
    );
    const mine = Object.keys(ours[page]).filter((name) => name !== 'coin' || page.endsWith('coin'));
    expect([page, mine.sort()]).toEqual([page, theirs.sort()]);
  }
});
