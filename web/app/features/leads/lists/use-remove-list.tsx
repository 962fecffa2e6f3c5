import type { List } from '@x-automated/contract/leads/lists'
import { Suspense, use } from 'react'
import { api, client, refusalText } from '../../../api'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { campaignWarnings } from './campaign-warnings'

/** Warnings that take longer than this are skipped. The server rejects forbidden deletions anyway. */
const WARNINGS_WITHIN_MS = 4_000

/** Texts for My Lists, and for the Lead Lists tab, where lists are called “campaigns”. */
const texts = {
  list: {
    question: 'Are you sure you want to delete this list? This will also remove all associated leads.',
    note: 'The leads themselves stay on your Leads page.',
    done: (name: string) => `List “${name}” deleted.`,
    failed: 'Failed to delete list. Please try again.',
  },
  campaign: {
    question: 'Are you sure you want to delete this campaign?',
    note: 'Its leads stay on your Leads page. Campaigns that used it keep their messages.',
    done: (name: string) => `Campaign “${name}” deleted.`,
    failed: 'Failed to delete campaign. Please try again.',
  },
}

/** Deletes a list after a confirmation that names the campaigns using it. */
export function useRemoveList(noun: keyof typeof texts, onDone?: () => unknown) {
  const text = texts[noun]
  return useAction(({ id }: List) => client.lists.remove({ id }), {
    question({ id, name, campaignCount }) {
      const warnings = campaignCount > 0 ? fetchWarnings(id) : undefined
      return {
        title: `Delete “${name}”?`,
        body: (
          <>
            <span className="block">{text.question}</span>
            <span className="block pt-2">{text.note}</span>
            {warnings && (
              <span className="block" aria-live="polite">
                <Suspense fallback={<span className="block pt-2">Checking which campaigns use it…</span>}>
                  <Warnings promise={warnings} />
                </Suspense>
              </span>
            )}
          </>
        ),
        after: warnings,
        confirm: `Delete ${noun}`,
        danger: true,
      }
    },
    done: (_, { name }) => text.done(name),
    onSuccess: () => onDone?.(),
    onError: (error) => toast.error(refusalText(error, text.failed)),
    // Campaigns show N/A for a deleted list.
    refetches: [api.lists, api.campaigns],
  })
}

/** Warnings about the campaigns that use a list. Empty if they can't be fetched in time. */
async function fetchWarnings(leadListId: string): Promise<string[]> {
  try {
    const signal = AbortSignal.timeout(WARNINGS_WITHIN_MS)
    const { campaigns, total } = await client.campaigns.list({ leadListId, pageSize: 100 }, { signal })
    return campaignWarnings(campaigns, total)
  } catch {
    return []
  }
}

function Warnings({ promise }: { promise: Promise<string[]> }) {
  return use(promise).map((sentence) => (
    <span key={sentence} className="block pt-2">
      {sentence}
    </span>
  ))
}
