import { DAY_MS, HOUR_MS, MINUTE_MS } from '@x-automated/contract/time'
import { Temporal } from 'temporal-polyfill'
import type { WorkingHours } from '../messages/limits.ts'

/** Time between a message and the next step. */
export interface Delay {
  amount: number
  unit: 'minutes' | 'hours' | 'days'
}

/** Milliseconds per unit. */
export const UNIT_MS = { minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS } as const

/**
 * Returns when a step is due after a message sent at `from`. A delay in days keeps the time of day
 * and counts only days with a sending window; if no day has one, every day counts.
 */
export function delayedFrom(from: Date, { amount, unit }: Delay, hours: WorkingHours): Date {
  if (unit !== 'days') return new Date(from.getTime() + amount * UNIT_MS[unit])
  return onLocalDay(from, hours.timeZone, (sentAt) => {
    // After midnight, a window that opened the evening before belongs to the day before.
    const isAfterMidnight = isInWindowOfYesterday(hours, sentAt)
    const sendingDay = isAfterMidnight ? sentAt.toPlainDate().subtract({ days: 1 }) : sentAt.toPlainDate()
    return daysUntilNthWorkDay(sendingDay.dayOfWeek, amount, hours.workDays)
  })
}

/**
 * Returns when re-engagement is due after a message sent at `from`: `afterDays` calendar days
 * later, at the same time of day.
 */
export function reengagedFrom(from: Date, afterDays: number, timeZone: string): Date {
  return onLocalDay(from, timeZone, () => afterDays)
}

/** The same time of day, some days later. In an unknown time zone, a day has 24 hours. */
function onLocalDay(from: Date, timeZone: string, daysAfter: (from: Temporal.ZonedDateTime) => number): Date {
  const instant = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const local = instant.toZonedDateTimeISO(isKnown(timeZone) ? timeZone : 'UTC')
  return new Date(local.add({ days: daysAfter(local) }).epochMilliseconds)
}

function isKnown(timeZone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function isInWindowOfYesterday(hours: WorkingHours, at: Temporal.ZonedDateTime): boolean {
  const { startMinute, endMinute, workDays } = hours
  if (startMinute === null || endMinute === null || endMinute > startMinute) return false
  return at.hour * 60 + at.minute < endMinute && workDays.includes(weekdayAfter(at.dayOfWeek, -1))
}

/** Days from `weekday` to the `amount`-th work day after it. Loops over at most a week. */
function daysUntilNthWorkDay(weekday: number, amount: number, workDays: readonly number[]): number {
  if (workDays.length === 0) return amount
  const weeks = Math.floor((amount - 1) / workDays.length)
  let left = amount - weeks * workDays.length
  let days = weeks * 7
  while (left > 0) {
    days += 1
    if (workDays.includes(weekdayAfter(weekday, days))) left -= 1
  }
  return days
}

/** The weekday (1 = Monday) some days later or earlier. */
function weekdayAfter(weekday: number, days: number): number {
  return ((((weekday - 1 + days) % 7) + 7) % 7) + 1
}
