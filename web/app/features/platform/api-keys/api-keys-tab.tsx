import { useQuery } from '@tanstack/react-query'
import { API_KEYS_MAX, type ApiKey } from '@x-automated/contract/platform/api-keys'
import { API_ACCESS_TEXT, hasApiAccess } from '@x-automated/contract/platform/plans'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { isInitialLoading } from '../../../initial-loading'
import { QueryError } from '../../../query-error'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { CopyButton } from '../../../ui/copy-button'
import { CreatedBy } from '../../../ui/created-by'
import { DateTime } from '../../../ui/date-time'
import { EmptyState } from '../../../ui/empty-state'
import { SecretDialog } from '../../../ui/secret-dialog'
import { LoadingText } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'
import { useDialogs } from '../../../ui/use-dialogs'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { ReauthProvider } from '../../identity/auth/reauth-provider'
import { useHasRole } from '../../identity/people/use-role'
import { PlanStatus } from '../billing/plan-status'
import { SeePlans } from '../billing/usage-notice'
import { CreateKeyDialog } from './create-key-dialog'
import { scopeLines } from './scope-text'

/** The workspace's API keys, for admins, and how to use one. */
export function ApiKeysTab() {
  const isAdmin = useHasRole('admin')
  if (isAdmin === false)
    return (
      <Callout title="Only the owner and admins can manage API keys">
        Ask an admin of this workspace to create one for you.
      </Callout>
    )
  return (
    <ReauthProvider>
      <div className="grid grid-cols-1 gap-6">
        <ApiKeys isAdmin={isAdmin ?? false} />
        <HowToUse />
      </div>
    </ReauthProvider>
  )
}

