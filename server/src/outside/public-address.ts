import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address that people named leads to where only this machine or its network may go. */
export class PrivateAddress extends Error {
  constructor() {
    super('The address is not public')
    this.name = 'PrivateAddress'
  }
}

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
  if (isIP(host)) return !isPublicAddress(host)
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host)
}

/** As dns.lookup, for `http.request`: refuses a name that leads inside. What it answers is what is connected to, so nothing can change in between. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) return callback(error ?? new PrivateAddress(), '', 0)
    if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(new PrivateAddress(), '', 0)
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
