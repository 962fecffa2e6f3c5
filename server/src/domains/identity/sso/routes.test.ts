import { type Sso, startSso } from '@x-automated/stand-ins/sso'
import { expiredCertificateOf } from '@x-automated/stand-ins/sso/saml'
import { signInAtSaml } from '@x-automated/stand-ins/sso/visit'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeUser, makeAccount, pkce } from '../../../../test/accounts.ts'
import { expireSsoRequests, linkIdentity } from '../../../../test/credentials.ts'
import { call, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { addFactor } from '../../../../test/second-factors.ts'
import { revokeProof } from '../../../../test/sessions.ts'
import { type Company, changeConnection, KINDS, ORIGIN, oidc, saml, ssoVisits } from '../../../../test/sso.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { changeRole, joinWorkspace, leaveWorkspace } from '../../../../test/team.ts'
import { hashToken } from '../../../sealing.ts'
import { trustSession } from '../auth/sessions.ts'
import { ssoConnections, ssoRequests } from './tables.ts'

let app: TestApp
/** Another company's identity provider. */
let other: Sso
beforeAll(async () => {
  ;[app, other] = await Promise.all([openApp({ sso: true }), startSso()])
})
afterAll(() => other.close())

const { makeOwner, makeCompany, visit, visitOwnPage, post, atProvider, leaves, signIn, link, makeLinked } = ssoVisits(
  () => app,
)

describe.each(KINDS)('an invited person who signs in by %s', (kind) => {
  async function invite(email: string, company: Company) {
    await subscribe(app, company.owner)
    return company.owner.client.people.invite({ email, role: 'admin' })
  }

  it('gets an account in that workspace with the invited role, once', async () => {
    const company = await makeCompany(kind)
    const email = `new@${company.domain}`
    await invite(email, company)
    const { answer: response } = await signIn(email)
    expect([response?.status, response?.body.user.email]).toEqual([200, email])
    const me = await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${response?.body.token}` })
    expect(me.body.workspace).toMatchObject({ id: company.workspaceId, role: 'admin' })
    expect(me.body.workspaces).toHaveLength(2)
    expect((await company.owner.client.people.listInvitations()).invitations).toEqual([])
    expect((await signIn(email)).answer?.body.user.id).toBe(response?.body.user.id)
  })

  it('replaces an unconfirmed account with the address', async () => {
    const company = await makeCompany(kind)
    const email = `squatted@${company.domain}`
    const squatter = await makePerson(app, { email })
    await changeUser(app, { id: squatter.id }, { emailVerified: false })
    await invite(email, company)
    const { answer: response } = await signIn(email)
    expect(response?.status).toBe(200)
    expect(response?.body.user.id).not.toBe(squatter.id)
  })

  it('is rejected with an existing account, without an invitation, after it was revoked, and on a one-person plan', async () => {
    const company = await makeCompany(kind)
    const existing = await makePerson(app, { email: `known@${company.domain}` })
    await invite(existing.email, company)
    expect((await signIn(existing.email)).error).toBe('sso_not_linked')
    expect((await signIn(`uninvited@${company.domain}`)).error).toBe('sso_not_linked')
    const { id } = await invite(`gone@${company.domain}`, company)
    await company.owner.client.people.revoke({ id })
    expect((await signIn(`gone@${company.domain}`)).error).toBe('sso_not_linked')
    await invite(`late@${company.domain}`, company)
    await unsubscribe(app, company)
    expect((await signIn(`late@${company.domain}`)).error).toBe('sso_not_linked')
    expect((await company.owner.client.people.list({})).total).toBe(1)
  })

  it('is rejected if the invitation is for another workspace', async () => {
    const [company, otherCompany] = [await makeCompany(kind), await makeCompany(kind)]
    const email = `ada@${company.domain}`
    await invite(email, otherCompany)
    expect((await signIn(email)).error).toBe('sso_not_linked')
  })
})

describe.each(KINDS)('signing in by %s', (kind) => {
  it('works for a linked member on a verified domain, by address and by domain', async () => {
    const { owner, email, domain } = await makeLinked(kind)
    const { page, answer: response } = await signIn(email)
    expect([page.pathname, page.searchParams.get('provider')]).toEqual(['/auth/callback', 'sso'])
    expect([response?.status, response?.body.user.id]).toEqual([200, owner.id])
    const byDomain = await call(app, 'POST', '/auth/sso', {
      domain: domain.toUpperCase(),
      codeChallenge: pkce().codeChallenge,
    })
    expect((await visit(byDomain.body.url)).origin).toBe(app.sso.url)
    expect((await owner.call('GET', '/auth/sso/workspaces')).body.workspaces).toEqual([
      { id: owner.workspaceId, name: expect.any(String), linked: true },
    ])
    expect((await owner.call('GET', '/sso')).body.connection.linkedCount).toBe(1)
  })

  it('accepts a code once, with its verifier', async () => {
    const { email } = await makeLinked(kind)
    const first = await signIn(email)
    const again = { code: first.code, codeVerifier: first.codeVerifier }
    expect((await call(app, 'POST', '/auth/exchange', again)).body.code).toBe('INVALID_CODE')
    const { url } = await leaves(email)
    const page = await (await atProvider(url, email)).back()
    const stolen = { code: page.searchParams.get('code'), codeVerifier: pkce().codeVerifier }
    expect((await call(app, 'POST', '/auth/exchange', stolen)).body.code).toBe('INVALID_CODE')
  })

  it('asks for the second factor of an account that has one', async () => {
    const { owner, email } = await makeLinked(kind)
    await addFactor(app, owner.id)
    expect((await signIn(email)).answer?.body).toEqual({ secondFactor: ['totp'], ticket: expect.any(String) })
  })

  it('rejects users whom workspace, domain or provider do not vouch for', async () => {
    const company = await makeLinked(kind)
    const { owner, email, domain, domainId, workspaceId } = company
    const errors = async (typed: string, decision?: 'cancel') => (await signIn(email, typed, decision)).error
    // An account with the same address is not linked.
    expect(await errors(`grace@${domain}`)).toBe('sso_not_linked')
    expect(await errors('ada@elsewhere.example')).toBe('sso_domain')
    expect(await errors(`ada@sub.${domain}`)).toBe('sso_domain')
    expect(await errors(`unverified@${domain}`)).toBe('sso_unconfirmed_email')
    expect(await errors(`noemail@${domain}`)).toBe('sso_no_email')
    expect(await errors(`error@${domain}`)).toBe('sso_failed')
    expect(await errors(email, 'cancel')).toBe('sso_cancelled')
    await leaveWorkspace(app, { userId: owner.id, workspaceId })
    expect(await errors(email)).toBe('sso_not_member')
    await joinWorkspace(app, workspaceId, owner.id, 'owner')
    expect((await signIn(email)).answer?.status).toBe(200)
    expect((await owner.call('DELETE', `/sso/domains/${domainId}`)).status).toBe(204)
    expect((await signIn(email)).error).toBe('sso_not_set_up')
  })

  it('accepts a response once, in time and at its own endpoint', async () => {
    const company = await makeLinked(kind)
    const stranger = await makeCompany(kind, other)
    const { url } = await leaves(company.email)
    const form = await atProvider(url, company.email)
    const evil = new URL(form.action)
    for (const name of ['redirect_uri', 'next', 'returnTo']) evil.searchParams.set(name, 'https://evil.example')
    const fields = { ...form.fields, RelayState: 'https://evil.example' }
    const send = (action: string) => (kind === 'saml' ? post(action, fields) : visitOwnPage(action))
    expect((await send(evil.href)).searchParams.get('code')).toHaveLength(43)
    expect((await send(form.action)).search).toBe('?provider=sso&error=sso_failed')

    const elsewhere = await atProvider((await leaves(company.email)).url, company.email)
    const moved = elsewhere.action.replace(company.workspaceId, stranger.workspaceId)
    const there = kind === 'saml' ? await post(moved, elsewhere.fields) : await visitOwnPage(moved)
    expect(there.searchParams.get('error')).toBe('sso_failed')
    expect((await elsewhere.back()).searchParams.get('error')).toBe('sso_failed')

    const { url: late } = await leaves(company.email)
    const lateAnswer = await atProvider(late, company.email)
    await expireSsoRequests(app)
    expect((await lateAnswer.back()).searchParams.get('error')).toBe('sso_failed')
    for (const nonsense of ['', '?request=', '?request=x&request=y', `?request=${'x'.repeat(43)}`])
      expect((await visitOwnPage(`${ORIGIN}/api/auth/sso/leave${nonsense}`)).search).toBe(
        '?provider=sso&error=sso_failed',
      )
  })
})

describe('POST /auth/sso', () => {
  it('returns the same for known, claimed and unknown domains', async () => {
    const { domain } = await makeCompany('oidc')
    const claimer = await makePerson(app)
    await claimer.call('POST', '/sso/domains', { domain: 'claimed.example' })
    for (const requestedDomain of [domain, 'claimed.example', 'nobody.example']) {
      const { codeChallenge } = pkce()
      const { status, body } = await call(app, 'POST', '/auth/sso', { email: `ada@${requestedDomain}`, codeChallenge })
      expect([status, Object.keys(body)]).toEqual([200, ['url']])
      expect(body.url).toMatch(/^http:\/\/localhost:3000\/api\/auth\/sso\/leave\?request=[\w-]{43}$/)
      const page = await visit(body.url)
      if (requestedDomain === domain) expect(page.searchParams.get('login_hint')).toBe(`ada@${domain}`)
      else expect(page.href).toBe(`${ORIGIN}/auth/callback?provider=sso&error=sso_not_set_up`)
      expect((await visit(body.url)).searchParams.get('error')).toBe('sso_failed')
    }
  })

  it('returns 400 for neither or both of address and domain, and without a challenge', async () => {
    const { codeChallenge } = pkce()
    for (const body of [
      { codeChallenge },
      { codeChallenge, email: 'a@b.example', domain: 'b.example' },
      { codeChallenge, domain: 'not a domain' },
      { codeChallenge, domain: '127.0.0.1' },
      { email: 'a@b.example' },
    ])
      expect((await call(app, 'POST', '/auth/sso', body)).status).toBe(400)
  })

  it('stores no secrets of a sign-in', async () => {
    const { email } = await makeLinked('oidc')
    const { url } = await leaves(email)
    const stored = JSON.stringify(await app.db.select().from(ssoRequests))
    for (const name of ['state', 'nonce']) expect(stored).not.toContain(url.searchParams.get(name))
    expect(stored).toContain(hashToken(url.searchParams.get('state')!))
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  })
})

describe('attacks on OpenID Connect', () => {
  it('reports a provider that does not respond as unavailable', async () => {
    const { owner, email } = await makeLinked('oidc')
    await changeConnection(app, owner, { issuer: 'http://127.0.0.1:9' })
    expect((await signIn(email)).error).toBe('sso_unavailable')
    expect((await owner.call('POST', '/sso/connection/test')).body.ok).toBe(false)
  })

  it("rejects another sign-in's code, another issuer and a changed state", async () => {
    const { email } = await makeLinked('oidc')
    const elsewhere = new URL((await atProvider((await leaves(email)).url, email)).action)
    for (const change of [
      (query: URLSearchParams) => query.set('code', elsewhere.searchParams.get('code')!),
      (query: URLSearchParams) => query.set('iss', other.url),
      (query: URLSearchParams) => query.delete('iss'),
      (query: URLSearchParams) => query.set('state', 'x'.repeat(43)),
    ]) {
      const callback = new URL((await atProvider((await leaves(email)).url, email)).action)
      change(callback.searchParams)
      expect((await visitOwnPage(callback)).searchParams.get('error')).toBe('sso_failed')
    }
  })
})

describe('attacks on SAML', () => {
  const forge = (fields: Record<string, string>, change: (xml: string) => string) => ({
    SAMLResponse: Buffer.from(change(Buffer.from(fields.SAMLResponse!, 'base64').toString())).toString('base64'),
  })
  let company: Awaited<ReturnType<typeof makeLinked>>
  beforeAll(async () => {
    company = await makeLinked('saml')
  })
  const answered = async () => atProvider((await leaves(company.email)).url, company.email)

  it.each([
    ['without a signature', { unsigned: true }],
    ['for another audience', { audience: 'https://elsewhere.example' }],
    ['for another recipient', { recipient: 'https://elsewhere.example/acs' }],
    ['of another issuer', { issuer: 'https://elsewhere.example' }],
    ['of another request', { inResponseTo: '_another' }],
    ['that has expired', { endsInSeconds: -130 }],
    ['with a transient name ID', { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }],
  ])('rejects an assertion %s', async (_, lies) => {
    app.sso.lie(lies)
    try {
      expect((await (await answered()).back()).search).toBe('?provider=sso&error=sso_failed')
    } finally {
      app.sso.lie({})
    }
  })

  it('tolerates a clock skew of two minutes', async () => {
    app.sso.lie({ endsInSeconds: -60 })
    try {
      expect((await (await answered()).back()).searchParams.get('code')).toBeTruthy()
    } finally {
      app.sso.lie({})
    }
  })

  it('rejects changed, wrapped, commented, weakly signed and unsolicited responses', async () => {
    const assertionOf = (xml: string) => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0]
    const evilOf = (xml: string) =>
      assertionOf(xml)
        .replace(/<ds:Signature.*<\/ds:Signature>/s, '')
        .replace(/ ID="[^"]+"/, ' ID="_evil"')
        .replace(/(<saml:NameID[^>]*>)[^<]*/, '$1somebody-else')
    const changes: Record<string, (xml: string) => string> = {
      destination: (xml) => xml.replace(/(<samlp:Response[^>]* Destination=")[^"]*/, '$1https://elsewhere.example/acs'),
      name: (xml) => xml.replace(/(<saml:NameID[^>]*>)[^<]*/, '$1somebody-else'),
      beside: (xml) => xml.replace('<saml:Assertion', `${evilOf(xml)}<saml:Assertion`),
      around: (xml) =>
        xml.replace(assertionOf(xml), evilOf(xml).replace('</saml:Assertion>', `${assertionOf(xml)}</saml:Assertion>`)),
      within: (xml) =>
        xml.replace(
          assertionOf(xml),
          evilOf(xml).replace(
            '<saml:Subject>',
            `<samlp:Extensions>${assertionOf(xml)}</samlp:Extensions><saml:Subject>`,
          ),
        ),
      sameId: (xml) =>
        xml.replace(
          '<saml:Assertion',
          `${evilOf(xml).replace('_evil', / ID="([^"]+)"/.exec(assertionOf(xml))![1]!)}<saml:Assertion`,
        ),
      comment: (xml) => xml.replace(/(<saml:NameID[^>]*>.)/, '$1<!-- -->'),
      emptyComment: (xml) => xml.replace(/(<saml:NameID[^>]*>.)/, '$1<!---->'),
      entity: (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`,
      weak: (xml) =>
        xml.replaceAll('xmldsig-more#rsa-sha256', 'xmldsig#rsa-sha1').replaceAll('xmlenc#sha256', 'xmldsig#sha1'),
      unsolicited: (xml) => xml.replace(/(<samlp:Response[^>]*) InResponseTo="[^"]*"/, '$1'),
      cut: (xml) => xml.slice(0, -20),
    }
    for (const [name, change] of Object.entries(changes)) {
      const { action, fields } = await answered()
      const page = await post(action, forge(fields, change))
      expect([name, page.searchParams.get('error'), page.searchParams.get('code')]).toEqual([name, 'sso_failed', null])
    }
    for (const nonsense of [{}, { SAMLResponse: '' }, { SAMLResponse: 'PGE+' }, { SAMLResponse: '%%%' }])
      expect((await post((await answered()).action, nonsense as Record<string, string>)).search).toContain('sso_failed')
  })

  it('rejects the key of an expired certificate, unless a valid one has the same key', async () => {
    const expired = await expiredCertificateOf(app.sso.signingKey)
    const isIts = eq(ssoConnections.workspaceId, company.workspaceId)
    const [{ certificates } = { certificates: null }] = await app.db.select().from(ssoConnections).where(isIts)
    const signInWith = async (some: string[]) => {
      await changeConnection(app, company, { certificates: some })
      return (await (await answered()).back()).searchParams.get('error')
    }
    expect(await signInWith([expired])).toBe('sso_failed')
    expect(await signInWith([expired, ...(certificates ?? [])])).toBeNull()
    const input = {
      kind: 'saml',
      entityId: app.sso.metadataUrl,
      ssoUrl: `${app.sso.url}/saml/sso`,
      certificate: expired,
    }
    const { status, body } = await company.owner.call('PUT', '/sso/connection', input)
    expect([status, body.details?.[0]?.field]).toEqual([400, 'certificate'])
  })

  it("rejects another company's provider with our entity id and request", async () => {
    const { url } = await leaves(company.email)
    const there = new URL(url.href.replace(app.sso.url, other.url))
    other.lie({ issuer: app.sso.metadataUrl })
    const { action, fields } = await signInAtSaml(there.href, company.email)
    other.lie({})
    expect(action).toBe(`${ORIGIN}/api/auth/sso/saml/${company.workspaceId}/acs`)
    expect((await post(action, fields)).searchParams.get('error')).toBe('sso_failed')
  })

  it('rejects a used assertion for another request', async () => {
    const first = await answered()
    expect((await first.back()).searchParams.get('code')).toBeTruthy()
    const second = await answered()
    const id = (xml: string) => / InResponseTo="([^"]+)"/.exec(xml)![1]!
    const secondId = id(Buffer.from(second.fields.SAMLResponse!, 'base64').toString())
    const replayed = forge(first.fields, (xml) =>
      xml.replace(/(<samlp:Response[^>]* InResponseTo=")[^"]*/, `$1${secondId}`),
    )
    expect((await post(second.action, replayed)).searchParams.get('error')).toBe('sso_failed')
  })

  it('serves our metadata for any workspace id', async () => {
    const path = `/auth/sso/saml/${company.workspaceId}/metadata`
    const { status, body, headers } = await call(app, 'GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/samlmetadata+xml; charset=utf-8'])
    expect(body).toContain(`entityID="${ORIGIN}/api${path}"`)
    expect(body).toContain(`Location="${ORIGIN}/api/auth/sso/saml/${company.workspaceId}/acs"`)
    expect(body).toContain('WantAssertionsSigned="true"')
    expect((await call(app, 'GET', '/auth/sso/saml/nonsense"<x/metadata')).body).not.toContain('nonsense')
  })
})

describe('linking', () => {
  it('requires reauthentication, a membership and the starting session', async () => {
    const company = await makeCompany('oidc')
    const member = await makePerson(app)
    const { codeChallenge, codeVerifier } = pkce()
    const input = { workspaceId: company.workspaceId, codeChallenge }
    const begin = (person: Person) => person.call('POST', '/auth/sso/link', input)
    expect((await begin(member)).body.code).toBe('SSO_CONNECTION_NOT_FOUND')
    await joinWorkspace(app, company.workspaceId, member.id, 'viewer')
    expect((await begin(member)).body.code).toBe('REAUTHENTICATION_NEEDED')
    await trustSession(app.db, member.actor.sessionId)
    const { body } = await begin(member)
    const page = await (await atProvider(await visit(body.url), `mia@${company.domain}`)).back()
    const brought = { code: page.searchParams.get('code'), codeVerifier }
    expect((await company.owner.call('POST', '/auth/identities', brought)).body.code).toBe('INVALID_CODE')
    expect((await member.call('POST', '/auth/identities', brought)).status).toBe(200)
    expect((await signIn(`mia@${company.domain}`)).answer?.body.user.id).toBe(member.id)

    const rejected = await link(company.owner, company, `mia@${company.domain}`)
    expect([rejected.answer.status, rejected.answer.body.error]).toEqual([
      409,
      'This single sign-on is already linked to another account.',
    ])
    expect((await link(member, company, 'mia@elsewhere.example')).page.searchParams.get('error')).toBe('sso_domain')

    const [identity] = (await member.call('GET', '/auth/identities')).body.identities
    expect(identity).toMatchObject({ provider: 'sso', email: `mia@${company.domain}` })
    const unlink = () => member.call('DELETE', `/auth/identities/${identity.id}`)
    expect((await unlink()).body.code).toBe('LAST_WAY_IN')
    await linkIdentity(app, member.id, 'google')
    expect((await unlink()).status).toBe(204)
    expect((await signIn(`mia@${company.domain}`)).error).toBe('sso_not_linked')
  })

  it('ends with the connection or its issuer', async () => {
    const company = await makeLinked('oidc')
    const { owner } = company
    const linked = async () => (await owner.call('GET', '/auth/identities')).body.identities.length
    const same = { kind: 'oidc', issuer: app.sso.url, clientId: app.sso.clientId, scopes: 'openid email' }
    expect((await owner.call('PUT', '/sso/connection', same)).body.scopes).toBe('openid email')
    expect([await linked(), (await signIn(company.email)).answer?.status]).toEqual([1, 200])
    expect((await owner.call('PUT', '/sso/connection', oidc(other))).status).toBe(200)
    expect([await linked(), (await signIn(company.email)).error]).toEqual([0, 'sso_not_linked'])
    await link(owner, company, company.email)
    expect((await owner.call('DELETE', '/sso/connection')).status).toBe(204)
    expect([await linked(), (await signIn(company.email)).error]).toEqual([0, 'sso_not_set_up'])
    for (const [method, path] of [
      ['DELETE', '/sso/connection'],
      ['POST', '/sso/connection/test'],
    ] as const)
      expect((await owner.call(method, path)).body.code).toBe('SSO_CONNECTION_NOT_FOUND')
  })
})
describe('configuration', () => {
  it('shows our endpoints and the settings, and never the client secret', async () => {
    const { owner, workspaceId, domain } = await makeCompany('oidc')
    const { body } = await owner.call('GET', '/sso')
    expect(body.serviceProvider.redirectUri).toBe(`${ORIGIN}/api/auth/sso/oidc/${workspaceId}/callback`)
    expect(body.connection).toMatchObject({
      kind: 'oidc',
      issuer: app.sso.url,
      clientId: app.sso.clientId,
      linkedCount: 0,
    })
    expect(body.domains).toMatchObject([
      { domain, record: expect.stringMatching(/^x-automated-verification=[\w-]{24}$/) },
    ])
    expect(JSON.stringify(body)).not.toMatch(/secret/i)
    const [row] = await app.db.select().from(ssoConnections).where(eq(ssoConnections.workspaceId, workspaceId))
    expect(row?.sealedClientSecret).not.toContain(app.sso.clientSecret)
    expect((await owner.call('POST', '/sso/connection/test')).body).toEqual({
      ok: true,
      checks: [
        { label: 'Discovery', ok: true, detail: `Found ${app.sso.url}` },
        { label: 'Signing keys', ok: true, detail: '1 key' },
      ],
    })
  })

  it('accepts SAML as pasted or fetched metadata, or by hand', async () => {
    const owner = await makeOwner()
    const xml = await (await fetch(app.sso.metadataUrl)).text()
    const { certificate } = app.sso.signingKey
    for (const input of [
      { metadataUrl: app.sso.metadataUrl },
      { metadataXml: xml },
      { entityId: app.sso.metadataUrl, ssoUrl: `${app.sso.url}/saml/sso`, certificate },
    ]) {
      const { status, body } = await owner.call('PUT', '/sso/connection', { kind: 'saml', ...input })
      expect([status, body]).toMatchObject([
        200,
        {
          kind: 'saml',
          issuer: app.sso.metadataUrl,
          ssoUrl: `${app.sso.url}/saml/sso`,
          certificates: [
            { subject: 'Stand-in identity provider', fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}/) },
          ],
        },
      ])
    }
    const { body } = await owner.call('POST', '/sso/connection/test')
    expect([body.ok, body.checks[1].detail]).toEqual([true, expect.stringMatching(/^Valid for [\d,]+ more days$/)])
  })

  it('returns 400 with the invalid field', async () => {
    const owner = await makeOwner()
    const hand = { kind: 'saml', entityId: 'x', ssoUrl: `${app.sso.url}/saml/sso`, certificate: 'nonsense' }
    const wrong: [object, string][] = [
      [{ kind: 'oidc' }, 'issuer'],
      [{ ...oidc(app.sso), issuer: 'ftp://example.com' }, 'issuer'],
      [{ ...oidc(app.sso), issuer: 'http://user:secret@example.com' }, 'issuer'],
      [{ ...oidc(app.sso), clientSecret: undefined }, 'clientSecret'],
      [{ ...oidc(app.sso), scopes: 'openid' }, 'scopes'],
      [{ kind: 'saml' }, 'entityId'],
      [hand, 'certificate'],
      [{ kind: 'saml', metadataXml: '<x/>' }, 'metadataXml'],
      [{ kind: 'saml', metadataXml: '<!DOCTYPE x [<!ENTITY e "e">]><x>&e;</x>' }, 'metadataXml'],
      [{ kind: 'saml', metadataUrl: `${app.sso.url}/nothing` }, 'metadataUrl'],
      [{ kind: 'saml', metadataUrl: 'http://127.0.0.1:9/' }, 'metadataUrl'],
    ]
    for (const [input, field] of wrong) {
      const { status, body } = await owner.call('PUT', '/sso/connection', input)
      expect([field, status, body.details?.[0]?.field]).toEqual([field, 400, field])
    }
    // The secret is not sent to a new issuer.
    await owner.call('PUT', '/sso/connection', oidc(app.sso))
    const moved = await owner.call('PUT', '/sso/connection', { ...oidc(other), clientSecret: undefined })
    expect([moved.status, moved.body.details[0].field]).toEqual([400, 'clientSecret'])
  })

  it('rejects private addresses without stand-ins', async () => {
    const owner = await makeOwner()
    await owner.call('PUT', '/sso/connection', oidc(app.sso))
    const strict = await app.startAnother({ env: { STAND_INS: 'off' } })
    const there = { url: `${strict.url}/api` }
    const headers = { authorization: `Bearer ${owner.token}` }
    for (const input of [
      oidc(app.sso),
      { ...oidc(app.sso), issuer: 'https://169.254.169.254' },
      { ...oidc(app.sso), issuer: 'https://localhost:8443' },
      saml(app.sso),
      { kind: 'saml', metadataUrl: 'https://[::ffff:127.0.0.1]/x' },
      { kind: 'saml', entityId: 'x', ssoUrl: 'https://10.0.0.1/', certificate: app.sso.signingKey.certificate },
    ]) {
      const { status, body } = await call(there, 'PUT', '/sso/connection', input, headers)
      expect([status, body.details[0].problem]).toEqual([400, expect.stringMatching(/^The address must be/)])
    }
    const tested = await call(there, 'POST', '/sso/connection/test', undefined, headers)
    expect(tested.body).toMatchObject({
      ok: false,
      checks: [{ detail: expect.stringMatching(/HTTPS/) }, {}],
    })
  })

  it('is shown to admins and the owner only', async () => {
    const owner = await makePerson(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    expect((await admin.call('GET', '/sso')).status).toBe(200)
    const member = await makePerson(app, { in: owner, role: 'member' })
    expect((await member.call('GET', '/sso')).body.code).toBe('FORBIDDEN')
  })

  it('can be changed or removed only by the owner after reauthentication', async () => {
    const { owner } = await makeCompany('oidc')
    const admin = await makeAccount(app, { in: owner, role: 'admin' })
    await trustSession(app.db, admin.actor.sessionId)
    await revokeProof(app, { userId: owner.id })
    const change = (person: Person) => person.call('PUT', '/sso/connection', saml(app.sso))
    const remove = (person: Person) => person.call('DELETE', '/sso/connection')
    for (const call of [change, remove]) {
      expect((await call(admin)).body.code).toBe('FORBIDDEN')
      expect((await call(owner)).body.code).toBe('REAUTHENTICATION_NEEDED')
    }
    expect((await owner.call('GET', '/sso')).body.connection.kind).toBe('oidc')
    // The token still says owner, but the role has changed.
    await trustSession(app.db, owner.actor.sessionId)
    const handOver = (userId: string, role: 'admin' | 'owner') =>
      changeRole(app, { workspaceId: owner.workspaceId, userId }, role)
    await handOver(owner.id, 'admin')
    for (const call of [change, remove]) expect((await call(owner)).body.code).toBe('FORBIDDEN')
    await handOver(owner.id, 'owner')
    for (const call of [change, remove]) expect((await call(owner)).status).toBeLessThan(300)
  })
})

describe('domains', () => {
  it('are verified by their TXT record, by one workspace only', async () => {
    const [first, second] = [await makePerson(app), await makePerson(app)]
    const add = async (person: Person) =>
      (await person.call('POST', '/sso/domains', { domain: ' @Contested.Example. ' })).body
    const [firstDomain, two] = [await add(first), await add(second)]
    expect([firstDomain.domain, two.domain, firstDomain.record === two.record, await add(first)]).toEqual([
      'contested.example',
      'contested.example',
      false,
      firstDomain,
    ])
    const verify = (person: Person, { id }: { id: string }) => person.call('POST', `/sso/domains/${id}/verify`)
    expect((await verify(first, firstDomain)).body.code).toBe('SSO_DOMAIN_UNPROVED')
    app.sso.setTxt('contested.example', [two.record])
    expect((await verify(first, firstDomain)).body.code).toBe('SSO_DOMAIN_UNPROVED')
    app.sso.setTxt('contested.example', [`${two.record}x`, firstDomain.record, two.record])
    const responses = await Promise.all([verify(first, firstDomain), verify(second, two)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(responses.find(({ status }) => status === 409)?.body.code).toBe('SSO_DOMAIN_TAKEN')
    const winner = responses[0]!.status === 200 ? [first, firstDomain] : [second, two]
    expect((await verify(winner[0] as Person, winner[1] as { id: string })).status).toBe(200)
    // Once the domain is removed, the other workspace can verify it.
    expect(
      (await (winner[0] as Person).call('DELETE', `/sso/domains/${(winner[1] as { id: string }).id}`)).status,
    ).toBe(204)
    const loser = winner[0] === first ? verify(second, two) : verify(first, firstDomain)
    expect((await loser).status).toBe(200)
  })

  it('returns 503 if DNS does not respond, and 400 for invalid domains', async () => {
    const person = await makePerson(app)
    const { body } = await person.call('POST', '/sso/domains', { domain: 'quiet.example' })
    const deaf = await app.startAnother({ env: { DNS_SERVER: '127.0.0.1:9' } })
    const response = await call({ url: `${deaf.url}/api` }, 'POST', `/sso/domains/${body.id}/verify`, undefined, {
      authorization: `Bearer ${person.token}`,
    })
    expect([response.status, response.body.error]).toEqual([
      503,
      'DNS is not responding. Please try again in a moment.',
    ])
    for (const domain of [
      'com',
      '',
      'a b.example',
      '127.0.0.1',
      'exa_mple.com',
      'http://x.example/',
      `${'x'.repeat(64)}.example`,
    ])
      expect([domain, (await person.call('POST', '/sso/domains', { domain })).status]).toEqual([domain, 400])
    expect((await person.call('POST', '/sso/domains', { domain: 'Bücher.Example' })).body.domain).toBe(
      'xn--bcher-kva.example',
    )
  })
})
