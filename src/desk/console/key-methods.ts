/** A terminal's calls about the API's keys. Types only. */
import type { AccessKey, KeyProblem, KeySettings } from '../../domain/access-key.ts';
import type { Outcome } from '../../domain/errors.ts';
import type { GeneratedKey, KeyExample, LabReport, LabRequest } from './account-views.ts';

export interface KeyMethods {
  /** Returns all keys of the operator, revoked ones included. */
  'keys.list': [Record<string, never>, readonly AccessKey[]];
  /**
   * Returns everything against a registration; without `publicKey`, against a key made here. Changes nothing.
   */
  'keys.check': [KeySettings & { publicKey?: string }, readonly KeyProblem[]];
  'keys.generate': [KeySettings, Outcome<GeneratedKey>];
  /** `publicKey`: 43 characters or a public-key PEM. */
  'keys.register': [KeySettings & { publicKey: string }, Outcome<AccessKey>];
  'keys.revoke': [{ id: string }, Outcome<{ key: AccessKey; closedSockets: number }>];
  'keys.example': [{ id: string }, KeyExample | null];
  /** Returns the private key of a key made a moment ago, as PEM: once. */
  'keys.reveal': [{ id: string }, Outcome<{ pem: string }>];
  /**
   * Returns which rule of the API refuses a request, and why. Nothing is done, and no signature is used up.
   */
  'keys.explain': [LabRequest, LabReport];
}
