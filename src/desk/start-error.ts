/**
 * A start that failed, in one sentence for a person. `exitCode`: 2 when an option was wrong, 1 for any other
 * reason.
 */
export class DeskStartError extends Error {
  override readonly name = 'DeskStartError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}
