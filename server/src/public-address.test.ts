import { expect, it } from 'vitest'
import { addressProblem, isPublicAddress } from './public-address.ts'

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
  // Only 2000::/3 is assigned: these are IPv4 in IPv6, translated or unassigned.
  '::7f00:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:0:7f00:1',
  '64:ff9b:1::7f00:1',
  '5f00::1',
  'fec0::1',
  '4000::1',
  'nonsense',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

it.each(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

it.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://user:secret@example.com/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::7f00:1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'https://api.localhost./',
  'https://intranet/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://router.home.arpa/',
])('%s may not be fetched', (address) => expect(addressProblem(new URL(address), false)).toMatch(/^must /))

it.each(['https://example.com/hook?a=b', 'https://93.184.215.14/'])('allows %s', (address) =>
  expect(addressProblem(new URL(address), false)).toBeNull(),
)

it('allows this machine with stand-ins, over HTTP and HTTPS only', () => {
  expect(addressProblem(new URL('http://127.0.0.1:8080/'), true)).toBeNull()
  expect(addressProblem(new URL('http://localhost:8080/'), true)).toBeNull()
  expect(addressProblem(new URL('http://169.254.169.254/latest/meta-data/'), true)).toBe('must be a public address')
  expect(addressProblem(new URL('http://10.0.0.1/'), true)).toBe('must be a public address')
  expect(addressProblem(new URL('ftp://127.0.0.1/'), true)).toBe('must begin with https://')
  expect(addressProblem(new URL('http://a:b@127.0.0.1/'), true)).toBe('must not contain a user name or password')
})
