import { Temporal } from 'temporal-polyfill'
import { fold } from './rules-text.ts'

/**
 * Finds the day that a reply names, in English, German, French, Spanish and Portuguese. It returns
 * no day rather than a wrong one.
 */

/** Names of the months. Left out: 'ago', 'out' and 'set', which are English words. */
const MONTHS = [
  'january jan januar janner janvier janv enero ene janeiro',
  'february feb februar fevrier fevr fev febrero fevereiro',
  'march mar marz maerz mars marzo marco',
  'april apr avril avr abril abr',
  'may mai mayo maio',
  'june jun juni juin junio junho',
  'july jul juli juillet juil julio julho',
  'august aug aout agosto',
  'september sept sep septembre septiembre setiembre setembro',
  'october oct oktober okt octobre octubre outubro',
  'november nov novembre noviembre novembro',
  'december dec dezember dez decembre diciembre dic dezembro',
].map((names) => names.split(' '))

const WEEKDAYS = [
  'monday montag lundi lunes segunda feira',
  'tuesday dienstag mardi martes terca feira',
  'wednesday mittwoch mercredi miercoles quarta feira',
  'thursday donnerstag jeudi jueves quinta feira',
  'friday freitag vendredi viernes sexta feira',
  'saturday samstag samedi sabado',
  'sunday sonntag dimanche domingo',
].map((names) => names.replace(' feira', '_feira').split(' '))

const NUMBERS = [
  'a an one ein einem einer eine un une una um uma',
  'two couple zwei deux dos dois duas',
  'three drei trois tres',
  'four vier quatre cuatro quatro',
  'five funf cinq cinco',
  'six sechs seis',
].map((names) => names.split(' '))

const anyOf = (names: readonly (readonly string[])[]) =>
  names
    .flat()
    .sort((a, b) => b.length - a.length)
    .join('|')
    .replaceAll('_', '[ -]')
const numberOf = (names: readonly (readonly string[])[], name: string) =>
  names.findIndex((known) => known.includes(name.replace(/[ -]feira/, '_feira'))) + 1

const MONTH = `(?:${anyOf(MONTHS)})`
const LONG_MONTH = `(?:${anyOf(MONTHS.map((names) => names.filter((name) => name.length > 4 || /^(?:may|mai|june|juni|juin|july|juli|mars|marz)$/.test(name))))})`
const WEEKDAY = `(?:${anyOf(WEEKDAYS)})`
const COUNT = `(?:\\d{1,2}|${anyOf(NUMBERS)})`
const YEAR = '(?:,? (?:de )?(20\\d\\d))?'
const NEXT = '(?:next|nachste[rnms]?|kommende[rnms]?|proxim[oa])'
const PROCHAIN = '(?: prochaine?| que vem| que viene)'

type Day = Temporal.PlainDate
type Reading = (found: (string | undefined)[], today: Day) => Day | null

