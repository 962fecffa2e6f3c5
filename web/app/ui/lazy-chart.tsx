import { lazy, Suspense } from 'react'
import type { DayChart, DayChartProps } from './day-chart'
import { Skeleton } from './skeleton'

// Loaded once there is data, because the chart library is large. `lazy` drops the type parameter,
// and the cast restores it.
const Chart = lazy(() =>
  import('./day-chart').then((module) => ({ default: module.DayChart })),
) as unknown as typeof DayChart

/** A DayChart. Until `days` have loaded, a skeleton of its size. */
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
