import { browser, signInAtGoogle } from '@x-automated/stand-ins/google/visit'
import type { Sso } from '@x-automated/stand-ins/sso'
import { signInAtSaml } from '@x-automated/stand-ins/sso/visit'
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { trustSession } from '../src/domains/identity/auth/sessions.ts'
import { ssoConnections } from '../src/domains/identity/sso/tables.ts'
import { makeAccount, pkce } from './accounts.ts'
import { call, type Person } from './makers.ts'
import type { Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'

type Kind = 'oidc' | 'saml'
export const KINDS: Kind[] = ['oidc', 'saml']
export const ORIGIN = 'http://localhost:3000'

export const oidc = (idp: Sso) => ({
  kind: 'oidc',
  issuer: idp.url,
  clientId: idp.clientId,
  clientSecret: idp.clientSecret,
})
export const saml = (idp: Sso) => ({ kind: 'saml', metadataUrl: idp.metadataUrl })
export const settings = (kind: Kind, idp: Sso) => (kind === 'oidc' ? oidc(idp) : saml(idp))

let count = 0
export const newDomain = () => `company${++count}.example`

/** Creates workspaces with single sign-on, and signs in through it. @param app opened with `sso` */
export function ssoVisits(app: () => TestApp) {
  /** Creates a workspace owner who has just reauthenticated. */
  async function makeOwner() {
    const owner = await makeAccount(app())
    await trustSession(app().db, owner.actor.sessionId)
    return owner
  }

  /** Creates a workspace owner with an identity provider and a verified domain. */
  async function makeCompany(kind: Kind, idp = app().sso) {
    const owner = await makeOwner()
    const domain = newDomain()
    expect((await owner.call('PUT', '/sso/connection', settings(kind, idp))).status).toBe(200)
    const added = await proveDomain(owner, domain)
    return { kind, owner, domain, domainId: added.id as string, workspaceId: owner.workspaceId as string }
  }

  async function proveDomain(owner: Person, domain: string) {
    const { body } = await owner.call('POST', '/sso/domains', { domain })
    app().sso.setTxt(domain, ['v=spf1 -all', body.record])
    const verified = await owner.call('POST', `/sso/domains/${body.id}/verify`)
    expect([verified.status, verified.body.verifiedAt]).toEqual([200, expect.any(String)])
    return verified.body
  }

  /** Requests an address without following its redirect. */
  async function visit(address: string | URL, init: RequestInit = {}): Promise<URL> {
    const url = new URL(address)
    const response = await fetch(app().origin + url.pathname + url.search, { ...init, redirect: 'manual' })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([303, null])
    return new URL(response.headers.get('location')!)
  }

  /** Requests an address and returns our page that it redirects to, which must be on our own origin. */
  async function visitOwnPage(address: string | URL, init?: RequestInit): Promise<URL> {
    const page = await visit(address, init)
    expect(page.origin).toBe(ORIGIN)
    return page
  }

  const post = (action: string, fields: Record<string, string>) =>
    visitOwnPage(action, { method: 'POST', body: new URLSearchParams(fields) })

  /**
   * Signs in at the provider, at the URL that we redirected to. @returns what the browser sends back
   * to us
   */
  async function atProvider(url: URL, email: string, decision: 'continue' | 'cancel' = 'continue') {
    if (url.pathname.startsWith('/saml')) {
      const { action, fields } = await signInAtSaml(url.href, email, decision)
      return { action, fields, back: () => post(action, fields) }
    }
    const callback = await signInAtGoogle(url.href, email, decision, browser())
    return { action: callback.href, fields: {} as Record<string, string>, back: () => visitOwnPage(callback) }
  }

  async function leaves(email: string) {
    const { codeVerifier, codeChallenge } = pkce()
    const { status, body } = await call(app(), 'POST', '/auth/sso', { email, codeChallenge })
    expect(status).toBe(200)
    return { codeVerifier, url: await visit(body.url) }
  }

  /** Signs in through single sign-on, until our session starts. @param typed the address typed at the provider */
  async function signIn(email: string, typed = email, decision: 'continue' | 'cancel' = 'continue') {
    const { url, codeVerifier } = await leaves(email)
    const page = url.origin === ORIGIN ? url : await (await atProvider(url, typed, decision)).back()
    const code = page.searchParams.get('code')
    const response = code ? await call(app(), 'POST', '/auth/exchange', { code, codeVerifier }) : null
    return { page, code, codeVerifier, answer: response, error: page.searchParams.get('error') }
  }

  /** Links single sign-on to the person's account, in their session. */
  async function link(person: Person, { workspaceId }: { workspaceId: string }, email: string) {
    await trustSession(app().db, person.actor.sessionId)
    const { codeVerifier, codeChallenge } = pkce()
    const { status, body } = await person.call('POST', '/auth/sso/link', { workspaceId, codeChallenge })
    expect(status).toBe(200)
    const page = await (await atProvider(await visit(body.url), email)).back()
    expect(page.pathname).toBe('/account')
    const code = page.searchParams.get('code') ?? 'none'
    return { page, answer: await person.call('POST', '/auth/identities', { code, codeVerifier }) }
  }

  async function makeLinked(kind: Kind) {
    const company = await makeCompany(kind)
    const email = `ada@${company.domain}`
    const { answer: response } = await link(company.owner, company, email)
    expect([response.status, response.body.provider, response.body.email]).toEqual([200, 'sso', email])
    return { ...company, email }
  }

  return {
    makeOwner,
    makeCompany,
    proveDomain,
    visit,
    visitOwnPage,
    post,
    atProvider,
    leaves,
    signIn,
    link,
    makeLinked,
  }
}

export type Company = Awaited<ReturnType<ReturnType<typeof ssoVisits>['makeCompany']>>

type Connection = typeof ssoConnections.$inferSelect

/** Changes the stored issuer or certificates of the workspace's identity provider. */
export async function changeConnection(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  change: Partial<Pick<Connection, 'issuer' | 'certificates'>>,
): Promise<void> {
  await db.update(ssoConnections).set(change).where(eq(ssoConnections.workspaceId, workspaceId))
}

/** Connects an identity provider without calling it. @returns the id of the connection */
export async function insertConnection(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  provider: Omit<typeof ssoConnections.$inferInsert, 'workspaceId'>,
): Promise<string> {
  const [connection] = await db
    .insert(ssoConnections)
    .values({ workspaceId, ...provider })
    .returning()
  return connection!.id
}
