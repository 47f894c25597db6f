/**
 * What operations of the OpenAPI document share: named schemas, headers, refusals, the three signature
 * headers. Data only.
 */
import { type ErrorCode, HTTP_STATUS } from '../../domain/errors.ts';
import {
  BatchResult,
  BotBatch,
  BotMessage,
  BotStats,
  BotStatus,
  CreateBot,
  DeletedBot,
  PatchBot,
  PatchedBot,
  PublicBot,
  RunBatch,
  StartedRun,
  StoppedRun,
} from '../../schemas/bot.ts';
import { BOT_TYPES, BotOptions, BotType, StopCommand, schemaOf } from '../../schemas/bots/index.ts';
import { IntradayStopRule, StopRule } from '../../schemas/bots/stop.ts';
import { ErrorMeta, Meta, WriteMeta } from '../../schemas/envelope.ts';
import {
  Bracket,
  ConvertDust,
  Dust,
  DustConverted,
  LeverageItem,
  MarginModeAnswer,
  Position,
  SetHedgeMode,
  SetLeverage,
  SetMarginMode,
  SetMarginType,
} from '../../schemas/futures.ts';
import {
  CreateOrder,
  Decimal,
  DecimalText,
  MarginType,
  Order,
  OrderStatus,
  OrderType,
  PositionSide,
  Side,
  SplitOrder,
  Trade,
} from '../../schemas/order.ts';
import {
  Balance,
  ExchangeEntry,
  LegacyPing,
  Pong,
  Portfolio,
  ServerStatus,
  ServerTime,
  ServerVersion,
} from '../../schemas/portfolio.ts';
import type { RefusalStatus } from '../route-table.ts';
import { Components, type JsonObject, mapValues } from './schema-document.ts';

export const COMPONENTS = new Components([
  ...BOT_TYPES.map(schemaOf),
  Balance,
  BatchResult,
  BotBatch,
  BotMessage,
  BotOptions,
  BotStats,
  BotStatus,
  BotType,
  Bracket,
  ConvertDust,
  CreateBot,
  CreateOrder,
  Decimal,
  DecimalText,
  DeletedBot,
  Dust,
  DustConverted,
  ExchangeEntry,
  IntradayStopRule,
  LegacyPing,
  LeverageItem,
  MarginModeAnswer,
  MarginType,
  Meta,
  Order,
  OrderStatus,
  OrderType,
  PatchBot,
  PatchedBot,
  Pong,
  Portfolio,
  Position,
  PositionSide,
  PublicBot,
  RunBatch,
  ServerStatus,
  ServerTime,
  ServerVersion,
  SetHedgeMode,
  SetLeverage,
  SetMarginMode,
  SetMarginType,
  Side,
  SplitOrder,
  StartedRun,
  StopCommand,
  StoppedRun,
  StopRule,
  Trade,
  WriteMeta,
]);

/** What each code means, in the words of the specification, "Errors". */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_REQUEST:
    'malformed request, missing or invalid parameter, unreadable body; also what the exchange rejects',
  UNAUTHORIZED: 'headers missing or malformed, or a signature that was used before',
  INVALID_KEY: 'public key unknown, revoked or unfit',
  INVALID_SIGNATURE: 'signature does not match the request',
  TIMESTAMP_EXPIRED: 'outside the 5 s on either side of the time of the service',
  TIMESTAMP_INVALID: 'timestamp is no number',
  FORBIDDEN: "the key's tier does not allow this",
  IP_NOT_WHITELISTED: "caller's address outside the key's list",
  EXCHANGE_NOT_ALLOWED: 'exchange account outside those the key may touch',
  NOT_FOUND: 'no such thing',
  CONFLICT: 'conflicts with the current state',
  IDEMPOTENCY_CONFLICT: 'idempotency key used with other parameters, or the original is still processing',
  PAYLOAD_TOO_LARGE: 'body over 100 KB (102,400 bytes)',
  VALIDATION_ERROR: 'a service behind this one rejected the request as invalid (rare)',
  RATE_LIMITED: 'too many requests; `Retry-After` says when to come back',
  INTERNAL_ERROR: 'unexpected error; also a feature that the exchange account lacks',
  RISK_SHIELD_ERROR: "the key's shield could not be evaluated; nothing was done",
  UNKNOWN_ERROR: 'an exchange failed in a way that nobody knows',
  SERVICE_UNAVAILABLE: 'maintenance or overload; try again',
};

