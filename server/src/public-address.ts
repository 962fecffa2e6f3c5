import ipaddr from 'ipaddr.js'

/** All IPv6 addresses that are given out (IANA, IPv6 Global Unicast Address Assignments). What else looks public leads to IPv4: `::/96`, for one. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Is it an address of the public internet? Not loopback, private, link-local (where clouds keep their credentials), multicast, reserved, or a way to these in IPv6. */
export function isPublicAddress(address: string): boolean {
  // The one spelling of an address in `::/96` that ipaddr.js takes for IPv4.
  if (!ipaddr.isValid(address) || /^::\d+\./.test(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6)
}

/** May the server connect to it? @param allowLoopback where stand-ins run: then this machine too, but still no other inside address */
export function mayConnectTo(address: string, allowLoopback: boolean): boolean {
  return (
    isPublicAddress(address) ||
    (allowLoopback && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')
  )
}

/**
 * Why the server may not fetch an address that somebody gave (server-side request forgery, OWASP), as far as it shows without asking; null where nothing
 * shows. A name that leads inside all the same is found out when it is looked up (outside/safe-fetch.ts).
 * @param allowLoopback where stand-ins run: then this machine and plain HTTP are allowed
 */
export function addressProblem({ protocol, username, password, hostname }: URL, allowLoopback: boolean): string | null {
  if (protocol !== 'https:' && !(allowLoopback && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not hold a name or password'
  return isOutside(hostname, allowLoopback) ? null : 'must be a public address'
}

function isOutside(hostname: string, allowLoopback: boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (ipaddr.isValid(host)) return mayConnectTo(host, allowLoopback)
  if (allowLoopback && /^(.+\.)?localhost$/i.test(host)) return true
  return host.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/i.test(host)
}
