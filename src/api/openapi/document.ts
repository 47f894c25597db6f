/**
 * Makes the OpenAPI 3.1 document of the API from the routes and their schemas. A pure function: a desk serves
 * the same document as `docs/openapi.json`.
 */
import { API_VERSION } from '../../domain/envelope.ts';
import type { Route } from '../route-table.ts';
import { BOT_SETTINGS } from './bot-settings.ts';
import { components } from './components.ts';
import { pathsOf } from './operations.ts';
import type { JsonObject } from './schema-document.ts';
import { STREAM } from './stream.ts';

const DESCRIPTION = `Places, lists, cancels and splits orders on exchange accounts, reads fills, balances and positions, and sets how an account trades.

**Answers.** Every success is \`{data, meta}\`, but for \`GET /v2/ping\`; every refusal is \`{error: {code, status, message}, meta}\`. Amounts, prices and quantities are strings that hold decimals; times are Unix milliseconds, but \`X-RateLimit-Reset\` and \`Retry-After\`, which are seconds. Fields may be added within a version: ignore what you do not know.

**Signing.** Every request but \`/v2/server/*\` and this document carries three headers: key, signature, timestamp (see the security schemes). The bytes signed are the bytes sent. A read key may read; changes need a trade or full key. Keys are made, listed and revoked at the console only.

**Repeating.** On RATE_LIMITED (after \`Retry-After\`), INTERNAL_ERROR, SERVICE_UNAVAILABLE, RISK_SHIELD_ERROR and a broken connection: sign anew and send again, a change with the same \`X-Idempotency-Key\`. Other refusals stay what they are.

**Bots.** A bot is made with settings, runs any number of times, and takes commands while it runs. \`x-bot-settings\` has the settings of each type.

**Strictness.** An unknown field of a body (not of a bot's settings), a repeated query parameter, a number in place of a decimal string or the reverse is refused with 400; an unknown query parameter is ignored. Query booleans are \`true\` and \`false\`. Paths are taken literally: no trailing slash, no escapes. Bodies are JSON in UTF-8 with \`Content-Type: application/json\`.

**Limits.** Each route has a budget of requests per account over a sliding window of 5 s; before authentication 100 requests in 5 s per address. The headers \`X-RateLimit-*\` tell the state of the one that counted.

**Stream.** Orders, balances, positions and bots change on a WebSocket: see \`x-websocket\`.`;

const TAGS = [
  { name: 'server', description: 'Time, state and version of the service; a ping that tries a key.' },
  { name: 'exchange', description: 'Exchange accounts and their position mode.' },
  { name: 'orders', description: 'Orders and fills.' },
  { name: 'portfolio', description: 'Balances, positions, leverage, margin, dust.' },
  { name: 'bots', description: 'Bots, their runs and commands.' },
];

export function openApiDocument(routes: readonly Route[]): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Outcry API', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: '/api', description: 'The desk that serves this document.' }],
    tags: TAGS,
    paths: pathsOf(routes),
    components: components(),
    'x-bot-settings': BOT_SETTINGS,
    'x-websocket': STREAM,
  };
}
