import type { Steps } from '../../platform/concurrency/in-pieces.ts';
import { Html, type HtmlPart, html, joined } from '../../platform/http/html.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { htmlOf } from './markdown.ts';
import { codeList, type FieldRow, fieldsOf, resolved, type Schema, schemaLink } from './schema-tables.ts';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Schema;
    example?: unknown;
  }[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema; example?: unknown }> }>;
}

/**
 * The interactive reference: every operation by group, then webhooks and schemas. `basePath` is that of the public
 * address.
 */
export function* referencePage(document: OpenApiDocument, basePath: string): Steps<Html> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { method: method.toUpperCase(), path, operation: operation as unknown as Operation, basePath };
    }),
  );
  const groups = document.tags
    .map((tag) => {
      const [name, description] = [String(tag.name), String(tag.description)];
      return { name, description, own: operations.filter(({ operation }) => operation.tags.includes(name)) };
    })
    .filter(({ own }) => own.length > 0);
  const links = groups.map(({ name }) => html`<li><a href="#${anchor(name)}">${name}</a></li>`);
  const sections: Html[] = [];
  for (const { name, description, own } of groups) {
    const operationsOfGroup: Html[] = [];
    for (const one of own) {
      operationsOfGroup.push(operationHtml(one, document));
      yield;
    }
    sections.push(html`<section data-group>
<h2 id="${anchor(name)}">${name}</h2>
<p>${description}</p>
${lines(operationsOfGroup)}
</section>`);
  }
  const webhooks = yield* webhooksHtml(document);
  const schemas = yield* schemasHtml(document);
  return html`<h1>API reference</h1>
<p>${String(document.info.description)} In a body, <code>null</code> for an optional field means that it is not given;
where its description says so, <code>null</code> clears it in an update.</p>
<form id="tools" role="search">
<label>Search <input id="search" type="search" placeholder="refund, POST /api/…" autocomplete="off"></label>
<label>Key or access token
<input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-note"></label>
<p id="key-note">Used by “Try it”, and kept only while this page is open.
With a test key, examples name records of yours.</p>
<p id="found" role="status"></p>
</form>
<ul class="groups">${lines(links)}
<li><a href="#webhooks">Payloads</a></li><li><a href="#schemas">Schemas</a></li></ul>
${lines(sections)}
${webhooks}
${schemas}`;
}

const lines = (parts: readonly Html[]) => joined(parts, '\n');

const anchor = (text: string) => `group-${text.toLowerCase().replaceAll(' ', '-')}`;

interface Described {
  method: string;
  path: string;
  basePath: string;
  operation: Operation;
}

function operationHtml({ method, path, operation, basePath }: Described, document: OpenApiDocument): Html {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const answer = Object.values(responses['200']?.content ?? {})[0];
  return html`<details id="${operationId}" data-search="${`${method} ${path} ${operationId} ${summary}`.toLowerCase()}">
<summary><h3><span class="method">${method}</span> <code>${path}</code> <span>${summary}</span></h3></summary>
${htmlOf(description)}
${parameters.length > 0 && html`<h4>Parameters</h4>${table(parameters.map(parameterRow))}`}
${body?.schema !== undefined && html`<h4>Body</h4>${table(fieldsOf(body.schema, document))}`}
${sample('Request', body?.example)}
<h4>Answer</h4>
<p>${answerHtml(answer?.schema, document)}</p>
${sample('Answer', answer?.example)}
<h4>Refusals</h4>
${refusals(responses, basePath)}
${tryIt({ method, path, operation })}
</details>`;
}

/** What `data` holds. */
function answerHtml(schema: Schema | undefined, document: OpenApiDocument): Html {
  const data = resolved(schema ?? {}, document).properties?.data;
  if (data === undefined) return html`A document.`;
  return data.type === 'null' ? html`<code>data</code> is null.` : html`<code>data</code>: ${schemaLink(data)}.`;
}

