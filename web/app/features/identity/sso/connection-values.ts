import type { SsoConnection } from '@x-automated/contract/identity/sso'

export interface ConnectionValues {
  kind: 'oidc' | 'saml'
  samlBy: 'url' | 'xml' | 'hand'
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  metadataUrl: string
  metadataXml: string
  entityId: string
  ssoUrl: string
  certificate: string
}

/** The form's initial values. Secrets are never shown. */
export function emptyConnection(connection: SsoConnection | null): ConnectionValues {
  const isSaml = connection?.kind === 'saml'
  return {
    kind: connection?.kind ?? 'oidc',
    samlBy: 'url',
    issuer: isSaml ? '' : (connection?.issuer ?? ''),
    clientId: connection?.clientId ?? '',
    clientSecret: '',
    scopes: connection?.scopes ?? 'openid email profile',
    metadataUrl: '',
    metadataXml: '',
    entityId: isSaml ? connection.issuer : '',
    ssoUrl: connection?.ssoUrl ?? '',
    certificate: '',
  }
}

/** The chosen protocol's fields. An empty client secret keeps the stored one. */
export function connectionInput(values: ConnectionValues) {
  const {
    kind,
    samlBy,
    issuer,
    clientId,
    clientSecret,
    scopes,
    metadataUrl,
    metadataXml,
    entityId,
    ssoUrl,
    certificate,
  } = values
  if (kind === 'oidc') return { kind, issuer, clientId, scopes, ...(clientSecret ? { clientSecret } : {}) }
  if (samlBy === 'url') return { kind, metadataUrl }
  return samlBy === 'xml' ? { kind, metadataXml } : { kind, entityId, ssoUrl, certificate }
}
