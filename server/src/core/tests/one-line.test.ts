import { expect, test } from 'vitest';
import { asOneLine, oneLinePattern } from '../one-line.ts';

const oneLine = new RegExp(oneLinePattern, 'u');

test.each(['Zoë & Co', '東京 🎌', 'שלום Ltd', 'می‌خواهم', '👩‍👩‍👧', "O'Neill <x>", ' '])('%j is one line', (text) => {
  expect(text).toMatch(oneLine);
  expect(asOneLine(text)).toBe(text.trim());
});

const bidiControls = /\p{Bidi_Control}/u;
const others = /[\p{Cc}\p{Zl}\p{Zp}]/u;

test('control characters, line separators and direction controls are refused, and nothing else', () => {
  for (let code = 0; code < 0x1_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCharCode(code);
    expect([code, oneLine.test(`a${character}b`)]).toEqual([
      code,
      !bidiControls.test(character) && !others.test(character),
    ]);
  }
});

test('what has several lines becomes one', () => {
  expect(asOneLine('Acme\r\n\r\nPay here instead\u2029now\u202e')).toBe('Acme Pay here instead now');
});
