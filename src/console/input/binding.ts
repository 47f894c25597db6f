/**
 * An entry of the console's key tables, the scope it works in, and what a table says about its scopes. Types
 * only.
 */

import type { Role } from '../../domain/operator.ts';

/** `local`: an owner at a terminal of the desk's own machine. */
export type Needed = Role | 'local';

export interface Binding {
  /** Stable id; users bind by it (`[keys]` in config.toml). */
  readonly command: string;
  /** Empty: only the palette has it. */
  readonly keys: readonly string[];
  readonly label: string;
  /** Where it works: everywhere, on a screen, in a kind of dialog. */
  readonly scope: string;
  /** Can lead to a loss of money or access: always through a dialog. */
  readonly dangerous?: boolean;
  /** Changes the desk at once, so the palette's Enter must not run it. */
  readonly acts?: boolean;
  /** The role that the desk asks for. @default viewer; operator where it is dangerous or acts */
  readonly needs?: Needed;
  /** Place in the footer, smaller first. */
  readonly footer?: number;
  /** The default keys, where the user has configured others. */
  readonly usual?: readonly string[];
}

/**
 * The keys of a feature. `h j k l g G` never name a command. Enter never places, cancels, revokes or starts
 * anything.
 */
export interface KeyTable {
  readonly bindings: readonly Binding[];
  /** Scopes of screens and of the views in their place: the keys that move in lists work there, too. */
  readonly screens?: readonly string[];
  /** Scopes in force while a text is typed: characters and arrows belong to the text. */
  readonly texts?: readonly string[];
  /** Scopes in which ctrl-c has a meaning of its own. */
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

/** All tables together. */
export interface Keys {
  readonly bindings: readonly BoundBinding[];
  readonly screens: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
  readonly apart: ReadonlySet<string>;
  readonly parts: KeyTable['parts'];
}
