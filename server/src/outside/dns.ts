import { Resolver } from 'node:dns/promises'

/** DNS did not respond, which says nothing about the domain. */
export class DnsUnavailable extends Error {
  constructor(cause: unknown) {
    super('DNS is not responding', { cause })
    this.name = 'DnsUnavailable'
  }
}

export type Dns = ReturnType<typeof createDns>

/** Codes for a domain without such records, a missing domain, and an invalid name. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME'])

/** @param server address and port of the resolver; null uses the system's */
export function createDns(server: string | null) {
  return {
    /** The TXT records of a domain; empty if it has none or does not exist. @throws DnsUnavailable */
    async txt(domain: string): Promise<string[]> {
      // A new resolver each time: a resolver keeps its socket, and the system's servers may change.
      const resolver = new Resolver({ timeout: 3_000, tries: 2 })
      if (server) resolver.setServers([server])
      try {
        return (await resolver.resolveTxt(domain)).map((parts) => parts.join(''))
      } catch (error) {
        if (NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) return []
        throw new DnsUnavailable(error)
      }
    },
  }
}
