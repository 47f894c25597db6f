/** The usual answers of the scripted desk. */
import { KeyRegistry } from '../../../src/access/key-registry.ts';
import type { AccessKey } from '../../../src/domain/access-key.ts';
import { ok } from '../../../src/domain/errors.ts';
import { NO_GUARDS } from '../../../src/domain/guards.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { Answers, FakeDesk } from './fake-desk.ts';
import { DUST, deskState, PAPER_SETTINGS } from './some-desk.ts';
import { BRACKETS } from './some-futures.ts';
import { NOON } from './some-market.ts';
import { order } from './some-orders.ts';
import { SOME_OPERATORS, SOME_SESSIONS, SOME_SSH } from './some-people.ts';
import { somePnl } from './some-pnl.ts';

/** The desk's answer to a method for which none is set: it carries out the request and pushes the changes. */
export function usualAnswers(desk: FakeDesk): Answers {
  return {
    'market.look': () => ok(null),
    'market.lookAway': () => {
      desk.push({ look: null });
      return null;
    },
    'memory.read': () => null,
    'memory.write': () => ok(null),
    'operators.list': () => SOME_OPERATORS,
    'sessions.list': () => SOME_SESSIONS,
    'ssh.view': () => SOME_SSH,
    'pnl.read': (query) => ok(somePnl(query, NOON)),
    'orders.check': (draft) => ({
      problems:
        draft.quantity || draft.quoteOrderQty || draft.closePosition
          ? []
          : [{ field: 'quantity', message: 'is needed' }],
      last: desk.state.prices[`paper ${draft.symbol ?? ''}`]?.last ?? null,
      mark:
        draft.exchange === 'paper-futures'
          ? (desk.state.prices[`paper ${draft.symbol ?? ''}`]?.last ?? null)
          : null,
      notional: (draft.quantity && draft.price) || draft.closePosition ? '30250' : null,
      fee: draft.quantity || draft.closePosition ? '30.25' : null,
      feeAsset: draft.quantity || draft.closePosition ? 'USDT' : null,
      distance: draft.price ? '-1.20' : null,
      available: '100000',
      availableAsset: 'USDT',
      margin: null,
      after: null,
      next: 'It rests on the book until it is filled or cancelled.',
    }),
    'orders.place': (create) => {
      const { goodTillDate: _till, marginType: _margin, ...rest } = create;
      const placed = order(`oc-new${desk.calls.length}`, {
        exchange: rest.exchange,
        // The real desk refuses an order without a symbol.
        symbol: rest.symbol ?? '',
        side: rest.side,
        type: rest.type,
        price: rest.price,
        origQty: rest.quantity ?? '0',
        orderTime: NOON,
      });
      desk.push({ orders: { [placed.id]: placed } });
      return ok(placed);
    },
    'orders.cancel': ({ id }) => {
      const found = desk.state.orders[id] ?? order(id);
      const done: OrderView = { ...found, status: 'CANCELLED', unresolved: undefined };
      desk.push({ orders: { [id]: done } });
      return ok(done);
    },
    'orders.cancelAll': ({ ids = [] }) =>
      ids.map((id) => ({
        id,
        outcome: ok({ ...(desk.state.orders[id] ?? order(id)), status: 'CANCELLED' as const }),
      })),
    'orders.amendCheck': ({ quantity = '0.5', price = '60500.00' }) => ({
      problems: [],
      remaining: quantity,
      notional: String(Number(quantity) * Number(price)),
    }),
    'orders.amend': ({ id, exchange: _of, quantity, ...change }) => {
      const found = desk.state.orders[id] ?? order(id);
      const done: OrderView = { ...found, ...change, origQty: quantity ?? found.origQty };
      desk.push({ orders: { [id]: done } });
      return ok(done);
    },
    'orders.splitPreview': ({ prices }) => ({
      problems: [],
      remaining: '0.5',
      parts: prices.map((price) => ({ price, quantity: '0.1', notional: '6120.00' })),
    }),
    'orders.split': ({ prices }) => ok(prices.map((price, at) => order(`oc-part${at}`, { price }))),
    'orders.detail': ({ id }) => ({
      order: desk.state.orders[id] ?? order(id),
      events: [
        event(id, 'created', 'asked by operator: BUY 0.5 BTCUSDT LIMIT 60,500.00'),
        event(id, 'sent', 'sent to paper-spot'),
        event(id, 'accepted', 'paper-spot took it in 2 ms'),
      ],
      fills: [
        {
          exchange: 'paper-spot',
          tradeId: 't1',
          orderId: id,
          user: 'owner',
          symbol: 'BTCUSDT',
          side: 'BUY',
          price: '60500.00',
          qty: '0.12',
          comm: '0.00012',
          commAsset: 'BTC',
          maker: true,
          rPnl: null,
          posSide: 'BOTH',
          time: NOON - 30_000,
        },
      ],
    }),
    'orders.closed': ({ before }) => ({
      orders: Array.from({ length: 100 }, (_, at) =>
        order(`oc-old${before ?? ''}${String(at).padStart(3, '0')}`, {
          status: 'CLOSED',
          executedQty: '0.5',
          orderTime: NOON - 86_400_000 - at * 60_000,
        }),
      ),
      next: before ? null : 'page2',
    }),
    'alerts.mute': ({ kind, id, on }) => {
      const list = kind === 'bot' ? 'bots' : 'targets';
      const others = desk.state.mutes[list].filter((name) => name !== id);
      const mutes = { ...desk.state.mutes, [list]: on ? [...others, id] : others };
      desk.push({ mutes });
      return ok(mutes);
    },
    'trades.list': () => [],
    'market.candles': () => [],
    'bots.ladder': () => ({ ok: false, text: 'not laid out here' }),
    'bots.replay': () => ({ done: 'impossible', text: 'not played here' }),
    'bots.replayProgress': () => null,
    'bots.replayEnd': () => null,
    'futures.set': () => ok(null),
    'futures.brackets': () => BRACKETS,
    'futures.marginMode': () => ({ mode: 1 }),
    'keys.check': ({ publicKey, ...settings }) =>
      new KeyRegistry(desk.state.keys).problems(
        settings,
        desk.state.accounts.map(({ id }) => id),
        publicKey,
      ),
    'keys.generate': ({ label, tier }) => {
      const key = { ...deskState().keys[0], label, tier } as AccessKey;
      return ok({
        key,
        path: `/home/owner/.outcry/keys/${label}.pem`,
        example: {
          message: `${NOON}GET/v2/ping`,
          signature: 'Hb3b2L0pZt1y'.repeat(8).slice(0, 86),
          command: `outcry ping --key /home/owner/.outcry/keys/${label}.pem`,
        },
      });
    },
    'keys.example': ({ id }) => {
      const file = desk.state.keys.find((key) => key.id === id)?.file ?? null;
      return {
        message: `${NOON}GET/v2/ping`,
        signature: file === null ? null : 'Hb3b2L0pZt1y'.repeat(8).slice(0, 86),
        command: `outcry ping --key ${file === null ? 'FILE.pem' : `/home/owner/.outcry/keys/${file}`}`,
      };
    },
    'desk.panic': () => ok(null),
    'desk.maintenance': ({ on, message }) => {
      const maintenance = on ? `under maintenance: ${message || 'no reason given'}` : null;
      desk.push({ maintenance });
      return ok({ maintenance });
    },
    'connections.list': () => ({ kinds: [], connections: [], vault: 'none', refused: null }),
    'vault.init': () => vault(desk, 'open'),
    'vault.unlock': () => vault(desk, 'open'),
    'vault.lock': () => vault(desk, 'locked'),
    'vault.change': () => ok({ copies: ['outcry.db.v7.bak'] }),
    'keys.register': ({ label, tier, publicKey }) =>
      ok({ ...(deskState().keys[1] as AccessKey), id: publicKey, label, tier }),
    'keys.revoke': ({ id }) => {
      const keys = desk.state.keys.map((key) => (key.id === id ? { ...key, revokedAt: NOON } : key));
      desk.push({ keys });
      return ok({ key: keys.find((key) => key.id === id) as AccessKey, closedSockets: 1 });
    },
    'feed.control': ({ action }) => {
      const clock = { ...desk.state.clock, held: action !== 'play' };
      desk.push({ clock });
      return ok(clock);
    },
    'portfolio.dust': () => ok({ assets: DUST, waitMs: 0 }),
    'portfolio.export': () => ok({ path: '/home/owner/.outcry/exports/p.csv', rows: 5, whole: true }),
    'orders.export': () => ok({ path: '/home/owner/.outcry/exports/o.csv', rows: 1, whole: true }),
    'trades.export': () => ok({ path: '/home/owner/.outcry/exports/t.csv', rows: 2, whole: false }),
    'exchange.confirmRights': () => ok(null),
    'exchange.takeOver': () => ok(null),
    'exchange.reconcile': () => ok({ at: NOON, whole: true }),
    'guards.read': () => ok({ set: NO_GUARDS, meters: null }),
    'guards.set': ({ change }) => ok({ ...NO_GUARDS, ...change }),
    'guards.lift': () => ok({ reachedAt: null, known: false, why: 'it is asked' }),
    'paper.configure': () => ok(PAPER_SETTINGS),
    'paper.balance': () => ok(null),
    'paper.reset': () => ok(null),
    'paper.fault': () => ok(null),
    'paper.faults': () => ok(null),
    'feed.speed': ({ speed }) => {
      const clock = { ...desk.state.clock, speed };
      desk.push({ clock });
      return ok(clock);
    },
    'desk.stop': () => null,
  };
}

function event(orderId: string, kind: 'created' | 'sent' | 'accepted', text: string) {
  return {
    orderId,
    user: 'owner',
    at: NOON - 60_000,
    market: NOON - 60_000,
    kind,
    text,
    status: 'OPENED' as const,
  };
}

function vault(desk: FakeDesk, state: 'open' | 'locked') {
  desk.push({ vault: { ...desk.state.vault, state } });
  return ok(null);
}