/** Patterns over folded text, from the most to the least specific. */
const PATTERNS: readonly [pattern: RegExp, read: Reading][] = (
  [
    ['(20\\d\\d)-(\\d\\d)-(\\d\\d)', ([, year, month, day], today) => dayOf(today, day, month, year)],
    // 12 January, 12. Januar, 1er mars, 12 de enero, Monday the 12th of January
    [
      `(?:${WEEKDAY},? (?:the |den |dem |le |el )?)?(\\d{1,2})(?:st|nd|rd|th|er|\\.)? ?(?:of |de )?(${MONTH})\\b\\.?${YEAR}`,
      ([, day, month, year], today) => dayOf(today, day, numberOf(MONTHS, month ?? ''), year),
    ],
    // January 12th, Jan 10-20 (the last day)
    [
      `(?:${WEEKDAY},? )?(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?: ?[-–] ?(\\d{1,2})(?:st|nd|rd|th)?)?(?![\\d:])${YEAR}`,
      ([, month, first, last, year], today) => dayOf(today, last ?? first, numberOf(MONTHS, month ?? ''), year),
    ],
    // 12.01. and 12.01.2027
    [
      `(?:${WEEKDAY},? (?:den |dem )?)?(\\d{1,2})\\.(\\d{1,2})\\.(20\\d\\d|\\d\\d(?!\\d))?`,
      ([, day, month, year], today) => dayOf(today, day, month, year),
    ],
    [
      '(\\d{1,2})/(\\d{1,2})(?:/(20\\d\\d|\\d\\d))?(?![\\d/])',
      ([written, first, second, year], today) => slashed(today, written === '24/7', first, second, year),
    ],
    // In two weeks, in a couple of months
    [
      `(?:in|dans|en|em|daqui a|d'ici) (?:a )?(${COUNT})(?: of)? (day|week|month|tag|woche|monat|jour|semaine|mois|dia|semana|mes)(?:s|es|e|n|en)?`,
      ([, count, unit], today) => after(today, count ?? '', unit ?? ''),
    ],
    [`${NEXT} (?:week|woche|semana)|(?:semaine|semana)${PROCHAIN}`, (_, today) => nextWeek(today)],
    [`${NEXT} (?:month|monat|mes)|(?:mois|mes)${PROCHAIN}`, (_, today) => nextMonth(today)],
    [`${NEXT} (?:quarter|quartal|trimestre)|trimestre${PROCHAIN}`, (_, today) => nextQuarter(today)],
    [
      `${NEXT} (?:year|jahr|ano)|(?:annee|ano)${PROCHAIN}`,
      (_, today) => today.with({ month: 1, day: 1 }).add({ years: 1 }),
    ],
    // Next Monday is Monday of next week.
    [
      `${NEXT} (${WEEKDAY})|(${WEEKDAY})${PROCHAIN}`,
      ([, next, prochain], today) => nextWeek(today).add({ days: numberOf(WEEKDAYS, next ?? prochain ?? '') - 1 }),
    ],
    [`(${WEEKDAY})`, ([, weekday], today) => comingWeekday(today, numberOf(WEEKDAYS, weekday ?? ''))],
    ['(?:tomorrow|demain|amanha)', (_, today) => today.add({ days: 1 })],
    // In January, after January, mid-January, end of January
    [
      `(in|until|till|from|by|after|early|mid|end of|im|ab|bis|nach|anfang|mitte|ende|en|debut|mi|fin|jusqu'en|des|apres|hasta|desde|despues de|a partir de|em|ate|depois de)[ -](${LONG_MONTH})(?! ?\\d{1,2}\\b)\\b${YEAR}`,
      ([, place, month, year], today) => inMonth(today, place ?? '', numberOf(MONTHS, month ?? ''), year),
    ],
    // The 15th, am 15., jusqu'au 15, hasta el 15, dia 15
    [
      "(?:the (\\d{1,2})(?:st|nd|rd|th)|(?:am|dem|zum) (\\d{1,2})\\.|(?:jusqu'au|apres le|a partir du|hasta el|despues del|dia) (\\d{1,2}))(?![\\d.:/])",
      ([, en, de, other], today) => comingDayOfMonth(today, Number(en ?? de ?? other)),
    ],
  ] satisfies [string, Reading][]
).map(([pattern, read]) => [new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?!\\p{L})`, 'gu'), read])

/** Right before a date: it is when someone is back. */
const UNTIL =
  /(?:\b(?:until|till|til|through|back|back (?:on|by|at work)|return(?:ing)?|return(?:ing)? on|bis|bis zum|bis einschliesslich|wieder|wieder (?:ab|am)|zuruck|zuruck (?:ab|am)|ab|ab dem|de retour|de retour le|de retour en|hasta|hasta el|vuelvo|vuelvo el|regreso|regreso el|a partir del?|a partir du|ate|ate o dia|ate dia|volto|volto em|volto no dia|volto dia)|\bjusqu'(?:au|a))(?: the| den| le)? ?$/u
/** Between two dates: the second one ends the time. */
const RANGE = /^ ?(?:-|–|—|to|through|thru|bis|bis zum|au|al|a|ate|and|und|et|y|e) ?$/u
/** Right before a date: the first day of "10–20 January". */
const RANGE_START = /\d{1,2}(?:\.|st|nd|rd|th)? ?(?:-|–|—|to|bis|au|al|a) ?$/u
/** The pattern itself contains "until" or "after", or is a range such as "Jan 10-20". */
const IS_UNTIL =
  /^\p{L}.*[-–] ?\d|^(?:until|till|from|after|ab|bis|nach|jusqu|hasta|desde|despues|a partir|ate|depois|apres)/u

/** Days further away than this are not what was meant. */
const DAYS_MAX = 400
/** A date without a year that was so recently is past, not next year. */
const JUST_PAST_DAYS = 60
const READ_MAX = 2_000

export interface NamedDay {
  day: string
  /** The text says that it lasts until then, or that someone is back then. */
  isEnd: boolean
}

/** The day that a text names; null: none, or it is not clear which. @param today '2026-11-20' */
export function findDay(text: string, today: string): NamedDay | null {
  let rest = fold(text.slice(0, READ_MAX)).replace(/\s+/g, ' ')
  const present = Temporal.PlainDate.from(today)
  const folded = rest
  const found: { start: number; end: number; day: Day | null }[] = []
  for (const [pattern, read] of PATTERNS) {
    rest = rest.replace(pattern, (...match) => {
      const groups: (string | undefined)[] = match.slice(0, -2)
      const [written, start] = [groups[0] ?? '', match.at(-2) as number]
      found.push({ start, end: start + written.length, day: upcoming(read(groups, present), present) })
      return '\u0000'.repeat(written.length)
    })
  }
  found.sort((a, b) => a.start - b.start)
  const ends = found.filter(({ start, end }, index) => {
    const before = folded.slice(Math.max(0, start - 40), start)
    const previous = found[index - 1]
    return (
      UNTIL.test(before) ||
      RANGE_START.test(before) ||
      IS_UNTIL.test(folded.slice(start, end)) ||
      (previous !== undefined && RANGE.test(folded.slice(previous.end, start)))
    )
  })
  const isEnd = ends.length > 0
  const days = [...new Set((isEnd ? ends : found).map(({ day }) => day?.toString() ?? null))].sort()
  const last = days.at(-1)
  if (!last || days.includes(null) || (!isEnd && days.length > 1)) return null
  return { day: last, isEnd }
}

function upcoming(day: Day | null, today: Day): Day | null {
  if (!day || Temporal.PlainDate.compare(day, today) <= 0) return null
  return today.until(day).days <= DAYS_MAX ? day : null
}

/** A day and month; without a year, the next one. Null if it does not exist or was recently. */
function dayOf(today: Day, day?: string, month?: string | number, year?: string): Day | null {
  try {
    const parts = { month: Number(month), day: Number(day) }
    if (year) return Temporal.PlainDate.from({ ...parts, year: (Number(year) % 2_000) + 2_000 }, { overflow: 'reject' })
    const thisYear = Temporal.PlainDate.from({ ...parts, year: today.year }, { overflow: 'reject' })
    const daysAgo = thisYear.until(today).days
    if (daysAgo <= 0) return thisYear
    return daysAgo <= JUST_PAST_DAYS ? null : thisYear.add({ years: 1 })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** 13/1 and 1/13 can only mean one day; 3/4 is March 4 or April 3. */
function slashed(today: Day, isAlways: boolean, first?: string, second?: string, year?: string): Day | null {
  if (isAlways) return null
  const [a, b] = [Number(first), Number(second)]
  if (a > 12 && b <= 12) return dayOf(today, first, second, year)
  return b > 12 && a <= 12 ? dayOf(today, second, first, year) : null
}

function after(today: Day, count: string, unit: string): Day {
  const number = Number(count) || numberOf(NUMBERS, count)
  if (/^(?:mon|mois|mes)/.test(unit)) return today.add({ months: number })
  return today.add({ days: /^(?:week|woche|seman|semain)/.test(unit) ? number * 7 : number })
}

function nextWeek(today: Day): Day {
  return today.add({ days: 8 - today.dayOfWeek })
}

function nextMonth(today: Day): Day {
  return today.with({ day: 1 }).add({ months: 1 })
}

function nextQuarter(today: Day): Day {
  return today.with({ day: 1 }).add({ months: 3 - ((today.month - 1) % 3) })
}

function comingWeekday(today: Day, weekday: number): Day {
  return today.add({ days: ((weekday - today.dayOfWeek + 6) % 7) + 1 })
}

function comingDayOfMonth(today: Day, day: number): Day | null {
  if (!(day >= 1 && day <= 31)) return null
  for (const months of [0, 1, 2]) {
    const month = today.with({ day: 1 }).add({ months })
    if (day <= month.daysInMonth && (months > 0 || day > today.day)) return month.with({ day })
  }
  return null
}

function inMonth(today: Day, place: string, month: number, year?: string): Day | null {
  const first = Temporal.PlainDate.from({ year: year ? Number(year) : today.year, month, day: 1 })
  // "In November" in the middle of November says nothing.
  const start = year || first.month > today.month ? first : first.add({ years: 1 })
  if (!year && first.month === today.month) return null
  if (/^(?:after|nach|apres|despues|depois)/.test(place)) return start.add({ months: 1 })
  if (/^(?:mid|mitte|mi)$/.test(place)) return start.with({ day: 15 })
  return /^(?:end of|ende|fin)$/.test(place) ? start.with({ day: start.daysInMonth }) : start
}
