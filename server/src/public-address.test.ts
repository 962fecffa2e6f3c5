import { expect, it } from 'vitest'
import { lookupPublic, PrivateAddress } from './outside/public-lookup.ts'
import { isPrivateHost, isPublicAddress } from './public-address.ts'

it.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'nonsense',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

it.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

it.each([
  ['localhost', true],
  ['intranet', true],
  ['db.internal', true],
  ['printer.local', true],
  ['api.localhost.', true],
  ['[::1]', true],
  ['10.0.0.8', true],
  ['example.com', false],
  ['93.184.215.14', false],
])('the host %s is private: %s', (host, isPrivate) => expect(isPrivateHost(host)).toBe(isPrivate))

it.each([false, true])('refuses a name that leads inside (all: %s)', async (all) => {
  const error = await new Promise((resolve) => lookupPublic('localhost', { all } as { all: false }, resolve))
  expect(error).toBeInstanceOf(PrivateAddress)
})
