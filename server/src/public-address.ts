import ipaddr from 'ipaddr.js'

/** Is it an address of the public internet? Not loopback, private, link-local (where clouds keep their credentials), multicast, reserved, or a way to these in IPv6. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
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
export function refusalOf({ protocol, username, password, hostname }: URL, allowLoopback: boolean): string | null {
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
