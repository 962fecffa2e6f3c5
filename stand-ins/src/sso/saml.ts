import { createHash, createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isAddress } from '../openid-provider.ts'
import { postingPage, signInPage } from '../page.ts'

const EMAIL = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

/** The key that signs assertions, and its certificate, as PEM. */
export type SigningKey = { privateKey: string; certificate: string }

/** Wrong values for responses, to test their validation. */
export type Lies = {
  audience?: string
  recipient?: string
  issuer?: string
  inResponseTo?: string
  nameId?: string
  nameIdFormat?: string
  /** When the response expires, in seconds from now. */
  endsInSeconds?: number
  /** Omits the signature. */
  unsigned?: boolean
}

/** Creates a key with a certificate that is valid for ten years. */
export async function makeSigningKey(): Promise<SigningKey> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as unknown as Crypto)
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  }
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as unknown as CryptoKeyPair
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Stand-in identity provider',
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 3650 * 86_400_000),
    signingAlgorithm: algorithm,
    keys,
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey as webcrypto.CryptoKey))
  return {
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
    certificate: certificate.toString('pem'),
  }
}

/** Creates a certificate that expired yesterday, for an existing key. */
export async function expiredCertificateOf({ privateKey }: SigningKey): Promise<string> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as unknown as Crypto)
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const pkcs8 = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' })
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Stand-in identity provider',
    notBefore: new Date(Date.now() - 2 * 86_400_000),
    notAfter: new Date(Date.now() - 86_400_000),
    signingAlgorithm: algorithm,
    keys: {
      publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
    } as unknown as CryptoKeyPair,
  })
  return certificate.toString('pem')
}

type SignInRequest = { id: string; acsUrl: string; audience: string }

/**
 * Serves a SAML 2.0 identity provider (samlify): metadata at /saml/metadata, sign-in at /saml/sso
 * (HTTP-Redirect).
 */
export function serveSaml(
  app: FastifyInstance,
  url: string,
  { privateKey, certificate }: SigningKey,
  lies: () => Lies,
): void {
  const entityId = `${url}/saml/metadata`
  const metadata = metadataOf(entityId, `${url}/saml/sso`, certificate)
  let opened: ReturnType<typeof openProvider> | undefined
  const open = () => (opened ??= openProvider(metadata, privateKey))

  /**
   * Reads a request (HTTP-Redirect).
   * @throws if it is invalid or its callback is not on loopback
   */
  const read = async (query: Record<string, string>): Promise<SignInRequest> => {
    const { provider, serviceProviderOf } = await open()
    const anybody = serviceProviderOf({ acsUrl: url, audience: url }, true)
    const { extract } = await provider.parseLoginRequest(anybody, 'redirect', { query })
    const { id, assertionConsumerServiceUrl } = extract.request as Record<string, string>
    const acsUrl = assertionConsumerServiceUrl ?? ''
    if (!/^(localhost|127\.0\.0\.1)$/.test(new URL(acsUrl).hostname)) throw new Error('not on loopback')
    return { id: id ?? '', acsUrl, audience: String(extract.issuer) }
  }

  const respondTo = async (loginRequest: SignInRequest, email: string): Promise<string> => {
    const { SamlLib, provider, serviceProviderOf } = await open()
    const lie = lies()
    const now = new Date()
    const end = new Date(now.getTime() + (lie.endsInSeconds ?? 300) * 1000).toISOString()
    const claims = {
      ...(email.startsWith('noemail') ? {} : { email, verified: String(!email.startsWith('unverified')) }),
    }
    const id = `_${randomBytes(20).toString('hex')}`
    const { context } = await provider.createLoginResponse(
      serviceProviderOf(loginRequest, !lie.unsigned),
      { extract: { request: { id: loginRequest.id } } },
      'post',
      {},
      {
        customTagReplacement: (template) => ({
          id,
          context: SamlLib.replaceTagsByValue(withClaims(template, claims), {
            ID: id,
            AssertionID: `_${randomBytes(20).toString('hex')}`,
            Destination: loginRequest.acsUrl,
            Issuer: lie.issuer ?? entityId,
            IssueInstant: now.toISOString(),
            ConditionsNotBefore: new Date(now.getTime() - 3_600_000).toISOString(),
            ConditionsNotOnOrAfter: end,
            SubjectConfirmationDataNotOnOrAfter: end,
            SubjectRecipient: lie.recipient ?? loginRequest.acsUrl,
            InResponseTo: lie.inResponseTo ?? loginRequest.id,
            Audience: lie.audience ?? loginRequest.audience,
            StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
            NameIDFormat: lie.nameIdFormat ?? PERSISTENT,
            NameID: lie.nameId ?? createHash('sha256').update(email).digest('hex').slice(0, 32),
            AuthnStatement: '',
            attrEmail: claims.email ?? '',
            attrVerified: claims.verified ?? '',
          }),
        }),
      },
    )
    return context
  }

  app.get('/saml/metadata', async (_request, reply) =>
    reply.type('application/samlmetadata+xml; charset=utf-8').send(metadata),
  )

  const page = (loginRequest: SignInRequest, query: Record<string, string>, typed: string, isRefused: boolean) => ({
    name: 'your company',
    action: '/saml/sso',
    hidden: query,
    appUrl: loginRequest.acsUrl,
    typed,
    isRefused,
  })
  const unreadable = 'This is not a sign-in request. Go back and start again.'

  app.get<{ Querystring: Record<string, string> }>('/saml/sso', async (request, reply) => {
    const query = carriedIn(request.query)
    const loginRequest = await read(query).catch(() => null)
    if (!loginRequest) return reply.code(400).type('text/plain; charset=utf-8').send(unreadable)
    return signInPage(reply, page(loginRequest, query, '', false))
  })

  app.post('/saml/sso', async (request, reply) => {
    const fields = request.body as Record<string, string>
    const query = carriedIn(fields)
    const loginRequest = await read(query).catch(() => null)
    if (!loginRequest) return reply.code(400).type('text/plain; charset=utf-8').send(unreadable)
    const email = (fields.email ?? '').trim().toLowerCase()
    const isCancelled = fields.decision === 'cancel'
    if (!isCancelled && !isAddress(email)) return signInPage(reply, page(loginRequest, query, email, true))
    const failed = isCancelled || email.startsWith('error')
    const response = failed ? refusal(loginRequest, entityId, isCancelled) : await respondTo(loginRequest, email)
    return postingPage(reply, 'Signing you in…', loginRequest.acsUrl, {
      SAMLResponse: response,
      ...(query.RelayState ? { RelayState: query.RelayState } : {}),
    })
  })
}

