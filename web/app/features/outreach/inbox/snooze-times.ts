/** A time at which a conversation can come back. */
export interface SnoozeTime {
  name: 'Later today' | 'Tomorrow' | 'Next week'
  at: Date
}

const MORNING = 9
const EVENING = 17
const MONDAY = 1

/** Times to choose from, in the user's time zone, earliest first. */
export function snoozeTimes(now: Date): SnoozeTime[] {
  const at = (days: number, hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const untilMonday = (MONDAY - now.getDay() + 7) % 7 || 7
  const times: SnoozeTime[] = [{ name: 'Tomorrow', at: at(1, MORNING) }]
  // An hour is the least that is worth it.
  if (now.getHours() < EVENING - 1) times.unshift({ name: 'Later today', at: at(0, EVENING) })
  // On Sunday, next week begins tomorrow.
  if (untilMonday > 1) times.push({ name: 'Next week', at: at(untilMonday, MORNING) })
  return times
}

/** The morning of a day, '2026-12-16', in the user's time zone; null if that has passed. */
export function morningOf(day: string, now: Date): Date | null {
  const at = new Date(`${day}T${String(MORNING).padStart(2, '0')}:00`)
  return at > now ? at : null
}
