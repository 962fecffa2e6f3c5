/** A time when a conversation can reopen. */
export interface SnoozeTime {
  name: 'Later today' | 'Tomorrow' | 'Next week'
  at: Date
}

const MORNING = 9
const EVENING = 17
const MONDAY = 1

/** Suggested times in the user's time zone, earliest first. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const untilMonday = (MONDAY - now.getDay() + 7) % 7 || 7
  const times: SnoozeTime[] = [{ name: 'Tomorrow', at: at(1, MORNING) }]
  // Suggest it only if it is at least an hour away.
  if (now.getHours() < EVENING - 1) times.unshift({ name: 'Later today', at: at(0, EVENING) })
  // On Sunday, this would be tomorrow.
  if (untilMonday > 1) times.push({ name: 'Next week', at: at(untilMonday, MORNING) })
  return times
}

/** A day in the API's format, '2026-12-16', in the user's time zone. */
export function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** The morning of a day ('2026-12-16') in the user's time zone; null if it has passed. */
export function morningOf(day: string, now: Date): Date | null {
  return timeOn(day, MORNING, 0, now)
}

/** '14:30', '3pm', '9 am', '15 Uhr', '14h30' */
const TIME =
  /(?<![\d.:/-])([01]?\d|2[0-3])(?:[:h]([0-5]\d)(?!\d)| ?(?=[ap]m(?!\p{L}))| ?(?:uhr|h)(?!\p{L}))(?: ?([ap]m)(?!\p{L}))?/iu
const HOURS = /^in (\d{1,3}) ?(?:h|hours?|stunden?)$/i
const TODAY = /^(?:today|heute|at|um|[\s,])*$/i

/**
 * Parses a typed time. Without a time of day, it means the morning.
 * @param day the day that the text mentions, or null
 * @returns null if the text mentions no time, or a past one
 */
export function typedTime(typed: string, day: string | null, now: Date): Date | null {
  const hours = typed.trim().match(HOURS)?.[1]
  if (hours) return new Date(now.getTime() + Number(hours) * 3_600_000)
  const [written = '', hour, minute = '0', half] = typed.match(TIME) ?? []
  if (hour === undefined) return day ? morningOf(day, now) : null
  const on = day ?? (TODAY.test(typed.replace(written, '')) ? dayOf(now) : null)
  const hour24 = half ? (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hour)
  return on ? timeOn(on, hour24, Number(minute), now) : null
}

function timeOn(day: string, hour: number, minute: number, now: Date): Date | null {
  const at = new Date(`${day}T${[hour, minute].map((part) => String(part).padStart(2, '0')).join(':')}`)
  return at > now ? at : null
}
