import { useInfiniteQuery } from '@tanstack/react-query'
import { useTable } from '@tanstack/react-table'
import { formatNumber, formatPercent } from '@x-automated/contract/format'
import type { Outcome } from '@x-automated/contract/outreach/sequences'
import type { BreakdownBy, BreakdownRow } from '@x-automated/contract/overview/analytics'
import { lazy, Suspense, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Segments } from '../../../ui/segments'
import { SkeletonRows } from '../../../ui/skeleton'
import { SortTh } from '../../../ui/sort-th'
import { Table, Td, Tr } from '../../../ui/table'
import { useDialogs } from '../../../ui/use-dialogs'
import { OUTCOME_NAMES } from '../../outreach/sequences/enrollment-text'
import type { PeopleFilter } from '../../outreach/sequences/people-sheet'
import { LISTED } from '../../outreach/sequences/results-section'
import { ExportCsv } from '../../platform/billing/export-csv'
import { columns, features, NUMBERS } from './comparison-columns'
import { BY_NAMES, comparable, durationText } from './comparison-text'
import type { Days } from './range'

const STALE_MS = 30_000
const NONE: readonly BreakdownRow[] = []

// Loaded when someone presses a number.
const PeopleSheet = lazy(() =>
  import('../../outreach/sequences/people-sheet').then((module) => ({ default: module.PeopleSheet })),
)

interface ComparisonProps {
  /** Undefined for all campaigns. */
  campaignId: string | undefined
  days: Days
}

/** People, replies and time to reply, side by side. */
export function Comparison({ campaignId, days }: ComparisonProps) {
  const [chosen, setBy] = useState<BreakdownBy>('campaign')
  const offered = comparable(campaignId)
  const by = offered.includes(chosen) ? chosen : (offered[0] ?? 'campaign')
  const input = { by, ...days, ...(campaignId && { campaignId }) }
  const query = useInfiniteQuery(
    api.analytics.breakdown.infiniteOptions({
      input: (cursor: string | null) => (cursor ? { ...input, cursor } : input),
      initialPageParam: null,
      getNextPageParam: (page) => page.cursor,
      staleTime: STALE_MS,
    }),
  )
  const rows = query.data?.pages.flatMap((page) => page.rows)
  const people = useDialogs<{ campaignId: string; filter: PeopleFilter }>()
  /** A function that shows the people behind a number. Null if they cannot be listed, such as for a range of days. */
  const showerOf = ({ id, name }: BreakdownRow) => {
    const shownCampaign = by === 'campaign' ? id : by === 'variant' ? campaignId : undefined
    if (!id || !shownCampaign || days.from || days.to) return null
    return (outcome: Outcome) =>
      people.show({
        campaignId: shownCampaign,
        filter: {
          title: `${OUTCOME_NAMES[outcome]}: ${name}`,
          outcome,
          ...(by === 'variant' && { variantId: id }),
        },
      })
  }
  const table = useTable({ features, columns, data: rows ?? NONE, enableMultiSort: false })
  return (
    <section aria-labelledby="comparison" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="grid gap-0.5">
          <h2 id="comparison" className="text-base">
            Compare
          </h2>
          <p className="text-muted">Counts people, not messages. Times are medians.</p>
        </div>
        <ExportCsv
          path={`/api/analytics/breakdown/export?${new URLSearchParams(input)}`}
          fileName={`analytics-by-${by}`}
        />
      </div>
      <div className="max-w-full overflow-x-auto">
        <Segments
          label="Compare"
          options={offered.map((value) => ({ value, label: BY_NAMES[value].many }))}
          value={by}
          onChange={setBy}
        />
      </div>
      {query.isError && <QueryError query={query} />}
      {rows?.length === 0 ? (
        <p className="text-muted">No campaign messages in this period.</p>
      ) : (
        (rows || query.isPending) && (
          <Table label={`Comparison: ${BY_NAMES[by].many}`}>
            <thead>
              <tr>
                {table.getFlatHeaders().map(({ id, column }) => (
                  <SortTh key={id} end={id !== 'name'} column={column}>
                    {id === 'name' ? BY_NAMES[by].one : NUMBERS[id as keyof typeof NUMBERS]}
                  </SortTh>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows ? (
                table
                  .getRowModel()
                  .rows.map(({ original: row }) => (
                    <ComparisonTr
                      key={row.id ?? 'unknown'}
                      row={row}
                      path={by === 'campaign' && row.id ? generatePath(paths.campaign, { campaignId: row.id }) : null}
                      onShow={showerOf(row)}
                    />
                  ))
              ) : (
                <SkeletonRows rows={3} columns={columns.length} />
              )}
            </tbody>
          </Table>
        )
      )}
      {query.hasNextPage && (
        <Button
          className="justify-self-center"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older {BY_NAMES[by].many}
        </Button>
      )}
      {people.render(({ campaignId: shownCampaign, filter }, props) => (
        <Suspense fallback={null}>
          <PeopleSheet campaignId={shownCampaign} isArchived filter={filter} {...props} />
        </Suspense>
      ))}
    </section>
  )
}

const percent = (rate: number | null) => (rate === null ? '–' : formatPercent(rate / 100, 1))

interface ComparisonTrProps {
  row: BreakdownRow
  /** The page to which the name links. */
  path: string | null
  /** Null if the people cannot be listed. */
  onShow: ((outcome: Outcome) => void) | null
}

function ComparisonTr({ row, path, onShow }: ComparisonTrProps) {
  const { name, peopleMessaged, peopleReplied, replyRate, peoplePositive, positiveRate, optedOut } = row
  const number = (outcome: Outcome, value: number) =>
    onShow && value > 0 ? (
      <button type="button" className={LISTED} onClick={() => onShow(outcome)}>
        {formatNumber(value)}
        <span className="sr-only"> people: {OUTCOME_NAMES[outcome].toLowerCase()}</span>
      </button>
    ) : (
      formatNumber(value)
    )
  return (
    <Tr>
      <Td className="font-strong wrap-anywhere">
        {path ? (
          <Link to={path} className="rounded-sm underline-offset-4 hover:underline">
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
      </Td>
      <Td label="People" end data-numeric>
        {number('sent', peopleMessaged)}
      </Td>
      <Td label="Replied" end data-numeric>
        {number('replied', peopleReplied)}
      </Td>
      <Td label="Reply rate" end data-numeric>
        {percent(replyRate)}
      </Td>
      <Td label="Positive" end data-numeric>
        {number('positive', peoplePositive)}
      </Td>
      <Td label="Positive rate" end data-numeric>
        {percent(positiveRate)}
      </Td>
      <Td label="Opted out" end data-numeric>
        {number('optedOut', optedOut)}
      </Td>
      <Td label="Time to reply" end data-numeric>
        {durationText(row.medianReplySeconds)}
      </Td>
      <Td label="Time to answer" end data-numeric>
        {durationText(row.medianAnswerSeconds)}
      </Td>
    </Tr>
  )
}