/** The API keys and the button to create one. @param isAdmin false while unknown */
function ApiKeys({ isAdmin }: { isAdmin: boolean }) {
  const list = useQuery({ ...api.apiKeys.list.queryOptions(), enabled: isAdmin })
  const overview = useQuery(api.billing.overview.queryOptions())
  const dialogs = useDialogs<null>()
  // When the last key is deleted, the table disappears.
  const focusFallback = useFocusFallback<HTMLElement>()
  const [created, setCreated] = useState<string | null>(null)
  // Render the plan's notice and the keys together, so that nothing shifts.
  const keys = isInitialLoading(overview) ? undefined : list.data?.keys
  const isOffered = !overview.data || hasApiAccess(overview.data.level)
  const isFull = keys !== undefined && keys.length >= API_KEYS_MAX
  if (list.isError && !keys)
    return <QueryError query={list} fallback="Failed to load the API keys. Please try again." />
  return (
    <section {...focusFallback} aria-label="API keys" className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          {isFull
            ? `You've reached the limit of ${API_KEYS_MAX} API keys. Delete one first.`
            : 'Tokens for your own programs.'}
        </p>
        <Button icon={<Plus aria-hidden />} disabled={!keys || !isOffered || isFull} onClick={() => dialogs.show(null)}>
          Create API key
        </Button>
      </div>
      {keys && !isOffered && (
        <Callout title="Your plan doesn't include API access" action={<SeePlans />}>
          {API_ACCESS_TEXT}
        </Callout>
      )}
      {keys?.some(needsAdoption) && (
        <Callout title="Some API keys need an admin">
          {
            "Their creators are no longer admins. Adopt a key to make it act for you, or delete it if you don't know who has it."
          }
        </Callout>
      )}
      {keys?.length === 0 ? (
        <EmptyState icon={<KeyRound aria-hidden />} title="No API keys yet">
          {isOffered && "Create one to reach this workspace's data from your own programs."}
        </EmptyState>
      ) : (
        <>
          {!keys && <LoadingText>Loading API keys…</LoadingText>}
          <Table
            label="API keys"
            columns={['Key', 'Scopes', 'Created', 'Last used', 'Expires', 'Status', { name: 'Actions', hidden: true }]}
            skeletonRows={3}
          >
            {keys?.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </Table>
        </>
      )}
      {dialogs.render((_, props) => (
        <CreateKeyDialog onCreated={setCreated} {...props} />
      ))}
      <SecretDialog
        title="Your API key"
        description="Copy it now: it won't be shown again. Anyone who has it can use it."
        label="API key"
        secret={created}
        onClose={() => setCreated(null)}
      />
    </section>
  )
}

/** Whether an admin should adopt the key: it is or will be suspended, and has not expired. */
const needsAdoption = ({ suspendedAt, status }: ApiKey) => suspendedAt !== null && status !== 'expired'

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, start, scopes, status, createdBy, createdAt, expiresAt, lastUsedAt, suspendedAt } = apiKey
  const adopt = useAction(() => client.apiKeys.adopt({ id }), {
    question: {
      title: `Adopt the API key “${name}”?`,
      body: `It will act for you. Anyone who has the key can use it, including ${createdBy?.name ?? 'its creator'}.`,
      confirm: 'Adopt API key',
    },
    done: 'API key adopted.',
    failed: 'Failed to adopt the API key. Please try again.',
    refetches: [api.apiKeys, api.today],
  })
  const remove = useAction(() => client.apiKeys.remove({ id }), {
    question: {
      title: `Delete the API key “${name}”?`,
      body: "Programs that use it lose access immediately. This can't be undone.",
      confirm: 'Delete API key',
      danger: true,
    },
    done: 'API key deleted.',
    failed: 'Failed to delete the API key. Please try again.',
    refetches: [api.apiKeys, api.today],
  })
  return (
    <Tr>
      <Td>
        <span className="grid min-w-0 max-md:me-12">
          <span className="font-strong wrap-anywhere">{name}</span>
          <code className="text-muted">{start}…</code>
        </span>
      </Td>
      <Td label="Scopes">
        <span className="grid max-w-80 md:min-w-48">
          {scopeLines(scopes).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
      </Td>
      <Td label="Created">
        <CreatedBy at={createdAt} by={createdBy} />
      </Td>
      <Td label="Last used" className="md:whitespace-nowrap">
        {lastUsedAt ? <DateTime value={lastUsedAt} /> : 'Never'}
      </Td>
      <Td label="Expires" className="md:whitespace-nowrap">
        {expiresAt ? <DateTime value={expiresAt} precision="day" /> : 'Never'}
      </Td>
      <Td label="Status">
        <span className="grid justify-items-end gap-1 md:justify-items-start">
          <PlanStatus status={status} />
          {suspendedAt && status !== 'suspended' && status !== 'expired' && (
            <span className="text-muted">
              Suspended from <DateTime value={suspendedAt} precision="day" />
            </span>
          )}
          {needsAdoption(apiKey) && (
            <Button size="sm" aria-label={`Adopt ${name}`} loading={adopt.isPending} onClick={() => adopt.run()}>
              Adopt
            </Button>
          )}
        </span>
      </Td>
      <Td corner end>
        <IconButton
          icon={<Trash2 />}
          size="sm"
          label={`Delete ${name}`}
          loading={remove.isPending}
          onClick={() => remove.run()}
        />
      </Td>
    </Tr>
  )
}

function HowToUse() {
  const example = `curl -H "Authorization: Bearer YOUR_API_KEY" ${location.origin}/api/leads`
  return (
    <Card
      title="How to use it"
      description="Send the key as a bearer token. This example reads leads."
      className="max-w-2xl"
    >
      <div className="grid gap-4">
        <div className="flex items-center justify-between gap-3 max-sm:flex-col max-sm:items-start">
          <code className="min-w-0 wrap-anywhere">{example}</code>
          <CopyButton size="sm" text={example} />
        </div>
        <p className="text-muted">
          Each key can make 600 calls a minute. The{' '}
          <a className="text-link" href="/api/docs">
            API reference
          </a>{' '}
          lists every call with its scope.
        </p>
      </div>
    </Card>
  )
}
