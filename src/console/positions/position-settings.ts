/** The settings that the Positions screen changes, and the words of their confirmations. Pure. */
import type { MarginMode, Setting } from '../../domain/position.ts';
import type { MarginType } from '../../schemas/order.ts';
import type { SettingWords } from './position-confirmations.ts';
import type { PositionForm } from './position-form.ts';
import { MARGIN_MODES, maxLeverage } from './position-orders.ts';

/** The setting of a form, and the words of its confirmation; null for a form that makes an order. */
export function settingOf(form: PositionForm, now: string): { setting: Setting; words: SettingWords } | null {
  const { what, symbol, value, exchange } = form;
  switch (what) {
    case 'leverage': {
      const leverage = Number(value);
      return {
        setting: { kind: 'leverage', symbol, leverage },
        words: {
          title: 'Leverage',
          now: ['leverage', now],
          wanted: `${leverage}x of at most ${maxLeverage(form.brackets) ?? '?'}x`,
          next: 'Margin and liquidation price of the symbol are counted anew; no order is sent.',
          done: `${symbol}: leverage ${leverage}x`,
        },
      };
    }
    case 'marginType':
      return {
        setting: { kind: 'marginType', symbol, marginType: value as MarginType },
        words: {
          title: 'Margin type',
          now: ['margin type', now],
          wanted: value,
          next:
            value === 'ISOLATED'
              ? 'New positions of the symbol risk the margin set aside for them only.'
              : 'New positions of the symbol share the whole margin of the account.',
          done: `${symbol}: margin type ${value}`,
        },
      };
    case 'hedgeMode':
      return {
        setting: { kind: 'hedgeMode', on: value === 'on' },
        words: {
          title: 'Hedge mode',
          now: ['hedge mode', now],
          wanted: value,
          next:
            value === 'on'
              ? 'A long and a short of one symbol can stand side by side; every order names LONG or SHORT.'
              : 'One position a symbol: a sell shrinks a long before it opens a short.',
          done: `${exchange}: hedge mode ${value}`,
        },
      };
    case 'marginMode':
      return {
        setting: { kind: 'marginMode', mode: (MARGIN_MODES.indexOf(value) + 1) as MarginMode },
        words: {
          title: 'Margin mode',
          now: ['margin mode', now],
          wanted: value,
          next: 'What counts as margin of the account changes; no order is sent.',
          done: `${exchange}: margin mode ${value}`,
        },
      };
    default:
      return null;
  }
}
