/** Numbers as a person types them: `.5`, `1,000`, `12.50`. Pure. */

const PLAIN = /^(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})$/;
const GROUPED = /^\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?$/;

/** Returns a plain decimal without a sign; null: no number. Commas only between groups of three digits. */
export function readNumber(text: string): string | null {
  const typed = text.trim();
  if (GROUPED.test(typed)) return canonical(typed.replaceAll(',', ''));
  return PLAIN.test(typed) ? canonical(typed) : null;
}

function canonical(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return fraction === '' ? digits : `${digits}.${fraction}`;
}
