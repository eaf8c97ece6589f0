import { hash, randomInt } from 'node:crypto';
import { randomText } from '../../../platform/crypto/random-text.ts';

/** Consonants that are easy to tell apart and spell no words (RFC 8628, 6.1): 2.6 · 10^10 codes. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const half = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');

/** What the user types. */
export const generateUserCode = () => `${half()}-${half()}`;

/** 256 bits, known only to the program. */
export const generateDeviceCode = () => randomText(43);

/** Ignores case, spaces and hyphens. */
export const userCodeHash = (userCode: string) => sha256(userCode.toUpperCase().replaceAll(/[^A-Z]/g, ''));

export const deviceCodeHash = (deviceCode: string) => sha256(deviceCode);

const sha256 = (text: string) => hash('sha256', text, 'buffer');
