// The API reference: Scalar, without what it would ask of other hosts, and with requests that carry a test key alone.
const { basePath } = document.body.dataset;
const place = document.getElementById('reference');

show().catch((error) => {
  place.querySelector('[role=status]')?.prepend(`It could not be shown: ${error.message}. `);
});

async function show() {
  const response = await fetch(`${basePath}/openapi.json`, { credentials: 'omit' });
  if (!response.ok) throw new Error(`the OpenAPI document was answered with ${response.status}`);
  const content = withTestKeyAlone(await response.json());
  openAt(content);
  place.replaceChildren();
  Scalar.createApiReference(place, {
    content,
    customFetch: sendWithTestKey,
    persistAuth: false,
    proxyUrl: '',
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    withDefaultFonts: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    hiddenClients: true,
    documentDownloadType: 'none',
    darkMode: isDark(),
    generateTagSlug: ({ name }) => slugOf(name),
    generateOperationSlug: ({ method, path }) => anchorOf(method, path),
  });
}

/** The document without the credentials that this page does not send: access tokens and the cookie of the console. */
function withTestKeyAlone(content) {
  const { apiKey } = content.components.securitySchemes;
  content.components.securitySchemes = {
    apiKey: { ...apiKey, description: 'A test key, `sk_test_…`. It is forgotten when this page is left or reloaded.' },
  };
  for (const { operation } of operationsOf(content)) {
    operation.security = operation.security?.some((one) => 'apiKey' in one) ? [{ apiKey: [] }] : [];
  }
  content.servers = [{ url: location.origin + basePath }];
  return content;
}

/** Sends no cookie, and no key but one for tests. */
async function sendWithTestKey(input, init) {
  const request = new Request(input, init);
  const headers = new Headers(request.headers);
  const key = (headers.get('authorization') ?? '').replace(/^apikey /i, '').trim();
  headers.delete('authorization');
  if (key !== '' && !/^sk_test_\w+$/.test(key)) {
    return Response.json(
      { message: 'This page sends test keys alone: one that begins with sk_test_. Nothing was sent.' },
      { status: 400 },
    );
  }
  if (key !== '') headers.set('authorization', `ApiKey ${key}`);
  return fetch(new Request(request, { headers, credentials: 'omit' }));
}

/**
 * Goes to what the address names: `#post-apirefundcreate` as in the Markdown, `#createRefund`, or the group of
 * /docs/reference/api/refunds.
 */
function openAt(content) {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const found = operationsOf(content).find(
    ({ operation, method, path }) => wanted === operation.operationId || wanted === anchorOf(method, path),
  );
  const [, group] = /\/reference\/api\/([\w-]+)$/.exec(location.pathname) ?? [];
  if (found !== undefined) go(`tag/${slugOf(found.operation.tags[0])}/${anchorOf(found.method, found.path)}`);
  else if (wanted === '' && content.tags.some(({ name }) => slugOf(name) === group)) go(`tag/${group}`);
}

function go(hash) {
  history.replaceState(history.state, '', `#${hash}`);
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** The anchor of an operation in the Markdown. */
function anchorOf(method, path) {
  return `${method} ${path}`.toLowerCase().replaceAll(/[/{}]/g, '').replaceAll(' ', '-');
}

function slugOf(name) {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** As chosen on the other pages, else as the system has it. */
function isDark() {
  const chosen = localStorage.getItem('vitepress-theme-appearance');
  if (chosen === 'dark' || chosen === 'light') return chosen === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
