import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { KEEP_TEXTS_DAYS } from '@x-automated/contract/outreach/replies'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { NumberInput } from '../../../ui/number-input'
import { SkeletonField } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { useFormDraft } from '../../../use-form-draft'
import { useHasRole } from '../../identity/people/use-role'

const { min, max } = KEEP_TEXTS_DAYS

/** Sets how long the texts of conversations are kept. */
export function RetentionCard() {
  const settings = useQuery(api.replies.settings.queryOptions())
  return (
    <Card title="Stored messages" description="The text of older messages is deleted. Reply times and labels stay.">
      {settings.isError && !settings.data ? (
        <QueryError query={settings} fallback="Failed to load the settings. Please try again." />
      ) : settings.data ? (
        <RetentionForm days={settings.data.keepTextsDays} />
      ) : (
        <SkeletonField />
      )}
    </Card>
  )
}

function RetentionForm({ days }: { days: number }) {
  const isAdmin = useHasRole('admin')
  const queries = useQueryClient()
  const form = useFormDraft<{ keepTextsDays: number | null }>({ keepTextsDays: days })
  const { keepTextsDays: draft } = form.draft
  const isValid = draft !== null && draft >= min && draft <= max
  const save = useAction((keepTextsDays: number) => client.replies.saveSettings({ keepTextsDays }), {
    question: (keepTextsDays) => ({
      title: `Keep message text for ${formatCount(keepTextsDays, 'day')}?`,
      body: 'The text of older messages is deleted within an hour, for everyone in the workspace.',
      confirm: 'Save',
      danger: keepTextsDays < days,
    }),
    done: ({ keepTextsDays }) => `Message text is kept for ${formatCount(keepTextsDays, 'day')}.`,
    onSuccess(settings, keepTextsDays) {
      queries.setQueryData(api.replies.settings.queryKey(), settings)
      form.settle({ keepTextsDays })
    },
    failed: 'Failed to save the setting. Please try again.',
    refetches: [api.replies],
  })
  return (
    <Form
      name="retention"
      className="max-w-xl"
      onSubmit={() => {
        if (isValid && form.isChanged) return save.run(draft)
      }}
    >
      <Field
        label="Keep message text for (days)"
        hint={isAdmin === false ? 'Only admins can change this.' : undefined}
        error={isValid ? undefined : `Enter a number from ${formatNumber(min)} to ${formatNumber(max)}.`}
      >
        <NumberInput
          max={max}
          disabled={!isAdmin}
          value={draft}
          onChange={(keepTextsDays) => form.set({ keepTextsDays })}
        />
      </Field>
      {isAdmin && (
        <div>
          <Button type="submit" disabled={!isValid || !form.isChanged} loading={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </Form>
  )
}
