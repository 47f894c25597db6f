/** What a line of the console's table of keys is (`bindings.ts`), and where it holds. Types only. */

export type Scope =
  | 'always'
  | 'global'
  | 'list'
  | 'overview'
  | 'orders'
  | 'trades'
  | 'bots'
  | 'portfolio'
  | 'positions'
  | 'detail'
  | 'chart'
  | 'keys'
  | 'accounts'
  | 'alerts'
  | 'log'
  | 'filter'
  | 'form'
  | 'choice'
  | 'new-bot'
  | 'bot-type'
  | 'editor'
  | 'editor-choice'
  | 'editor-live'
  | 'area'
  | 'confirm'
  | 'word'
  | 'worded'
  | 'bulk'
  | 'notice'
  | 'about'
  | 'about-bot'
  | 'about-key'
  | 'panic'
  | 'panic-failed'
  | 'mute'
  | 'palette'
  | 'help'
  | 'quit'
  | 'opening'
  | 'lost'
  | 'small';

export interface Binding {
  /** Stable id; users bind by it (`[keys]` in config.toml). */
  readonly command: string;
  /** None: only the palette has it. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly scope: Scope;
  /** Opens a way to lose money or access: always through a dialog. */
  readonly dangerous?: boolean;
  /** Changes the desk at once, so the palette's Enter must not run it. */
  readonly acts?: boolean;
  /** Shown in the footer, smaller first. */
  readonly footer?: number;
}