const RESPONSE_NAMES: Readonly<Record<RefusalStatus, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  422: 'Unprocessable',
  429: 'RateLimited',
  500: 'InternalError',
  503: 'Unavailable',
};

/** Refusals that are kept under an idempotency key (D14). */
const STORED: ReadonlySet<RefusalStatus> = new Set([400, 404, 409, 422]);

const CODES = Object.keys(HTTP_STATUS) as ErrorCode[];

/** The reference `#/components/responses/...` for a status. */
export function refusalReference(status: RefusalStatus): JsonObject {
  return { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` };
}

const HEADERS = {
  'X-RateLimit-Limit': ['Requests allowed in the window that counted this one.', 'integer'],
  'X-RateLimit-Remaining': ['How many of them are left.', 'integer'],
  'X-RateLimit-Reset': ['When the oldest counted request leaves the window, Unix seconds.', 'integer'],
  'Retry-After': [
    'Whole seconds until a request has a place again (429), or until an account may take an entry again (503, where that can be told).',
    'integer',
  ],
  'X-Idempotent-Replayed': [
    '`true` on the stored answer to a request that was carried out before under the same idempotency key.',
    'string',
  ],
} as const;

type HeaderName = keyof typeof HEADERS;

const RATE_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** Headers of an answer: always the state of the limit, then the named ones. */
export function headersWith(...more: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(
    [...RATE_HEADERS, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export const IDEMPOTENCY_PARAMETER: JsonObject = { $ref: '#/components/parameters/IdempotencyKey' };

/** The security requirement of signed operations. */
export const SIGNED: JsonObject = { key: [], signature: [], timestamp: [] };

export function components(): JsonObject {
  return {
    schemas: { ...COMPONENTS.all(), Error: errorSchema() },
    responses: Object.fromEntries(
      (Object.keys(RESPONSE_NAMES).map(Number) as RefusalStatus[]).map((status) => [
        RESPONSE_NAMES[status],
        refusal(status),
      ]),
    ),
    headers: mapValues(HEADERS, ([description, type]) => ({ description, schema: { type } })),
    parameters: {
      IdempotencyKey: {
        name: 'X-Idempotency-Key',
        in: 'header',
        description:
          'A UUID made by the client. The same request with the same key is carried out once and answered with the same bytes for an hour (not after 5xx). Recommended above all for placing and cancelling orders.',
        schema: { type: 'string', format: 'uuid' },
      },
    },
    securitySchemes: {
      key: signatureHeader(
        'X-SVC-KEY',
        'The Ed25519 public key, which is also its id: 32 bytes in Base64url, exactly 43 characters, no padding.',
      ),
      signature: signatureHeader(
        'X-SVC-SIGN',
        'Ed25519 signature, Base64url without padding, of `timestamp + METHOD + path + body` without separators: the path from `/v2` on with its query exactly as sent, the body exactly as sent (nothing when there is none).',
      ),
      timestamp: signatureHeader(
        'X-SVC-TIMESTAMP',
        "Unix time in milliseconds, within 5,000 ms of the service's. Every attempt is signed anew with a fresh one: a signature counts once.",
      ),
    },
  };
}

function signatureHeader(name: string, description: string): JsonObject {
  return { type: 'apiKey', in: 'header', name, description };
}

function refusal(status: RefusalStatus): JsonObject {
  const codes = CODES.filter((code) => HTTP_STATUS[code] === status);
  return {
    description: codes.map((code) => `${code}: ${MEANINGS[code]}.`).join('\n'),
    headers: headersWith(
      ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ...(STORED.has(status) ? (['X-Idempotent-Replayed'] as const) : []),
    ),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

function errorSchema(): JsonObject {
  return {
    type: 'object',
    description:
      '`code` is stable; `status` is the HTTP status; `message` says in English what was wrong and what would be right, and may change.',
    required: ['error', 'meta'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'status', 'message'],
        properties: {
          code: { type: 'string', enum: CODES },
          status: { type: 'integer' },
          message: { type: 'string' },
        },
      },
      meta: COMPONENTS.schema(ErrorMeta),
    },
  };
}
