import { Temporal } from 'temporal-polyfill'
import { fold } from './text.ts'

// Finds the day that a reply names, in 16 languages. If in doubt, finds none.

/** Names of the months. 'ago', 'out' and 'set' are left out, because they are English words. */
const MONTHS = [
  'january jan januar janner janvier janv enero ene janeiro gennaio januari stycznia styczniu ocak январь января январе',
  'february feb februar fevrier fevr fev febrero fevereiro febbraio februari lutego lutym subat февраль февраля феврале',
  'march mar marz maerz mars marzo marco maart marca marcu mart март марта марте',
  'april apr avril avr abril abr aprile kwietnia kwietniu nisan апрель апреля апреле',
  'may mai mayo maio maggio mei maj maja maju mayis маи мая мае',
  'june jun juni juin junio junho giugno czerwca czerwcu haziran июнь июня июне',
  'july jul juli juillet juil julio julho luglio lipca lipcu temmuz июль июля июле',
  'august aug aout agosto augustus augusti sierpnia sierpniu agustos август августа августе',
  'september sept sep septembre septiembre setiembre setembro settembre wrzesnia wrzesniu eylul сентябрь сентября сентябре',
  'october oct oktober okt octobre octubre outubro ottobre pazdziernika pazdzierniku ekim октябрь октября октябре',
  'november nov novembre noviembre novembro listopada listopadzie kasim ноябрь ноября ноябре',
  'december dec dezember dez decembre diciembre dic dezembro dicembre grudnia grudniu aralik декабрь декабря декабре',
].map((names) => names.split(' '))

const WEEKDAYS = [
  'monday montag lundi lunes segunda feira lunedi maandag mandag poniedzialek pazartesi понедельник',
  'tuesday dienstag mardi martes terca feira martedi dinsdag tisdag wtorek вторник',
  'wednesday mittwoch mercredi miercoles quarta feira mercoledi woensdag onsdag srode carsamba среду',
  'thursday donnerstag jeudi jueves quinta feira giovedi donderdag torsdag czwartek persembe четверг',
  'friday freitag vendredi viernes sexta feira venerdi vrijdag fredag piatek cuma пятницу',
  'saturday samstag samedi sabado sabato zaterdag lordag sobote cumartesi субботу',
  'sunday sonntag dimanche domingo domenica zondag sondag niedziele воскресенье',
].map((names) => names.replace(' feira', '_feira').split(' '))

const NUMBERS = [
  'a an one ein einem einer eine un une una um uma een en ett jeden bir один одну uno',
  'two couple zwei deux dos dois duas due twee tva dwa dwie iki два две',
  'three drei trois tres tre drie trzy uc три',
  'four vier quatre cuatro quatro quattro fyra cztery dort четыре',
  'five funf cinq cinco cinque vijf fem piec bes пять',
  'six sechs seis sei zes sex szesc alti шесть',
].map((names) => names.split(' '))

const anyOf = (names: readonly (readonly string[])[]) =>
  names
    .flat()
    .sort((a, b) => b.length - a.length)
    .join('|')
    .replaceAll('_', '[ -]')
const numberOf = (names: readonly (readonly string[])[], name: string) =>
  names.findIndex((synonyms) => synonyms.includes(name.replace(/[ -]feira/, '_feira'))) + 1

const MONTH = `(?:${anyOf(MONTHS)})`
const LONG_MONTH = `(?:${anyOf(MONTHS.map((names) => names.filter((name) => name.length > 4 || /^(?:may|mai|june|juni|juin|july|juli|mars|marz|mei|maj|mart|ocak|ekim|март|мае|мая|июне|июле|июня|июля)$/.test(name))))})`
const WEEKDAY = `(?:${anyOf(WEEKDAYS)})`
const COUNT = `(?:\\d{1,2}|${anyOf(NUMBERS)})`
const YEAR = '(?:,? (?:de )?(20\\d\\d))?'
const NEXT =
  '(?:next|nachste[rnms]?|kommende[rnms]?|proxim[oa]|prossim[oa]|volgende?|komende|nasta|przyszl(?:ym|y|ego)|nastepn(?:ym|y|ego)|gelecek|onumuzdeki|следующ(?:ей|ем|еи|ии|ую))'
