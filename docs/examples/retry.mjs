// Places an order, whatever the network does: node retry.mjs KEY.pem [http://127.0.0.1:7420/api]
import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , keyFile, root = 'http://127.0.0.1:7420/api'] = process.argv;
const key = createPrivateKey(readFileSync(keyFile));
const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
const AGAIN = ['RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'RISK_SHIELD_ERROR', 'NO_ANSWER'];

async function attempt(method, path, body, idempotencyKey) {
  const timestamp = String(Date.now());
  const headers = {
    'X-SVC-KEY': publicKey,
    'X-SVC-SIGN': sign(null, Buffer.from(timestamp + method + path + body), key).toString('base64url'),
    'X-SVC-TIMESTAMP': timestamp,
    'X-Idempotency-Key': idempotencyKey,
    'Content-Type': 'application/json',
  };
  const response = await fetch(root + path, { method, headers, body, signal: AbortSignal.timeout(15_000) });
  return { ...(await response.json()), waitMs: 1000 * Number(response.headers.get('retry-after') ?? 0) };
}

async function change(method, path, body) {
  const idempotencyKey = randomUUID(); // the same for all attempts; each is signed anew
  for (let number = 1; ; number++) {
    const { data, error, waitMs } = await attempt(method, path, body, idempotencyKey).catch((cause) => ({
      error: { code: 'NO_ANSWER', message: cause.message },
      waitMs: 0,
    }));
    if (!error) return data;
    console.log(`attempt ${number}: ${error.code}, ${error.message}`);
    if (number === 5 || !AGAIN.includes(error.code)) throw new Error(error.message);
    await sleep(Math.max(waitMs, 200 * 2 ** number * (0.5 + 0.5 * Math.random())));
  }
}

const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' };
const placed = await change('POST', '/v2/orders', JSON.stringify(order));
console.log(`${placed.id}: ${placed.status}`);
