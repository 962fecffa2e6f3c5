import type { InputOf } from '@x-automated/contract/contract'
import { formatCount } from '@x-automated/contract/format'
import { DAY_MS } from '@x-automated/contract/time'
import { createOpenId, type OpenId, ProviderUnavailable } from '../../../outside/openid.ts'
import { AddressRefused, type SafeFetch } from '../../../outside/safe-fetch.ts'
import { type SamlOptions, samlUrl } from '../../../outside/saml.ts'
import {
  describeCertificate,
  type ProviderMetadata,
  readCertificates,
  readSamlMetadata,
} from '../../../outside/saml-metadata.ts'
import { addressProblem } from '../../../public-address.ts'
import { invalidField } from '../../../refusal.ts'
import { newToken, type Sealer } from '../../../sealing.ts'
import { openIdRequestOf, serviceProviderOf } from './rules.ts'
import type { ssoConnections } from './tables.ts'

/** The context of requests to an identity provider. This module does not use the database. */
export interface ProviderContext {
  env: { standIns: boolean; authSecret: string }
  origin: string
  safeFetch: SafeFetch
  ssoSealer: Sealer
}
export type Connection = typeof ssoConnections.$inferSelect
type Input = InputOf<'sso', 'save'>
/** The part of a connection that its owner configures. */
export type Provider = Pick<
  Connection,
  'kind' | 'issuer' | 'clientId' | 'sealedClientSecret' | 'scopes' | 'ssoUrl' | 'certificates'
>

export function openIdOf({ env, origin, safeFetch, ssoSealer }: ProviderContext, connection: Connection): OpenId {
  return createOpenId(safeFetch, {
    issuer: connection.issuer,
    clientId: connection.clientId ?? '',
    clientSecret: ssoSealer.open(connection.sealedClientSecret ?? ''),
    scopes: connection.scopes ?? '',
    redirectUri: serviceProviderOf(origin, connection.workspaceId).redirectUri,
    allowLoopback: env.standIns,
  })
}

export function samlOf(
  { origin }: ProviderContext,
  { issuer, ssoUrl, certificates, workspaceId }: Connection,
): SamlOptions {
  const { entityId, acsUrl } = serviceProviderOf(origin, workspaceId)
  return { issuer, ssoUrl: ssoUrl ?? '', certificates: certificates ?? [], entityId, acsUrl }
}

/**
 * Builds the sign-in request for the provider.
 * @returns its URL, and the id that the response returns: `state` (OpenID Connect) or
 * `InResponseTo` (SAML)
 * @throws ProviderUnavailable
 */
export async function startProviderSignIn(context: ProviderContext, connection: Connection, loginHint: string | null) {
  if (connection.kind === 'oidc') {
    const request = newToken()
    const openIdRequest = openIdRequestOf(context.env.authSecret, request)
    return { request, url: await openIdOf(context, connection).authorizeUrl(openIdRequest, loginHint) }
  }
  // An XML id begins with a letter or an underscore.
  const request = `_${newToken()}`
  return { request, url: await samlUrl(samlOf(context, connection), request) }
}

/** Downloads SAML metadata; null if no URL is given. @throws Refusal INVALID_INPUT */
export async function fetchMetadata({ safeFetch }: ProviderContext, { metadataUrl }: Input): Promise<string | null> {
  if (!metadataUrl) return null
  try {
    const response = await safeFetch(metadataUrl)
    if (response.ok) return await response.text()
    throw invalidField('metadataUrl', `The address returned HTTP ${response.status}.`)
  } catch (error) {
    if (error instanceof AddressRefused) throw invalidField('metadataUrl', `The address ${messageOf(error)}.`)
    if (error instanceof Error && error.name !== 'Refusal')
      throw invalidField('metadataUrl', 'Could not reach this address.')
    throw error
  }
}

/**
 * Validates the provider settings of a form. @param stored its client secret is kept if the form
 * has no new one, and issuer and client are unchanged @throws Refusal INVALID_INPUT
 */
