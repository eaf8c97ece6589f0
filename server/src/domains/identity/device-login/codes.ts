import { hash, randomInt } from 'node:crypto';
import { randomText } from '../../../platform/crypto/random-text.ts';

/** Consonants that are hard to mistake for one another, and spell no words (RFC 8628, 6.1): 2.6 · 10^10 codes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const half = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');

/** What the user types. */
export const drawUserCode = () => `${half()}-${half()}`;

/** 256 bits, which only the program knows. */
export const drawDeviceCode = () => randomText(43);

/** By what a code is stored: with every spelling of a user code the same. */
export const userCodeHash = (userCode: string) => sha256(userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''));

export const deviceCodeHash = (deviceCode: string) => sha256(deviceCode);

const sha256 = (text: string) => hash('sha256', text, 'buffer');
