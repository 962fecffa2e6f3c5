import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount, formatMoney, formatNumber, pluralize } from '@x-automated/contract/format'
import type { Preflight } from '@x-automated/contract/outreach/preflight'
import { ChevronRight, TriangleAlert } from 'lucide-react'
import { api, type client } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { cn } from '../../../ui/cn'
import { SkeletonText } from '../../../ui/skeleton'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { BILL_ASSUMES, calendarOf, missingText, sampleText, skippedLabel, warningText } from './preflight-text'
import { ReasonText } from './reason-text'
import { useRehearsalText } from './rehearsal-strip'

export type PreflightBody = Parameters<typeof client.campaigns.preflight>[0]

interface PreflightPanelProps {
  /** Null until a list is chosen. */
  input: PreflightBody | null
  preflight: ReturnType<typeof usePreflight>
}

/** Checks a campaign while it is being written. @param input null until a list is chosen */
export function usePreflight(input: PreflightBody | null) {
  const current = JSON.stringify(input)
  const debounced = useDebouncedValue(current)
  const body = JSON.parse(debounced) as PreflightBody | null
  const query = useQuery(
    api.campaigns.preflight.queryOptions({
      input: body ?? { leadListId: '', messageTemplate: '' },
      enabled: body !== null,
      retry: false,
      placeholderData: keepPreviousData,
    }),
  )
  // Never show another list's data.
  const isShown = input !== null && body?.leadListId === input.leadListId
  return {
    isLoading: isInitialLoading(query) || (body === null && !query.data),
    isStale: query.isPlaceholderData || current !== debounced,
    data: isShown && query.data && query.data.leads > 0 ? query.data : null,
  }
}

/** Whom a campaign would message, when and at what cost, while it is being written. */
export function PreflightPanel({ input, preflight: { data, isLoading, isStale } }: PreflightPanelProps) {
  if (input === null) return null
  if (isLoading) return <SkeletonText lines={3} />
  if (!data) return null
  return (
    <section
      aria-label="Pre-flight"
      aria-busy={isStale}
      className="grid gap-4 border-t border-line pt-4 @min-[68rem]:border-t-0 @min-[68rem]:pt-0"
    >
      <h3 className="-mb-2 flex min-h-8 items-center font-strong">Pre-flight</h3>
      <Recipients preflight={data} />
      <Dates preflight={data} xAccountId={input.xAccountId} />
      <NextMessages messages={data.messages} hasVariants={(input.steps?.[0]?.variants.length ?? 1) > 1} />
      {data.billCents !== null && (
        <div className="grid gap-0.5" data-numeric>
          <p className="text-muted">X charges about {formatMoney(data.billCents)} in all.</p>
          <p className="text-muted text-xs">{BILL_ASSUMES}</p>
        </div>
      )}
      <Warnings preflight={data} />
      <p className="text-muted text-xs">After launch you have 10 seconds to undo.</p>
    </section>
  )
}

function Recipients({ preflight }: { preflight: Preflight }) {
  const { willSend, leads, skipped } = preflight
  return (
    <div className="grid gap-2">
      <p data-numeric>
        <span className="block text-3xl font-strong">{formatCount(willSend, 'person', 'people')}</span>{' '}
        <span className="text-muted">
          {willSend === leads
            ? `${pluralize(willSend, 'gets', 'get')} a message`
            : `of ${formatNumber(leads)} in the list ${pluralize(willSend, 'gets', 'get')} a message`}
        </span>
      </p>
      {skipped.length > 0 && (
        <dl className="grid gap-1.5">
          {skipped.map((group) => (
            <div key={JSON.stringify(group.reason)} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
              <dt className="grid min-w-0">
                <span className="wrap-anywhere">
                  <ReasonText text={skippedLabel(group.reason)} params={group.reason.params} />
                </span>
                <span className="truncate text-muted text-xs">{sampleText(group)}</span>
              </dt>
              <dd data-numeric>{formatNumber(group.count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

const WEEKDAYS = ['M', 'T', 'W', 'T', 'F', 'S', 'S']

/** The rehearsal as a sentence and, if it takes several days, as a calendar. */
function Dates({ preflight, xAccountId }: { preflight: Preflight; xAccountId: string | undefined }) {
  const { perDay, ahead } = preflight
  const text = useRehearsalText(preflight, xAccountId)
  const days = calendarOf(perDay)
  const most = Math.max(1, ...perDay.map(({ count }) => count))
  if (text === null) return null
  return (
    <div className="grid gap-2">
      {perDay.length > 1 && (
        <div aria-hidden className="grid max-w-72 grid-cols-7 gap-1 text-center text-xs" data-numeric>
          {WEEKDAYS.map((letter, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two days share a letter
            <span key={index} className="text-muted">
              {letter}
            </span>
          ))}
          {days.map(({ date, count }) => (
            <span
              key={date}
              className={cn('rounded-sm py-1', count === 0 && 'text-muted')}
              style={
                count > 0
                  ? { background: `color-mix(in oklab, var(--color-ink) ${4 + (10 * count) / most}%, transparent)` }
                  : undefined
              }
            >
              {count > 0 ? formatNumber(count) : '–'}
            </span>
          ))}
        </div>
      )}
      <p className="text-muted" data-numeric>
        {text}
        {ahead > 0 && `, after ${formatNumber(ahead)} already queued`}.
      </p>
    </div>
  )
}

/** The first messages as they will be sent. */
function NextMessages({ messages, hasVariants }: Pick<Preflight, 'messages'> & { hasVariants: boolean }) {
  if (messages.length === 0) return null
  return (
    <details className="group/next">
      <summary className="flex w-fit list-none items-center gap-1.5 rounded-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open/next:rotate-90" />
        {messages.length === 1 ? 'The first message' : `The first ${formatNumber(messages.length)} messages`}
      </summary>
      <ul className="grid gap-3 pt-3">
        {messages.map(({ leadId, stepNumber, variant, twitterHandle, message }) => (
          <li key={`${leadId} ${stepNumber}`} className="grid gap-1">
            <p className="flex justify-between gap-3 text-muted text-xs">
              <bdi className="truncate">@{twitterHandle}</bdi>
              {hasVariants && <span>{variant}</span>}
            </p>
            <p dir="auto" className="line-clamp-6 whitespace-pre-wrap wrap-anywhere">
              {message}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Warnings({ preflight }: { preflight: Preflight }) {
  const texts = [
    ...preflight.warnings.filter((warning) => warning !== 'plan' && warning !== 'no_first_name').map(warningText),
    ...preflight.missing.map((missing) => missingText(missing, preflight)),
  ]
  if (texts.length === 0) return null
  return (
    <ul className="grid gap-1.5">
      {texts.map((text) => (
        <li key={text} className="flex gap-2 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  )
}
