import { formatNumber } from '@x-automated/contract/format'
/** How many have joined, in words; of nobody there are none. */
export function joinedText(count: number): string {
  return count === 0 ? '' : `${formatNumber(count)}+ people have already joined`
}
