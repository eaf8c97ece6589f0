import { expect, test } from 'vitest';
import { countryCodes } from '../country.ts';

/**
 * Codes that Unicode has and ISO 3166-1 does not assign: reserved exceptionally (AC, CP, CQ, DG, EA, EU, EZ, IC, TA,
 * UN), for users (QO, XA, XB, XK, ZZ).
 */
const unassigned = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

/** A withdrawn code or an alias has a successor: UK is GB, YU is RS. */
const isCurrent = (code: string) => new Intl.Locale(`und-${code}`).region === code;

test('countries are the 249 codes of ISO 3166-1 that Unicode knows, without withdrawn codes and aliases', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const known = letters.flatMap((first) => letters.map((second) => first + second)).filter((code) => names.of(code));
  expect(countryCodes).toEqual(known.filter((code) => !unassigned.has(code) && isCurrent(code)));
  expect(countryCodes.length).toBe(249);
});

test.each(['UK', 'XX', 'XK', 'EU', 'SU', 'YU', 'AN', 'ZZ', 'us', 'USA', '', 'U', '00'])('%j is no country', (code) => {
  expect(countryCodes).not.toContain(code);
});
