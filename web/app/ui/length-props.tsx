import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { FieldProps } from './field'

/** The counter appears once this share of the limit is used. */
const COUNTED_FROM = 0.8

/** Props of the Field of a long text: a counter near the limit, and an error beyond it. Nothing is cut. */
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
