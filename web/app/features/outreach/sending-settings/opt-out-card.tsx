import { useState } from 'react'
import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { ChipsInput } from '../../../ui/chips-input'
import { Field } from '../../../ui/field'
import { useSaveSettings } from './use-save-settings'

/** Words that opt a sender out when they reply with one. */
export function OptOutCard({ words, disabled }: { words: readonly string[]; disabled: boolean }) {
  const [draft, setDraft] = useState<readonly string[]>(words)
  const save = useSaveSettings((saved: string[]) => client.sendingSettings.saveOptOutWords({ words: saved }), {
    done: 'Opt-out words saved.',
    onSuccess: ({ optOutWords }) => setDraft(optOutWords),
    failed: 'Failed to save the opt-out words. Please try again.',
  })
  const isChanged = draft.join('\n') !== words.join('\n')
  return (
    <Card
      title="Opt-out words"
      description="Anyone who replies with one of these is suppressed and never messaged again, in addition to the built-in ones, which always apply."
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
            <Button disabled={!isChanged} loading={save.isPending} onClick={() => save.run([...draft])}>
              Save words
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
