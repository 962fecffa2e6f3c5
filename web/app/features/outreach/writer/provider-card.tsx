import { useQuery } from '@tanstack/react-query'
import { formatMoney, formatNumber } from '@x-automated/contract/format'
import type { Provider } from '@x-automated/contract/outreach/writer'
import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { SkeletonText } from '../../../ui/skeleton'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { useHasRole } from '../../identity/people/use-role'
import { SeePlans } from '../../platform/billing/usage-notice'
import { ProviderForm } from './provider-form'
import { KINDS, writerProblem } from './writer-text'

/** The model that writes, and its settings. */
export function ProviderCard() {
  const query = useQuery(api.writer.provider.queryOptions())
  const isAdmin = useHasRole('admin')
  const [isEditing, setEditing] = useState(false)
  const focusFallback = useFocusFallback<HTMLElement>()
  const provider = query.data
  const isOwn = provider?.from === 'workspace'
  const hasNoBudget = provider?.from === 'operator' && (provider.budgetCents === 0 || provider.budgetTokens === 0)
  return (
    <Card
      title="Model"
      description="Writes drafts, rewrites, openers and suggested replies. Nothing it writes is sent without a person."
      {...focusFallback}
    >
      {query.isError && provider === undefined ? (
        <QueryError query={query} fallback="Failed to load the model. Please try again." />
      ) : provider === undefined || isAdmin === undefined ? (
        <SkeletonText lines={4} />
      ) : isEditing ? (
        <ProviderForm provider={isOwn ? provider : null} onDone={() => setEditing(false)} />
      ) : (
        <div className="grid max-w-xl gap-4">
          {provider ? <ProviderFacts provider={provider} /> : <NoModel />}
          {hasNoBudget && (
            <Callout action={<SeePlans />}>
              Your plan has no budget for this model. Drafts and openers come from the built-in writer.
            </Callout>
          )}
          {!isAdmin && <p className="text-muted">Only admins can change this.</p>}
          {isAdmin && (
            <>
              {provider && !hasNoBudget && <TestButton key={provider.updatedAt} />}
              <div className="flex flex-wrap gap-2">
                <Button
                  variant={provider ? 'secondary' : 'primary'}
                  icon={isOwn ? <Pencil /> : <Plus />}
                  onClick={() => setEditing(true)}
                >
                  {isOwn ? 'Edit model' : provider ? 'Use your own model' : 'Connect a model'}
                </Button>
                {isOwn && <RemoveButton />}
              </div>
            </>
          )}
        </div>
      )}
    </Card>
  )
}

function NoModel() {
  return (
    <p>
      No model is connected. Drafts and openers come from the built-in writer, in English. Rewrites, translations and
      suggested replies need a model.
    </p>
  )
}

/** Shows the provider's settings. Users below admin only know its kind, the model and whose key is used. */
function ProviderFacts({ provider }: { provider: Provider }) {
  const { kind, baseUrl, model, keyEnding, inputCentsPerMillion, outputCentsPerMillion, budgetCents, budgetTokens } =
    provider
  const facts = [
    ['Provider', provider.from === 'operator' ? `${KINDS[kind]}, with our key` : KINDS[kind]],
    ['Model', model],
    ['Address', baseUrl],
    ['Key', keyEnding && `ends with ${keyEnding}`],
    [
      'Price',
      inputCentsPerMillion != null &&
        outputCentsPerMillion != null &&
        `${formatMoney(inputCentsPerMillion)} in, ${formatMoney(outputCentsPerMillion)} out, per million tokens`,
    ],
    [
      'Monthly budget',
      [budgetCents != null && formatMoney(budgetCents), budgetTokens != null && `${formatNumber(budgetTokens)} tokens`]
        .filter(Boolean)
        .join(', '),
    ],
  ] as const
  return (
    <dl className="grid gap-2">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name} className="grid gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
              <dt className="text-muted">{name}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Makes one call to the model, and shows whether it worked. */
function TestButton() {
  const test = useAction(() => client.writer.testProvider(), { onError: () => {}, refetches: [api.writer.usage] })
  return (
    <div className="grid justify-items-start gap-3">
      {test.isSuccess && (
        <Callout tone="good">
          {test.data.model} answered in {formatNumber(test.data.milliseconds)} ms.
        </Callout>
      )}
      {test.isError && <Callout tone="bad">{writerProblem(test.error)}</Callout>}
      <Button loading={test.isPending} onClick={() => test.run()}>
        Test the model
      </Button>
    </div>
  )
}

function RemoveButton() {
  const remove = useAction(() => client.writer.removeProvider(), {
    question: {
      title: 'Remove this model?',
      body: 'Its key is deleted. Everything it wrote stays.',
      confirm: 'Remove model',
      danger: true,
    },
    done: 'Model removed.',
    failed: 'Failed to remove the model. Please try again.',
    refetches: [api.writer],
  })
  return (
    <Button variant="ghost" loading={remove.isPending} onClick={() => remove.run()}>
      Remove
    </Button>
  )
}
