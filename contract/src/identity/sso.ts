import { z } from 'zod'
import { Email, Id, isStorable, NoInput, requiredText, Time, UNSTORABLE } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Single sign-on')

const CodeChallenge = z.string().regex(/^[\w-]{43}$/, 'must be the base64url of a SHA-256')
const Started = z.object({ url: z.url() })

/** An email domain in any spelling, converted to lowercase ASCII. */
export const Domain = z
  .string()
  .trim()
  .max(253)
  .transform((domain) => domain.replace(/^@/, '').replace(/\.$/, ''))
  .transform((domain) => (URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : ''))
  .pipe(
    z
      .string()
      .regex(
        /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
        'Enter a domain, like example.com',
      ),
  )

/** A signing certificate of the provider. */
const SsoCertificate = z.object({
  subject: z.string(),
  /** SHA-256 in hexadecimal with colons. */
  fingerprint: z.string(),
  expiresAt: Time,
})

/** A workspace's identity provider, as its admins see it. The client secret never leaves the server. */
export const SsoConnection = z.object({
  kind: z.enum(['oidc', 'saml']),
  /** The OpenID Connect issuer or the SAML entity id. */
  issuer: z.string(),
  clientId: z.string().nullable(),
  scopes: z.string().nullable(),
  ssoUrl: z.string().nullable(),
  certificates: z.array(SsoCertificate),
  /** The number of members who linked the provider to their account. */
  linkedCount: z.number().int(),
  createdAt: Time,
  updatedAt: Time,
})
export type SsoConnection = z.output<typeof SsoConnection>

export const SsoDomain = z.object({
  id: z.string(),
  domain: z.string(),
  /** The TXT record to create at the domain. */
  record: z.string(),
  verifiedAt: Time.nullable(),
  createdAt: Time,
})
export type SsoDomain = z.output<typeof SsoDomain>

/** Our values, which the admin enters at the identity provider. */
export const ServiceProvider = z.object({
  /** For OpenID Connect. */
  redirectUri: z.url(),
  /** For SAML, like the two URLs below. */
  entityId: z.url(),
  acsUrl: z.url(),
  metadataUrl: z.url(),
})

const Address = z
  .string()
  .trim()
  .max(2_000)
  .pipe(z.url({ protocol: /^https?$/, error: 'Enter an address that begins with https://' }))
const Xml = z.string().trim().min(1).max(200_000).refine(isStorable, UNSTORABLE)

const SsoConnectionInput = z
  .strictObject({
    kind: z.enum(['oidc', 'saml']),
    issuer: Address.optional(),
    clientId: requiredText(500).optional(),
    /** If absent, the stored secret is kept. A new issuer or client requires a new secret. */
    clientSecret: requiredText(2_000).optional(),
    scopes: z
      .string()
      .trim()
      .max(500)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be words separated by spaces')
      .refine(
        (scopes) => ['openid', 'email'].every((scope) => scopes.split(' ').includes(scope)),
        'must contain openid and email',
      )
      .optional(),
    metadataXml: Xml.optional(),
    metadataUrl: Address.optional(),
    entityId: requiredText(1_024).optional(),
    ssoUrl: Address.optional(),
    certificate: Xml.optional(),
  })
  .superRefine((input, context) => {
    const need = (field: 'issuer' | 'clientId' | 'entityId' | 'ssoUrl' | 'certificate') => {
      if (input[field] === undefined) context.addIssue({ code: 'custom', path: [field], message: 'is required' })
    }
    if (input.kind === 'oidc') for (const field of ['issuer', 'clientId'] as const) need(field)
    else if (!input.metadataXml && !input.metadataUrl)
      for (const field of ['entityId', 'ssoUrl', 'certificate'] as const) need(field)
  })

/** One check of a connection test. */
const SsoCheck = z.object({ label: z.string(), ok: z.boolean(), detail: z.string() })

