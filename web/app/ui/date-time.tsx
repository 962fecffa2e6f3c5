export interface DateTimeProps {
  /** ISO 8601, as the API sends it. */
  value: string
  /** 'day' leaves the time of day out. */
  precision?: 'day' | 'minute'
  className?: string
}

const day = { month: 'short', day: 'numeric' } as const
const minute = { ...day, hour: 'numeric', minute: '2-digit' } as const
const whole = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'medium' })

/** A moment in the reader's time zone, whole on hover; the year is written where it is not this one. Signed-in pages only: prerendering knows no time zone. */
export function DateTime({ value, precision = 'minute', className }: DateTimeProps) {
  const date = new Date(value)
  const thisYear = date.getFullYear() === new Date().getFullYear()
  const words = date.toLocaleString('en-US', {
    ...(precision === 'day' ? day : minute),
    ...(thisYear ? {} : { year: 'numeric' }),
  })
  return (
    <time dateTime={value} title={whole.format(date)} className={className}>
      {words}
    </time>
  )
}
