/** A terminal's calls about the guards of an account (money-at-risk.md 3). Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { Guards, LossMeter } from '../../domain/guards.ts';
import type { GuardsView } from './account-views.ts';

export interface GuardMethods {
  /** Returns an account's guards and how much of each is used. */
  'guards.read': [{ exchange: string }, Outcome<GuardsView>];
  /** Sets guards. Fields that are left out stay, null switches one off. */
  'guards.set': [{ exchange: string; change: Partial<Guards> }, Outcome<Guards>];
  /** Lifts a reached `dailyLossLimit`: entries go on. */
  'guards.lift': [{ exchange: string }, Outcome<LossMeter>];
}
