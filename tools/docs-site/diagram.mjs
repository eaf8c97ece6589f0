import { Graph, layout } from '@dagrejs/dagre';

const characterPx = 7.2;
const lineHeightPx = 18;
const longestLine = 24;

/**
 * A state diagram of Mermaid as SVG, drawn when the pages are built: Mermaid itself draws in the reader's browser, with
 * styles that the content policy forbids. Takes lines such as `A --> B: label`; `[*]` is the beginning or the end.
 */
export function diagramOf(text) {
  const edges = [...text.matchAll(/^ *(\S+) --> (\S+?)(?:: (.+))?$/gm)].map(([, from, to, label = '']) => ({
    from: from === '[*]' ? 'begin' : from,
    to: to === '[*]' ? 'end' : to,
    lines: linesOf(label.replaceAll('`', '')),
  }));
  const graph = laidOut(edges);
  const { width, height } = graph.graph();
  const described = edges.map(
    ({ from, to, lines }) => `${from} to ${to}${lines.length > 0 ? `: ${lines.join(' ')}` : ''}`,
  );
  const [wide, high] = [round(width), round(height)];
  return `<figure class="diagram" tabindex="0"><svg viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}"
 role="img" aria-label="${escaped(`States: ${described.join('; ')}.`)}">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"
 orient="auto-start-reverse"><path class="arrow" d="M0 0 8 4 0 8z"/></marker></defs>
${graph
  .edges()
  .map((edge) => edgeOf(graph.edge(edge)))
  .join('\n')}
${graph
  .nodes()
  .map((name) => nodeOf(name, graph.node(name)))
  .join('\n')}
</svg></figure>\n`;
}

function laidOut(edges) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of new Set(edges.flatMap(({ from, to }) => [from, to]))) {
    const isMark = name === 'begin' || name === 'end';
    graph.setNode(name, isMark ? { width: 16, height: 16 } : { width: name.length * 8.5 + 28, height: 34 });
  }
  for (const [index, { from, to, lines }] of edges.entries()) {
    const width = Math.max(0, ...lines.map((line) => line.length)) * characterPx + (lines.length > 0 ? 8 : 0);
    graph.setEdge(from, to, { lines, width, height: lines.length * lineHeightPx, labelpos: 'c' }, String(index));
  }
  layout(graph);
  return graph;
}

function edgeOf({ points, lines, x, y, width, height }) {
  const [first, ...rest] = points.map((point) => `${round(point.x)} ${round(point.y)}`);
  const path = `<path class="edge" d="M${first} L${rest.join(' L')}" marker-end="url(#arrow)"/>`;
  if (lines.length === 0) return path;
  const top = y - height / 2 + lineHeightPx * 0.72;
  const texts = lines.map(
    (line, index) =>
      `<text class="label" x="${round(x)}" y="${round(top + index * lineHeightPx)}">${escaped(line)}</text>`,
  );
  return [path, box('ground', { x, y, width, height }), ...texts].join('\n');
}

function nodeOf(name, place) {
  const { x, y } = place;
  const circle = (look, radius) => `<circle class="${look}" cx="${round(x)}" cy="${round(y)}" r="${radius}"/>`;
  if (name === 'begin') return circle('mark', 7);
  if (name === 'end') return circle('ring', 8) + circle('mark', 4);
  return `${box('state', place)}
<text class="name" x="${round(x)}" y="${round(y + 5)}">${escaped(name)}</text>`;
}

function box(look, { x, y, width, height }) {
  const corner = `x="${round(x - width / 2)}" y="${round(y - height / 2)}"`;
  return `<rect class="${look}" ${corner} width="${round(width)}" height="${round(height)}" rx="8"/>`;
}

function linesOf(label) {
  const lines = [];
  for (const word of label.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= longestLine) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const round = (value) => Math.round(value * 10) / 10;

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
