import { type Sso, startSso } from '@x-automated/stand-ins/sso'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkIn, mailsTo, mailTo, makeAccount, PASSWORD, pkce } from '../../../../test/accounts.ts'
import { call, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { addFactor, addRecoveryCode } from '../../../../test/second-factors.ts'
import { KINDS, newDomain, oidc, saml, settings, ssoVisits } from '../../../../test/sso.ts'
import { joinWorkspace, leaveWorkspace } from '../../../../test/team.ts'
import { trustSession } from '../auth/sessions.ts'
import { authCodes, authSessions } from '../auth/tables.ts'
import { authFactors, authTickets } from '../second-factors/tables.ts'
import { extensionCodes, extensionPairings } from '../workspaces/tables.ts'

let app: TestApp
/** Another company's identity provider. */
let other: Sso
beforeAll(async () => {
  ;[app, other] = await Promise.all([openApp({ sso: true, mailbox: true, google: true, workers: true }), startSso()])
})
afterAll(() => other.close())

const { makeCompany, proveDomain, visit, atProvider, leaves, signIn, link, makeLinked } = ssoVisits(() => app)

/** Adds a second workspace that the person owns. */
async function addWorkspace(person: Person): Promise<string> {
  const other = await makePerson(app)
  await leaveWorkspace(app, { workspaceId: other.workspaceId })
  await joinWorkspace(app, other.workspaceId, person.id, 'owner')
  return other.workspaceId
}

/** Signs in by single sign-on. @returns the browser that has signed in */
async function signedIn(email: string) {
  const { answer: response } = await signIn(email)
  expect(response?.status).toBe(200)
  const { token, refreshToken } = response!.body as { token: string; refreshToken: string }
  const headers = { authorization: `Bearer ${token}` }
  return {
    token,
    refreshToken,
    call: (method: string, path: string, body?: unknown) => call(app, method, path, body, headers),
  }
}
type Browser = Awaited<ReturnType<typeof signedIn>>

const switchTo = (browser: Pick<Browser, 'call'>, workspaceId: string) =>
  browser.call('POST', '/workspace/switch', { workspaceId })
const statusOf = async (browser: Pick<Browser, 'call'>) => (await browser.call('GET', '/me')).status

describe('an admin who replaces the certificate', () => {
  it('is stopped at each step of taking over the owner and their other workspaces', async () => {
    const company = await makeLinked('saml')
    const { owner, email } = company
    const elsewhere = await addWorkspace(owner)
    const admin = await makeAccount(app, { in: owner, role: 'admin' })
    await trustSession(app.db, admin.actor.sessionId)

    // An admin cannot set their own certificate under the same entity id.
    const samlInput = { kind: 'saml', entityId: app.sso.metadataUrl, ssoUrl: `${other.url}/saml/sso` }
    const replaced = await admin.call('PUT', '/sso/connection', {
      ...samlInput,
      certificate: other.signingKey.certificate,
    })
    expect([replaced.status, replaced.body.code]).toEqual([403, 'FORBIDDEN'])
    expect((await admin.call('DELETE', '/sso/connection')).body.code).toBe('FORBIDDEN')

    // An assertion for the owner, signed with the other provider's key, is rejected.
    other.lie({ issuer: app.sso.metadataUrl })
    const { url } = await leaves(email)
    const forged = await atProvider(new URL(url.href.replace(app.sso.url, other.url)), email)
    expect((await forged.back()).search).toBe('?provider=sso&error=sso_failed')

    // If the owner replaces the certificate, all links end.
    expect(
      (await owner.call('PUT', '/sso/connection', { ...samlInput, certificate: other.signingKey.certificate })).status,
    ).toBe(200)
    try {
      const { page, code, error } = await signIn(email)
      expect([error, code, page.pathname]).toEqual(['sso_not_linked', null, '/auth/callback'])

      // After linking to the admin's provider, the owner's session opens only this workspace.
      await link(owner, company, email)
      const stolen = await signedIn(email)
      expect((await stolen.call('GET', '/me')).body.workspace.id).toBe(company.workspaceId)
      const switched = await switchTo(stolen, elsewhere)
      expect([switched.status, switched.body.code]).toEqual([403, 'REAUTHENTICATION_NEEDED'])
      const exported = await stolen.call('GET', '/auth/user/export')
      expect([exported.status, exported.body.code]).toEqual([403, 'REAUTHENTICATION_NEEDED'])
      for (const person of [owner, admin]) expect((await switchTo(person, person.workspaceId)).status).toBe(200)
    } finally {
      other.lie({})
    }
  })
})

describe('changing the identity provider', () => {
  const certificates = (...keys: { certificate: string }[]) =>
    keys
      .map(({ certificate }) => certificate.replace(/-----(BEGIN|END) CERTIFICATE-----|\s/g, ''))
      .map(
        (key) =>
          `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${key}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
      )
      .join('')
  const metadata = (...keys: { certificate: string }[]) => ({
    kind: 'saml',
    metadataXml: `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${app.sso.metadataUrl}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${certificates(...keys)}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${app.sso.url}/saml/sso"/></IDPSSODescriptor></EntityDescriptor>`,
  })
  const change = async (owner: Person, input: object) => {
    const response = await owner.call('PUT', '/sso/connection', input)
    expect(response.status).toBe(200)
    return response.body.linkedCount
  }
  const refreshes = async ({ refreshToken }: Browser) =>
    (await call(app, 'POST', '/auth/refresh', { refreshToken })).status

  it('keeps links and sessions while one certificate overlaps, and ends both with the last of them', async () => {
    const { owner, email } = await makeLinked('saml')
    const browser = await signedIn(email)
    expect(await change(owner, metadata(app.sso.signingKey, other.signingKey))).toBe(1)
    expect([await statusOf(browser), (await signIn(email)).answer?.status]).toEqual([200, 200])
    expect(await change(owner, metadata(other.signingKey))).toBe(1)
    expect(await statusOf(browser)).toBe(200)
    expect(await change(owner, metadata(app.sso.signingKey))).toBe(0)
    expect([await statusOf(browser), await refreshes(browser)]).toEqual([401, 401])
    expect((await signIn(email)).error).toBe('sso_not_linked')
    // The owner's session does not come from single sign-on.
    expect(await statusOf(owner)).toBe(200)
  })

  it('ends links and sessions for a new issuer or client of OpenID Connect, not for a new secret or scopes', async () => {
    const { owner, email } = await makeLinked('oidc')
    const browser = await signedIn(email)
    expect(await change(owner, { ...oidc(app.sso), scopes: 'openid email' })).toBe(1)
    expect(await statusOf(browser)).toBe(200)
    expect(await change(owner, { ...oidc(app.sso), clientId: 'another' })).toBe(0)
    expect([await statusOf(browser), await refreshes(browser)]).toEqual([401, 401])
  })

  it('ends links and sessions with the connection, even if it is recreated with the same entity id', async () => {
    const { owner, email } = await makeLinked('saml')
    const browser = await signedIn(email)
    expect((await owner.call('DELETE', '/sso/connection')).status).toBe(204)
    expect(await statusOf(browser)).toBe(401)
    expect(await change(owner, saml(app.sso))).toBe(0)
    expect((await signIn(email)).error).toBe('sso_not_linked')
    expect([await statusOf(browser), await refreshes(browser)]).toEqual([401, 401])
  })

  it('invalidates unused codes, second-factor tickets and pairing codes', async () => {
    const { owner, email, workspaceId } = await makeLinked('saml')
    const pairing = await (await signedIn(email)).call('POST', '/extension/codes')
    const paired = await (await signedIn(email)).call('POST', '/extension/codes')
    expect([pairing.status, paired.status]).toEqual([200, 200])
    const extension = await call(app, 'POST', '/extension/pair', { code: paired.body.code, version: '1.0.0' })
    expect(extension.status).toBe(200)
    const page = await (await atProvider((await leaves(email)).url, email)).back()
    await addFactor(app, owner.id)
    const { ticket } = (await signIn(email)).answer!.body as { ticket: string }
    expect(ticket).toBeTruthy()
    const count = async () => ({
      codes: await app.db.$count(authCodes, eq(authCodes.userId, owner.id)),
      tickets: await app.db.$count(authTickets, eq(authTickets.userId, owner.id)),
      pairings: await app.db.$count(extensionPairings, eq(extensionPairings.workspaceId, workspaceId)),
      pairingCodes: await app.db.$count(extensionCodes, eq(extensionCodes.workspaceId, workspaceId)),
    })
    await (await signedInSecond(email, owner)).call('POST', '/extension/codes')
    expect(page.searchParams.get('code')).toBeTruthy()
    expect(await count()).toMatchObject({ codes: 1, pairings: 1, pairingCodes: 1 })
    expect((await owner.call('DELETE', '/sso/connection')).status).toBe(204)
    expect(await count()).toEqual({ codes: 0, tickets: 0, pairings: 0, pairingCodes: 0 })
  })

  it('invalidates codes of pending links', async () => {
    const { owner, workspaceId, domain } = await makeCompany('saml')
    const { codeVerifier, codeChallenge } = pkce()
    const { body } = await owner.call('POST', '/auth/sso/link', { workspaceId, codeChallenge })
    const page = await (await atProvider(await visit(body.url), `ada@${domain}`)).back()
    await change(owner, metadata(other.signingKey))
    const brought = { code: page.searchParams.get('code'), codeVerifier }
    expect((await owner.call('POST', '/auth/identities', brought)).body.code).toBe('INVALID_CODE')
  })

  it('ends the sessions of a link when it is removed', async () => {
    const { owner, email } = await makeLinked('oidc')
    const browser = await signedIn(email)
    const [identity] = (await owner.call('GET', '/auth/identities')).body.identities
    expect((await owner.call('DELETE', `/auth/identities/${identity.id}`)).status).toBe(204)
    expect([await statusOf(browser), await refreshes(browser)]).toEqual([401, 401])
    expect(await statusOf(owner)).toBe(200)
  })

  it('emails the owner and everyone who has linked it, and nobody else', async () => {
    const company = await makeCompany('saml')
    const { owner, domain } = company
    const [linked, unlinked] = [
      await makeAccount(app, { in: owner, role: 'member' }),
      await makeAccount(app, { in: owner, role: 'admin' }),
    ]
    await link(linked, company, `mia@${domain}`)
    const mails = async (person: Person) =>
      (await mailsTo(app, person.email)).filter(({ subject }) => /^Single sign-on for /.test(subject)).length
    const setUp = await mailTo(app, owner.email, /^Single sign-on for .* was set up$/)
    expect(setUp.text).toMatch(/You set up the identity provider of .+, the workspace you own\./)

    await change(owner, metadata(app.sso.signingKey, other.signingKey))
    const mail = await mailTo(app, linked.email, /^Single sign-on for .* was changed$/)
    expect(mail.text).toContain('Your link to it still works.')
    await change(owner, metadata(app.sso.signingKey, other.signingKey))
    expect((await owner.call('DELETE', '/sso/connection')).status).toBe(204)
    const ended = await mailTo(app, linked.email, /^Single sign-on for .* was removed$/)
    expect(ended.text).toContain('its sessions have ended')
    expect(linkIn(ended, '/account').hash).toBe('#sign-in')
    await mailTo(app, owner.email, /^Single sign-on for .* was removed$/)
    // Saving the same settings again emails nobody.
    expect([await mails(owner), await mails(linked), await mails(unlinked)]).toEqual([3, 2, 0])
  })
})

