export interface PostalAddress {
  line1?: string | null;
  line2?: string | null;
  postalCode?: string | null;
  city?: string | null;
  state?: string | null;
  /** ISO 3166-1; two letters are shown as a name. */
  country?: string | null;
}

/**
 * The lines of an address, with the country's name in the language. With a state, the postal code follows it, as in the
 * countries that have states; otherwise it precedes the city.
 */
export function addressLines(address: PostalAddress | null | undefined, language: string): string[] {
  const { line1, line2, postalCode, city, state, country } = address ?? {};
  const cityLine = state ? [[city, state].filter(Boolean).join(', '), postalCode] : [postalCode, city];
  const lines = [line1, line2, cityLine.filter(Boolean).join(' '), country && countryOf(country, language)];
  return lines.filter((line): line is string => !!line);
}

/** DE → Germany; a code of three letters stays as it is. */
function countryOf(code: string, language: string): string {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  return /^[A-Za-z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