export const sso = {
  begin: route('POST /auth/sso', 'public', 'unkeyed', {
    summary: 'Start single sign-on',
    description:
      'Takes a work email, its domain, or the id of a workspace. Returns the URL to open, even if the address or workspace is unknown. The browser returns to ' +
      '{origin}/auth/callback?provider=sso&code=…, where POST /auth/exchange with the verifier signs in, or with `error`, one of the keys of SSO_PROBLEMS. ' +
      'The session only works in that workspace. Anything that concerns the account (its export, identities, second factors, other sessions, other workspaces) requires POST /auth/reauthenticate first.',
  })
    .input(
      z
        .strictObject({
          email: Email.optional(),
          domain: Domain.optional(),
          workspaceId: Id.optional(),
          codeChallenge: CodeChallenge,
        })
        .refine(
          ({ email, domain, workspaceId }) =>
            [email, domain, workspaceId].filter((target) => target !== undefined).length === 1,
          'Give an email, a domain or a workspace.',
        ),
    )
    .output(Started),

  listOwn: route('GET /auth/sso/workspaces', 'viewer', 'none', {
    summary: "List the caller's workspaces that have single sign-on",
  }).output(
    z.object({
      workspaces: z.array(z.object({ id: z.string(), name: z.string(), linked: z.boolean() })),
    }),
  ),

  beginLink: route('POST /auth/sso/link', 'viewer', 'unkeyed', {
    summary: 'Start linking single sign-on to the account',
    description:
      'Requires a recent reauthentication. The browser returns to {origin}/account?provider=sso&code=…, where POST /auth/identities with the verifier links it; on failure, with `error`.',
    errors: ['SSO_CONNECTION_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  })
    .input(z.strictObject({ workspaceId: Id, codeChallenge: CodeChallenge }))
    .output(Started),

  find: route('GET /sso', 'admin', 'none', { summary: "Get the workspace's single sign-on" }).output(
    z.object({
      connection: SsoConnection.nullable(),
      domains: z.array(SsoDomain),
      serviceProvider: ServiceProvider,
    }),
  ),

  save: route('PUT /sso/connection', 'owner', 'outside', {
    summary: "Set the workspace's identity provider",
    description:
      'kind `oidc`: issuer, clientId, clientSecret (kept if omitted), scopes. kind `saml`: metadataXml, or metadataUrl, or entityId with ssoUrl and certificate. ' +
      'Requires a recent reauthentication. The owner and everyone who has linked it get an email. Every link ends, with its sessions, ' +
      'unless issuer and client are unchanged (`oidc`), or the entity id is unchanged and one of the new certificates has the key of a current one (`saml`).',
    errors: ['REAUTHENTICATION_NEEDED'],
  })
    .input(SsoConnectionInput)
    .output(SsoConnection),

  remove: route('DELETE /sso/connection', 'owner', 'rows', {
    summary: "Remove the workspace's identity provider, and every link to it",
    description:
      'Requires a recent reauthentication. Sessions from these links end. The owner and everyone who had linked it get an email.',
    errors: ['SSO_CONNECTION_NOT_FOUND', 'REAUTHENTICATION_NEEDED'],
  }).input(NoInput),

  test: route('POST /sso/connection/test', 'admin', 'none', {
    summary: 'Test the connection to the identity provider',
    errors: ['SSO_CONNECTION_NOT_FOUND'],
  })
    .input(NoInput)
    .output(z.object({ ok: z.boolean(), checks: z.array(SsoCheck) })),

  addDomain: route('POST /sso/domains', 'admin', 'rows', { summary: 'Add an email domain, to be verified by DNS' })
    .input(z.strictObject({ domain: Domain }))
    .output(SsoDomain),

  verifyDomain: route('POST /sso/domains/{id}/verify', 'admin', 'outside', {
    summary: "Check a domain's TXT record",
    errors: ['SSO_DOMAIN_NOT_FOUND', 'SSO_DOMAIN_UNPROVED', 'SSO_DOMAIN_TAKEN'],
  })
    .input(z.strictObject({ id: Id }))
    .output(SsoDomain),

  removeDomain: route('DELETE /sso/domains/{id}', 'admin', 'rows', {
    summary: 'Remove a domain; its addresses can no longer use single sign-on',
    errors: ['SSO_DOMAIN_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
