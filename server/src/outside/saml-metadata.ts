import { X509Certificate } from 'node:crypto'
import { parseXml } from './xml.ts'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const CERTIFICATES_MAX = 10
const ADDRESS_MAX = 2_000

/** The metadata of an identity provider that a service provider needs. */
export interface ProviderMetadata {
  entityId: string
  ssoUrl: string
  /** PEM texts. */
  certificates: string[]
}

/**
 * Reads an identity provider's metadata (SAML 2.0 Metadata). @returns the problem, worded for its
 * admin, if unusable
 */
export function readSamlMetadata(xml: string): ProviderMetadata | { problem: string } {
  const root = parseXml(xml)?.documentElement
  if (root?.namespaceURI !== METADATA) return { problem: "This isn't the metadata of an identity provider." }
  const entities = root.localName === 'EntityDescriptor' ? [root] : elements(root, METADATA, 'EntityDescriptor')
  const providers = entities.filter((entity) => elements(entity, METADATA, 'IDPSSODescriptor').length > 0)
  const [entity] = providers
  if (providers.length > 1) return { problem: 'The metadata describes several identity providers. Paste only yours.' }
  const [descriptor] = entity ? elements(entity, METADATA, 'IDPSSODescriptor') : []
  if (!entity || !descriptor) return { problem: "The metadata doesn't describe an identity provider." }
  const entityId = entity.getAttribute('entityID') ?? ''
  const services = elements(descriptor, METADATA, 'SingleSignOnService')
  const ssoUrl =
    services.find((service) => service.getAttribute('Binding') === REDIRECT)?.getAttribute('Location') ?? ''
  if (!entityId || entityId.length > 1_024) return { problem: 'The metadata has no entity ID.' }
  if (!URL.canParse(ssoUrl) || ssoUrl.length > ADDRESS_MAX)
    return { problem: 'The metadata has no URL for the HTTP-Redirect binding.' }
  const keys = elements(descriptor, METADATA, 'KeyDescriptor').filter((key) => key.getAttribute('use') !== 'encryption')
  const candidates = keys
    .flatMap((key) => elements(key, SIGNATURE, 'X509Certificate'))
    .map((element) => readCertificate(element.textContent ?? ''))
  const certificates = [...new Set(candidates.filter((certificate) => certificate !== null))]
  if (certificates.length === 0) return { problem: 'The metadata has no readable signing certificate.' }
  return { entityId, ssoUrl, certificates: certificates.slice(0, CERTIFICATES_MAX) }
}

/** Certificates as PEM, from one or more in PEM or one in base64; null if any cannot be read. */
export function readCertificates(text: string): string[] | null {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [text]
  const certificates = blocks.map(readCertificate)
  if (certificates.length > CERTIFICATES_MAX || !certificates.every((certificate) => certificate !== null)) return null
  return [...new Set(certificates)]
}

/** Converts PEM, or the base64 in metadata, to PEM; null if it is not a certificate. */
function readCertificate(text: string): string | null {
  const encoded = text.replace(/-----(BEGIN|END) CERTIFICATE-----/g, '').replace(/\s/g, '')
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64')).toString()
  } catch {
    return null
  }
}

/** Describes a certificate, so that an admin can recognize it. */
export function describeCertificate(pem: string): { subject: string; fingerprint: string; expiresAt: Date } {
  const certificate = new X509Certificate(pem)
  return {
    subject: certificate.subject?.replace(/^CN=/, '').replaceAll('\n', ', ') ?? '',
    fingerprint: certificate.fingerprint256,
    expiresAt: new Date(certificate.validTo),
  }
}

function elements(parent: Element, namespace: string, name: string): Element[] {
  return [...Array.from(parent.getElementsByTagNameNS(namespace, name))]
}
