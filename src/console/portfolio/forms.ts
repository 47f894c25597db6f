/** The dialog of the Portfolio screen. */

import { type DustForm, dustFields } from '../accounts/account-forms.ts';
import type { FormKind } from '../forms/form.ts';
import { reviewDust, toggleDust } from './commands.ts';
import { DustFormView } from './DustFormView.tsx';

export const DUST_FORM: FormKind<DustForm> = {
  kind: 'dust-form',
  View: DustFormView,
  confirmed: true,
  fields: dustFields,
  choose: toggleDust,
  review: reviewDust,
};
