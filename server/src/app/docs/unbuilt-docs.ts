import { html, joined } from '../../platform/http/html.ts';
import type { BuildState } from '../http/built-files.ts';
import { sentenceOf } from '../http/unbuilt.ts';
import { headingsOf } from './anchors.ts';
import { grouped, type Page } from './pages.ts';

/** What stands in for a page until it is built: the same as text, with its anchors. */
export function textOf(page: Page, state: BuildState, basePath: string) {
  const lines = page.markdown().split('\n');
  const headings = headingsOf(lines);
  const parts = lines.map((line, index) => {
    const anchor = headings.get(index);
    return anchor === undefined ? html`${line}` : html`<b id="${anchor}">${line}</b>`;
  });
  return html`<h1>${page.title}</h1>
<p role="status">${sentenceOf('The documentation', state)}</p>
<p>This is its text: <a href="${basePath}/docs/${page.path}.md">${page.path}.md</a>. There are
<a href="${basePath}/docs">more pages</a>.</p>
<pre tabindex="0">${joined(parts, '\n')}</pre>`;
}

/** What stands in for the first page until it is built. */
export function indexOf(pages: readonly Page[], state: BuildState, basePath: string) {
  const groups = grouped(pages).map(
    ({ title, pages: own }) => html`<h2>${title}</h2>
<ul>${own.map((page) => html`<li><a href="${basePath}/docs/${page.path}.md">${page.title}</a></li>\n`)}</ul>`,
  );
  return html`<h1>Florin</h1>
<p role="status">${sentenceOf('The documentation', state)}</p>
<p>Its pages are here as Markdown:</p>
${joined(groups, '\n')}`;
}
