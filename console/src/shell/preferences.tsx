import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, languages, loadTexts } from '../text/languages.ts';
import { fillIn, type TextKey, type Texts } from '../text/texts.ts';

/** What a user sets for this browser. None of it is secret. */
interface Preferences {
  language: Language;
  /** The locale of numbers and times, such as `de-CH`; undefined: that of the browser for the language. */
  formats: string | undefined;
  /** An IANA name; undefined: the time zone of the machine. */
  timeZone: string | undefined;
}

interface PreferencesContext {
  preferences: Preferences;
  setPreferences: (changed: Partial<Preferences>) => void;
  /** The locale of numbers and times. */
  locale: string;
  timeZone: string;
  /** Only those of the sign-in page, until `requireAllTexts` was called and has loaded the others. */
  texts: Partial<Texts>;
  hasAllTexts: boolean;
  requireAllTexts: () => void;
}

const storageKey = 'florin.preferences';
const Context = createContext<PreferencesContext | undefined>(undefined);

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [preferences, set] = useState(storedPreferences);
  const [loaded, setLoaded] = useState<{ texts: Partial<Texts>; isComplete: boolean }>();
  const [needsAll, setNeedsAll] = useState(false);
  const { language, formats, timeZone } = preferences;

  useEffect(() => {
    let isCurrent = true;
    document.documentElement.lang = language;
    loadTexts(language, needsAll).then(
      (texts) => isCurrent && setLoaded({ texts, isComplete: needsAll }),
      // An update has removed the files of this build.
      () => location.reload(),
    );
    return () => {
      isCurrent = false;
    };
  }, [language, needsAll]);

  const requireAllTexts = useCallback(() => setNeedsAll(true), []);

  const setPreferences = useCallback((changed: Partial<Preferences>) => {
    set((before) => {
      const after = { ...before, ...changed };
      localStorage.setItem(storageKey, JSON.stringify(after));
      return after;
    });
  }, []);

  const value = useMemo(
    () =>
      loaded && {
        preferences,
        setPreferences,
        locale: formats ?? localeOf(language),
        timeZone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
        texts: loaded.texts,
        hasAllTexts: loaded.isComplete,
        requireAllTexts,
      },
    [preferences, setPreferences, formats, language, timeZone, loaded, requireAllTexts],
  );
  return value && <Context value={value}>{children}</Context>;
}

export function usePreferences(): PreferencesContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('Preferences are used outside their provider.');
  return context;
}

export interface Text {
  (key: TextKey, values?: Record<string, string | number>): string;
  /** The plural form for a number: `payments.arrived.one` or `payments.arrived.other`. */
  count: (key: PluralKey, count: number) => string;
}

type PluralKey = TextKey extends infer Key ? (Key extends `${infer Stem}.other` ? Stem : never) : never;

/** The texts of the chosen language. A state without a text is shown as the API names it. */
export function useText(): Text {
  const { texts, preferences, locale } = usePreferences();
  return useMemo(() => {
    const plurals = new Intl.PluralRules(preferences.language);
    const numbers = new Intl.NumberFormat(locale);
    const text = (key: TextKey, values?: Record<string, string | number>) =>
      fillIn(texts[key] ?? key.slice(key.indexOf('.') + 1), values);
    const count = (key: PluralKey, number: number) => {
      const form = `${key}.${plurals.select(number) === 'one' ? 'one' : 'other'}` as TextKey;
      return text(form, { n: numbers.format(number) });
    };
    return Object.assign(text, { count });
  }, [texts, preferences.language, locale]);
}

function storedPreferences(): Preferences {
  const stored = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>;
  const language = languages.find((one) => one === stored.language) ?? preferredLanguage();
  return { language, formats: stored.formats, timeZone: stored.timeZone };
}

function preferredLanguage(): Language {
  const preferred = navigator.languages.map((one) => one.slice(0, 2));
  return languages.find((one) => one === preferred[0]) ?? 'en';
}

/** The browser's own variant of the language, such as de-CH. */
function localeOf(language: Language): string {
  return navigator.languages.find((one) => one.startsWith(language)) ?? language;
}
