/** Whether the browser has passkeys, and reads and writes what the service exchanges with them. */
export const hasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Has the browser make a passkey. Undefined: the user has changed their mind. */
export function createPasskey(options: object): Promise<object | undefined> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return unlessCancelled(navigator.credentials.create({ publicKey }));
}

/** Has the browser use one. Undefined: the user has changed their mind, or has none for this host. */
export function askForPasskey(options: object): Promise<object | undefined> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return unlessCancelled(navigator.credentials.get({ publicKey }));
}

async function unlessCancelled(asked: Promise<Credential | null>): Promise<object | undefined> {
  try {
    return ((await asked) as PublicKeyCredential | null)?.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return undefined;
    throw error;
  }
}
