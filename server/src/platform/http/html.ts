/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text is escaped; HTML is not; nothing at all is left out. */
export type HtmlPart = string | number | Html | null | undefined | false | readonly HtmlPart[];

/**
 * A template whose values are escaped unless they are HTML themselves, so that no text of merchants and customers
 * becomes markup: html`<p>${text}</p>`.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  return new Html(literals.reduce((before, literal, i) => before + textOf(values[i - 1]) + literal));
}

/** Parts with text, such as a line break, between them. */
export function joined(parts: readonly HtmlPart[], separator: string): Html {
  return new Html(parts.map(textOf).join(escaped(separator)));
}

function textOf(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escaped(String(part));
}

/** Escapes text for HTML, between tags and in quoted attributes. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
