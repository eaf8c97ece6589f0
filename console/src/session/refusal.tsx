import { lazy, Suspense } from 'react';

const RefusalText = lazy(async () => ({ default: (await import('../ui/refusals/refusal-text.tsx')).RefusalText }));

/** Why something was refused, before the console itself is loaded: its words come with the first refusal. */
export function Refusal({ error }: { error: Error }) {
  return (
    <Suspense fallback={null}>
      <RefusalText error={error} />
    </Suspense>
  );
}
