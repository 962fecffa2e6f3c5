/** Formats 150 as '1.5', and null as ''. */
export function dollarsOf(cents: number | null): string {
  return cents === null ? '' : String(cents / 100)
}

/** Parses '1.50' as 150, and '' as null. @returns undefined for anything else */
export function centsOf(dollars: string): number | null | undefined {
  const text = dollars.trim().replace(',', '.')
  if (text === '') return null
  return /^\d{1,6}(\.\d{1,4})?$/.test(text) ? Math.round(Number(text) * 10_000) / 100 : undefined
}
