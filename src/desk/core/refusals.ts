/** What a request is told that the store kept from being carried out. */
import type { ServiceError } from '../../domain/errors.ts';

export const UNSAVED: ServiceError = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'the request could not be stored and was not carried out; try again',
};

export const UNREAD: ServiceError = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'the order could not be read from the store; try again',
};
