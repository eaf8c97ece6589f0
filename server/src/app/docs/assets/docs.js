/** The path of the public address of the service: empty, or `/florin`. */
const { basePath } = document.body.dataset;
const search = document.querySelector('#search');
const entries = [...document.querySelectorAll('[data-search]')];

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) entry.hidden = !words.every((word) => entry.dataset.search.includes(word));
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = !group.querySelector('[data-search]:not([hidden])');
  }
  document.querySelector('.groups').hidden = words.length > 0;
  const found = entries.filter((entry) => !entry.hidden).length;
  document.querySelector('#found').textContent = words.length === 0 ? '' : `${found} found`;
}

/** A link to an operation or a schema opens it. */
function openLinked() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    linked.scrollIntoView();
  }
}

const pastedKey = () => document.querySelector('#key').value.trim();

function authorization() {
  const key = pastedKey();
  if (key === '') return {};
  const isWhole = /^(ApiKey|Bearer) /.test(key);
  return { Authorization: isWhole ? key : `${key.startsWith('sk_') ? 'ApiKey' : 'Bearer'} ${key}` };
}

/** Lists whose path does not follow from the field or the path of the operation. */
const otherLists = {
  endpointId: '/api/webhook/list',
  deliveryId: '/api/webhook/delivery/list',
  defaultChannelId: '/api/channel/list',
  '/api/seller/detail id': '/api/tenant/list',
  '/api/seller/modify id': '/api/tenant/list',
};

/** In which state a record has to be for an operation. */
const suited = {
  '/api/refund/create transactionId': 'status=SUCCESS',
  '/api/invoice/finalize id': 'status=DRAFT',
  '/api/invoice/modify id': 'status=DRAFT',
  '/api/invoice/pay id': 'status=OPEN',
  '/api/invoice/void id': 'status=OPEN',
  '/api/subscription/update id': 'state=ACTIVE',
  '/api/subscription/cancel id': 'state=ACTIVE',
  '/api/subscription/pause id': 'state=ACTIVE',
  '/api/subscription/resume id': 'state=PAUSED',
};

async function rowsAt(address) {
  try {
    const { data } = await (await fetch(basePath + address, { headers: authorization() })).json();
    return Array.isArray(data) ? data : [];
  } catch {
    // The form keeps the id of its example; sending it says what is wrong.
    return [];
  }
}

/** The id of a record of the caller for a field of an example, or undefined. */
async function ownId(path, field, body = {}) {
  const use = `${path} ${field}`;
  const noun = field.replace(/Ids?$/, '');
  const list =
    otherLists[use] ?? otherLists[field] ?? (field === 'id' ? path.replace(/[^/]+$/, 'list') : `/api/${noun}/list`);
  if (!document.querySelector(`.try[data-path="${list}"]`)) return undefined;
  const rows = await rowsAt(suited[use] === undefined ? list : `${list}?${suited[use]}`);
  const takes = ({ state, currency = '' }) =>
    state !== false && (body.currency === undefined || currency === '' || currency.split(',').includes(body.currency));
  return rows.find(takes)?.id;
}

/**
 * Puts records of the caller in the place of those that the examples name, where nobody has edited them. What changes
 * something is filled in for test keys alone: nobody should refund a real payment by trying.
 */
async function fillIn(form) {
  const key = pastedKey();
  if (key === '' || !('key' in form.dataset)) return;
  const { method, path } = form.dataset;
  if (method === 'GET') {
    for (const input of form.querySelectorAll('[data-in="query"]')) {
      const isWanted = input.name === 'id' || (input.defaultValue !== '' && input.name.endsWith('Id'));
      if (isWanted && input.value === input.defaultValue) input.value = (await ownId(path, input.name)) ?? input.value;
    }
    return;
  }
  const text = form.elements.body;
  if (!text || text.value !== text.defaultValue || !key.includes('sk_test_')) return;
  const body = JSON.parse(text.value || '{}');
  for (const [field, value] of Object.entries(body)) {
    if (field !== 'id' && !/Ids?$/.test(field)) continue;
    const id = await ownId(path, field, body);
    if (id !== undefined) body[field] = Array.isArray(value) ? [id] : id;
  }
  if (body.livemode === true) body.livemode = false;
  if (text.value === text.defaultValue) text.value = JSON.stringify(body, undefined, 2);
}

function requestOf(form) {
  const query = new URLSearchParams();
  const headers = {};
  let path = form.dataset.path;
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (value === '') continue;
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === 'query') query.append(name, value);
    else headers[name] = value;
  }
  if ('key' in form.dataset) Object.assign(headers, authorization());
  const body = form.elements.body?.value ?? '';
  if (body !== '') headers['Content-Type'] = 'application/json';
  const address = basePath + (query.size === 0 ? path : `${path}?${query}`);
  return [address, { method: form.dataset.method, headers, ...(body !== '' && { body }) }];
}

async function send(event) {
  event.preventDefault();
  const output = event.target.querySelector('pre');
  output.hidden = false;
  output.textContent = '…';
  await fillIn(event.target);
  const request = requestOf(event.target);
  let response;
  let text;
  try {
    response = await fetch(...request);
    text = await response.text();
  } catch (error) {
    output.textContent = `The service could not be reached: ${error.message}`;
    return;
  }
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const shown = isJson ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
  output.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
}

if (search) {
  search.addEventListener('input', find);
  search.form.addEventListener('submit', (event) => event.preventDefault());
  for (const form of document.querySelectorAll('.try')) {
    form.addEventListener('submit', (event) => {
      send(event).catch(console.error);
    });
    form.closest('details').addEventListener('toggle', (event) => {
      if (event.target.open) fillIn(form).catch(console.error);
    });
  }
  document.querySelector('#key').addEventListener('change', () => {
    for (const form of document.querySelectorAll('details[open] .try')) fillIn(form).catch(console.error);
  });
  addEventListener('hashchange', openLinked);
  openLinked();
}
