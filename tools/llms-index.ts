import { relative } from 'node:path';
import { llmsTxt } from '@florin/server/app/docs/llms-txt.ts';
import { pages } from '@florin/server/app/docs/pages.ts';
import { groups } from '@florin/server/app/routes.ts';

/** `docs/llms.txt`: the index that every node serves at /llms.txt, with links between files. */
export function llmsIndex(): string {
  return llmsTxt(pages(), groups, { linkOf: ({ file }) => relative('docs', file).replaceAll('\\', '/') });
}
