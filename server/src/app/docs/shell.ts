import { escaped } from '../../platform/http/html.ts';

export interface NavEntry {
  href: string;
  title: string;
}

export interface NavGroup {
  title: string;
  entries: readonly NavEntry[];
}

/**
 * The frame of every page of the documentation. `assets` are the paths of the style and the script, `basePath` is the path that
 * every link begins with.
 */
export function shell(
  title: string,
  main: string,
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
<link rel="stylesheet" href="${basePath}${assets.style}">
<script src="${basePath}${assets.script}" defer></script>
</head>
<body data-base-path="${basePath}">
<a class="skip" href="#main">Skip to the content</a>
<header><a href="${basePath}/docs">Florin</a> <a href="${basePath}/openapi.json">openapi.json</a>
<form action="${basePath}/docs/search" role="search" aria-label="All pages">
<input type="search" name="q" value="${escaped(query)}" maxlength="200" aria-label="Find in all pages" placeholder="Find in all pages">
<button>Find</button>
</form></header>
<nav aria-label="Documentation">
${nav.map((group) => navGroup(group, current, basePath)).join('\n')}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`;
}

function navGroup({ title, entries }: NavGroup, current: string, basePath: string): string {
  const links = entries.map(({ href, title }) => {
    return `<li><a href="${escaped(basePath + href)}"${href === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
  });
  return `<h2>${escaped(title)}</h2>\n<ul>${links.join('')}</ul>`;
}
