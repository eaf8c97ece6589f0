import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is `npm run campaigns`. */
    isCampaign: boolean;
  }
}

/**
 * A campaign tries thousands of cases of one guarantee: `test('…', campaign, async () => {…})`. `npm run campaigns`
 * runs these tests alone, with all their cases; other runs try a part, so that what breaks the guarantee is seen at
 * once. It finds them in the files that import this module.
 */
export const campaign = { tags: ['campaign'] };

export const isCampaign = inject('isCampaign');

/** So many generated cases in a campaign, and a fifth of them in other runs. */
export function cases(inCampaign: number): number {
  return isCampaign ? inCampaign : Math.ceil(inCampaign / 5);
}
