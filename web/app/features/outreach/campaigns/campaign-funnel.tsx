import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Skeleton, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { shareText } from './campaign-progress'
import { funnelOf } from './funnel'

const HEAD = { title: 'Funnel', description: 'From queued to replied.' }

export function FunnelSkeleton() {
  return (
    <Card {...HEAD} actions={<SkeletonButton size="sm" />}>
      <div className="grid gap-3">
        {[0, 1, 2, 3].map((step) => (
          <span key={step} className="grid h-6 grid-cols-[5.5rem_minmax(0,1fr)_5rem] items-center gap-3">
            <SkeletonLine className="w-16" />
            <Skeleton className="h-6" />
            <SkeletonLine className="w-20" />
          </span>
        ))}
      </div>
    </Card>
  )
}

/** A campaign's messages by stage, as a chart or an accessible table. */
export function CampaignFunnel({ campaign }: { campaign: Campaign }) {
  const [asTable, setAsTable] = useState(false)
  const steps = funnelOf(campaign)
  const [{ count: all }] = steps
  return (
    <Card
      {...HEAD}
      actions={
        <Button size="sm" variant="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
        </Button>
      }
    >
      {asTable ? (
        <Table
          label="Funnel"
          narrow="scroll"
          columns={['Step', ...['DMs', 'Of queued', 'Of previous step'].map((name) => ({ name, end: true }))]}
        >
          {steps.map(({ label, count, before }) => (
            <Tr key={label}>
              <Td>{label}</Td>
              {[formatNumber(count), shareText(count, all), before === null ? '–' : shareText(count, before)].map(
                (text, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                  <Td key={column} end data-numeric>
                    {text}
                  </Td>
                ),
              )}
            </Tr>
          ))}
        </Table>
      ) : (
        <ol className="grid gap-3">
          {steps.map(({ label, count, tone }) => (
            <li key={label} className="grid grid-cols-[5.5rem_minmax(0,1fr)_auto] items-center gap-3">
              <span>{label}</span>
              <span aria-hidden className="h-6 overflow-hidden rounded-md bg-sunken">
                <span
                  className={`block h-full rounded-md transition-[width] duration-slow ${tone}`}
                  style={{ width: `${all === 0 ? 0 : (count / all) * 100}%` }}
                />
              </span>
              <span className="min-w-20 text-end" data-numeric>
                {formatNumber(count)} <span className="text-muted">{shareText(count, all)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
