import type { CacheProvider, SAML } from '@node-saml/node-saml'
import { type AssertionXml, claimsIn } from './assertion-claims.ts'
import { type ProviderClaims, ProviderDeclined } from './openid.ts'
import { describeCertificate } from './saml-metadata.ts'
import { walkXml, type XmlElement } from './xml.ts'

/** A workspace's identity provider, and our identity as its service provider. */
export interface SamlOptions {
  /** The provider's entity id. */
  issuer: string
  ssoUrl: string
  /** PEM texts. */
  certificates: string[]
  /** Our entity id. */
  entityId: string
  acsUrl: string
}

/** Loads node-saml on first use, because few workspaces sign in with SAML and it takes 10 MB. */
const library = () => import('@node-saml/node-saml')

/** Tolerated clock difference. */
const CLOCK_SKEW_MS = 2 * 60_000
/** Maximum size of a response. Those of Entra with many groups are far smaller. */
const RESPONSE_MAX_BYTES = 180 * 1024

/**
 * The URL where a person signs in (SAML 2.0, HTTP-Redirect). @param requestId comes back as
 * InResponseTo
 */
export async function samlUrl(options: SamlOptions, requestId: string): Promise<string> {
  return (await serviceProvider(options, requestId)).getAuthorizeUrlAsync('', undefined, {})
}

/** Our metadata, for the provider's admin. */
export async function samlMetadata({ entityId, acsUrl }: Pick<SamlOptions, 'entityId' | 'acsUrl'>): Promise<string> {
  const { generateServiceProviderMetadata } = await library()
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${Buffer.from(entityId).toString('hex').slice(-32)}`,
  })
}

/** A posted response, before anything in it is verified. */
interface SamlResponse {
  encoded: string
  /** The id of the request that the response claims to be for, if any. */
  requestId: string | null
  /** The URL that the response was addressed to, according to itself; null if it names none. */
  destination: string | null
  /** Whether the response names a forgeable algorithm. */
  isWeak: boolean
}

/** Algorithms that allow forgery: SHA-1, MD5, and HMAC, whose key is public here (RFC 9231, XML Signature 1.1). */
const BROKEN_ALGORITHM = /xmldsig#(rsa-|dsa-|ecdsa-)?sha1$|xmldsig#hmac|xmldsig-more#(rsa-|hmac-)?md5/i

/**
 * Reads the head of a posted response: its request, destination and algorithms. Builds no tree.
 * @returns null if invalid
 */
export function openSamlResponse(encoded: string): SamlResponse | null {
  if (encoded.length === 0 || encoded.length > (RESPONSE_MAX_BYTES * 4) / 3) return null
  const scan: { root: XmlElement | null; isWeak: boolean } = { root: null, isWeak: false }
  const isSound = walkXml(Buffer.from(encoded, 'base64').toString('utf8'), {
    plain: true,
    onElement(element) {
      scan.root ??= element
      if (BROKEN_ALGORITHM.test(element.attributes.get('Algorithm') ?? '')) scan.isWeak = true
    },
  })
  const { root } = scan
  if (!isSound || !root) return null
  const prefix = /^(?:([^:]+):)?Response$/.exec(root.name)
  const namespace = prefix && root.attributes.get(prefix[1] ? `xmlns:${prefix[1]}` : 'xmlns')
  if (namespace !== 'urn:oasis:names:tc:SAML:2.0:protocol') return null
  return {
    encoded,
    requestId: root.attributes.get('InResponseTo') || null,
    destination: root.attributes.get('Destination') || null,
    isWeak: scan.isWeak,
  }
}

/**
 * Verifies a response (signature, time, destination, audience, recipient, request, issuer). Returns
 * its claims, and the assertion's id and expiry, against replays. @throws ProviderDeclined; any
 * other error: invalid
 */
export async function finishSaml(
  options: SamlOptions,
  { encoded, requestId, destination, isWeak }: SamlResponse & { requestId: string },
): Promise<ProviderClaims & { assertionId: string; expiresAt: Date }> {
  if (isWeak) throw new Error('the response is signed with SHA-1 or another forgeable algorithm')
  // The envelope may be unsigned: this catches mistakes, and the signed recipient is checked below.
  if (destination !== null && destination !== options.acsUrl) throw new Error('the response is for another destination')
  const certificates = options.certificates.filter(
    (certificate) => describeCertificate(certificate).expiresAt > new Date(),
  )
  if (certificates.length === 0) throw new Error('every certificate of the provider has expired')
  const { SamlStatusError } = await library()
  const provider = await serviceProvider({ ...options, certificates }, requestId)
  const { profile } = await provider.validatePostResponseAsync({ SAMLResponse: encoded }).catch((error: unknown) => {
    if (!(error instanceof SamlStatusError)) throw error
    throw new ProviderDeclined('a failure', /AuthnFailed|RequestDenied/.test(error.xmlStatus))
  })
  const assertion = profile?.getAssertion?.()
  if (!assertion) throw new Error('the response has no assertion')
  return claimsIn(assertion as AssertionXml, {
    issuer: options.issuer,
    recipient: options.acsUrl,
    requestId,
    skewMs: CLOCK_SKEW_MS,
    now: new Date(),
  })
}

/** Creates an instance for one request, because an instance accepts only that request's id. */
async function serviceProvider(
  { issuer, ssoUrl, certificates, entityId, acsUrl }: SamlOptions,
  requestId: string,
): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await library()
  // The caller has found the request's row and used it up. Here the assertion only has to name the
  // same id.
  const theOne: CacheProvider = {
    saveAsync: async () => null,
    getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
    removeAsync: async (key) => key,
  }
  return new SAML({
    issuer: entityId,
    audience: entityId,
    callbackUrl: acsUrl,
    entryPoint: ssoUrl,
    idpIssuer: issuer,
    idpCert: certificates,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: theOne,
    generateUniqueId: () => requestId,
  })
}
