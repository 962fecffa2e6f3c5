import { formatDate } from '@x-automated/contract/format'

interface DateTimeProps {
  /** ISO 8601, as in the API. */
  value: string
  /** 'day' omits the time. */
  precision?: 'day' | 'minute'
  /** Adds a period, unless the date ends with one ('1. Dez.'). */
  endsSentence?: boolean
  className?: string
}

const day = { month: 'short', day: 'numeric' } as const
const minute = { ...day, hour: 'numeric', minute: '2-digit' } as const

/** A time in the user's zone and locale. Hovering shows it in full. Not for prerendered pages. */
export function DateTime({ value, precision = 'minute', endsSentence, className }: DateTimeProps) {
  const date = new Date(value)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  const text = formatDate(date, {
    ...(precision === 'day' ? day : minute),
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
  return (
    <>
      <time dateTime={value} title={formatDate(date, { dateStyle: 'full', timeStyle: 'medium' })} className={className}>
        {text}
      </time>
      {endsSentence && !text.endsWith('.') && '.'}
    </>
  )
}
