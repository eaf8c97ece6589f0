/** Values over time, one panel of the picture. */
export interface Chart {
  title: string;
  /** Second and value. */
  points: [number, number][];
}

interface TimelineOptions {
  seconds: number;
  /** Seconds at which something happened, drawn through all panels. */
  marks: readonly number[];
  marksMean: string;
}

const width = 1000;
const panelHeight = 130;
const left = 60;
const right = 20;
const top = 30;
const gap = 20;

/** An SVG picture of panels over the same seconds, so that causes and effects are in one vertical line. */
export function timelineChart(charts: readonly Chart[], { seconds, marks, marksMean }: TimelineOptions): string {
  const height = top + charts.length * (panelHeight + gap) + gap;
  const x = (second: number) => left + (Math.min(seconds, Math.max(0, second)) / seconds) * (width - left - right);
  const bottom = height - 2 * gap;
  const panels = charts.map(({ title, points }, index) => {
    const base = top + index * (panelHeight + gap) + panelHeight;
    const highest = Math.max(1, ...points.map(([, value]) => value));
    const y = (value: number) => base - (value / highest) * (panelHeight - 20);
    const line = points.map(([second, value]) => `${x(second).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    return [
      `<text x="${left}" y="${base - panelHeight + 12}">${escapeText(title)}</text>`,
      `<text x="${left - 6}" y="${base - panelHeight + 24}" text-anchor="end">${highest.toFixed(0)}</text>`,
      `<path d="M${left} ${base}H${width - right}" stroke="#bbb"/>`,
      `<polyline points="${line}" fill="none" stroke="#0a58ca"/>`,
    ].join('\n');
  });
  const lines = marks.map(
    (second) => `<path d="M${x(second).toFixed(1)} ${top}V${bottom}" stroke="#d63384" opacity="0.4"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Latency and load, second by second</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="16" fill="#d63384">| ${escapeText(marksMean)}</text>
${panels.join('\n')}
${lines.join('\n')}
<text x="${left}" y="${height - 12}">0 s</text>
<text x="${width - right}" y="${height - 12}" text-anchor="end">${seconds} s</text>
</svg>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
