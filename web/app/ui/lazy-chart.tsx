import { lazy, Suspense } from 'react'
import type { DayChart, DayChartProps } from './day-chart'
import { Skeleton } from './skeleton'

// The charts' library is large, and comes once there is something to draw. `lazy` forgets that the chart is generic.
const Chart = lazy(() =>
  import('./day-chart').then((module) => ({ default: module.DayChart })),
) as unknown as typeof DayChart

/** A chart by day in the room it will take; its shape while `days` are not there. */
export function LazyChart<K extends string>({
  days,
  ...props
}: Omit<DayChartProps<K>, 'days'> & { days: DayChartProps<K>['days'] | undefined }) {
  const room = <Skeleton className="h-84 w-full" />
  if (!days) return room
  return (
    <Suspense fallback={room}>
      <Chart days={days} {...props} />
    </Suspense>
  )
}
