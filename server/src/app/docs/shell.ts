import { type Html, html, joined } from '../../platform/http/html.ts';

export interface NavEntry {
  href: string;
  title: string;
}

export interface NavGroup {
  title: string;
  entries: readonly NavEntry[];
}

/**
 * The frame of every page of the documentation. `assets` are the paths of the style and the script, `basePath` is the
 * path that every link begins with.
 */
export function shell(
  title: string,
  main: Html,
  {
    nav,
    current,
    assets,
    basePath,
    query = '',
  }: {
    nav: readonly NavGroup[];
    current: string;
    assets: { style: string; script: string };
    basePath: string;
    /** The text of a search. */
    query?: string;
  },
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Florin</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}${assets.style}">
<script src="${basePath}${assets.script}" defer></script>
</head>
<body data-base-path="${basePath}">
<a class="skip" href="#main">Skip to the content</a>
<header><a href="${basePath}/docs">Florin</a> <a href="${basePath}/openapi.json">openapi.json</a>
<form action="${basePath}/docs/search" role="search" aria-label="All pages">
<input type="search" name="q" value="${query}" maxlength="200" aria-label="Find in all pages"
placeholder="Find in all pages">
<button>Find</button>
</form></header>
<nav aria-label="Documentation">
${joined(
  nav.map((group) => navGroup(group, current, basePath)),
  '\n',
)}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`;
}

function navGroup({ title, entries }: NavGroup, current: string, basePath: string): Html {
  const links = entries.map(({ href, title }) => {
    return html`<li><a href="${basePath + href}"${href === current && html` aria-current="page"`}>${title}</a></li>`;
  });
  return html`<h2>${title}</h2>\n<ul>${links}</ul>`;
}
