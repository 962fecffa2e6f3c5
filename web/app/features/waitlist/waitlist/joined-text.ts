import { formatNumber } from '@x-automated/contract/format'
/** '1,234+ people have already joined'. */
export function joinedText(count: number): string {
  return `${formatNumber(count)}+ people have already joined`
}

/** Shown if the count is unknown. */
export const COUNT_FAILED = 'Could not load how many people have joined.'
