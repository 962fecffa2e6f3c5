/** Formats numbers, dates and plurals. Nothing else in the project calls `Intl` for this. */

// Prerendered pages and emails are English. Signed-in pages set the reader's locale.
let locale = 'en-US'

/** Sets the locale. Call it before rendering, but not on prerendered pages: they must hydrate unchanged. */
export function setLocale(tag: string): void {
  try {
    locale = Intl.getCanonicalLocales(tag)[0] ?? 'en-US'
  } catch {
    // Some browsers report tags that Intl rejects, like "en-US@posix".
    locale = 'en-US'
  }
}

/** Formats 1234 as "1,234". */
export function formatNumber(value: number): string {
  return value.toLocaleString(locale)
}

/** Formats 1200 as "1.2K", for chart axes. */
export function formatCompact(value: number): string {
  return value.toLocaleString(locale, { notation: 'compact' })
}

/** Formats 26 and 'minute' as "26m". */
export function formatUnit(value: number, unit: 'minute' | 'hour'): string {
  return value.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'narrow' })
}

/** Formats 5000 cents as "$50.00". @param fractionDigits minimum; defaults to the currency's */
export function formatMoney(cents: number, currency = 'USD', fractionDigits?: number): string {
  return (cents / 100).toLocaleString(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: fractionDigits,
  })
}

/** Formats 0.425 as "43%", without a space in any locale. @param digits maximum decimals */
export function formatPercent(share: number, digits = 0): string {
  const text = share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: digits })
  return text.replace(/\s+(?=%)/, '')
}

/** Formats 0.04 as "4.0%", for rates that are compared with each other. */
export function formatRate(share: number): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return share.toLocaleString(locale, { style: 'percent', ...digits }).replace(/\s+(?=%)/, '')
}

/** Formats 1 and "lead" as "1 lead", 1200 as "1,200 leads". @param many the plural, if irregular */
export function formatCount(count: number, singular: string, many = `${singular}s`): string {
  return `${formatNumber(count)} ${pluralize(count, singular, many)}`
}

/** Returns only the word: "lead" for 1, "leads" for 0 and 2. @param many an irregular plural */
export function pluralize(count: number, singular: string, many = `${singular}s`): string {
  return ENGLISH_PLURALS.select(count) === 'one' ? singular : many
}

const ENGLISH_PLURALS = new Intl.PluralRules('en')

/** Formats a date with options of `Intl.DateTimeFormat`. */
export function formatDate(value: Date | string | number, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${JSON.stringify(options)}`
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  dateFormats.set(key, format)
  return format.format(new Date(value))
}

/** Formats '2026-11' as "November 2026". */
export function formatMonth(month: string): string {
  return formatDate(`${month}-01`, { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

/** Formatters by locale and options. Cached, because creating one takes longer than formatting. */
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Formats -5 and 'minute' as "5 minutes ago". Always in English, like the sentences around it. */
export function formatRelative(value: number, unit: Intl.RelativeTimeFormatUnit): string {
  return new Intl.RelativeTimeFormat('en').format(value, unit)
}

/** Returns the calendar day in a time zone, such as '2026-11-20'. */
export function formatDay(value: Date, timeZone: string): string {
  // Canadian English formats days as ISO 8601.
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(value)
}

/** Formats ["a", "b", "c"] as "a, b, and c". */
export function formatList(items: Iterable<string>, type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat('en', { type }).format(items)
}
