import { useRead } from '../../api/hooks.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';

const shownDeliveries = 20;
const height = 16;
const step = 5;

/** Tall bars are green (delivered) or red (failed). Low bars are still open. */
const bars: Readonly<Record<string, { height: number; color: string }>> = {
  SUCCEEDED: { height, color: 'var(--mantine-color-green-6)' },
  FAILED: { height, color: 'var(--mantine-color-red-6)' },
};
const otherBar = { height: height / 2, color: 'var(--mantine-color-gray-5)' };

/** How the last deliveries of an endpoint ended, oldest first. */
export function RecentDeliveries({ endpointId }: { endpointId: number }) {
  const text = useText();
  const numbers = new Intl.NumberFormat(usePreferences().locale);
  const read = useRead('webhooks.deliveries.list', { endpointId, pageSize: shownDeliveries });
  const deliveries = read.data?.data.toReversed() ?? [];
  if (deliveries.length === 0) return '–';
  const ended = deliveries.filter(({ state }) => state in bars);
  const succeeded = ended.filter(({ state }) => state === 'SUCCEEDED').length;
  const label = text('webhooks.recentOf', { n: numbers.format(succeeded), all: numbers.format(ended.length) });
  return (
    <svg role="img" aria-label={label} width={shownDeliveries * step} height={height}>
      <title>{label}</title>
      {deliveries.map(({ id, state }, i) => {
        const bar = bars[state] ?? otherBar;
        return (
          <rect key={id} x={i * step} y={height - bar.height} width={step - 1} height={bar.height} fill={bar.color} />
        );
      })}
    </svg>
  );
}
