import type { ProviderClaims } from './openid.ts'

/*
 * What the library does not look at (SAML 2.0 Profiles, 4.1.4.2 and 4.1.4.3), on the assertion whose signature it has verified.
 */

type Node = Record<string, unknown>
/** An assertion as the library hands it on: elements are arrays, attributes in `$`, text in `_`. */
export interface AssertionXml {
  Assertion?: Node
}

export interface AssertionExpectation {
  issuer: string
  recipient: string
  requestId: string
  skewMs: number
  now: Date
}

/** What a verified assertion says of whom. @throws an Error that says what does not fit */
export function claimsIn(
  { Assertion: assertion = {} }: AssertionXml,
  { issuer, recipient, requestId, skewMs, now }: AssertionExpectation,
): ProviderClaims & { assertionId: string; expiresAt: Date } {
  if (textOf(first(assertion, 'Issuer')) !== issuer) throw new Error('an assertion of another issuer')
  const subject = first(assertion, 'Subject')
  const confirmation = all(subject, 'SubjectConfirmation').find(
    (one) => attribute(one, 'Method') === 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  )
  const data = first(confirmation, 'SubjectConfirmationData')
  if (attribute(data, 'Recipient') !== recipient) throw new Error('an assertion for another recipient')
  if (attribute(data, 'InResponseTo') !== requestId) throw new Error('an assertion for another request')
  const end = new Date(attribute(data, 'NotOnOrAfter') ?? Number.NaN)
  if (Number.isNaN(end.getTime())) throw new Error('an assertion that never ends')
  if (end.getTime() + skewMs <= now.getTime()) throw new Error('an assertion that has ended')
  const assertionId = attribute(assertion, 'ID')
  const nameId = first(subject, 'NameID')
  const name = textOf(nameId)
  if (!assertionId || !name) throw new Error('an assertion without an id or a name')
  if (name.length > 500) throw new Error('a name that is too long')
  const format = attribute(nameId, 'Format') ?? ''
  if (format.endsWith(':transient')) throw new Error('a name that changes with each sign-in')
  return {
    subject: name,
    email: emailIn(assertion) ?? (name.includes('@') ? name.toLowerCase() : null),
    emailConfirmed: confirmedIn(assertion),
    name: null,
    assertionId,
    // For as long as any of its times could let it be taken again.
    expiresAt: new Date(end.getTime() + skewMs),
  }
}

/** What providers call the address: plainly, as Entra and ADFS do, and by its object identifier (RFC 4524). */
const EMAIL_NAMES = new Set([
  'email',
  'mail',
  'emailaddress',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
])

function emailIn(assertion: Node): string | null {
  for (const one of attributesOf(assertion)) {
    if (!EMAIL_NAMES.has((attribute(one, 'Name') ?? '').toLowerCase())) continue
    const values = all(one, 'AttributeValue').map((value) => textOf(value)?.trim() ?? '')
    // Of several it could not be told which one is theirs.
    if (values.length === 1 && values[0]?.includes('@')) return values[0].toLowerCase()
  }
  return null
}

function confirmedIn(assertion: Node): boolean | null {
  const claim = attributesOf(assertion).find((one) => /^email_?verified$/i.test(attribute(one, 'Name') ?? ''))
  return claim ? textOf(first(claim, 'AttributeValue')) === 'true' : null
}

function attributesOf(assertion: Node): Node[] {
  return all(assertion, 'AttributeStatement').flatMap((statement) => all(statement, 'Attribute'))
}

function all(node: Node | undefined, name: string): Node[] {
  const found = node?.[name]
  // An element without attributes and children comes as its text.
  return Array.isArray(found) ? found.map((one) => (typeof one === 'string' ? { _: one } : (one as Node))) : []
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
