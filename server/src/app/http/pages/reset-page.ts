import type { FastifyInstance } from 'fastify';
import { fieldStyle, florinMark, florinStyle } from './look.ts';
import { addStaticPage } from './static-page.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Choose a new password · Florin</title>
<link rel="stylesheet" href="reset-password.css">
</head>
<body>
<main>
${florinMark}
<h1>Choose a new password</h1>
<form>
<label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" required autofocus>
<button>Set password</button>
</form>
<p role="status"></p>
</main>
<script src="reset-password.js"></script>
</body>
</html>
`;

const style = florinStyle + fieldStyle;

const script = `const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const token = new URLSearchParams(location.search).get('token') ?? '';
// The token works once; it should not stay in the address bar or the history.
history.replaceState(null, '', location.pathname);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  form.querySelector('button').disabled = true;
  try {
    const response = await fetch('api/user/reset-password', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, newPassword: form.password.value }),
    });
    const { message } = await response.json();
    form.hidden = response.ok;
    status.textContent = response.ok ? 'The password is set. Sign in with it.' : message;
  } catch {
    status.textContent = 'The service could not be reached. Try again.';
  }
  form.querySelector('button').disabled = false;
});
`;

/** The page that the link in a password mail opens: one field, which calls POST /api/user/reset-password. */
export function addResetPage(app: FastifyInstance): void {
  addStaticPage(app, '/reset-password', { page, style, script });
}
