import { escaped } from '../../platform/http/html.ts';

export interface NavEntry {
  href: string;
  title: string;
}

export interface NavGroup {
  title: string;
  entries: readonly NavEntry[];
}

/** The frame of every page of the documentation. `assets` are the addresses of the style and the script. */
export function shell(
  title: string,
  main: string,
  {
    nav,
    current,
    assets,
    query = '',
  }: {
    nav: readonly NavGroup[];
    current: string;
    assets: { style: string; script: string };
    /** What was searched for. */
    query?: string;
  },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Florin</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a href="/docs">Florin</a> <a href="/openapi.json">openapi.json</a>
<form action="/docs/search" role="search" aria-label="All pages">
<input type="search" name="q" value="${escaped(query)}" maxlength="200" aria-label="Find in all pages" placeholder="Find in all pages">
<button>Find</button>
</form></header>
<nav aria-label="Documentation">
${nav.map((group) => navGroup(group, current)).join('\n')}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`;
}

function navGroup({ title, entries }: NavGroup, current: string): string {
  const links = entries.map(({ href, title }) => {
    return `<li><a href="${escaped(href)}"${href === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
  });
  return `<h2>${escaped(title)}</h2>\n<ul>${links.join('')}</ul>`;
}
