import type { PasswordCost } from '../../platform/crypto/passwords.ts';

/** A hash of these takes 0.2 ms instead of 26; that operators' services take the full cost has its test in start.test.ts. */
export const passwordCost: PasswordCost = { memoryCost: 64, timeCost: 1, parallelism: 1 };
