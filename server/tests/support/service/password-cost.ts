import type { PasswordCost } from '../../../src/platform/crypto/passwords.ts';

/** A hash takes 0.2 ms instead of 26. start.process.ts proves that a service of an operator has the full cost. */
export const passwordCost: PasswordCost = { memoryCost: 64, timeCost: 1, parallelism: 1 };
