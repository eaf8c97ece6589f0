import 'uplot/dist/uPlot.min.css';
import { csvLine } from '@florin/server/core/csv.ts';
import { ActionIcon, Group, Paper, ScrollArea, Table, Title, Tooltip, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Icon } from '../../ui/icons.tsx';

export interface Series {
  label: string;
  values: readonly (number | null)[];
}

interface ChartProps {
  title: string;
  /** YYYY-MM-DD */
  days: readonly string[];
  series: readonly Series[];
  /** Formats a value. */
  shown: (value: number) => string;
  range?: [number, number];
  controls?: ReactNode;
}

const colors = ['#099268', '#7048e8', '#e8590c', '#1c7ed6', '#d6336c', '#868e96'];
const height = 180;

/** Values by day, as lines, as a table and as CSV. */
export function Chart(props: ChartProps) {
  const { title, days, series, shown, controls } = props;
  const text = useText();
  const [isTable, setIsTable] = useState(false);
  return (
    <Paper withBorder p="md" component="figure" m={0}>
      <Group justify="space-between" wrap="nowrap" mb="xs" mih={40}>
        <Title order={2} size="sm" component="figcaption" lineClamp={2} title={title}>
          {title}
        </Title>
        <Group gap={4} wrap="nowrap">
          {controls}
          <Tooltip label={text(isTable ? 'home.asChart' : 'home.asTable')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={() => setIsTable(!isTable)}
              aria-label={text(isTable ? 'home.asChart' : 'home.asTable')}
            >
              <Icon name={isTable ? 'system' : 'plan'} size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="CSV">
            <ActionIcon
              component="a"
              variant="subtle"
              color="gray"
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(days, series))}`}
              download={`${title}.csv`}
              aria-label={`${title}, CSV`}
            >
              <Icon name="download" size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {isTable ? (
        <ScrollArea h={height} tabIndex={0}>
          <Table fz="xs" verticalSpacing={2}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text('home.day')}</Table.Th>
                {series.map(({ label }) => (
                  <Table.Th key={label} ta="right">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.toReversed().map((day) => (
                <Table.Tr key={day}>
                  <Table.Td>{day}</Table.Td>
                  {series.map(({ label, values }) => (
                    <Table.Td key={label} ta="right">
                      {valueText(values[days.indexOf(day)], shown)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      ) : (
        <Plot {...props} />
      )}
    </Paper>
  );
}

function Plot({ title, days, series, shown, range }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { locale } = usePreferences();
  const ink = useComputedColorScheme('light') === 'dark' ? '#c9c9c9' : '#495057';
  const grid = { stroke: ink, width: 0.15 };

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const dayNames = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: series.length > 1, live: false },
        cursor: { drag: { x: false, y: false } },
        scales: { x: { time: true }, y: range === undefined ? { range: fromZero } : { range: () => range } },
        axes: [
          {
            stroke: ink,
            grid: { show: false },
            ticks: grid,
            space: 70,
            values: (_, times) => times.map((time) => dayNames.format(time * 1_000)),
          },
          {
            stroke: ink,
            grid,
            ticks: grid,
            size: 70,
            values: (_, values) => values.map((value) => compact(value, shown, locale)),
          },
        ],
        series: [
          {},
          ...series.map(({ label, values }, i) => ({
            label,
            stroke: colors[i] ?? ink,
            width: 2,
            spanGaps: true,
            // With fewer points there is hardly a line.
            points: { show: values.filter((value) => value !== null).length < 3 },
            ...(series.length === 1 && { fill: `${colors[0]}22` }),
          })),
        ],
      },
      [days.map((day) => Date.parse(day) / 1_000), ...series.map(({ values }) => [...values])] as UPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  });
  return <div ref={frame} role="img" aria-label={`${title}: ${summaryOf(series, shown)}`} />;
}

const fromZero = (_: UPlot, _min: number, max: number): [number, number] => [0, Math.max(max * 1.1, 1)];

/** Without the currency, which every tick of the axis would repeat. */
function compact(value: number, shown: (value: number) => string, locale: string): string {
  return value >= 10_000
    ? new Intl.NumberFormat(locale, { notation: 'compact' }).format(value)
    : shown(value).replace(/^[A-Z]{3}\s|\s[A-Z]{3}$/, '');
}

function summaryOf(series: readonly Series[], shown: (value: number) => string): string {
  return series.map(({ label, values }) => `${label} ${valueText(values.at(-1), shown)}`).join(', ');
}

function valueText(value: number | null | undefined, shown: (value: number) => string): string {
  return value === null || value === undefined ? '–' : shown(value);
}

function csvOf(days: readonly string[], series: readonly Series[]): string {
  const rows = days.map((day, i) => [day, ...series.map(({ values }) => values[i])]);
  return [['day', ...series.map(({ label }) => label)], ...rows].map((line) => csvLine(line)).join('');
}
