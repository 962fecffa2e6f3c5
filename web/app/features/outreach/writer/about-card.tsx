import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ABOUT_MAX } from '@x-automated/contract/outreach/writer'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { SkeletonField } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { useFormDraft } from '../../../use-form-draft'
import { useHasRole } from '../../identity/people/use-role'

/** What the writer knows about the user's own product. */
export function AboutCard() {
  const about = useQuery(api.writer.about.queryOptions())
  return (
    <Card
      title="About us"
      description="What you offer, to whom, at what price. The writer uses no other facts about you."
    >
      {about.isError && !about.data ? (
        <QueryError query={about} fallback="Failed to load the text. Please try again." />
      ) : about.data ? (
        <AboutForm saved={about.data.text} />
      ) : (
        <SkeletonField />
      )}
    </Card>
  )
}

function AboutForm({ saved }: { saved: string }) {
  const isAdmin = useHasRole('admin')
  const queries = useQueryClient()
  const { draft, set, settle } = useFormDraft({ text: saved })
  const { text } = draft
  const length = lengthProps(text, ABOUT_MAX)
  const isReady = text.trim() !== saved && length.error === undefined
  const save = useAction((sent: typeof draft) => client.writer.saveAbout({ text: sent.text.trim() }), {
    done: 'Text saved.',
    onSuccess(result, sent) {
      queries.setQueryData(api.writer.about.queryKey(), result)
      settle(sent)
    },
    failed: 'Failed to save the text. Please try again.',
    refetches: [api.writer],
  })
  return (
    <Form
      name="about-us"
      className="max-w-xl"
      onSubmit={() => {
        if (isReady) return save.run(draft)
      }}
    >
      <Field
        label="About us"
        hideLabel
        hint={isAdmin === false ? 'Only admins can change this.' : undefined}
        {...length}
      >
        <Textarea
          rows={6}
          disabled={!isAdmin}
          placeholder="We write onboarding emails for small SaaS teams. $39 a month, no contract, first month free."
          value={text}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
      </Field>
      {isAdmin && (
        <div>
          <Button type="submit" disabled={!isReady} loading={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </Form>
  )
}
