import type { Kind } from './kinds.ts';

/** Ends the start with one line that explains what is wrong with the configuration. */
export class SettingsError extends Error {}

export interface SettingDeclaration<Value = unknown> {
  kind: Kind<Value>;
  /** As an operator writes it; undefined: no default. */
  default?: string;
  /** One or two sentences for docs/reference/settings.md. */
  description: string;
  /** Never shown in a message or a log. */
  secret?: boolean;
}

/** Settings by their dotted names. */
export type SettingDeclarations = Readonly<Record<string, SettingDeclaration>>;

/** Declares a setting. Its key in the declarations is its name (docs/decisions/embedded-postgresql-and-start.md). */
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
