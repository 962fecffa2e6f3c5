import { makeSigningKey } from '@x-automated/stand-ins/sso/saml'
import { expect, it } from 'vitest'
import { finishSaml, openSamlResponse } from './saml.ts'
import { readCertificates, readSamlMetadata } from './saml-metadata.ts'
import { walkXml } from './xml.ts'

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const responseWith = (inside: string) =>
  `<?xml version="1.0"?><p:Response xmlns:p="${PROTOCOL}" InResponseTo="_asked">${inside}</p:Response>`
const open = (xml: string) => openSamlResponse(Buffer.from(xml).toString('base64'))
const signed = (algorithm: string) => responseWith(`<s:SignatureMethod xmlns:s="urn:s" Algorithm="${algorithm}"/>`)

it('reads every certificate of a text, or none', async () => {
  const [first, second] = await Promise.all([makeSigningKey(), makeSigningKey()])
  const both = `${first.certificate}\n${second.certificate}`
  expect(readCertificates(both)).toHaveLength(2)
  expect(readCertificates(first.certificate)).toHaveLength(1)
  expect(
    readCertificates(`${first.certificate}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`),
  ).toBeNull()
  expect(readCertificates('nonsense')).toBeNull()
})

it('reads which request a response answers', () => {
  expect(open(responseWith('<a b="1">text</a>'))?.requestId).toBe('_asked')
  expect(open(signed('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'))?.requestId).toBe('_asked')
})

it.each([
  ['nothing', ''],
  ['no XML', 'x'],
  ['half of it', responseWith('').slice(0, -3)],
  ['something else', '<Response InResponseTo="_asked"/>'],
  ['an assertion alone', '<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:protocol" InResponseTo="_asked"/>'],
  ['NUL', responseWith('\u0000')],
  ['a comment', responseWith('<!-- -->')],
  ['an empty comment', responseWith('<!---->')],
  ['an empty comment within a text', responseWith('<a>owner<!---->.x</a>')],
  ['the beginning of a comment as character data', responseWith('<![CDATA[<!--]]>')],
  ['an instruction', responseWith('<?php ?>')],
  ['a document type', `<!DOCTYPE x [<!ENTITY e "e">]>${responseWith('')}`],
])('rejects %s', (_, xml) => expect(open(xml)).toBeNull())

it.each([
  ['SHA-1', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'],
  ['SHA-1 in disguise', 'http://www.w3.org/2000/09/xmldsig#rsa-sh&#97;1'],
  ['a key that is no secret', 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'],
])('rejects %s and names the reason', async (_, algorithm) => {
  const response = open(signed(algorithm))
  const options = {
    issuer: 'idp',
    ssoUrl: 'https://idp.test',
    certificates: [],
    entityId: 'us',
    acsUrl: 'https://us.test',
  }
  await expect(finishSaml(options, { ...response!, requestId: '_asked' })).rejects.toThrow('SHA-1')
})

it.each([
  ['is never closed', '<a>'.repeat(60_000)],
  ['only opens', '<'.repeat(180_000)],
  ['is deep', '<a>'.repeat(20_000) + '</a>'.repeat(20_000)],
  ['names a space at each step', Array.from({ length: 5_000 }, (_, i) => `<a xmlns:n${i}="u">`).join('')],
  ['has an attribute for everything', `<a ${Array.from({ length: 15_000 }, (_, i) => `b${i}=""`).join(' ')}/>`],
])('rejects XML quickly that %s', (_, xml) => {
  const before = process.cpuUsage()
  expect(open(xml)).toBeNull()
  expect(readSamlMetadata(xml)).toEqual({ problem: "This isn't the metadata of an identity provider." })
  // Building a tree took from seconds to minutes. CPU time ignores other load on the machine.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
})

it('accepts 50 levels and rejects 51', () => {
  const deep = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels)
  expect([walkXml(deep(50)), walkXml(deep(51))]).toEqual([true, false])
})
