import { Resolver } from 'node:dns/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSso } from './sso.ts'

test('resolves only the TXT records that were set, including long ones', async () => {
  const sso = await startSso()
  onTestFinished(() => sso.close())
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([sso.dns])
  const long = 'x'.repeat(600)
  sso.setTxt('Example.com', ['v=spf1 -all', long])
  const records = await resolver.resolveTxt('EXAMPLE.com')
  expect(records.map((parts) => parts.join(''))).toEqual(['v=spf1 -all', long])
  await expect(resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'ENODATA' })
  await expect(resolver.resolveTxt('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })

  const form = await fetch(`${sso.url}/_dns`, {
    method: 'POST',
    body: new URLSearchParams({ domain: 'a.example', txt: 'one' }),
  })
  expect(await form.text()).toContain('<dt>a.example</dt><dd>one</dd>')
  await fetch(`${sso.url}/_dns/a.example`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ txt: [] }),
  })
  expect(await (await fetch(`${sso.url}/_dns`)).json()).toEqual({ 'example.com': ['v=spf1 -all', long] })
})

test('keeps keys and records across a restart', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'sso-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const look = async () => {
    const sso = await startSso({ stateDir })
    const seen = {
      certificate: sso.signingKey.certificate,
      jwks: await (await fetch(`${sso.url}/jwks`)).text(),
      records: await (await fetch(`${sso.url}/_dns`)).json(),
    }
    sso.setTxt('example.com', ['kept'])
    await sso.close()
    return seen
  }
  const first = await look()
  expect(await look()).toEqual({ ...first, records: { 'example.com': ['kept'] } })
})

test('supports OpenID Connect and SAML, and redirects only to loopback', async () => {
  const sso = await startSso()
  onTestFinished(() => sso.close())
  const discovery = (await (await fetch(`${sso.url}/.well-known/openid-configuration`)).json()) as { issuer: string }
  expect(discovery.issuer).toBe(sso.url)
  const metadata = await (await fetch(sso.metadataUrl)).text()
  expect(metadata).toContain(`entityID="${sso.metadataUrl}"`)
  expect(metadata).toContain(`Location="${sso.url}/saml/sso"`)
  expect((await fetch(`${sso.url}/saml/sso?SAMLRequest=nonsense`)).status).toBe(400)
  expect((await fetch(`${sso.url}/`)).status).toBe(200)
})
