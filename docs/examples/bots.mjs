// Makes a bot, starts it, hears of it, stops and deletes it: node bots.mjs KEY.pem [http://127.0.0.1:7420/api]
import { readFileSync } from 'node:fs';
import { createClient } from 'outcry/client';

const [, , keyFile, baseUrl = 'http://127.0.0.1:7420/api'] = process.argv;
const client = createClient({ baseUrl, key: { privateKeyPem: readFileSync(keyFile, 'utf8') } });

const stopped = Promise.withResolvers();
const stream = await client.stream();
await stream.subscribe('botStatus', {
  onEvent({ event, bot }) {
    console.log(`${event} ${bot.type} ${bot.status}`);
    if (event === 'BOT_STOPPED') stopped.resolve();
  },
});

const { id } = await client.bots.create({
  type: 'SQUEEZE',
  settings: {
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    timeFrame: 60_000,
    deposit: { value: '1000', asset: 'USDT' },
    price: { percent: { buy: '1.5', sell: '0' } },
  },
  tag: 'example',
});
// The settings are checked now, all of them.
await client.bots.start(id).catch((error) => console.log(`${error.code}: ${error.message}`));
await client.bots.patch(id, { config: { price: { percent: { buy: '1.5', sell: '1' } } } });
const { runId } = await client.bots.start(id);
const { reason } = await client.bots.stop({ id, runId, action: 'stop_and_sell' });
await stopped.promise;
await client.bots.delete(id);
console.log(`ended: ${reason}`);
await client.close();
