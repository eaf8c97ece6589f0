import { expect, test } from 'vitest';
import { addressLines } from '../address.ts';

test('an address has its postal code before the city, and its country by name', () => {
  const address = { line1: 'Hauptstr. 1', postalCode: '8000', city: 'Zürich', country: 'CH' };
  expect(addressLines(address, 'en')).toEqual(['Hauptstr. 1', '8000 Zürich', 'Switzerland']);
  expect(addressLines(address, 'de')).toEqual(['Hauptstr. 1', '8000 Zürich', 'Schweiz']);
});

test('an address with a state has the postal code behind it', () => {
  const address = { line1: '1 Main St', line2: 'Floor 2', postalCode: '97201', city: 'Portland', state: 'OR' };
  expect(addressLines(address, 'en')).toEqual(['1 Main St', 'Floor 2', 'Portland, OR 97201']);
});

test('no part of an address is needed, and a country that is no code of two letters stays as it is', () => {
  expect(addressLines(null, 'en')).toEqual([]);
  expect(addressLines({ city: 'Bern', country: 'CHE' }, 'en')).toEqual(['Bern', 'CHE']);
  expect(addressLines({ country: '1?' }, 'en')).toEqual(['1?']);
});
