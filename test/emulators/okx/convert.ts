/**
 * Conversion of small balances into one currency: at first running, filled a moment later. Sources: OKX v5
 * Trade "Easy convert".
 */
import type { Clock } from '../../../src/domain/clock.ts';
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, cashOf, frozenOf } from './account.ts';
import type { Exchange } from './exchange.ts';
import { missing, type Params, wrong } from './params.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

const TARGETS = ['USDT', 'BTC', 'ETH', 'OKB'];
const SMALL = dec('10');
const PLACES = dec('0.00000001');
const RUNNING_MS = 1000;

export function convertEndpoints(exchange: Exchange, clock: Clock): Endpoint[] {
  const { market, now, teller, log } = exchange.o;
  const accountOf = ({ account }: Call): Account => exchange.account(account);
  const user = { limit: [1, 2000], rule: 'user' } as const;

  const small = (account: Account): { fromCcy: string; fromAmt: Dec }[] =>
    [...account.wallet]
      .map(([fromCcy, cash]) => ({ fromCcy, fromAmt: cash - frozenOf(account, fromCcy) }))
      .filter(
        ({ fromCcy, fromAmt }) =>
          fromAmt > ZERO && market.usd(fromCcy) > ZERO && mul(fromAmt, market.usd(fromCcy)) < SMALL,
      );

  return [
    {
      ...user,
      method: 'GET',
      path: '/api/v5/trade/easy-convert-currency-list',
      permission: 'read_only',
      parameters: 'source',
      source: 'Trade "Easy convert currency list"',
      handle: (call) => [
        {
          fromData: small(accountOf(call)).map(({ fromCcy, fromAmt }) => ({
            fromCcy,
            fromAmt: str(fromAmt),
          })),
          toCcy: TARGETS,
        },
      ],
    },
    {
      ...user,
      method: 'POST',
      path: '/api/v5/trade/easy-convert',
      permission: 'trade',
      parameters: 'fromCcy![ toCcy! source',
      source: 'Trade "Place easy convert"',
      handle: (call) => convert(accountOf(call), call.params),
    },
    {
      ...user,
      method: 'GET',
      path: '/api/v5/trade/easy-convert-history',
      permission: 'read_only',
      parameters: 'after before limit',
      source: 'Trade "Easy convert history"',
      handle: (call) => {
        const [after, before] = [call.params.whole('after'), call.params.whole('before')];
        return [...accountOf(call).conversions]
          .reverse()
          .filter(
            ({ uTime }) =>
              (after === null || Number(uTime) < after) && (before === null || Number(uTime) > before),
          )
          .slice(0, call.params.limit(100));
      },
    },
  ];

  function convert(account: Account, params: Params): Record<string, unknown>[] {
    const toCcy = params.required('toCcy');
    const from = params.list('fromCcy').map(String);
    if (from.length === 0) throw missing('fromCcy');
    if (from.length > 5) throw new Refusal('50025', 'Parameter fromCcy count exceeds the limit 5.');
    if (!TARGETS.includes(toCcy) || from.includes(toCcy)) throw wrong('toCcy');
    if (account.conversions.some(({ status }) => status === 'running'))
      throw new Refusal('59121', 'This batch is still under processing, please wait patiently.');
    const owned = new Map(small(account).map(({ fromCcy, fromAmt }) => [fromCcy, fromAmt]));
    const rows = from.map((fromCcy) => {
      const amount = owned.get(fromCcy);
      if (amount === undefined)
        throw new Refusal('59125', `${fromCcy} doesn't support the current operation.`);
      const gets = floorTo(div(mul(amount, market.usd(fromCcy)), market.usd(toCcy)), PLACES);
      return { fromCcy, toCcy, amount, gets };
    });
    return rows.map(({ fromCcy, amount, gets }) => {
      const row: Record<string, unknown> = {
        fillFromSz: str(amount),
        fillToSz: str(gets),
        fromCcy,
        status: 'running',
        toCcy,
        uTime: String(now()),
      };
      account.conversions.push({ ...row, acct: '18' });
      const kept = account.conversions.at(-1) as Record<string, unknown>;
      clock.after(RUNNING_MS, () => {
        kept.status = cashOf(account, fromCcy) >= amount ? 'filled' : 'failed';
        kept.uTime = String(now());
        if (kept.status === 'failed') return;
        exchange.credit(account, { type: '28', subType: '237', ccy: fromCcy, change: -amount, sz: amount });
        exchange.credit(account, { type: '28', subType: '236', ccy: toCcy, change: gets, sz: gets });
        log({
          kind: 'convert',
          account: account.name,
          from: fromCcy,
          amount: str(amount),
          to: toCcy,
          gets: str(gets),
          time: now(),
        });
        teller.money(account, 'transferred', [fromCcy, toCcy], []);
      });
      return row;
    });
  }
}
