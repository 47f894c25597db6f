/** The dialog of the Portfolio screen. */
import { reviewDust, toggleDust } from '../commands/portfolio.ts';
import { DustFormView } from '../dialogs/DustFormView.tsx';
import type { FormKind } from '../forms/form.ts';
import { type DustForm, dustFields } from '../model/account-forms.ts';

export const DUST_FORM: FormKind<DustForm> = {
  kind: 'dust-form',
  View: DustFormView,
  confirmed: true,
  fields: dustFields,
  choose: toggleDust,
  review: reviewDust,
};
