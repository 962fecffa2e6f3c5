import { expect, it } from 'vitest'
import { connectionInput, emptyConnection } from './connection-values'

const filled = {
  ...emptyConnection(null),
  issuer: 'https://idp.example',
  clientId: 'id',
  metadataUrl: 'https://idp.example/metadata',
  metadataXml: '<x/>',
  entityId: 'e',
  ssoUrl: 'https://idp.example/sso',
  certificate: 'c',
}

it("sends only the chosen protocol's fields, and no empty secret", () => {
  const oidc = { kind: 'oidc', issuer: 'https://idp.example', clientId: 'id', scopes: 'openid email profile' }
  expect(connectionInput(filled)).toEqual(oidc)
  expect(connectionInput({ ...filled, clientSecret: 's' })).toEqual({ ...oidc, clientSecret: 's' })
  const saml = { ...filled, kind: 'saml' as const }
  expect(connectionInput(saml)).toEqual({ kind: 'saml', metadataUrl: 'https://idp.example/metadata' })
  expect(connectionInput({ ...saml, samlBy: 'xml' })).toEqual({ kind: 'saml', metadataXml: '<x/>' })
  expect(connectionInput({ ...saml, samlBy: 'hand' })).toEqual({
    kind: 'saml',
    entityId: 'e',
    ssoUrl: 'https://idp.example/sso',
    certificate: 'c',
  })
})
