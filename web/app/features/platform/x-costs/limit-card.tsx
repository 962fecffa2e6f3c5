import { SPENDING_LIMIT_MAX_CENTS } from '@x-automated/contract/platform/x-costs'
import { api, client } from '../../../api'
import { centsOf, dollarsOf } from '../../../dollars'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { useAction } from '../../../use-action'
import { useFormDraft } from '../../../use-form-draft'
import { useHasRole } from '../../identity/people/use-role'
import { limitProblem } from './x-costs-text'

/** The most that X may charge in a month. Owners can change it. */
export function LimitCard({ limitCents }: { limitCents: number | null }) {
  const isOwner = useHasRole('owner') === true
  const { draft, isChanged, set, settle } = useFormDraft({ dollars: dollarsOf(limitCents) })
  const cents = centsOf(draft.dollars)
  const problem = limitProblem(cents, SPENDING_LIMIT_MAX_CENTS)
  const save = useAction(
    (sent: { dollars: string }) => client.xCosts.saveLimit({ limitCents: centsOf(sent.dollars) ?? null }),
    {
      done: cents === null ? 'Limit removed.' : 'Limit saved.',
      failed: 'Failed to save the limit. Please try again.',
      onSuccess: (_, sent) => settle(sent),
      refetches: [api.xCosts, api.campaigns, api.scrapes, api.sendingSettings, api.today],
    },
  )
  return (
    <Card
      title="Monthly limit"
      description="Sending, reading and finding leads stop before they would exceed it. They continue in the next month, or when you raise the limit."
    >
      <Form
        name="spending-limit"
        className="max-w-xl"
        onSubmit={() => {
          if (isChanged && !problem) void save.run(draft)
        }}
      >
        <Field
          label="Limit in US dollars"
          hint={
            isOwner
              ? 'Leave it empty for no limit. Replies that X delivers still count. At the limit, follow-ups wait too, because we could not check who has replied.'
              : 'Only the owner can change it.'
          }
          error={problem}
        >
          <Input
            inputMode="decimal"
            autoComplete="off"
            leading="$"
            placeholder="No limit"
            disabled={!isOwner}
            value={draft.dollars}
            onChange={(event) => set({ dollars: event.currentTarget.value })}
          />
        </Field>
        {isOwner && (
          <div>
            <Button type="submit" disabled={!isChanged || problem !== undefined} loading={save.isPending}>
              Save limit
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
