import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [, , keyFile, root = 'http://127.0.0.1:7420/api'] = process.argv;
const key = createPrivateKey(readFileSync(keyFile));
const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');

async function call(method, path, body = '') {
  const timestamp = String(Date.now());
  const signature = sign(null, Buffer.from(timestamp + method + path + body), key).toString('base64url');
  const response = await fetch(root + path, {
    method,
    headers: {
      'X-SVC-KEY': publicKey,
      'X-SVC-SIGN': signature,
      'X-SVC-TIMESTAMP': timestamp,
      ...(body && { 'Content-Type': 'application/json', 'X-Idempotency-Key': randomUUID() }),
    },
    body: body || undefined,
  });
  return response.json();
}

const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' };
console.log(await call('POST', '/v2/orders', JSON.stringify(order)));
console.log(await call('GET', '/v2/orders?status=open'));
