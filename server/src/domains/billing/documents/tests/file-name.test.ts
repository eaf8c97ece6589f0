import { expect, test } from 'vitest';
import { attachmentNamed, fileNameOf } from '../print.ts';

test.each([
  ['Quay Shop', 'INV-000001', 'Quay Shop INV-000001.pdf'],
  ['Quay Shop', null, 'Quay Shop draft-7.pdf'],
  ['../a/b\\c: "d"\r\nX-Evil: 1', 'INV-000001', '.. a b c d X-Evil 1 INV-000001.pdf'],
  ['', 'INV-000001', 'INV-000001.pdf'],
  ['東京'.repeat(100), 'INV-000001', `${'東京'.repeat(25)} INV-000001.pdf`],
])('the file of %j and %j is named %j', (seller, number, name) => {
  expect(fileNameOf(seller, { id: 7, number })).toBe(name);
});

test('a name beyond ASCII is sent as RFC 8187 encodes it, with a name for old clients', () => {
  expect(attachmentNamed(`Bäcker's (Süd).pdf`)).toBe(
    `attachment; filename="B_cker's (S_d).pdf"; filename*=UTF-8''B%C3%A4cker%27s%20%28S%C3%BCd%29.pdf`,
  );
  expect(attachmentNamed('東京 🎌.pdf')).toBe(
    `attachment; filename="__ _.pdf"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC%20%F0%9F%8E%8C.pdf`,
  );
});
