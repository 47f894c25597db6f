/** Every figure of the HTTP border in one place (S49; borders.md 3). Tests and load benches set others; nothing switches a limit off. */

/** What can be set from outside; everything left out takes its default. */
export interface ApiLimits {
  /** Largest request body, bytes (D33). Default 102,400. */
  readonly bodyBytes?: number;
  /** Most headers of one request. Default 64. */
  readonly headerCount?: number;
  /** A whole request must have arrived within this time. Default 15,000 ms. */
  readonly requestTimeoutMs?: number;
  /** Its headers within this. Default 10,000 ms. */
  readonly headersTimeoutMs?: number;
  /** The first byte of a connection must have arrived within this. Default 3,000 ms. */
  readonly firstByteMs?: number;
  /** A TLS handshake must be done within this. Default 10,000 ms. */
  readonly handshakeTimeoutMs?: number;
  /** An idle connection is closed after this. Default 30,000 ms. */
  readonly keepAliveMs?: number;
  /** How often the two request timeouts are looked at. Default 2,000 ms. */
  readonly checkIntervalMs?: number;
  /** A connection without any traffic, even one whose answer is awaited, is closed after this. Default 60,000 ms. */
  readonly silentSocketMs?: number;
  /** After this many requests a connection is closed. Default 10,000. */
  readonly requestsPerSocket?: number;
  /** Open connections at once, or as many as the limit of open files leaves; more are closed at once. Default 11,000. */
  readonly connections?: number;
  /** How long `close()` waits for running requests. Default 5,000 ms. */
  readonly closeGraceMs?: number;
}

export type CompiledApiLimits = Required<ApiLimits>;

/** Open connections of the API in all: the specification's 10,000 WebSockets and some requests. */
export const MAX_CONNECTIONS = 11_000;
/** Ms within which a connection says something: a program that connects does at once, one that only holds a place does not. */
export const FIRST_BYTE_MS = 3_000;

export function compileApiLimits(limits: ApiLimits): CompiledApiLimits {
  return {
    bodyBytes: limits.bodyBytes ?? 102_400,
    headerCount: limits.headerCount ?? 64,
    requestTimeoutMs: limits.requestTimeoutMs ?? 15_000,
    headersTimeoutMs: limits.headersTimeoutMs ?? 10_000,
    firstByteMs: limits.firstByteMs ?? FIRST_BYTE_MS,
    handshakeTimeoutMs: limits.handshakeTimeoutMs ?? 10_000,
    keepAliveMs: limits.keepAliveMs ?? 30_000,
    checkIntervalMs: limits.checkIntervalMs ?? 2_000,
    silentSocketMs: limits.silentSocketMs ?? 60_000,
    requestsPerSocket: limits.requestsPerSocket ?? 10_000,
    connections: limits.connections ?? MAX_CONNECTIONS,
    closeGraceMs: limits.closeGraceMs ?? 5_000,
  };
}