function parameterRow({
  name,
  in: place,
  required,
  description = '',
  schema,
}: NonNullable<Operation['parameters']>[number]): FieldRow {
  return {
    name,
    type: schemaLink(schema),
    required,
    description: [place === 'query' ? '' : `In the ${place}.`, description].join(' '),
  };
}

function table(rows: readonly FieldRow[]): Html {
  const cells = rows.map(
    ({ name, type, required, description }) =>
      html`<tr><th scope="row"><code>${name}</code>${required && html` <small>required</small>`}</th>
<td>${type}</td><td>${inline(description)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Fields"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${cells}</tbody></table></div>`;
}

const inline = (text: string) => new Html(html`${text}`.text.replaceAll(/`([^`]+)`/g, '<code>$1</code>'));

function sample(title: string, example: unknown): HtmlPart {
  if (example === undefined) return undefined;
  return html`<h4>${title} example</h4><pre tabindex="0"><code>${JSON.stringify(example, undefined, 2)}</code></pre>`;
}

function refusals(responses: Operation['responses'], basePath: string): Html {
  const items = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(([status, { description }]) => {
      const links = htmlOf(description, { basePath }).text.replaceAll(/<\/?p>\n?/g, '');
      return html`<li>${status}: ${new Html(links)}</li>`;
    });
  return html`<ul class="refusals">${items}</ul>`;
}

function tryIt({
  method,
  path,
  operation: { operationId, parameters = [], requestBody, security },
}: Omit<Described, 'basePath'>): Html {
  const inputs = parameters.map(({ name, in: place, required, example }) => {
    const value = place === 'header' || !required ? '' : String(example ?? '');
    return html`<label>${name} <input name="${name}" data-in="${place}" value="${value}" autocomplete="off"></label>`;
  });
  const body = Object.values(requestBody?.content ?? {})[0];
  const text = body?.example === undefined ? '' : JSON.stringify(body.example, undefined, 2);
  const bodyInput =
    body !== undefined &&
    html`<label>Body <textarea name="body" rows="8" spellcheck="false">${text}</textarea></label>`;
  const needsKey = security.length > 0 && html` data-key`;
  return html`<form class="try" data-method="${method}" data-path="${path}"${needsKey}>
<h4>Try it</h4>
${lines(inputs)}${bodyInput}
<button>Send ${operationId}</button>
<pre hidden tabindex="0" role="status" aria-label="Answer of ${operationId}"></pre>
</form>`;
}

function* webhooksHtml(document: OpenApiDocument): Steps<Html> {
  const all: Html[] = [];
  for (const [type, webhook] of Object.entries(document.webhooks)) {
    const { description, requestBody } = (webhook as { post: Operation }).post;
    const schema = requestBody?.content['application/json']?.schema ?? {};
    all.push(html`<details id="event-${type}" data-search="${type} webhook event">
<summary><h3><code>${type}</code></h3></summary>
${htmlOf(description ?? '')}${table(fieldsOf(schema, document))}</details>`);
    yield;
  }
  return html`<section data-group><h2 id="webhooks">Webhooks</h2>
<p>What is posted to webhook endpoints.</p>
${lines(all)}</section>`;
}

function* schemasHtml(document: OpenApiDocument): Steps<Html> {
  const payloads = JSON.stringify(document.webhooks);
  const all: Html[] = [];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (name.endsWith('Response') || payloads.includes(`/${name}"`)) continue;
    const { enum: listed, description = '' } = schema as Schema;
    const rows = fieldsOf(schema as Schema, document);
    const fields = rows.length === 0 ? html`<p>${inline(description)}</p>` : table(rows);
    all.push(html`<details id="schema-${name}" data-search="${name.toLowerCase()} schema">
<summary><h3>${name}</h3></summary>
${listed === undefined ? fields : html`<p>One of ${codeList(listed)}.</p>`}</details>`);
    yield;
  }
  return html`<section data-group><h2 id="schemas">Schemas</h2>
<p>The records and inputs by name.</p>
${lines(all)}</section>`;
}
