import { longestInterval } from '@florin/server/domains/billing/plans/rules.ts';
import {
  eventOf,
  hasEnded,
  subscriptionStates,
  transitions,
} from '@florin/server/domains/billing/subscriptions/states.ts';
import { table } from './markdown-table.ts';

/** Generated tables about subscriptions. */
export const subscriptionTables: Record<string, () => string> = {
  'subscription transitions': transitionsTable,
  'subscription diagram': diagram,
  'longest intervals': () =>
    table(
      ['`interval`', '`intervalCount` at most'],
      Object.entries(longestInterval).map(([unit, most]) => [`\`${unit}\``, String(most)]),
    ),
};

const beginnings = [
  { to: 'TRIALING', by: 'create, with a trial' },
  { to: 'ACTIVE', by: 'create' },
] as const;

const statusChanges = subscriptionStates.flatMap((from) =>
  subscriptionStates.flatMap((to) => {
    const by = transitions[from][to];
    return by === undefined ? [] : [{ from, to, by }];
  }),
);

function transitionsTable(): string {
  return table(
    ['From', 'To', 'When', 'Event'],
    [
      ...beginnings.map(({ to, by }) => ['–', `\`${to}\``, by, '`subscription.created`']),
      ...statusChanges.map(({ from, to, by }) => [`\`${from}\``, `\`${to}\``, by, `\`${eventOf(from, to)}\``]),
    ],
  );
}

function diagram(): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...beginnings.map(({ to, by }) => `  [*] --> ${to}: ${by}`),
    ...statusChanges.map(({ from, to, by }) => `  ${from} --> ${to}: ${by}`),
    ...subscriptionStates.filter(hasEnded).map((end) => `  ${end} --> [*]`),
    '```',
  ].join('\n');
}
