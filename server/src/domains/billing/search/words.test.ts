import { expect, test } from 'vitest';
import { normalized, readingsOfQuery, type SearchedText, tokensOf, wordsOf } from './words.ts';

const space = { tenantId: 1, livemode: true, kind: 'payment' } as const;
const record = {
  texts: ['Order 4711 for Jürgen Müller', 'mueller@example.com', 'Иванов Пётр', '日本商事', 'naïve_100%'],
  exact: ['19.99', 'USD', 4242, 'pi_3Abc'],
  id: '0191e7a2-0000-7000-8000-00005f3c9d2e',
};

/** What PostgreSQL does: all tokens of a reading, and all of its patterns. */
function finds(query: string, sought: SearchedText = record): boolean {
  const words = wordsOf(sought);
  const tokens = new Set(tokensOf(words, space));
  return readingsOfQuery(query).some(
    ({ keys, patterns, anyOf }) =>
      tokensOf(keys, space).every((token) => tokens.has(token)) &&
      patterns.every((one) => isLike(words, one)) &&
      anyOf.some((one) => isLike(words, one)),
  );
}

function isLike(text: string, pattern: string): boolean {
  const source = pattern.replaceAll(/\\(.)|([%])|([.*+?^${}()|[\]])/g, (_, plain, any, special) =>
    any ? '.*' : `\\${plain ?? special}`,
  );
  return new RegExp(`^${source.replaceAll(String.raw`\_`, '_')}$`, 's').test(text);
}

test.each([
  ...['Müller', 'muller', 'MÜLLER', 'ülle', 'müller jürgen', 'mueller@example.com', 'example'],
  ...['Иванов', 'иван', 'Петр', '日本', '商事', 'or', '4711', '47', 'order 47'],
  ...['19.99', '19,99', '19.99 USD', 'usd 19,99', 'usd', '4242', 'pi_3abc', 'müller 19,99'],
  ...['•••• 4242', 'Visa •••• 4242', '**** 4242', 'xxxx-4242'],
  ...['9d2e', '3c9d2e', '5f3c9d2e', 'txn_…5f3c9d2e', 'txn_0191e7a200007000800000005f3c9d2e', 'ive_100%'],
])('%s finds it', (query) => expect(finds(query)).toBe(true));

test.each([
  ...['Meier', '19.9', '1999', '19.99 EUR', '242', '242 4', 'd2e', '8d2e', 'x', '', 'müller meier', 'e_1001'],
])('%s does not find it', (query) => expect(finds(query)).toBe(false));

test('a token belongs to one tenant, one mode and one kind', () => {
  const words = wordsOf(record);
  const others = [
    { ...space, tenantId: 2 },
    { ...space, livemode: false },
    { ...space, kind: 'invoice' as const },
  ];
  const own = new Set(tokensOf(words, space));
  for (const other of others) expect(tokensOf(words, other).filter((token) => own.has(token))).toEqual([]);
});

test('letters are compared without case, accents and width', () => {
  expect(normalized('ÀÉÎ Straße ŁÓDŹ Ёлка ﬁＡ１')).toBe('aei strasse lodz елка fia1');
});

const amounts: [query: string, currencies: string][] = [
  ['€2,500', 'EUR'],
  ['2.500,00 €', 'EUR'],
  ['£2500', 'GBP EGP'],
  ['¥ 2,500', 'JPY CNY'],
  ['￥2,500', 'JPY CNY'],
  ["CHF 2'500", 'CHF'],
  ["Fr. 2'500", 'CHF'],
  ['2 500 kr', 'DKK ISK NOK SEK'],
  ['2500 zł', 'PLN'],
  ['2500zl', 'PLN'],
  ['₹2,500', 'INR'],
  ['2500 Kč', 'CZK'],
  ['2500 Ft', 'HUF'],
  ['R$ 2.500,00', 'BRL'],
  ['$2,500', 'USD AUD CAD'],
  ['$2,500 CAD', 'CAD'],
  ['US$2500', 'USD'],
  ['2,500', 'USD AUD CAD EUR GBP EGP JPY CNY CHF DKK ISK NOK SEK PLN INR CZK HUF BRL'],
];

test.each(amounts)('%s finds amounts in the currencies that are written so', (query, currencies) => {
  const written = currencies.split(' ');
  const [, all = ''] = amounts.at(-1) ?? [];
  const found = all.split(' ').filter((currency) => finds(query, { texts: ['Table'], exact: ['2500', currency] }));
  expect(new Set(found)).toEqual(new Set(written));
});

test.each(['R2500', 'K2500', 'A-2500', 'x 2500'])('%s is a reference, and no amount', (query) => {
  expect(finds(query, { texts: ['Table'], exact: ['2500', 'ZAR'] })).toBe(false);
  expect(finds(query, { texts: [`Order ${query}`], exact: ['10', 'USD'] })).toBe(true);
});
