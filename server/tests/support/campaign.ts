import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is `npm run campaigns`. */
    isCampaign: boolean;
  }
}

/**
 * A campaign tries thousands of cases of one guarantee. `npm run campaigns` tries all of them; other runs try a part,
 * so that what breaks the guarantee is seen at once. A test file that imports this module belongs to the campaigns.
 */
export const isCampaign = inject('isCampaign');

/** So many generated cases in a campaign, and a fifth of them in other runs. */
export function cases(inCampaign: number): number {
  return isCampaign ? inCampaign : Math.ceil(inCampaign / 5);
}
