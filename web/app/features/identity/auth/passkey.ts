/** Whether the browser supports passkeys and their JSON methods (WebAuthn Level 3). */
export function supportsPasskeys(): boolean {
  return 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** Signs in with a passkey. @throws DOMException if canceled or no passkey matches */
export async function signWithPasskey(options: unknown) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return responseOf(await navigator.credentials.get({ publicKey }))
}

/** Creates a passkey. @throws DOMException if canceled, or if one exists already ('InvalidStateError') */
export async function createPasskey(options: unknown) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return responseOf(await navigator.credentials.create({ publicKey }))
}

/** The credential in the API's format. */
function responseOf(credential: Credential | null) {
  if (!credential) throw new DOMException('No passkey was given.', 'NotAllowedError')
  const { response, ...rest } = (credential as PublicKeyCredential).toJSON() as
    | AuthenticationResponseJSON
    | RegistrationResponseJSON
  return { ...rest, type: 'public-key' as const, response: { ...response } }
}
