import type { Filter } from './filters.ts';

/** The filter by mode; null: both. It is not among the filters that rows are looked through for: most rows pass. */
export const modeFilter = (livemode: string) =>
  ({
    type: 'boolean[]',
    condition: (value: string) => `${livemode} = any (${value})`,
    isMode: true,
  }) as const satisfies Filter;
