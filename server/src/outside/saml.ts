import {
  type CacheProvider,
  generateServiceProviderMetadata,
  SAML,
  SamlStatusError,
  ValidateInResponseTo,
} from '@node-saml/node-saml'
import { type AssertionXml, claimsIn } from './assertion-claims.ts'
import { type ProviderClaims, ProviderDeclined } from './openid.ts'
import { walkXml, type XmlElement } from './xml.ts'

/** A workspace's identity provider, and who we are to it. */
export interface SamlOptions {
  /** Its entity id. */
  issuer: string
  ssoUrl: string
  /** PEM texts. */
  certificates: string[]
  /** Ours. */
  entityId: string
  acsUrl: string
}

/** How far its clock and ours may be apart. */
const CLOCK_SKEW_MS = 2 * 60_000
/** What of a response is looked at: Entra's with many groups stay far below. */
const RESPONSE_MAX_BYTES = 180 * 1024

/** Where somebody signs in (SAML 2.0, HTTP-Redirect). @param requestId comes back as InResponseTo */
export async function samlUrl(options: SamlOptions, requestId: string): Promise<string> {
  return serviceProvider(options, requestId).getAuthorizeUrlAsync('', undefined, {})
}

/** Our metadata, for the provider's admin. */
export function samlMetadata({ entityId, acsUrl }: Pick<SamlOptions, 'entityId' | 'acsUrl'>): string {
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
    generateUniqueId: () => `_${Buffer.from(entityId).toString('hex').slice(-32)}`,
  })
}

/** A response as it was posted, before anything in it is believed. */
export interface SamlResponse {
  encoded: string
  /** The request that it says to answer; null where it answers none. */
  requestId: string | null
}

/** Signatures and digests that can be forged, and keys that are no secret (RFC 9231, XML Signature 1.1). */
const BROKEN_ALGORITHM = /xmldsig#(rsa-|dsa-|ecdsa-)?sha1$|xmldsig#hmac|xmldsig-more#(rsa-|hmac-)?md5/i

/**
 * Reads which request a posted response says to answer. Anybody may post one, so no tree is built of it here.
 * @returns null for what is no response, or no XML that we take
 */
export function openSamlResponse(encoded: string): SamlResponse | null {
  if (encoded.length === 0 || encoded.length > (RESPONSE_MAX_BYTES * 4) / 3) return null
  const found: { root: XmlElement | null; isWeak: boolean } = { root: null, isWeak: false }
  const isSound = walkXml(Buffer.from(encoded, 'base64').toString('utf8'), {
    plain: true,
    onElement(element) {
      found.root ??= element
      if (BROKEN_ALGORITHM.test(element.attributes.get('Algorithm') ?? '')) found.isWeak = true
    },
  })
  const { root } = found
  if (!isSound || found.isWeak || !root) return null
  const prefix = /^(?:([^:]+):)?Response$/.exec(root.name)
  const namespace = prefix && root.attributes.get(prefix[1] ? `xmlns:${prefix[1]}` : 'xmlns')
  if (namespace !== 'urn:oasis:names:tc:SAML:2.0:protocol') return null
  return { encoded, requestId: root.attributes.get('InResponseTo') || null }
}

/**
 * Checks a response (signature of the assertion, its time, audience, recipient, request, issuer) and reads it.
 * @returns what it says, with the assertion's id and until when it must not be taken again
 * @throws ProviderDeclined; anything else: a response that is not good
 */
export async function finishSaml(
  options: SamlOptions,
  { encoded, requestId }: { encoded: string; requestId: string },
): Promise<ProviderClaims & { assertionId: string; expiresAt: Date }> {
  const { profile } = await serviceProvider(options, requestId)
    .validatePostResponseAsync({ SAMLResponse: encoded })
    .catch((error: unknown) => {
      if (!(error instanceof SamlStatusError)) throw error
      throw new ProviderDeclined('a failure', /AuthnFailed|RequestDenied/.test(error.xmlStatus))
    })
  const assertion = profile?.getAssertion?.()
  if (!assertion) throw new Error('a response without an assertion')
  return claimsIn(assertion as AssertionXml, {
    issuer: options.issuer,
    recipient: options.acsUrl,
    requestId,
    skewMs: CLOCK_SKEW_MS,
    now: new Date(),
  })
}

/** One for each request, as it knows that request only. */
function serviceProvider({ issuer, ssoUrl, certificates, entityId, acsUrl }: SamlOptions, requestId: string): SAML {
  // The request was found in the database, and is used up: here it only has to be the one that the assertion names.
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
