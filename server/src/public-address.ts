import ipaddr from 'ipaddr.js'

/** All assigned global IPv6 addresses (IANA). Others, such as `::/96`, map to IPv4. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address is a public internet address: not loopback, private, link-local (cloud
 * metadata), multicast or reserved, nor an IPv6 form of these.
 */
export function isPublicAddress(address: string): boolean {
  // The only spelling in `::/96` that ipaddr.js parses as IPv4.
  if (!ipaddr.isValid(address) || /^::\d+\./.test(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6)
}

/** Whether the server may connect to an address. @param allowLoopback also allows this machine, for stand-ins */
export function mayConnectTo(address: string, allowLoopback: boolean): boolean {
  return (
    isPublicAddress(address) ||
    (allowLoopback && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')
  )
}

/**
 * Why the server must not fetch a user's URL (SSRF, see OWASP); null if it may. safe-fetch.ts
 * checks what names resolve to. @param allowLoopback also allows HTTP, for the stand-ins
 */
export function addressProblem({ protocol, username, password, hostname }: URL, allowLoopback: boolean): string | null {
  if (protocol !== 'https:' && !(allowLoopback && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not contain a user name or password'
  return isOutside(hostname, allowLoopback) ? null : 'must be a public address'
}

function isOutside(hostname: string, allowLoopback: boolean): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (ipaddr.isValid(host)) return mayConnectTo(host, allowLoopback)
  if (allowLoopback && /^(.+\.)?localhost$/i.test(host)) return true
  return host.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/i.test(host)
}
