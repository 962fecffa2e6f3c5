import ipaddr from 'ipaddr.js'

/**
 * The client address that we count, store and hash; a port is dropped. IPv6 becomes the first of
 * its /64, which one subscriber has (RFC 6177); IPv4-mapped IPv6 becomes IPv4.
 */
export function clientAddress(address: string): string {
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
  return firstInNetwork(withoutPort, { ipv4: 32, ipv6: 64 })?.first ?? address
}

/** The /48 of an IPv6 address, which usually belongs to a single site (RFC 6177); null for IPv4. */
export function wideNetwork(address: string): string | null {
  if (!ipaddr.isValid(address) || ipaddr.process(address).kind() === 'ipv4') return null
  const network = firstInNetwork(address, { ipv4: 32, ipv6: 48 })
  return network && `${network.first}/${network.bits}`
}

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/** The network that contains an address; null if invalid. Lengths are multiples of 8. */
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
