import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { freshKeyring, parseKeyring } from './keyring.ts';

const key = () => randomBytes(32).toString('base64');

test('the first key is current, and every key is found', () => {
  const keyring = parseKeyring(`new:${key()}, old:${key()}`);
  expect(keyring.current.id).toBe('new');
  expect(keyring.find('old')?.id).toBe('old');
  expect(keyring.find('other')).toBeUndefined();
});

test('a fresh keyring can be read, and differs each time', () => {
  const [one, two] = [freshKeyring(), freshKeyring()];
  expect(parseKeyring(one).current.id).toMatch(/^[0-9a-f]{8}$/);
  expect(one).not.toBe(two);
});

test('a lost key keeps its name in the list, and opens nothing', () => {
  const keyring = parseKeyring(`new:${key()},old:lost`);
  expect(keyring.isLost('old')).toBe(true);
  expect(keyring.find('old')).toBeUndefined();
  expect(keyring.isLost('new')).toBe(false);
});

const short = randomBytes(31).toString('base64');
test.each([
  ['', 'Key 1 must read id:base64'],
  ['no-colon', 'Key 1 must read id:base64'],
  [`a b:${key()}`, 'Key 1 must read id:base64'],
  [`a:${key()},`, 'Key 2 must read id:base64'],
  [`a:${short}`, 'Key 1 (a) must be 32 bytes in base64'],
  [`a:${'!'.repeat(44)}`, 'Key 1 (a) must be 32 bytes in base64'],
  [`a:${key()},a:${key()}`, 'Two keys have the same id'],
  [`a:${key()},a:lost`, 'Two keys have the same id'],
  [`a:lost,b:${key()}`, 'Key 1 signs and seals, so it cannot be lost'],
])('%j is refused saying what is wrong, without repeating a key', (text, message) => {
  expect(() => parseKeyring(text)).toThrow(message);
  expect(() => parseKeyring(text)).not.toThrow(short);
});

test('a keyring that is logged shows no key', () => {
  const text = freshKeyring();
  const shown = inspect(parseKeyring(text), { depth: 9 }) + JSON.stringify(parseKeyring(text));
  expect(shown).not.toContain(text.split(':')[1]);
});
