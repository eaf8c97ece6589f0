const search = document.querySelector('#search');
const entries = [...document.querySelectorAll('[data-search]')];

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) entry.hidden = !words.every((word) => entry.dataset.search.includes(word));
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = !group.querySelector('[data-search]:not([hidden])');
  }
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
  const key = document.querySelector('#key').value.trim();
  if (key !== '' && 'key' in form.dataset) {
    headers.Authorization = /^(ApiKey|Bearer) /.test(key)
      ? key
      : `${key.startsWith('sk_') ? 'ApiKey' : 'Bearer'} ${key}`;
  }
  const body = form.elements.body?.value ?? '';
  if (body !== '') headers['Content-Type'] = 'application/json';
  const address = query.size === 0 ? path : `${path}?${query}`;
  return [address, { method: form.dataset.method, headers, ...(body !== '' && { body }) }];
}

async function send(event) {
  event.preventDefault();
  const output = event.target.querySelector('pre');
  output.hidden = false;
  output.textContent = '…';
  try {
    const response = await fetch(...requestOf(event.target));
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const shown = isJson ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
    output.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
  } catch (error) {
    output.textContent = `The service could not be reached: ${error.message}`;
  }
}

if (search) {
  search.addEventListener('input', find);
  search.form.addEventListener('submit', (event) => event.preventDefault());
  for (const form of document.querySelectorAll('.try')) {
    form.addEventListener('submit', (event) => {
      send(event).catch(console.error);
    });
  }
  addEventListener('hashchange', openLinked);
  openLinked();
}
