import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ipaddr from 'ipaddr.js'
import { type CountryResponse, Reader } from 'mmdb-lib'

/** CC0, from the registries' own records; bundled, so that no address is ever sent anywhere. */
const DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

let reader: Reader<CountryResponse> | null = null

/** The country of an address, ISO 3166-1 alpha-2; null for private and unknown ones. The database is read at the first call (7 MB). */
export function countryOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null
  reader ??= new Reader(readFileSync(createRequire(import.meta.url).resolve(DATABASE)))
  // This database's records are flatter than those that the reader's types know.
  const found = reader.get(ipaddr.process(address).toString()) as { country_code?: string } | null
  return found?.country_code ?? null
}
