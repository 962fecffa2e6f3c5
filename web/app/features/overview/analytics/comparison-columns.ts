import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
} from '@tanstack/react-table'
import type { BreakdownRow } from '@x-automated/contract/overview/analytics'

/** Columns with numbers, and their names. */
export const NUMBERS = {
  peopleMessaged: 'People',
  peopleReplied: 'Replied',
  replyRate: 'Reply rate',
  peoplePositive: 'Positive',
  positiveRate: 'Positive rate',
  optedOut: 'Opted out',
  medianReplySeconds: 'Time to reply',
  medianAnswerSeconds: 'Time to answer',
} as const satisfies Partial<Record<keyof BreakdownRow, string>>

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

/** The first press on a header sorts numbers descending and names ascending. Rows without a value always come last. */
export const columns: ColumnDef<typeof features, BreakdownRow>[] = [
  {
    id: 'name',
    accessorFn: ({ name }) => name,
    sortFn: (a, b) => a.original.name.localeCompare(b.original.name, undefined, { numeric: true }),
  },
  ...(Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]).map(
    (id): ColumnDef<typeof features, BreakdownRow> => ({
      id,
      accessorFn: (row) => row[id] ?? undefined,
      sortFn: sortFn_basic,
      sortDescFirst: true,
      sortUndefined: 'last',
    }),
  ),
]
