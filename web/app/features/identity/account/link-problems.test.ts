import { PROVIDER_PROBLEMS } from '@x-automated/contract/identity/provider-problems'
import { SSO_PROBLEMS } from '@x-automated/contract/identity/sso-problems'
import { expect, it } from 'vitest'
import { linkProblem, providerName } from './link-problems'

it('has a message for every problem', () => {
  for (const key of Object.keys(PROVIDER_PROBLEMS)) expect(linkProblem(key)).toBeTruthy()
  expect(linkProblem('cancelled')).toBe('You canceled at Google. Nothing was changed.')
  expect(linkProblem('failed')).toBe(PROVIDER_PROBLEMS.failed)
  expect(linkProblem('sso_domain')).toBe(SSO_PROBLEMS.sso_domain)
  expect(linkProblem('constructor')).toBeNull()
  expect(linkProblem(null)).toBeNull()
})

it('shows unknown providers by their key', () => {
  expect(['google', 'acme-sso', 'constructor'].map(providerName)).toEqual(['Google', 'acme-sso', 'constructor'])
})
