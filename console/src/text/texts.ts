import type { en } from './en.ts';

export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;

/** Replaces names in braces by values. */
export function fillIn(text: string, values: Record<string, string | number> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
