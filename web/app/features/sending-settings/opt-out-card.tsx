import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, errorText } from '../../api'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { ChipsInput } from '../../ui/chips-input'
import { Field } from '../../ui/field'
import { toast } from '../../ui/toast'

/** The words by which a reply ends all writing to its sender. */
export function OptOutCard({ words, disabled }: { words: readonly string[]; disabled: boolean }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState<readonly string[]>(words)
  const save = useMutation(
    api.sendingSettings.saveOptOutWords.mutationOptions({
      onSuccess(settings) {
        queries.setQueryData(api.sendingSettings.find.queryKey(), settings)
        setDraft(settings.optOutWords)
        toast.success('Opt-out words saved.')
      },
      onError: (error) => toast.error(errorText(error, 'Failed to save the opt-out words. Please try again.')),
    }),
  )
  const isChanged = draft.join('\n') !== words.join('\n')
  return (
    <Card
      title="Opt-out words"
      description="Whoever replies with one of these goes on the suppression list, and is never written to again."
    >
      <div className="grid max-w-xl gap-4">
        <Field label="Words and phrases">
          <ChipsInput
            noun="word"
            values={draft}
            onChange={setDraft}
            disabled={disabled}
            empty="None: saved like this, the default words hold."
          />
        </Field>
        {!disabled && (
          <div className="flex flex-wrap gap-2">
            <Button
              variant="primary"
              disabled={!isChanged}
              loading={save.isPending}
              onClick={() => save.mutate({ words: [...draft] })}
            >
              Save words
            </Button>
            <Button disabled={save.isPending} onClick={() => save.mutate({ words: [] })}>
              Use the default words
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
