import { expect, test } from 'vitest';
import { countryCodes } from '../country.ts';

test('countries are the 249 codes that ISO 3166-1 assigns', () => {
  expect(countryCodes.length).toBe(249);
  for (const code of ['US', 'GB', 'CH', 'TW', 'AX', 'BQ', 'SS', 'UM', 'ME']) expect(countryCodes).toContain(code);
});

test.each(['UK', 'XX', 'XK', 'EU', 'SU', 'YU', 'AN', 'ZZ', 'us', 'USA', '', 'U', '00'])('%j is no country', (code) => {
  expect(countryCodes).not.toContain(code);
});
