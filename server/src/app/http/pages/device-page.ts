import type { FastifyInstance } from 'fastify';
import { fieldStyle, florinMark, florinStyle } from './look.ts';
import { addStaticPage } from './static-page.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Approve a login · Florin</title>
<link rel="stylesheet" href="device.css">
</head>
<body>
<main>
${florinMark}
<h1>Approve a login</h1>
<form id="sign-in" hidden>
<p>Sign in first.</p>
<label>Account <input name="account" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
<form id="second-factor" hidden>
<label>Code of your authenticator app <input name="code" autocomplete="one-time-code" required></label>
<button>Continue</button>
</form>
<form id="user-code" hidden>
<p>Signed in as <b class="user"></b>.</p>
<label>Code that the program shows <input name="userCode" autocomplete="off" spellcheck="false" required></label>
<button>Continue</button>
</form>
<form id="decision" hidden>
<p><b class="client"></b> asks to act for <b class="user"></b>.</p>
<dl>
<dt>Code</dt><dd class="code"></dd>
<dt>Asked from</dt><dd class="address"></dd>
<dt>Asked at</dt><dd class="time"></dd>
</dl>
<p class="elsewhere" hidden><strong>It was asked from another address than yours.</strong></p>
<p>Approve only if you started this login yourself, just now, and the program shows this code.
Nobody else may ask you to.</p>
<p>The program gets a key for 90 days. You can revoke it among your keys at any time.</p>
<label>It may do <select name="scope"></select></label>
<label>With <select name="livemode">
<option value="false">test records</option><option value="true">live records</option></select></label>
<button name="approve" value="true">Approve: let <b class="client"></b> in</button>
<button name="approve" value="false" class="deny">Deny: keep it out</button>
</form>
<p role="status" aria-live="polite"></p>
</main>
<script src="device.js"></script>
</body>
</html>
`;

const style = `${florinStyle}${fieldStyle}dd { text-align: start; }
button.deny { color: var(--bad); background: transparent; border: 2px solid var(--bad); }
`;

const script = `const byId = (id) => document.getElementById(id);
const status = document.querySelector('[role=status]');
let profile, request, userCode, challenge, retry;
const given = new URLSearchParams(location.search).get('code') ?? '';
history.replaceState(null, '', location.pathname);

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { 'X-Florin-Console': '1', ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const { data, message, error } = await response.json();
  if (response.ok) return data;
  throw Object.assign(new Error(message), { type: error.type, details: error.details, status: response.status });
}

function show(id, message = '') {
  for (const form of document.forms) form.hidden = form.id !== id;
  status.textContent = message;
  byId(id)?.querySelector('input:not([value]), select')?.focus();
}

function fill(name, text) {
  for (const element of document.querySelectorAll('.' + name)) element.textContent = text;
}

async function start() {
  try {
    profile = await call('GET', 'api/console/session');
  } catch (error) {
    return show('sign-in', error.status === 401 ? '' : error.message);
  }
  if (profile === null) return show('sign-in');
  if (profile.mustEnrol) return show('', 'A second factor is required here. Open the console and enrol one first.');
  fill('user', profile.userName);
  byId('user-code').userCode.value = given;
  show('user-code');
}

function optionsOf(requested) {
  const reads = profile.scopes.filter((scope) => scope.endsWith('_read')).join(',');
  const all = profile.holdsAll ? '*' : profile.scopes.join(',');
  return [
    ...(requested === null ? [] : [[requested, 'what it asks for: ' + requested]]),
    ...(requested === '*' ? [] : [[all, 'everything that you may do']]),
    [reads, 'only read'],
  ].filter(([value]) => value !== '');
}

const handlers = {
  'sign-in': async (form) => {
    try {
      await call('POST', 'api/console/session', { account: form.account.value, password: form.password.value });
    } catch (error) {
      if (error.type !== 'second_factor_challenge') throw error;
      challenge = error.details.challenge;
      return show('second-factor');
    }
    await start();
  },
  'second-factor': async (form) => {
    const code = form.code.value;
    form.reset();
    if (challenge !== undefined) {
      await call('POST', 'api/console/session/second-factor', { challenge, code });
      challenge = undefined;
      return start();
    }
    await call('POST', 'api/user/step-up', { code });
    await retry();
  },
  'user-code': async (form) => {
    userCode = form.userCode.value;
    request = await call('GET', 'api/device/request?userCode=' + encodeURIComponent(userCode));
    fill('client', request.client);
    fill('code', userCode.toUpperCase());
    fill('address', request.address);
    fill('time', new Date(request.createdTime).toLocaleTimeString());
    document.querySelector('.elsewhere').hidden = request.isSameAddress;
    const { scope, livemode } = byId('decision');
    scope.replaceChildren(...optionsOf(request.scope).map(([value, text]) => new Option(text, value)));
    livemode.value = String(request.livemode);
    show('decision');
  },
  decision: async (form, button) => {
    const approve = button.value === 'true';
    const body = { userCode, approve };
    if (approve) Object.assign(body, { scope: form.scope.value, livemode: form.livemode.value === 'true' });
    retry = async () => {
      await call('POST', 'api/device/decide', body);
      show('', approve ? 'Approved. Go back to the program.' : 'Denied. The program does not get in.');
    };
    try {
      await retry();
    } catch (error) {
      if (error.type !== 'step_up_required') throw error;
      show('second-factor', 'This needs a fresh code.');
    }
  },
};

for (const form of document.forms) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.textContent = '';
    for (const button of form.querySelectorAll('button')) button.disabled = true;
    try {
      await handlers[form.id](form, event.submitter);
    } catch (error) {
      status.textContent = error.status === undefined ? 'The service could not be reached. Try again.' : error.message;
    }
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  });
}
start();
`;

/**
 * The page on which a user approves the login of a program (`/api/device`). It works with the session of the console,
 * or signs in to it.
 */
export function addDevicePage(app: FastifyInstance): void {
  addStaticPage(app, '/device', { page, style, script });
}
