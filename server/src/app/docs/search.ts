import type { Steps } from '../../platform/concurrency/in-pieces.ts';
import { type Html, html, joined } from '../../platform/http/html.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { anchorOf } from './markdown.ts';
import type { Page } from './pages.ts';

/** A heading with the text below it, or an operation of the API. */
interface Section {
  href: string;
  /** The title of the page, and the heading if it is another. */
  heading: string;
  text: string;
  /** The searched texts, in lower case. */
  headingWords: string;
  textWords: string;
}

interface Found {
  href: string;
  heading: string;
  excerpt: string;
}

const maximumFound = 30;
const maximumWords = 8;
const excerptLength = 200;

/** Finds sections of all pages that contain every word of a query. */
export class DocSearch {
  readonly #sections: readonly Section[];

  private constructor(sections: readonly Section[]) {
    this.#sections = sections;
  }

  /** Reads the text of all pages, with a step for each. */
  static *of(pages: readonly Page[], document: OpenApiDocument): Steps<DocSearch> {
    const sections = operationsOf(document);
    for (const page of pages) {
      yield;
      sections.push(...sectionsOf(page));
    }
    return new DocSearch(sections);
  }

  /**
   * At most 30, the best first: words in headings count more than words in the text, whole words more than beginnings.
   */
  find(query: string): Found[] {
    const words = [
      ...new Set(
        query
          .toLowerCase()
          .split(/\s+/)
          .filter((word) => word.length > 1),
      ),
    ].slice(0, maximumWords);
    if (words.length === 0) return [];
    return this.#sections
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, maximumFound)
      .map(({ section: { href, heading, text, textWords } }) => {
        const at = Math.max(0, ...words.map((word) => textWords.indexOf(word)));
        const from = at < excerptLength / 2 ? 0 : text.indexOf(' ', at - excerptLength / 2) + 1;
        const cut = text.slice(from, from + excerptLength);
        return {
          href,
          heading,
          excerpt: `${from > 0 ? '… ' : ''}${cut}${text.length > from + excerptLength ? ' …' : ''}`,
        };
      });
  }
}

/** 0 unless every word is there. */
function scoreOf({ headingWords, textWords }: Section, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inHeading = headingWords.includes(word);
    const inText = textWords.includes(word);
    if (!inHeading && !inText) return 0;
    score += (inHeading ? 10 : 1) * (hasWhole(inHeading ? headingWords : textWords, word) ? 2 : 1);
  }
  return score;
}

function hasWhole(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + word.length] ?? '')) return true;
  }
  return false;
}

function sectionsOf({ path, title, markdown }: Page): Section[] {
  let isCode = false;
  let heading = title;
  let anchor = '';
  let lines: string[] = [];
  const sections: Section[] = [];
  const end = () => {
    const href = `/docs/${path}${anchor === '' ? '' : `#${anchor}`}`;
    sections.push(section(href, heading === title ? title : `${title}: ${heading}`, plainText(lines.join(' '))));
    lines = [];
  };
  for (const line of markdown().split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode;
      continue;
    }
    const found = isCode ? null : /^#{2,4} (.+)$/.exec(line);
    if (found === null) {
      if (!line.startsWith('# ') && !line.startsWith('<!--')) lines.push(line);
      continue;
    }
    end();
    heading = plainText(found[1] ?? '');
    anchor = anchorOf(heading);
  }
  end();
  return sections;
}

function operationsOf({ paths }: OpenApiDocument): Section[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description = '' } = operation as unknown as Record<string, string>;
      const name = `${method.toUpperCase()} ${path}`;
      return section(`/docs#${operationId}`, `${summary}: ${name}`, plainText(`${operationId} ${description}`));
    }),
  );
}

function section(href: string, heading: string, text: string): Section {
  return { href, heading, text, headingWords: heading.toLowerCase(), textWords: text.toLowerCase() };
}

const plainText = (markdown: string) =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|[`|]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The page with the results of a search. */
export function searchPage(query: string, found: readonly Found[], basePath: string): Html {
  const items = found.map(
    ({ href, heading, excerpt }) => html`<li><a href="${basePath + href}">${heading}</a><p>${excerpt}</p></li>`,
  );
  const count =
    query === '' ? 'Type what you look for.' : found.length === 0 ? 'Nothing found.' : `${found.length} found.`;
  return html`<h1>Search</h1>
<p role="status">${query === '' ? count : `${count} “${query}”`}</p>
<ol class="found">${joined(items, '\n')}</ol>`;
}
