import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ipaddr from 'ipaddr.js'
import { type CountryResponse, Reader } from 'mmdb-lib'

/** CC0, derived from the registries' records. Bundled, so that no address leaves the server. */
const DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

let reader: Reader<CountryResponse> | null = null

/** The country of an address (ISO 3166-1 alpha-2); null if private or unknown. The first call loads 7 MB. */
export function countryOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null
  reader ??= new Reader(readFileSync(createRequire(import.meta.url).resolve(DATABASE)))
  // This database's records are flatter than the reader's types.
  const record = reader.get(ipaddr.process(address).toString()) as { country_code?: string } | null
  return record?.country_code ?? null
}
