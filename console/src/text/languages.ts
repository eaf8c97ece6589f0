import type { Texts } from './texts.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** In their own language. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

export const loadTexts = (language: Language): Promise<Texts> => catalogues[language]();
