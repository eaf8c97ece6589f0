import type { Texts } from './texts.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Each in its own language. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

const signInCatalogues: Record<Language, () => Promise<Partial<Texts>>> = {
  en: async () => (await import('./en/sign-in.ts')).signIn,
  de: async () => (await import('./de/sign-in.ts')).signIn,
};

/** All texts, or only those of the sign-in page, so that it appears at once. */
export function loadTexts(language: Language, isComplete: boolean): Promise<Partial<Texts>> {
  return isComplete ? catalogues[language]() : signInCatalogues[language]();
}
