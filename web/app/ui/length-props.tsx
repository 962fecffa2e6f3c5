import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { FieldProps } from './field'

/** Share of the limit above which a counter is shown. */
const COUNTED_FROM = 0.8

/** Props for a long text's Field: a counter near the limit, and an error beyond it. Nothing is truncated. */
export function lengthProps(text: string, max: number): Pick<FieldProps, 'aside' | 'error'> {
  const { length } = text.trim()
  return {
    aside: length > max * COUNTED_FROM && (
      <span data-numeric>
        {formatNumber(length)} / {formatNumber(max)}
      </span>
    ),
    error: length > max ? `At most ${formatCount(max, 'character')}.` : undefined,
  }
}
