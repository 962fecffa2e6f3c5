import { Resolver } from 'node:dns/promises'

/** DNS does not answer, which says nothing of the domain. */
export class DnsUnavailable extends Error {
  constructor(cause: unknown) {
    super('DNS is not answering', { cause })
    this.name = 'DnsUnavailable'
  }
}

export interface Dns {
  /** The TXT records of a domain; empty where it has none, or is none. @throws DnsUnavailable */
  txt(domain: string): Promise<string[]>
}

/** What DNS answers for a domain that has no such record, or does not exist, or cannot. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME'])

/** @param server address and port of the resolver to ask; null asks the system's */
export function createDns(server: string | null): Dns {
  return {
    async txt(domain) {
      // One for each question, as a resolver keeps its socket, and the system's servers may change.
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
