import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../public-address.ts'

/** An address that people named leads to where only this machine or its network may go. */
export class PrivateAddress extends Error {
  constructor() {
    super('The address is not public')
    this.name = 'PrivateAddress'
  }
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
