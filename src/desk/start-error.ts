/** A start that failed, in one sentence. Exit code 2 when an option was wrong, 1 when the world was. */
export class DeskStartError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2, cause?: unknown) {
    super(message, { cause });
    this.name = 'DeskStartError';
    this.exitCode = exitCode;
  }
}
