import { Resolver } from 'node:dns/promises'

/** DNS did not respond, which says nothing about the domain. */
export class DnsUnavailable extends Error {
  constructor(cause: unknown) {
    super('DNS is not responding', { cause })
    this.name = 'DnsUnavailable'
  }
}

export type Dns = ReturnType<typeof createDns>

/** Codes for a domain without records of the type, a missing domain, and an invalid name. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME'])

/** Creates a DNS client. @param server address and port of the resolver; null: the system's */
export function createDns(server: string | null) {
  const resolver = () => {
    // A new resolver each time: a resolver keeps its socket, and the system's servers may change.
    const made = new Resolver({ timeout: 3_000, tries: 2 })
    if (server) made.setServers([server])
    return made
  }
  return {
    /**
     * Whether a domain can get email: it has an MX record other than the null one (RFC 7505) or,
     * without any MX record, an address (RFC 5321, 5.1). @throws DnsUnavailable
     */
    async hasMailServer(domain: string): Promise<boolean> {
      const all = await orNothing(resolver().resolveMx(domain))
      if (all.length > 0) return all.some(({ exchange }) => exchange !== '' && exchange !== '.')
      const addresses = [orNothing(resolver().resolve4(domain)), orNothing(resolver().resolve6(domain))]
      return (await Promise.all(addresses)).some(({ length }) => length > 0)
    },

    /** The TXT records of a domain; empty if it has none or does not exist. @throws DnsUnavailable */
    async txt(domain: string): Promise<string[]> {
      return (await orNothing(resolver().resolveTxt(domain))).map((parts) => parts.join(''))
    },
  }
}

/** Returns the records; empty if there are none. @throws DnsUnavailable */
async function orNothing<Record>(records: Promise<Record[]>): Promise<Record[]> {
  try {
    return await records
  } catch (error) {
    if (NOTHING.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw new DnsUnavailable(error)
  }
}
