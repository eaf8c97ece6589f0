import type { Filter } from './filters.ts';

/** The filter by mode; null: both. It does not make a list count as filtered, because most rows pass. */
export const modeFilter = (livemode: string) =>
  ({
    type: 'boolean[]',
    condition: (value: string) => `${livemode} = any (${value})`,
    isMode: true,
  }) as const satisfies Filter;
