import { Marked } from 'marked';
import { Html, html } from '../../platform/http/html.ts';

/** The address of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/**
 * Markdown of this repository as HTML: headings have anchors, code and tables scroll by keyboard. `pageAt` returns the
 * address of the page that a relative link leads to; a link to anything else that is not served here becomes text.
 * `basePath` is put before links that begin with a slash.
 */
export function htmlOf(
  markdown: string,
  { pageAt, basePath = '' }: { pageAt?: (href: string) => string | undefined; basePath?: string } = {},
): Html {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        const plain = anchorOf(text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''));
        const count = anchors.get(plain) ?? 0;
        anchors.set(plain, count + 1);
        const id = count === 0 ? plain : `${plain}-${count}`;
        return html`<h${depth} id="${id}">${new Html(this.parser.parseInline(tokens))}</h${depth}>\n`.text;
      },
      code({ text, lang }) {
        // The pages load no script that would draw it, and a table of the same follows.
        if (lang === 'mermaid')
          return html`<details><summary>The diagram as text (Mermaid)</summary>
<pre tabindex="0"><code>${text}</code></pre></details>\n`.text;
        return html`<pre tabindex="0"><code>${text}</code></pre>\n`.text;
      },
      link({ href, tokens }) {
        const isWhole = /^([a-z]+:|[/#])/.test(href);
        const target = isWhole ? href.replace(/^\//, `${basePath}/`) : pageAt?.(href);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : html`<a href="${target}">${new Html(text)}</a>`.text;
      },
      html: ({ text }) => (text.startsWith('<!--') ? '' : html`${text}`.text),
    },
  });
  const rendered = (marked.parse(markdown) as string)
    .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
  return new Html(rendered);
}
