import { formatNumber } from '@x-automated/contract/format'
/** '1,234+ people have already joined', or '' for 0. */
export function joinedText(count: number): string {
  return count === 0 ? '' : `${formatNumber(count)}+ people have already joined`
}