/** Creates the provider. Loads samlify only now, because most starts don't need it. */
async function openProvider(metadata: string, privateKey: string) {
  const { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } = (await import('samlify')).default
  // The stand-in does not validate requests against the schema.
  setSchemaValidator({ validate: async () => 'not checked' })
  const provider = IdentityProvider({
    metadata,
    privateKey,
    isAssertionEncrypted: false,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    loginResponseTemplate: {
      context: SamlLib.defaultLoginResponseTemplate.context,
      attributes: [
        {
          name: EMAIL,
          valueTag: 'email',
          nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
          valueXsiType: 'xs:string',
        },
        {
          name: 'email_verified',
          valueTag: 'verified',
          nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
          valueXsiType: 'xs:string',
        },
      ],
    },
  })
  const serviceProviderOf = ({ acsUrl, audience }: Pick<SignInRequest, 'acsUrl' | 'audience'>, signs: boolean) =>
    ServiceProvider({
      entityID: audience,
      wantAssertionsSigned: signs,
      assertionConsumerService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST', Location: acsUrl }],
    })
  return { SamlLib, provider, serviceProviderOf }
}

/** Returns SAML 2.0 metadata. The metadata that samlify writes requires a logout service, which we do not have. */
function metadataOf(entityId: string, ssoUrl: string, certificate: string): string {
  const encoded = certificate.replace(/-----[^-]+-----|\s/g, '')
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${encoded}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><NameIDFormat>${PERSISTENT}</NameIDFormat><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl}"/></IDPSSODescriptor></EntityDescriptor>`
}

/** Returns the parameters of the request that the form must pass on to the response. */
function carriedIn({ SAMLRequest = '', RelayState = '' }: Record<string, string>): Record<string, string> {
  return { SAMLRequest, ...(RelayState ? { RelayState } : {}) }
}

/** Removes the attribute statement if there are no claims. */
function withClaims(template: string, claims: object): string {
  return Object.keys(claims).length > 0
    ? template
    : template.replace(/<saml:AttributeStatement>.*<\/saml:AttributeStatement>/, '')
}

/** Returns a response for a failed or canceled sign-in. */
function refusal({ id, acsUrl }: SignInRequest, issuer: string, isCancelled: boolean): string {
  const status = 'urn:oasis:names:tc:SAML:2.0:status'
  const reason = isCancelled ? `<samlp:StatusCode Value="${status}:AuthnFailed"/>` : ''
  const now = new Date().toISOString()
  return Buffer.from(
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(20).toString('hex')}" Version="2.0" IssueInstant="${now}" Destination="${acsUrl}" InResponseTo="${id}"><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${status}:Responder">${reason}</samlp:StatusCode></samlp:Status></samlp:Response>`,
  ).toString('base64')
}
