import { expect, test } from 'vitest';
import { freshKeyring, parseKeyring } from './keyring.ts';
import { Sealer } from './seal.ts';

const [older, newer] = [freshKeyring(), freshKeyring()];
const sealer = new Sealer(parseKeyring(older));
const here = 'channel/0/5/apiKey';

test('a sealed value opens in its own place, whatever the text', () => {
  for (const plain of ['pk_live_1', '', 'schlüssel 🔑', 'x'.repeat(10_000)]) {
    expect(sealer.open(sealer.seal(plain, here), here)).toBe(plain);
  }
});

test('the sealed bytes neither show the text nor repeat themselves', () => {
  const [one, two] = [sealer.seal('pk_live_1', here), sealer.seal('pk_live_1', here)];
  expect(one.includes('pk_live_1')).toBe(false);
  expect(one.equals(two)).toBe(false);
});

test('a value moved to another row, tenant or field does not open', () => {
  const sealed = sealer.seal('pk_live_1', here);
  for (const elsewhere of ['channel/0/6/apiKey', 'channel/1/5/apiKey', 'channel/0/5/apiSecret']) {
    expect(() => sealer.open(sealed, elsewhere)).toThrow(elsewhere);
  }
});

test('every single changed byte is detected', () => {
  const sealed = sealer.seal('pk_live_1', here);
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] as number) ^ 1;
    expect(() => sealer.open(changed, here)).toThrow(here);
    expect(() => sealer.open(sealed.subarray(0, i), here)).toThrow(here);
  }
});

test('after a rotation the old key still opens and the new one seals; without the old key its values are lost', () => {
  const sealed = sealer.seal('pk_live_1', here);
  const rotated = new Sealer(parseKeyring(`${newer},${older}`));
  expect(rotated.open(sealed, here)).toBe('pk_live_1');
  const alone = new Sealer(parseKeyring(newer));
  expect(alone.open(rotated.seal('pk_live_2', here), here)).toBe('pk_live_2');
  expect(() => alone.open(sealed, here)).toThrow('needs a key that is not in the keyring');
});
