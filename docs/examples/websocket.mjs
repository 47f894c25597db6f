// Follows the orders of one exchange account: node websocket.mjs KEY.pem [ws://127.0.0.1:7420/api/v2/ws]
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [, , keyFile, url = 'ws://127.0.0.1:7420/api/v2/ws'] = process.argv;
const privateKey = createPrivateKey(readFileSync(keyFile));
const key = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');

function connect() {
  const socket = new WebSocket(url);
  const send = (message) => socket.send(JSON.stringify(message));
  socket.onmessage = ({ data }) => {
    console.log(data);
    const message = JSON.parse(data);
    if (message.op === 'challenge') {
      const timestamp = Date.now();
      const signed = Buffer.from(`WSAuth${timestamp}${message.data.challenge}`);
      send({ op: 'auth', id: 'a1', args: { key, sign: sign(null, signed, privateKey).toString('base64'), timestamp } });
    } else if (message.op === 'auth') {
      send({ op: 'subscribe', id: 's1', args: { channel: 'orders', exchange: 'paper-spot' } });
    } else if (message.op === 'subscribed') {
      // Now read GET /v2/orders: what came before this moment was not told.
    } else if (message.op === 'error' && message.data.op === 'auth') {
      socket.close();
      process.exitCode = 1;
    }
  };
  socket.onclose = ({ code }) => {
    console.log(`closed with ${code}`);
    // 4003: the key was revoked. A script that lives longer waits longer each time.
    if (code !== 4003 && process.exitCode === undefined) setTimeout(connect, 1000 + 1000 * Math.random());
  };
}
connect();
