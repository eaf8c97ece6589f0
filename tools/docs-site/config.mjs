import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { diagramOf } from './diagram.mjs';

const navigation = JSON.parse(readFileSync(new URL('navigation.json', import.meta.url), 'utf8'));
const service = '/__BASE_PATH__';

/** The address of a heading, as GitHub makes it and as the service gives it out. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

export default defineConfig({
  title: 'Florin',
  description: 'A self-hosted payment processing service.',
  lang: 'en',
  base: `${service}/docs/`,
  cleanUrls: true,
  // One script for all pages instead of a copy in each.
  metaChunk: true,
  // Else a style is inserted for the moment of the change, which the content policy forbids.
  appearance: { disableTransition: false },
  // Links are checked by the tests of the pages.
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${service}/favicon.ico` }]],
  markdown: {
    // Of the themes at hand these have enough contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    // Braces in the pages are paths and JSON, and angle brackets are text.
    attrs: { disable: true },
    linkify: false,
    languageAlias: { caddy: 'nginx', console: 'sh' },
    html: true,
    config(md) {
      const link = md.renderer.rules.link_open;
      md.renderer.rules.link_open = (tokens, index, ...rest) => {
        // Not pages of this site: the browser loads them.
        if (String(tokens[index].attrGet('href')).startsWith(`${service}/`)) tokens[index].attrSet('target', '_self');
        return link(tokens, index, ...rest);
      };
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) =>
        tokens[index].info === 'mermaid' ? diagramOf(tokens[index].content) : fence(tokens, index, ...rest);
      // A cell without a text heads nothing.
      md.core.ruler.push('empty-headers', ({ tokens }) => {
        for (const [index, token] of tokens.entries()) {
          if (token.type !== 'th_open' || tokens[index + 1].content !== '') continue;
          token.tag = 'td';
          tokens[index + 2].tag = 'td';
        }
      });
      // Scrolls by keyboard.
      md.renderer.rules.table_open = () => '<table tabindex="0">\n';
    },
  },
  themeConfig: {
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Guides', link: '/guides/payments', activeMatch: '^/guides/' },
      { text: 'API reference', link: '/reference/api', target: '_self' },
    ],
    sidebar: navigation,
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // A page about the word comes before one that mentions it often.
          searchOptions: { combineWith: 'AND', fuzzy: 0.2, prefix: true, boost: { title: 6, titles: 2, text: 1 } },
        },
      },
    },
  },
});
