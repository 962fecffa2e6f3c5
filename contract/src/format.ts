/** Numbers, dates and plurals as people read them. Nothing else in the project calls `Intl` or `toLocaleString` to show a value. */

// Prerendered pages and emails are English; signed-in pages set the locale of their reader.
let locale = 'en-US'

/** Shows numbers and dates in this locale from now on. Call it before anything is rendered: prerendered pages must hydrate as they are. */
export function setLocale(tag: string): void {
  try {
    locale = Intl.getCanonicalLocales(tag)[0] ?? 'en-US'
  } catch {
    // Some browsers report tags that Intl rejects, like "en-US@posix".
    locale = 'en-US'
  }
}

/** 1234 as "1,234". */
export function formatNumber(value: number): string {
  return value.toLocaleString(locale)
}

/** 1200 as "1.2K", for axes of charts. */
export function formatCompact(value: number): string {
  return value.toLocaleString(locale, { notation: 'compact' })
}

/** 5000 cents as "$50.00". @param currency its ISO 4217 code, in any case @param fractionDigits at least; the currency's own if absent */
export function formatMoney(cents: number, currency = 'USD', fractionDigits?: number): string {
  return (cents / 100).toLocaleString(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: fractionDigits,
  })
}

/** 0.425 as "43%". @param digits after the decimal point, at most */
export function formatPercent(share: number, digits = 0): string {
  return share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: digits })
}

/** 1 and "lead" as "1 lead", 1200 as "1,200 leads". @param many where it is not `one` with an s */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${pluralize(count, one, many)}`
}

/** The noun or verb alone: "lead" for 1, "leads" for 0 and 2. @param many where it is not `one` with an s */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return ENGLISH_PLURALS.select(count) === 'one' ? one : many
}

const ENGLISH_PLURALS = new Intl.PluralRules('en')

/** A moment by the options of `Intl.DateTimeFormat`. */
export function formatDate(value: Date | string | number, options: Intl.DateTimeFormatOptions): string {
  return new Date(value).toLocaleString(locale, options)
}

/** ["a", "b", "c"] as "a, b, and c". */
export function formatList(items: Iterable<string>, type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat('en', { type }).format(items)
}