describe.each(KINDS)('a session that came from %s', (kind) => {
  /** Calls that concern the account or its other workspaces: method, path, body. */
  const sensitive = async (owner: Person): Promise<[string, string, object?][]> => {
    const [identity] = (await owner.call('GET', '/auth/identities')).body.identities
    const inviter = await makePerson(app)
    await subscribe(app, inviter)
    await inviter.client.people.invite({ email: owner.email, role: 'viewer' })
    const invitation = linkIn(await mailTo(app, owner.email, /^Join /), '/invitation')
    const factor = await addFactor(app, owner.id, 'unconfirmed', null)
    const { codeChallenge } = pkce()
    return [
      ['GET', '/auth/user/export'],
      ['GET', '/auth/identities'],
      ['GET', '/auth/factors'],
      ['GET', '/auth/sessions'],
      ['POST', '/workspace/switch', { workspaceId: await addWorkspace(owner) }],
      ['POST', '/invitations/accept', { token: invitation.hash.replace('#token=', '') }],
      ['PATCH', '/auth/user', { name: 'Somebody else' }],
      ['PATCH', '/auth/user', { password: 'Another-horse1' }],
      ['PATCH', '/auth/user', { email: 'elsewhere@example.com' }],
      ['DELETE', '/auth/user', { confirmation: owner.email }],
      ['POST', '/auth/identities/authorize', { provider: 'google', codeChallenge }],
      ['POST', '/auth/sso/link', { workspaceId: owner.workspaceId, codeChallenge }],
      ['DELETE', `/auth/identities/${identity.id}`],
      ['POST', '/auth/factors', { kind: 'totp' }],
      ['PATCH', `/auth/factors/${factor.id}`, { name: 'Mine' }],
      ['DELETE', `/auth/factors/${factor.id}`],
      ['DELETE', `/auth/sessions/${owner.actor.sessionId}`],
      ['POST', '/auth/sign-out', { scope: 'others' }],
      ['POST', '/auth/sign-out', { scope: 'global' }],
      ['POST', '/workspace/owner', { personId: inviter.id }],
      ['PUT', '/sso/connection', settings(kind, other)],
      ['DELETE', '/sso/connection'],
    ]
  }

  it('needs reauthentication for everything that concerns the account or another workspace', async () => {
    const { owner, email } = await makeLinked(kind)
    const calls = await sensitive(owner)
    const browser = await signedIn(email)
    for (const [method, path, body] of calls) {
      const response = await browser.call(method, path, body)
      expect([method, path, body, response.body.code]).toEqual([method, path, body, 'REAUTHENTICATION_NEEDED'])
    }
    // None of the calls had an effect.
    expect([await statusOf(owner), await statusOf(browser)]).toEqual([200, 200])
    expect((await owner.call('GET', '/auth/user')).body).toMatchObject({ email: owner.email, pendingEmail: null })
  })

  it('has full access after reauthentication with the password', async () => {
    const { owner, email } = await makeLinked(kind)
    const elsewhere = await addWorkspace(owner)
    const browser = await signedIn(email)
    expect((await browser.call('POST', '/auth/reauthenticate', { password: 'wrong' })).status).toBe(400)
    expect((await switchTo(browser, elsewhere)).body.code).toBe('REAUTHENTICATION_NEEDED')
    expect((await browser.call('POST', '/auth/reauthenticate', { password: PASSWORD })).status).toBe(200)
    for (const path of ['/auth/user/export', '/auth/identities', '/auth/factors', '/auth/sessions'])
      expect((await browser.call('GET', path)).status).toBe(200)
    const switched = await switchTo(browser, elsewhere)
    expect([switched.status, switched.body.workspace.id]).toEqual([200, elsewhere])
  })

  it('stays in its workspace after a refresh, even if the person switches elsewhere', async () => {
    const { owner, email, workspaceId } = await makeLinked(kind)
    const elsewhere = await addWorkspace(owner)
    expect((await switchTo(owner, elsewhere)).status).toBe(200)
    const browser = await signedIn(email)
    const { body } = await call(app, 'POST', '/auth/refresh', { refreshToken: browser.refreshToken })
    const me = await call(app, 'GET', '/me', undefined, { authorization: `Bearer ${body.token}` })
    expect([me.body.workspace.id, me.body.workspaces.length]).toEqual([workspaceId, 2])
    expect((await switchTo(browser, workspaceId)).status).toBe(200)
  })

  it('ends when the person is removed from the workspace', async () => {
    const company = await makeCompany(kind)
    const member = await makeAccount(app, { in: company.owner, role: 'member' })
    await link(member, company, `mia@${company.domain}`)
    const browser = await signedIn(`mia@${company.domain}`)
    expect((await company.owner.call('DELETE', `/workspace/people/${member.id}`)).status).toBe(204)
    const { status } = await call(app, 'POST', '/auth/refresh', { refreshToken: browser.refreshToken })
    expect([await statusOf(browser), status]).toEqual([401, 401])
    // The member's other session remains.
    expect(await app.db.$count(authSessions, eq(authSessions.userId, member.id))).toBe(1)
  })

  it('asks for the second factor, and stays in its workspace after it', async () => {
    const { owner, email } = await makeLinked(kind)
    const elsewhere = await addWorkspace(owner)
    const browser = await signedInSecond(email, owner)
    expect((await switchTo(browser, elsewhere)).body.code).toBe('REAUTHENTICATION_NEEDED')
    expect((await browser.call('GET', '/auth/user/export')).body.code).toBe('REAUTHENTICATION_NEEDED')
    // The session learns just enough to reauthenticate with the factor.
    const listed = (await browser.call('GET', '/auth/factors')).body
    expect([listed.code, listed.details]).toEqual([
      'REAUTHENTICATION_NEEDED',
      { factors: [{ id: expect.any(String), kind: 'totp' }] },
    ])
  })

  it('sees and ends extensions of its workspace only', async () => {
    const { owner, email } = await makeLinked(kind)
    const elsewhere = await addWorkspace(owner)
    const pairFrom = async (browser: Pick<Browser, 'call'>) => {
      const { code } = (await browser.call('POST', '/extension/codes')).body
      return call(app, 'POST', '/extension/pair', { code, version: '1.0.0' })
    }
    await pairFrom(owner)
    const switched = await switchTo(owner, elsewhere)
    const there = { authorization: `Bearer ${switched.body.token}` }
    await pairFrom({ call: (method, path, body) => call(app, method, path, body, there) })
    const all = (await owner.call('GET', '/extension/pairings')).body.pairings
    expect(all).toHaveLength(2)
    const browser = await signedIn(email)
    const seen = (await browser.call('GET', '/extension/pairings')).body.pairings
    expect(seen).toHaveLength(1)
    const hidden = all.find(({ id }: { id: string }) => id !== seen[0].id)
    expect((await browser.call('DELETE', `/extension/pairings/${hidden.id}`)).body.code).toBe('PAIRING_NOT_FOUND')
    expect((await browser.call('DELETE', `/extension/pairings/${seen[0].id}`)).status).toBe(204)
  })

  it('can switch to another workspace through its single sign-on', async () => {
    const { owner, email, workspaceId } = await makeLinked(kind)
    const elsewhere = await addWorkspace(owner)
    const browser = await signedIn(email)
    const proofOf = async () => (await switchTo(browser, elsewhere)).body.details.singleSignOn
    expect(await proofOf()).toBeNull()

    // Give the other workspace its own provider and domain.
    const switched = await switchTo(owner, elsewhere)
    const there: Person = {
      ...owner,
      workspaceId: elsewhere as Person['workspaceId'],
      call: (method, path, body) => call(app, method, path, body, { authorization: `Bearer ${switched.body.token}` }),
    }
    expect((await there.call('PUT', '/sso/connection', settings(kind, other))).status).toBe(200)
    const domain = newDomain()
    await proveDomain(there, domain)
    expect(await proofOf()).toBeNull()
    await link(there, { workspaceId: elsewhere }, `ada@${domain}`)
    expect(await proofOf()).toBe('another')
    expect((await there.call('PUT', '/sso/connection', settings(kind, app.sso))).status).toBe(200)
    expect(await proofOf()).toBeNull()
    await link(there, { workspaceId: elsewhere }, `ada@${domain}`)
    expect(await proofOf()).toBe('same')

    const { codeVerifier, codeChallenge } = pkce()
    const begun = await call(app, 'POST', '/auth/sso', { workspaceId: elsewhere, codeChallenge })
    const page = await (await atProvider(await visit(begun.body.url), `ada@${domain}`)).back()
    const response = await call(app, 'POST', '/auth/exchange', { code: page.searchParams.get('code'), codeVerifier })
    const moved = {
      call: (method: string, path: string, body?: unknown) =>
        call(app, method, path, body, { authorization: `Bearer ${response.body.token}` }),
    }
    expect((await moved.call('GET', '/me')).body).toMatchObject({ id: owner.id, workspace: { id: elsewhere } })
    expect((await switchTo(moved, workspaceId)).body.details.singleSignOn).toBe('same')
  })

  it('has no access to operator calls', async () => {
    const { owner, email } = await makeLinked(kind)
    const strict = await app.startAnother({ env: { OPERATORS: owner.email } })
    const browser = await signedIn(email)
    const at = (path: string, token: string) =>
      call({ url: `${strict.url}/api` }, 'GET', path, undefined, { authorization: `Bearer ${token}` })
    expect((await at('/operator/members', owner.token)).status).toBe(200)
    expect((await at('/operator/members', browser.token)).status).toBe(404)
    expect((await at('/me', owner.token)).body.operator).toBe(true)
    expect((await at('/me', browser.token)).body.operator).toBeUndefined()
  })
})

/** Signs in with a recovery code as the second factor. */
async function signedInSecond(email: string, person: Person): Promise<Pick<Browser, 'call'>> {
  const factorCount = await app.db.$count(authFactors, eq(authFactors.userId, person.id))
  if (factorCount === 0) await addFactor(app, person.id)
  const code = 'ABCDE-FGHIJ'
  await addRecoveryCode(app, person.id, 'abcdefghij')
  const { ticket } = (await signIn(email)).answer!.body as { ticket: string }
  const { status, body } = await call(app, 'POST', '/auth/sign-in/second-factor', { ticket, code })
  expect(status).toBe(200)
  return {
    call: (method, path, payload) => call(app, method, path, payload, { authorization: `Bearer ${body.token}` }),
  }
}