export function readProvider(
  { env, ssoSealer }: ProviderContext,
  input: Input,
  { stored, fetchedXml }: { stored: Connection | null; fetchedXml: string | null },
): Provider {
  const none = { clientId: null, sealedClientSecret: null, scopes: null, ssoUrl: null, certificates: null }
  const checkAddress = (field: string, address: string) => {
    const refused = addressProblem(new URL(address), env.standIns)
    if (refused) throw invalidField(field, `The address ${refused}.`)
  }
  if (input.kind === 'oidc') {
    const { issuer = '', clientId = '', clientSecret, scopes = 'openid email profile' } = input
    checkAddress('issuer', issuer)
    // A stored secret must never be sent to a different issuer.
    const keeps = stored?.kind === 'oidc' && stored.issuer === issuer && stored.clientId === clientId
    const sealedClientSecret = clientSecret ? ssoSealer.seal(clientSecret) : keeps ? stored.sealedClientSecret : null
    if (!sealedClientSecret) throw invalidField('clientSecret', 'Enter the client secret.')
    return { ...none, kind: 'oidc', issuer, clientId, sealedClientSecret, scopes }
  }
  const { entityId, ssoUrl, certificates } = samlIn(input, fetchedXml)
  if (certificates.every((certificate) => describeCertificate(certificate).expiresAt <= new Date()))
    throw invalidField(
      fetchedXml || input.metadataXml ? 'metadataXml' : 'certificate',
      'The certificate has expired, so no one could sign in with it.',
    )
  checkAddress(fetchedXml || input.metadataXml ? 'metadataXml' : 'ssoUrl', ssoUrl)
  return { ...none, kind: 'saml', issuer: entityId, ssoUrl, certificates }
}

function samlIn(input: Input, fetchedXml: string | null): ProviderMetadata {
  const xml = fetchedXml ?? input.metadataXml
  if (xml) {
    const read = readSamlMetadata(xml)
    if ('problem' in read) throw invalidField(fetchedXml ? 'metadataUrl' : 'metadataXml', read.problem)
    return read
  }
  const { entityId = '', ssoUrl = '' } = input
  const certificates = readCertificates(input.certificate ?? '')
  if (!certificates) throw invalidField('certificate', 'This is not an X.509 certificate.')
  return { entityId, ssoUrl, certificates }
}

interface Check {
  label: string
  ok: boolean
  detail: string
}

/** Checks everything about a connection that does not require signing in. */
export async function checkConnection(context: ProviderContext, connection: Connection): Promise<Check[]> {
  return connection.kind === 'oidc' ? checkOpenId(openIdOf(context, connection)) : checkSaml(connection)
}

async function checkOpenId(provider: OpenId): Promise<Check[]> {
  const check = async (label: string, look: () => Promise<{ ok: boolean; detail: string }>): Promise<Check> => {
    try {
      return { label, ...(await look()) }
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error
      return { label, ok: false, detail: `Request failed: ${reasonOf(error)}.` }
    }
  }
  return [
    await check('Discovery', async () => {
      const { issuer, authorization_endpoint, token_endpoint } = await provider.discover()
      const ok = Boolean(authorization_endpoint && token_endpoint)
      return { ok, detail: ok ? `Found ${issuer}` : 'The discovery document lists no sign-in endpoints.' }
    }),
    await check('Signing keys', async () => {
      const keys = await provider.countKeys()
      return { ok: keys > 0, detail: formatCount(keys, 'key') }
    }),
  ]
}

function checkSaml({ ssoUrl, certificates }: Connection): Check[] {
  const described = (certificates ?? []).map(describeCertificate)
  const last = described.map(({ expiresAt }) => expiresAt).sort((a, b) => b.getTime() - a.getTime())[0]
  const daysLeft = last ? Math.floor((last.getTime() - Date.now()) / DAY_MS) : -1
  return [
    { label: 'Sign-in address', ok: true, detail: new URL(ssoUrl ?? '').host },
    {
      label: 'Certificate',
      ok: daysLeft >= 0,
      detail:
        daysLeft >= 0
          ? `Valid for ${formatCount(daysLeft, 'more day')}`
          : 'Expired. No one can sign in until the owner adds the new one.',
    },
  ]
}

/** The message of the innermost cause, which is the most specific. No such message contains a secret. */
function reasonOf(error: Error): string {
  let reason: Error = error
  while (reason.cause instanceof Error) reason = reason.cause
  return messageOf(reason)
}

function messageOf({ message }: Error): string {
  return message.replace(/\.$/, '').slice(0, 200)
}
