/** A PnL book as a desk sends it: any range, any groups, a few closed trades. Its sums agree. */
import type { PnlQuery, PnlRow, PnlTrade, PnlView } from '../../../src/desk/console/protocol.ts';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const KEYS: Readonly<Record<PnlQuery['by'], readonly string[]>> = {
  day: ['2026-03-01', '2026-03-02', '2026-03-03'],
  week: ['2026-02-23', '2026-03-02'],
  month: ['2026-02', '2026-03'],
  symbol: ['BTCUSDT', 'ETHUSDT'],
  bot: ['b0t1d5q8w2e4r6t8y1u3i5o7', '(by hand)'],
  account: ['paper-futures', 'paper-spot'],
  tag: ['trend', '(no tag)'],
};

const row = (key: string, at: number): PnlRow => {
  const [realised, fees, funding, other, unrealised] = [
    `${1_250 - at * 900}.5`,
    '12.25',
    `-${at}.75`,
    '0',
    `${at * 10}`,
  ];
  const net = str(dec(realised) - dec(fees) + dec(funding) + dec(other) + dec(unrealised));
  return {
    key,
    realised,
    fees,
    funding,
    other,
    unrealised,
    net,
    deposits: at === 0 ? '500' : '0',
    trades: at + 1,
  };
};

export function closedTrade(at: number, now: number, change: Partial<PnlTrade> = {}): PnlTrade {
  const long = at % 2 === 0;
  return {
    account: at % 3 === 0 ? 'paper-futures' : 'paper-spot',
    symbol: long ? 'BTCUSDT' : 'ETHUSDT',
    kind: at % 3 === 0 ? 'futures' : 'spot',
    side: long ? 'LONG' : 'SHORT',
    qty: '0.0125',
    entry: `${60_000 + at}.123456`,
    exit: `${60_100 + at}.5`,
    openedAt: now - (at + 4) * 60 * MINUTE_MS,
    closedAt: now - at * 60 * MINUTE_MS,
    realised: '1.25',
    fees: '0.05',
    funding: '0',
    net: long ? '1.2' : '-1234.5',
    bot: null,
    stop: long ? '59900' : null,
    r: long ? '1.2' : null,
    ...change,
  };
}

export function somePnl({ by }: PnlQuery, now: number, trades = 6): PnlView {
  const rows = KEYS[by].map(row);
  const sum = (name: keyof Omit<PnlRow, 'key' | 'trades'>): string =>
    str(rows.reduce((total: Dec, each) => total + dec(each[name]), ZERO));
  const net = sum('net');
  const points = Array.from({ length: 40 }, (_, at) => {
    const part = str((dec(net) * BigInt(at)) / 39n);
    return {
      time: now - (39 - at) * DAY_MS,
      equity: str(dec('200500') + dec(part)),
      net: part,
      deposits: '500',
    };
  });
  return {
    from: now - 39 * DAY_MS,
    to: now,
    by,
    timeZone: 'UTC',
    rows,
    total: {
      realised: sum('realised'),
      fees: sum('fees'),
      funding: sum('funding'),
      other: sum('other'),
      unrealised: sum('unrealised'),
      deposits: sum('deposits'),
      net,
    },
    stats: {
      trades,
      wins: 3,
      losses: 3,
      winRate: '0.5',
      profitFactor: '1.84',
      averageWin: '1.2',
      averageLoss: '-1234.5',
      best: '1.2',
      worst: '-1234.5',
      averageMs: 240 * MINUTE_MS,
    },
    trades: Array.from({ length: trades }, (_, at) => closedTrade(at, now)),
    curve: points,
    unpriced: [],
    differences: [],
    notes: [],
  };
}
