/** Whether the browser supports passkeys, and their options in JSON. */
export const hasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Creates a passkey in the browser. Undefined if the user cancels. */
export function createPasskey(options: object): Promise<object | undefined> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return unlessCancelled(navigator.credentials.create({ publicKey }));
}

/** Uses a passkey of the browser. Undefined if the user cancels, or has none for this host. */
export function askForPasskey(options: object): Promise<object | undefined> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return unlessCancelled(navigator.credentials.get({ publicKey }));
}

async function unlessCancelled(credential: Promise<Credential | null>): Promise<object | undefined> {
  try {
    return ((await credential) as PublicKeyCredential | null)?.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return undefined;
    throw error;
  }
}
