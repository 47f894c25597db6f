/** Answers to requests that could not be carried out because of the store. */
import { errorBody } from '../../domain/envelope.ts';
import { HTTP_STATUS, type ServiceError } from '../../domain/errors.ts';
import type { Answer } from '../../engine/step.ts';

export const UNSAVED: ServiceError = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'the request could not be stored and was not carried out; try again',
};

export const UNREAD: ServiceError = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'the order could not be read from the store; try again',
};

/** Returns the answer to a command that never reached the engine. */
export function refusal(error: ServiceError, requestId: string): Answer {
  return {
    status: HTTP_STATUS[error.code],
    body: errorBody(error, requestId),
    replayed: false,
    outcome: { ok: false, error },
  };
}
