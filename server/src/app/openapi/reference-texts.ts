import { readdirSync, readFileSync } from 'node:fs';

/** What is written by hand about a group of the API. */
export interface GroupText {
  /** Markdown about the group and its records. */
  text: string;
  /** By operation, such as `POST /api/refund/create`. */
  operations: ReadonlyMap<string, OperationText>;
}

export interface OperationText {
  /** Markdown. */
  text: string;
  /** Commands for a shell, which a test runs in the order of the pages, each with the answer that it expects. */
  examples: readonly ShellExample[];
}

export interface ShellExample {
  commands: string;
  answer?: string;
}

const folder = new URL('reference/', import.meta.url);

/** The texts in `reference/`, by the names of their files. Links in them are addresses of the service. */
export function referenceTexts(): ReadonlyMap<string, GroupText> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  return new Map(
    files.map((file) => [file.slice(0, -'.md'.length), parsed(readFileSync(new URL(file, folder), 'utf8'))]),
  );
}

const isOperation = (part: string) => /^## (GET|POST) \//.test(part);

function parsed(markdown: string): GroupText {
  const parts = markdown.split(/^(?=## )/m);
  return {
    text: parts
      .filter((part) => !isOperation(part))
      .map((part) => part.trim())
      .filter(Boolean)
      .join('\n\n'),
    operations: new Map(parts.filter(isOperation).map(operationText)),
  };
}

function operationText(part: string): [string, OperationText] {
  const [heading = '', ...lines] = part.split('\n');
  const rest = lines.join('\n');
  const blocks = rest.matchAll(/^```sh\n([\s\S]*?)^```(?:\n\n^```json\n([\s\S]*?)^```)?/gm);
  const examples = [...blocks].map(([, commands = '', answer]) => ({ commands, ...(answer && { answer }) }));
  return [heading.replace('## ', ''), { text: rest.replaceAll(/^```[\s\S]*?^```$/gm, '').trim(), examples }];
}