const PROCHAIN = '(?: prochaine?| que vem| que viene| prossim[oa])'

const split = (names: string) => names.split(' ')
/** Prepositions and month names of more languages. A month without a day counts only after such a preposition. */
const OTHER_MONTHS: readonly [places: string, months: string[]][] = [
  [
    'a|da|dopo|entro|fino a|per|inizio|meta|fine',
    split('gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'),
  ],
  [
    'in|vanaf|tot|na|begin|half|eind',
    split('januari februari maart april mei juni juli augustus september oktober november december'),
  ],
  ['i|efter|fran|till', split('januari februari mars april maj juni juli augusti september oktober november december')],
  [
    'w|we|po|od|do',
    split('styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrzesniu pazdzierniku listopadzie grudniu'),
  ],
  [
    'od|do',
    split('stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia'),
  ],
  ['в|к', split('январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре')],
  ['с|после|до', split('января февраля марта апреля мая июня июля августа сентября октября ноября декабря')],
]
const TURKISH_MONTHS = split('ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik')
const ARABIC_MONTHS = split('يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر')
const HINDI_MONTHS = split('जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर')

type Day = Temporal.PlainDate
type Reading = (groups: (string | undefined)[], today: Day) => Day | null

/** Patterns over folded text, from the most to the least specific. */
const PATTERNS: readonly [pattern: RegExp, read: Reading][] = (
  [
    ['(20\\d\\d)-(\\d\\d)-(\\d\\d)', ([, year, month, day], today) => dayOf(today, day, month, year)],
    // 12 January, 12. Januar, 1er mars, 12 de enero, Monday the 12th of January
    [
      `(?:${WEEKDAY},? (?:the |den |dem |le |el )?)?(\\d{1,2})(?:st|nd|rd|th|er|\\.)? ?(?:of |de )?(${MONTH})(?!\\p{L})\\.?${YEAR}`,
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
      `(?:in|dans|en|em|daqui a|d'ici|tra|fra|over|om|za|через) (?:a )?(${COUNT})(?: of)? (day|week|month|tag|woche|monat|jour|semaine|mois|dia|semana|mes|giorn|settiman|dag|weke|maand|veck|manad|dni|dzien|tydzien|tygodni|miesi|день|дня|днеи|недел|месяц)(?:s|es|e|n|en|i|o|a|or|er|ar|ac|ace|ecy|u|ю|и|ь|а|ев)?`,
      ([, count, unit], today) => after(today, count ?? '', unit ?? ''),
    ],
    [`(${COUNT}) (gun|hafta|ay) sonra`, ([, count, unit], today) => after(today, count ?? '', unit ?? '')],
    [
      `${NEXT} (?:week|woche|semana|settimana|vecka|tydzien|tygodniu|hafta|неделе|неделю)|(?:semaine|semana|settimana)${PROCHAIN}|haftaya`,
      (_, today) => nextWeek(today),
    ],
    [
      `${NEXT} (?:month|monat|mes|mese|maand|manad|miesiac|miesiacu|ay|месяц|месяце)|(?:mois|mes|mese)${PROCHAIN}`,
      (_, today) => nextMonth(today),
    ],
    [
      `${NEXT} (?:quarter|quartal|trimestre|kwartaal|kvartal|kwartal|kwartale|ceyrek|квартал|квартале)|trimestre${PROCHAIN}`,
      (_, today) => nextQuarter(today),
    ],
    [
      `${NEXT} (?:year|jahr|ano|anno|jaar|ar|rok|roku|yil|год|году)|(?:annee|ano|anno)${PROCHAIN}`,
      (_, today) => today.with({ month: 1, day: 1 }).add({ years: 1 }),
    ],
    // "Next Monday" is the Monday of next week.
    [
      `${NEXT} (${WEEKDAY})|(${WEEKDAY})${PROCHAIN}`,
      ([, next, prochain], today) => nextWeek(today).add({ days: numberOf(WEEKDAYS, next ?? prochain ?? '') - 1 }),
    ],
    [`(${WEEKDAY})`, ([, weekday], today) => comingWeekday(today, numberOf(WEEKDAYS, weekday ?? ''))],
    ['(?:tomorrow|demain|amanha|domani|imorgon|jutro|yarin|завтра)', (_, today) => today.add({ days: 1 })],
    // In January, after January, mid-January, end of January
    [
      `(in|until|till|from|by|after|early|mid|end of|im|ab|bis|nach|anfang|mitte|ende|en|debut|mi|fin|jusqu'en|des|apres|hasta|desde|despues de|a partir de|em|ate|depois de)[ -](${LONG_MONTH})(?! ?\\d{1,2}\\b)\\b${YEAR}`,
      ([, modifier, month, year], today) => inMonth(today, modifier ?? '', numberOf(MONTHS, month ?? ''), year),
    ],
    ...OTHER_MONTHS.map(([places, names]): [string, Reading] => [
      `(${places}) (${names.join('|')})${YEAR}`,
      ([, modifier, month, year], today) => inMonth(today, modifier ?? '', names.indexOf(month ?? '') + 1, year),
    ]),
    [
      `(${TURKISH_MONTHS.join('|')})(?:'?[dt][ae]n?|'?[aiue]? kadar| ayinda| gibi)`,
      ([, month], today) => inMonth(today, '', TURKISH_MONTHS.indexOf(month ?? '') + 1),
    ],
    ['через неделю|za tydzien', (_, today) => today.add({ days: 7 })],
    ['через месяц|za miesiac', (_, today) => today.add({ months: 1 })],
    // The 15th, am 15., jusqu'au 15, hasta el 15, dia 15
    [
      "(?:the (\\d{1,2})(?:st|nd|rd|th)|(?:am|dem|zum) (\\d{1,2})\\.|(?:jusqu'au|apres le|a partir du|hasta el|despues del|dia) (\\d{1,2}))(?![\\d.:/])",
      ([, en, de, other], today) => comingDayOfMonth(today, Number(en ?? de ?? other)),
    ],
  ] satisfies [string, Reading][]
).map(([pattern, read]) => [new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?!\\p{L})`, 'gu'), read])

/** Patterns without word boundaries, for Chinese, Japanese, Korean, Arabic and Hindi. */
const UNSPACED_PATTERNS: readonly [pattern: RegExp, read: Reading][] = (
  [
    [
      '(?:(20\\d\\d)[年년] ?)?(\\d{1,2})[月월] ?(\\d{1,2})[日号號일]',
      ([, year, month, day], today) => dayOf(today, day, month, year),
    ],
    [
      '(\\d{1,2}) ?(日|天|周|週|週間|个月|個月|か月|ヶ月|カ月|ケ月|个?星期|個星期|일|주|개월|달) ?[后後후뒤]',
      ([, count, unit], today) => after(today, count ?? '', unit ?? ''),
    ],
    ['(来週|來週|下周|下週|下个?星期|下個星期|下礼拜|다음 ?주)', (_, today) => nextWeek(today)],
    ['(来月|翌月|下个?月|下個月|다음 ?달)', (_, today) => nextMonth(today)],
    ['(来期|来四半期|下个?季度|다음 ?분기)', (_, today) => nextQuarter(today)],
    ['(来年|明年|내년)', (_, today) => today.with({ month: 1, day: 1 }).add({ years: 1 })],
    ['(明日|明天|내일)', (_, today) => today.add({ days: 1 })],
    [
      '(?<!\\d)(\\d{1,2})[月월](?![\\d ]*[日号號일])',
      ([, month], today) => (Number(month) >= 1 && Number(month) <= 12 ? inMonth(today, '', Number(month)) : null),
    ],
    [
      '(?:الاسبوع|الأسبوع) (?:القادم|المقبل|الجاي)|अगले (?:हफ्ते|हफ़्ते|सप्ताह)|agle (?:hafte|week)',
      (_, today) => nextWeek(today),
    ],
    ['الشهر (?:القادم|المقبل|الجاي)|अगले (?:महीने|माह)|agle (?:mahine|month)', (_, today) => nextMonth(today)],
    [
      '(?:السنة|العام) (?:القادمة|القادم|المقبل|المقبلة|الجاية)|अगले साल|agle saal',
      (_, today) => today.with({ month: 1, day: 1 }).add({ years: 1 }),
    ],
    [
      `(?:في|بعد|شهر) (${ARABIC_MONTHS.join('|')})`,
      ([, month], today) => inMonth(today, '', ARABIC_MONTHS.indexOf(month ?? '') + 1),
    ],
    [
      `(${HINDI_MONTHS.join('|')}) (?:में|के बाद|तक)`,
      ([, month], today) => inMonth(today, '', HINDI_MONTHS.indexOf(month ?? '') + 1),
    ],
  ] satisfies [string, Reading][]
).map(([pattern, read]) => [new RegExp(fold(pattern), 'gu'), read])

/** Words right before a date that say that something lasts until then, or that someone is back then. */
const UNTIL =
  /(?:\b(?:until|till|til|through|back|back (?:on|by|at work)|return(?:ing)?|return(?:ing)? on|bis|bis zum|bis einschliesslich|wieder|wieder (?:ab|am)|zuruck|zuruck (?:ab|am)|ab|ab dem|de retour|de retour le|de retour en|hasta|hasta el|vuelvo|vuelvo el|regreso|regreso el|a partir del?|a partir du|ate|ate o dia|ate dia|volto|volto em|volto no dia|volto dia|fino al?|torno|torno il|rientro|rientro il|tot|tot en met|terug|terug op|till|till och med|tillbaka|tillbaka den|wracam|wroce)|\bjusqu'(?:au|a)|(?:^|[ ,])(?:до|вернусь|вернусь в|حتى|الى))(?: the| den| le)? ?$/u
/** Like UNTIL, for words right after a date. */
const UNTIL_AFTER = /^(?:まで|以降|까지|부터|이후|之前|为止|'?[aeiy]{0,2} kadar| तक)/u
/** Words between the two dates of a range. The second date is its end. */
const RANGE = /^ ?(?:-|–|—|to|through|thru|bis|bis zum|au|al|a|ate|and|und|et|y|e) ?$/u
/** The start of a range right before a date, such as "10–" in "10–20 January". */
const RANGE_START = /\d{1,2}(?:\.|st|nd|rd|th)? ?(?:-|–|—|to|bis|au|al|a) ?$/u
/** Matches a date that itself contains "until" or "after", or is a range such as "Jan 10-20". */
const IS_UNTIL =
  /^\p{L}.*[-–] ?\d|^(?:until|till|from|after|ab|bis|nach|jusqu|hasta|desde|despues|a partir|ate|depois|apres)/u

/** Days further ahead than this are ignored, because they are probably misread. */
const DAYS_MAX = 400
/** A date without a year that passed at most this many days ago is not taken as next year's. */
const JUST_PAST_DAYS = 60
const READ_MAX = 2_000

interface NamedDay {
  day: string
  /** The text says that something lasts until that day, or that someone is back then. */
  isEnd: boolean
}

/** When and where a text was written. */
export interface Written {
  now: Date
  /** The time zone of the X account, in which days start; UTC if it is unknown. */
  timeZone: string
}

/** The start of the day that a text names; null: no day. @param isEnd accept only a day until which something lasts */
export function namedDay(text: string, { now, timeZone }: Written, isEnd = false): Date | null {
  const local = localNow(now, timeZone)
  const match = findDay(text, local.toPlainDate().toString())
  if (!match || (isEnd && !match.isEnd)) return null
  return new Date(Temporal.PlainDate.from(match.day).toZonedDateTime(local.timeZoneId).epochMilliseconds)
}

function localNow(now: Date, timeZone: string): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.fromEpochMilliseconds(now.getTime())
  try {
    return instant.toZonedDateTimeISO(timeZone)
  } catch (error) {
    if (error instanceof RangeError) return instant.toZonedDateTimeISO('UTC')
    throw error
  }
}

/** The day that a text names; null: no day, or it is not clear which. @param today '2026-11-20' */
export function findDay(text: string, today: string): NamedDay | null {
  let rest = fold(text.slice(0, READ_MAX)).replace(/\s+/g, ' ')
  const present = Temporal.PlainDate.from(today)
  const folded = rest
  const mentions: { start: number; end: number; day: Day | null }[] = []
  for (const [pattern, read] of [...PATTERNS, ...UNSPACED_PATTERNS]) {
    rest = rest.replace(pattern, (...match) => {
      const groups: (string | undefined)[] = match.slice(0, -2)
      const [written, start] = [groups[0] ?? '', match.at(-2) as number]
      mentions.push({ start, end: start + written.length, day: upcoming(read(groups, present), present) })
      return '\u0000'.repeat(written.length)
    })
  }
  mentions.sort((a, b) => a.start - b.start)
  const ends = mentions.filter(({ start, end }, index) => {
    const before = folded.slice(Math.max(0, start - 40), start)
    const previous = mentions[index - 1]
    return (
      UNTIL.test(before) ||
      RANGE_START.test(before) ||
      IS_UNTIL.test(folded.slice(start, end)) ||
      UNTIL_AFTER.test(folded.slice(end, end + 10)) ||
      (previous !== undefined && RANGE.test(folded.slice(previous.end, start)))
    )
  })
  const isEnd = ends.length > 0
  const days = [...new Set((isEnd ? ends : mentions).map(({ day }) => day?.toString() ?? null))].sort()
  const last = days.at(-1)
  if (!last || days.includes(null) || (!isEnd && days.length > 1)) return null
  return { day: last, isEnd }
}

function upcoming(day: Day | null, today: Day): Day | null {
  if (!day || Temporal.PlainDate.compare(day, today) <= 0) return null
  return today.until(day).days <= DAYS_MAX ? day : null
}

/** Returns the date of a day and month; without a year, the next one. Null if it does not exist or passed recently. */
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

/** Reads 13/1 and 1/13, which can only mean January 13. Null for 3/4, which is March 4 or April 3. */
function slashed(today: Day, isAlways: boolean, first?: string, second?: string, year?: string): Day | null {
  if (isAlways) return null
  const [a, b] = [Number(first), Number(second)]
  if (a > 12 && b <= 12) return dayOf(today, first, second, year)
  return b > 12 && a <= 12 ? dayOf(today, second, first, year) : null
}

function after(today: Day, count: string, unit: string): Day {
  const number = count === '' ? 1 : Number(count) || numberOf(NUMBERS, count)
  if (/^(?:mon|mois|mes|maand|manad|miesi|ay|месяц|[月월]|[个個か]月|ヶ月|カ月|ケ月|개월|달)/.test(unit))
    return today.add({ months: number })
  return today.add({
    days: /^(?:week|woche|seman|semain|settiman|weke|veck|tydz|tygod|hafta|недел|周|週|个?星期|個星期|주)/.test(unit)
      ? number * 7
      : number,
  })
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

function inMonth(today: Day, modifier: string, month: number, year?: string): Day | null {
  const first = Temporal.PlainDate.from({ year: year ? Number(year) : today.year, month, day: 1 })
  // In the middle of November, "in November" names no day.
  const start = year || first.month > today.month ? first : first.add({ years: 1 })
  if (!year && first.month === today.month) return null
  if (/^(?:after|nach|apres|despues|depois|dopo|na|efter|po|после)$/.test(modifier)) return start.add({ months: 1 })
  if (/^(?:mid|mitte|mi)$/.test(modifier)) return start.with({ day: 15 })
  return /^(?:end of|ende|fin)$/.test(modifier) ? start.with({ day: start.daysInMonth }) : start
}
