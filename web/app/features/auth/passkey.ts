/** Does this browser know passkeys, and the JSON that the server speaks of them (WebAuthn Level 3)? */
export function knowsPasskeys(): boolean {
  return 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/**
 * Lets the browser sign with one of the passkeys that the server asks for.
 * @param options as the API sends them
 * @throws DOMException where it was called off or none is there
 */
export async function signWithPasskey(options: unknown) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return answerOf(await navigator.credentials.get({ publicKey }))
}

/**
 * Lets the browser, or a key that is plugged in, make a new passkey.
 * @param options as the API sends them
 * @throws DOMException where it was called off; 'InvalidStateError' where this device has one already
 */
export async function createPasskey(options: unknown) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return answerOf(await navigator.credentials.create({ publicKey }))
}

/** What goes to the server. */
function answerOf(credential: Credential | null) {
  if (!credential) throw new DOMException('No passkey was given.', 'NotAllowedError')
  const { response, ...rest } = (credential as PublicKeyCredential).toJSON() as
    | AuthenticationResponseJSON
    | RegistrationResponseJSON
  return { ...rest, type: 'public-key' as const, response: { ...response } }
}
