import type { Kind } from './kinds.ts';

/** Says in one line what is wrong with the configuration, and ends the start. */
export class SettingsError extends Error {}

export interface SettingDeclaration<Value = unknown> {
  kind: Kind<Value>;
  /** As an operator would write it; undefined when the setting has no default. */
  default?: string;
  /** One or two sentences for docs/reference/settings.md. */
  description: string;
  /** Never shown in a message or a log. */
  secret?: boolean;
}

/** Settings by their dotted names. */
export type SettingDeclarations = Readonly<Record<string, SettingDeclaration>>;

/** Declares a setting. Its name is the key under which it stands (decisions, Configuration). */
export function setting<Value>(
  kind: Kind<Value>,
  options: { default: string; description: string; secret?: boolean },
): SettingDeclaration<Value> & { default: string };
export function setting<Value>(
  kind: Kind<Value>,
  options: { description: string; secret?: boolean },
): SettingDeclaration<Value>;
export function setting<Value>(
  kind: Kind<Value>,
  options: Omit<SettingDeclaration<Value>, 'kind'>,
): SettingDeclaration<Value> {
  return { kind, ...options };
}

/** The values of declared settings; those without a default may be undefined. */
export type SettingsOf<Declarations> = {
  readonly [Name in keyof Declarations]: Declarations[Name] extends { kind: Kind<infer Value> }
    ? Declarations[Name] extends { default: string }
      ? Value
      : Value | undefined
    : never;
};
