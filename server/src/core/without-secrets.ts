/**
 * Developer keys, API keys of providers, JWTs, and tokens in paths (`/p/…`, `/inbox/…`). Callers put them into fields,
 * headers and addresses where they do not belong, and refusals repeat what they refuse.
 */
const secrets = /\b((?:sk|rk|pk)_(?:live|test)_)[A-Za-z0-9]{8,}|\b(eyJ)[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|(\/)[\w-]{32,}/g;

/** Shortens each secret in a text to its prefix, for logs. */
export function withoutSecrets(text: string): string {
  return text.replace(secrets, (_secret, ...beginnings: (string | undefined)[]) => `${beginnings.find(Boolean)}…`);
}
