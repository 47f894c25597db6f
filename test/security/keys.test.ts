/**
 * Keys under attack: requests that race each other and a revocation, and what a key can make the desk request
 * or print.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBots } from '../desk/integration/bots-rig.ts';
import {
  type CandleText,
  clientOf,
  EXCHANGE,
  flat,
  MARKET_START,
  MINUTE_MS,
  ok,
  openTestDesk,
  writeCandles,
} from '../desk/integration/support.ts';
import { openReceiver } from '../notify/receiver.ts';
import { attacked } from '../support/attacks.ts';

const ORDER = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '1',
  price: '50',
};

it('requests with one idempotency key that race over two API keys place one order', async () => {
  const { t, client } = await openBots(['100']);
  const another = await clientOf(t, ok(await t.call('keys.generate', { label: 'another', tier: 'trade' })));
  const RACES = 20;
  const AT_ONCE = 20;
  let held = 0;
  for (let race = 1; race <= RACES; race++) {
    const idempotencyKey = randomUUID();
    const body = JSON.stringify({ ...ORDER, price: String(20 + race) });
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        (i % 2 === 0 ? client : another).raw('POST', '/v2/orders', { body, idempotencyKey }),
      ),
    );
    const ids = new Set(
      answers.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text).data.id),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const placed = Object.values(t.desk.state().orders).filter(({ price }) => price === String(20 + race));
    if (ids.size === 1 && placed.length === 1) held++;
  }
  attacked('idempotency keys: other users, shields, races', RACES, held);
});

it('a request that begins after a revocation was answered is refused', async () => {
  const { t } = await openBots(['100']);
  const RACES = 25;
  const AT_ONCE = 30;
  let held = 0;
  for (let race = 0; race < RACES; race++) {
    const key = ok(await t.call('keys.generate', { label: `race ${race}`, tier: 'read' }));
    const client = await clientOf(t, key);
    const before = Array.from({ length: AT_ONCE / 2 }, () => client.raw('GET', '/v2/ping'));
    ok(await t.call('keys.revoke', { id: key.key.id }));
    const after = await Promise.all(Array.from({ length: AT_ONCE / 2 }, () => client.raw('GET', '/v2/ping')));
    // Requests under way meanwhile may succeed or fail, but break nothing.
    for (const { status } of await Promise.all(before)) expect([200, 401]).toContain(status);
    if (after.every(({ status, text }) => status === 401 && JSON.parse(text).error.code === 'INVALID_KEY'))
      held++;
  }
  attacked('revocation in the middle of requests and streams', RACES, held);
});

describe('an alert', () => {
  const CLASS = 'targets of alerts: URLs, redirects, templates';
  const candles: readonly CandleText[] = [
    ...flat('100', 2),
    ['100', '104', '100', '104'],
    ...flat('104', 60),
  ];
  const line = { type: 'price', trend: { [MARKET_START]: 103, [MARKET_START + 60 * MINUTE_MS]: 103 } };
  const settings = { exchange: EXCHANGE, symbol: { base: 'BTC', quote: 'USDT' }, range: [line] };

  it('goes to targets of the configuration only: a URL is none', async () => {
    const hook = await openReceiver();
    const r = await openBots([], { feed: writeCandles({ BTCUSDT: [...candles] }) });
    const urls = [hook.url, `${hook.url}/x`, 'http://169.254.169.254/latest', 'file:///etc/passwd'];
    let held = 0;
    for (const url of urls) {
      const { id } = await r.make({ type: 'ALARM', settings: { ...settings, notify: [url] } });
      if ((await r.ask('POST', `/bots/${id}/runs`)).status === 400) held++;
    }
    expect(hook.received).toEqual([]);
    attacked(CLASS, urls.length, held);
  });

  it('fills in its own four words and nothing else', async () => {
    const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: [...candles] }), hold: true });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is tried
    const message = '{symbol} {constructor} {__proto__} ${process.env.HOME} {{symbol}} {settings} %s';
    const bot = { type: 'ALARM', settings: { ...settings, message } } as const;
    const { id } = ok(await t.call('bots.create', { bot }));
    ok(await t.call('bots.start', { id }));
    for (let tick = 0; tick < 16; tick++) {
      await t.call('feed.control', { action: 'step' });
      await t.clock.settle();
    }
    const told = t.desk.state().alerts.map((alert) => alert.message);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what is tried
    const right = 'BTCUSDT {constructor} {__proto__} ${process.env.HOME} {BTCUSDT} {settings} %s';
    expect(told).toEqual([right]);
    attacked(CLASS, 1, 1);
  });
});
