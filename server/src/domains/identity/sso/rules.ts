import { createHmac, X509Certificate } from 'node:crypto'
import { DOMAIN_RECORD } from '@x-automated/contract/identity/sso-problems'

/** The domain of an email address, in lower case and ASCII; null if it has none. */
export function domainOf(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return email.includes('@') && URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : null
}

/** Whether a domain's TXT records contain the token of the workspace that claims it. */
export function isProvedBy(records: readonly string[], token: string): boolean {
  return records.some((record) => record.trim() === DOMAIN_RECORD + token)
}

/** The settings that decide which people a provider's subjects refer to, and who can vouch for them. */
interface ProviderIdentity {
  kind: 'oidc' | 'saml'
  issuer: string
  clientId: string | null
  certificates: string[] | null
}

/**
 * Whether subjects still mean the same people with a new provider. OpenID subjects may differ per
 * client (OpenID Connect Core 1.0, section 8.1). For SAML, only a shared key proves that it is the
 * same provider.
 */
export function keepsLinks(former: ProviderIdentity, next: ProviderIdentity): boolean {
  if (former.kind !== next.kind || former.issuer !== next.issuer) return false
  if (next.kind === 'oidc') return former.clientId === next.clientId
  const keys = new Set((former.certificates ?? []).map(publicKeyOf))
  return (next.certificates ?? []).some((certificate) => keys.has(publicKeyOf(certificate)))
}

function publicKeyOf(certificate: string): string {
  return new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
}

/** The `providerId` of a connection's identities. */
export function providerIdOf(connectionId: string): string {
  return `sso:${connectionId}`
}

/**
 * The ids and endpoints of our service provider. Each workspace has its own, which prevents mix-up
 * attacks (RFC 9700, section 2.1).
 */
export function serviceProviderOf(origin: string, workspaceId: string) {
  const base = `${origin}/api/auth/sso`
  return {
    redirectUri: `${base}/oidc/${workspaceId}/callback`,
    entityId: `${base}/saml/${workspaceId}/metadata`,
    acsUrl: `${base}/saml/${workspaceId}/acs`,
    metadataUrl: `${base}/saml/${workspaceId}/metadata`,
  }
}

/** Builds the OpenID request of a state, from which nonce and verifier are derived, so they need not be stored. */
export function openIdRequestOf(secret: string, state: string) {
  const derived = (purpose: string) => createHmac('sha256', secret).update(`${purpose}\n${state}`).digest('base64url')
  return { state, nonce: derived('sso nonce'), codeVerifier: derived('sso verifier') }
}
