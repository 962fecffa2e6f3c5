import type { ProviderClaims } from './openid.ts'

// Checks that node-saml leaves to us (SAML 2.0 Profiles, 4.1.4.2 and 4.1.4.3), after it has
// verified the signature.

type Node = Record<string, unknown>
/** An assertion as node-saml parses it: elements are arrays, attributes in `$`, text in `_`. */
export interface AssertionXml {
  Assertion?: Node
}

interface AssertionExpectation {
  issuer: string
  recipient: string
  requestId: string
  skewMs: number
  now: Date
}

/** Reads the claims of a verified assertion. @throws Error with the reason if a check fails */
export function claimsIn(
  { Assertion: assertion = {} }: AssertionXml,
  { issuer, recipient, requestId, skewMs, now }: AssertionExpectation,
): ProviderClaims & { assertionId: string; expiresAt: Date } {
  if (textOf(first(assertion, 'Issuer')) !== issuer) throw new Error('the assertion has another issuer')
  const subject = first(assertion, 'Subject')
  const confirmation = all(subject, 'SubjectConfirmation').find(
    (node) => attribute(node, 'Method') === 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  )
  const data = first(confirmation, 'SubjectConfirmationData')
  if (attribute(data, 'Recipient') !== recipient) throw new Error('the assertion is for another recipient')
  if (attribute(data, 'InResponseTo') !== requestId) throw new Error('the assertion is for another request')
  const end = new Date(attribute(data, 'NotOnOrAfter') ?? Number.NaN)
  if (Number.isNaN(end.getTime())) throw new Error('the assertion has no expiry')
  if (end.getTime() + skewMs <= now.getTime()) throw new Error('the assertion has expired')
  const assertionId = attribute(assertion, 'ID')
  const nameId = first(subject, 'NameID')
  const name = textOf(nameId)
  if (!assertionId || !name) throw new Error('the assertion has no id or no name')
  if (name.length > 500) throw new Error('the name is too long')
  const format = attribute(nameId, 'Format') ?? ''
  if (format.endsWith(':transient')) throw new Error('the name changes with each sign-in')
  return {
    subject: name,
    email: emailIn(assertion) ?? (name.includes('@') ? name.toLowerCase() : null),
    emailConfirmed: confirmedIn(assertion),
    name: null,
    assertionId,
    // Remember the assertion for as long as it could be replayed.
    expiresAt: new Date(end.getTime() + skewMs),
  }
}

/**
 * Names of the email attribute: plain, as Entra and AD FS use them, and by object identifier (RFC
 * 4524).
 */
const EMAIL_NAMES = new Set([
  'email',
  'mail',
  'emailaddress',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
])

function emailIn(assertion: Node): string | null {
  for (const node of attributesOf(assertion)) {
    if (!EMAIL_NAMES.has((attribute(node, 'Name') ?? '').toLowerCase())) continue
    const values = all(node, 'AttributeValue').map((value) => textOf(value)?.trim() ?? '')
    // With several values, it is unclear which one is the person's.
    if (values.length === 1 && values[0]?.includes('@')) return values[0].toLowerCase()
  }
  return null
}

function confirmedIn(assertion: Node): boolean | null {
  const claim = attributesOf(assertion).find((node) => /^email_?verified$/i.test(attribute(node, 'Name') ?? ''))
  return claim ? textOf(first(claim, 'AttributeValue')) === 'true' : null
}

function attributesOf(assertion: Node): Node[] {
  return all(assertion, 'AttributeStatement').flatMap((statement) => all(statement, 'Attribute'))
}

function all(node: Node | undefined, name: string): Node[] {
  const children = node?.[name]
  // node-saml turns an element without attributes and children into its text.
  return Array.isArray(children)
    ? children.map((child) => (typeof child === 'string' ? { _: child } : (child as Node)))
    : []
}

function first(node: Node | undefined, name: string): Node | undefined {
  return all(node, name)[0]
}

function attribute(node: Node | undefined, name: string): string | null {
  const value = (node?.$ as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : null
}

function textOf(node: Node | undefined): string | null {
  return typeof node?._ === 'string' && node._ !== '' ? node._ : null
}
