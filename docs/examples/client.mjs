// Places an order, hears of it on the stream, cancels it: node client.mjs KEY.pem [http://127.0.0.1:7420/api]
import { readFileSync } from 'node:fs';
import { createClient } from 'outcry/client';

const [, , keyFile, baseUrl = 'http://127.0.0.1:7420/api'] = process.argv;
const client = createClient({ baseUrl, key: { privateKeyPem: readFileSync(keyFile, 'utf8') } });
const exchange = 'paper-spot';

const stream = await client.stream({
  onState: ({ status }) => console.log(`stream: ${status}`),
  onError: (error) => console.error(error.message),
});
const open = new Map();
const heard = Promise.withResolvers();
await stream.subscribe('orders', {
  exchange,
  // At first and after each lost connection; events wait meanwhile.
  async onResync(reason) {
    open.clear();
    for (const order of await client.orders.list({ exchange })) open.set(order.id, order);
    console.log(`${reason}: ${open.size} open orders`);
  },
  onEvent({ event, order }) {
    console.log(`${event} ${order.symbol} ${order.status}`);
    if (order.status === 'NEW' || order.status === 'OPENED') open.set(order.id, order);
    else open.delete(order.id);
    if (order.status === 'CANCELLED') heard.resolve();
  },
});

const order = await client.orders.place({
  exchange,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '50000',
});
await client.orders.cancel({ exchange, id: order.id });
await heard.promise;
await client.close();
