import ipaddr from 'ipaddr.js'

/**
 * A client's address as everything here counts, stores and hashes it. One IPv6 subscriber has a whole /64 (RFC 6177),
 * so an IPv6 address is written as the first one of its /64. IPv4 mapped into IPv6, as sockets for both report it, is IPv4.
 * @param address of a socket, or as a proxy forwards it: some add the port
 */
export function clientAddress(address: string): string {
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
  return firstInNetwork(withoutPort, { ipv4: 32, ipv6: 64 })?.first ?? address
}

/** The network that an address is in, of so many leading bits (a multiple of 8), by its first address. Null if it is no address. */
export function firstInNetwork(
  address: string,
  lengths: { ipv4: number; ipv6: number },
): { first: string; bits: number } | null {
  if (!ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  const bits = lengths[parsed.kind()]
  const bytes = parsed.toByteArray().map((byte, i) => (i < bits / 8 ? byte : 0))
  return { first: ipaddr.fromByteArray(bytes).toString(), bits }
}
