/** Asks an exchange for a setting of an account or a conversion, by the port's call for it. */
import { assertNever } from '../../domain/errors.ts';
import type { Setting, SettingOutcome } from '../../domain/position.ts';
import type { Venue } from '../../venues/venue.ts';

/** Makes the setting. Settings that the account does not have were refused before. */
export async function makeSetting(venue: Venue, setting: Setting): Promise<SettingOutcome> {
  const { futures, conversion } = venue;
  const missing = {
    kind: 'rejected',
    code: 'UNSUPPORTED',
    message: `${venue.account.id} has no such setting`,
  } as const;
  switch (setting.kind) {
    case 'leverage': {
      if (!futures) return missing;
      const { symbol, leverage, marginType, side } = setting;
      if (marginType !== undefined) {
        const outcome = await futures.setMarginType(symbol, marginType);
        if (outcome.kind !== 'done') return outcome;
      }
      return futures.setLeverage({ symbol, leverage, ...(side === undefined ? {} : { side }) });
    }
    case 'marginType':
      return futures?.setMarginType(setting.symbol, setting.marginType) ?? missing;
    case 'marginMode':
      return futures?.setMarginMode(setting.mode) ?? missing;
    case 'hedgeMode':
      return futures?.setHedgeMode(setting.on) ?? missing;
    case 'dust':
      return conversion?.convert(setting.assets, setting.toAsset) ?? missing;
    default:
      return assertNever(setting);
  }
}
