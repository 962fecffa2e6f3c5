import ipaddr from 'ipaddr.js'

/** Is it an address of the public internet? Not loopback, private, link-local (where clouds keep their credentials), multicast, reserved, or a way to these in IPv6. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

/** Is the host of a URL an address, or a name, that can be no public one? A name that leads inside all the same is found out when it is looked up. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (ipaddr.isValid(host)) return !isPublicAddress(host)
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host)
}
