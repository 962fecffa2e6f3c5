import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { ChipsInput } from '../../../ui/chips-input'
import { Field } from '../../../ui/field'
import { toast } from '../../../ui/toast'

/** Words that opt a sender out when they reply with one. */
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
      description="Anyone who replies with one of these is suppressed and never messaged again."
    >
      <div className="grid max-w-xl gap-4">
        <Field label="Words and phrases">
          <ChipsInput
            noun="word"
            values={draft}
            onChange={setDraft}
            disabled={disabled}
            empty="Leave empty to use only the built-in words."
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
