import { createHmac, X509Certificate } from 'node:crypto'
import { DOMAIN_RECORD } from '@x-automated/contract/sso-problems'

/** The domain of an address of mail, as domains are kept: lower case and ASCII. Null for what has none. */
export function domainOf(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return email.includes('@') && URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : null
}

/** Do the TXT records of a domain prove that it is the workspace's which was given this token? */
export function isProvedBy(records: readonly string[], token: string): boolean {
  return records.some((record) => record.trim() === DOMAIN_RECORD + token)
}

/** What says whom a provider's names mean, and who may vouch for them. */
export interface ProviderIdentity {
  kind: 'oidc' | 'saml'
  issuer: string
  clientId: string | null
  certificates: string[] | null
}

/**
 * Do a provider's names for people mean the same at the next one? OpenID providers may name people for each
 * client (OpenID Connect Core 1.0, 8.1). For SAML only a key in common shows that it is the same provider.
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

/** The provider of identities of a connection, in the table of identities. */
export function providerIdOf(connectionId: string): string {
  return `sso:${connectionId}`
}

/** Who we are to the identity provider of a workspace. Each workspace has its own, so that an answer for one is none for another (RFC 9700, 2.1). */
export function serviceProviderOf(origin: string, workspaceId: string) {
  const base = `${origin}/api/auth/sso`
  return {
    redirectUri: `${base}/oidc/${workspaceId}/callback`,
    entityId: `${base}/saml/${workspaceId}/metadata`,
    acsUrl: `${base}/saml/${workspaceId}/acs`,
    metadataUrl: `${base}/saml/${workspaceId}/metadata`,
  }
}

/** Nonce and verifier follow from the state, so that none of them has to be stored. */
export function openIdRequestOf(secret: string, state: string) {
  const derived = (purpose: string) => createHmac('sha256', secret).update(`${purpose}\n${state}`).digest('base64url')
  return { state, nonce: derived('sso nonce'), codeVerifier: derived('sso verifier') }
}
