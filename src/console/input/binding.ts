/** What a line of the console's tables of keys is, where it holds, and what a table says of its scopes. Types only. */

import type { Role } from '../../domain/operator.ts';

/** `local`: an owner at a terminal of the desk's own machine. */
export type Needed = Role | 'local';

export interface Binding {
  /** Stable id; users bind by it (`[keys]` in config.toml). */
  readonly command: string;
  /** None: only the palette has it. */
  readonly keys: readonly string[];
  readonly label: string;
  /** Where it holds: everywhere, on a screen, in a kind of dialog. */
  readonly scope: string;
  /** Opens a way to lose money or access: always through a dialog. */
  readonly dangerous?: boolean;
  /** Changes the desk at once, so the palette's Enter must not run it. */
  readonly acts?: boolean;
  /** The role that the desk asks for. @default viewer; operator where it is dangerous or acts */
  readonly needs?: Needed;
  /** Shown in the footer, smaller first. */
  readonly footer?: number;
  /** The keys it has by itself, where the user has given it others. */
  readonly usual?: readonly string[];
}

/** The keys of a feature. `h j k l g G` never name a command. Enter never places, cancels, revokes or starts. */
export interface KeyTable {
  readonly bindings: readonly Binding[];
  /** Scopes of screens and of the views in their place: keys that move in lists hold there, too. */
  readonly screens?: readonly string[];
  /** Scopes that are in force while a text is typed: characters and arrows are the text's own. */
  readonly texts?: readonly string[];
  /** Scopes with a meaning of their own for ctrl-c. */
  readonly apart?: readonly string[];
  /** The sections of docs/keys.md. */
  readonly parts: readonly { readonly title: string; readonly scopes: readonly string[] }[];
}

/** The tables by feature; each adds its own (`declare module`). */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface KeyTables {}

type Row = KeyTables[keyof KeyTables]['bindings'][number];

export type CommandId = Row['command'];
export type Scope = Row['scope'];
export type BoundBinding = Omit<Binding, 'command' | 'scope'> & {
  readonly command: CommandId;
  readonly scope: Scope;
};

/** What all tables together are. */
export interface Keys {
  readonly bindings: readonly BoundBinding[];
  readonly screens: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
  readonly apart: ReadonlySet<string>;
  readonly parts: KeyTable['parts'];
}
