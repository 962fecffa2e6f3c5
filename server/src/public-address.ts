import ipaddr from 'ipaddr.js'

/** Is it an address of the public internet? Not loopback, private, link-local (where clouds keep their credentials), multicast, reserved, or a way to these in IPv6. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

/**
 * Why the server may not fetch an address that somebody gave (server-side request forgery, OWASP), as far as it shows without asking; null where nothing
 * shows. A name that leads inside all the same is found out when it is looked up (outside/safe-fetch.ts).
 * @param allowPrivate where stand-ins run: then this machine, its network and plain HTTP are allowed
 */
export function refusalOf({ protocol, username, password, hostname }: URL, allowPrivate: boolean): string | null {
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not hold a name or password'
  return allowPrivate || isPublicHost(hostname) ? null : 'must be a public address'
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (ipaddr.isValid(host)) return isPublicAddress(host)
  return host.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/i.test(host)
}
