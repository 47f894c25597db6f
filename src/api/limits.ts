/**
 * Every limit of the HTTP server in one place (S49; borders.md 3). Tests and load benchmarks set others; no
 * limit can be switched off.
 */

/** The limits that can be set; those left out take their default. */
export interface ApiLimits {
  /** Largest request body, bytes (D33). Default 102,400. */
  readonly bodyBytes?: number;
  /** Most headers of one request. Default 64. */
  readonly headerCount?: number;
  /** A whole request must have arrived within this time. Default 15,000 ms. */
  readonly requestTimeoutMs?: number;
  /** The headers of a request must have arrived within this time. Default 10,000 ms. */
  readonly headersTimeoutMs?: number;
  /** The first byte of a connection must have arrived within this time. Default 3,000 ms. */
  readonly firstByteMs?: number;
  /** A TLS handshake must be done within this time. Default 10,000 ms. */
  readonly handshakeTimeoutMs?: number;
  /** An idle connection is closed after this time. Default 30,000 ms. */
  readonly keepAliveMs?: number;
  /** How often the two request timeouts are checked. Default 2,000 ms. */
  readonly checkIntervalMs?: number;
  /**
   * A connection without traffic, even one that waits for an answer, is closed after this time. Default
   * 60,000 ms.
   */
  readonly silentSocketMs?: number;
  /** After this many requests a connection is closed. Default 10,000. */
  readonly requestsPerSocket?: number;
  /**
   * Most open connections, or as many as the limit of open files leaves; more are closed at once. Default
   * 11,000.
   */
  readonly connections?: number;
  /** How long `close()` waits for running requests. Default 5,000 ms. */
  readonly closeGraceMs?: number;
}

export type CompiledApiLimits = Required<ApiLimits>;

/** Most open connections of the API: the specification's 10,000 WebSockets and some requests. */
export const MAX_CONNECTIONS = 11_000;
/**
 * Time in which a connection must send something, ms: a program sends at once, a connection that only holds a
 * place does not.
 */
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
