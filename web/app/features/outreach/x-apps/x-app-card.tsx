import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { SendingSettings } from '@x-automated/contract/outreach/sending-settings'
import { X_APP_PROBLEM_TEXT, type XApp } from '@x-automated/contract/platform/x-apps'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { CopyButton } from '../../../ui/copy-button'
import { Progress } from '../../../ui/progress'
import { SkeletonText } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { XAppForm } from './x-app-form'
import { appUseText, disconnectText } from './x-app-text'

interface XAppCardProps {
  use: SendingSettings['xApp']
  accounts: SendingSettings['accounts']
  isOwner: boolean
}

/** The X app that sends, its usage in 24 hours and, for the owner, the workspace's own app. */
export function XAppCard({ use, accounts, isOwner }: XAppCardProps) {
  const description = use.isOwn
    ? 'Your X accounts are connected through your own app, with its own limits and prices.'
    : "Your X accounts share this server's app with other workspaces. An app of your own has its own limits, and reading costs less for its owner."
  return (
    <Card title="Your own X app" description={description}>
      <div className="grid max-w-xl gap-5">
        <Use use={use} accounts={accounts} />
        {isOwner ? (
          <OwnApp handles={accounts.flatMap(({ handle }) => handle ?? [])} />
        ) : (
          <p className="text-muted">Only the owner can change this.</p>
        )}
      </div>
    </Card>
  )
}

/** How much the app and each of its accounts have sent. */
function Use({ use, accounts }: Pick<XAppCardProps, 'use' | 'accounts'>) {
  const { sentInDay, dailyLimit } = use
  return (
    <div className="grid gap-2">
      {dailyLimit === null ? (
        <p>{appUseText(use)}</p>
      ) : (
        <Progress label={appUseText(use)} value={sentInDay} max={dailyLimit} />
      )}
      <ul className="grid gap-1 text-muted">
        {accounts.map(
          ({ xAccountId, handle, countedInDay, capNow, appShare }) =>
            handle && (
              <li key={xAccountId} className="wrap-anywhere">
                @{handle}: {formatNumber(countedInDay)} of {formatNumber(capNow)} in 24 hours
                {appShare !== null && `, ${formatNumber(appShare)} left of its share of the app`}
              </li>
            ),
        )}
      </ul>
    </div>
  )
}

function OwnApp({ handles }: { handles: readonly string[] }) {
  const query = useQuery(api.xApp.find.queryOptions({ input: {} }))
  const [isEditing, setEditing] = useState(false)
  const remove = useAction(() => client.xApp.remove({ disconnectsAccounts: handles.length > 0 }), {
    question: {
      title: 'Remove your X app?',
      body: `Your workspace returns to this server's app. ${handles.length > 0 ? disconnectText(handles) : 'The secrets are deleted.'}`,
      confirm: 'Remove X app',
      danger: true,
    },
    done: 'X app removed.',
    failed: 'Failed to remove the X app. Please try again.',
    refetches: [api.xApp, api.sendingSettings, api.xAccount],
  })
  if (query.isError && !query.data)
    return <QueryError query={query} fallback="Failed to load the X app. Please try again." />
  if (!query.data) return <SkeletonText lines={4} />
  const { app, callbackUrl } = query.data
  return (
    <>
      {app?.problem && <Callout tone="bad">{X_APP_PROBLEM_TEXT[app.problem]}</Callout>}
      <Facts app={app} callbackUrl={callbackUrl} />
      {isEditing ? (
        <XAppForm app={app} handles={handles} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button icon={app ? <KeyRound /> : <Plus />} onClick={() => setEditing(true)}>
            {app ? 'Replace secrets' : 'Use your own X app'}
          </Button>
          {app && (
            <Button variant="ghost" loading={remove.isPending} onClick={() => remove.run()}>
              Remove
            </Button>
          )}
        </div>
      )}
    </>
  )
}

/** Values to copy and enter at X. */
function Facts({ app, callbackUrl }: { app: XApp | null; callbackUrl: string }) {
  const addresses = [
    ['Callback URI', 'Copy callback URI', callbackUrl, 'Enter it in the settings of your app at X.'],
    ...(app
      ? [
          [
            'Webhook',
            'Copy webhook URL',
            app.webhookUrl,
            'X reports replies here. It is registered automatically.',
          ] as const,
        ]
      : []),
  ] as const
  return (
    <dl className="grid gap-3">
      {app && (
        <div className="grid gap-0.5">
          <dt className="text-muted">Client ID</dt>
          <dd className="wrap-anywhere">{app.clientId}</dd>
        </div>
      )}
      {addresses.map(([name, label, url, hint]) => (
        <div key={name} className="grid gap-1">
          <dt className="text-muted">{name}</dt>
          <dd className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 wrap-anywhere">{url}</code>
            <CopyButton size="sm" text={url} label={label} />
          </dd>
          <dd className="text-muted">{hint}</dd>
        </div>
      ))}
    </dl>
  )
}
