/**
 * Codes that Unicode has and ISO 3166-1 does not assign: reserved exceptionally (AC, CP, CQ, DG, EA, EU, EZ, IC, TA, UN), for
 * users (QO, XA, XB, XK, ZZ).
 */
const unassigned = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** The codes of ISO 3166-1 alpha-2: what ICU knows, without withdrawn codes and aliases such as UK. */
export const countryCodes: readonly string[] = countriesOfIcu();

function countriesOfIcu(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.of(code) !== undefined && !unassigned.has(code) && isCurrent(code));
}

/** A withdrawn code or an alias has a successor: UK is GB, YU is RS. */
function isCurrent(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}
