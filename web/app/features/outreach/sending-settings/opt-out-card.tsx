import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { ChipsInput } from '../../../ui/chips-input'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { useFormDraft } from '../../../use-form-draft'
import { useSaveSettings } from './use-save-settings'

/** Edits the opt-out words. People who reply with one of them are suppressed. */
export function OptOutCard({ words, disabled }: { words: readonly string[]; disabled: boolean }) {
  const { draft, isChanged, set, settle } = useFormDraft({ words })
  const save = useSaveSettings(
    (sent: typeof draft) => client.sendingSettings.saveOptOutWords({ words: [...sent.words] }),
    {
      done: 'Opt-out words saved.',
      onSuccess: (_, sent) => settle(sent),
      failed: 'Failed to save the opt-out words. Please try again.',
    },
  )
  return (
    <Card
      title="Opt-out words"
      description="Anyone who replies with one of these is suppressed and never messaged again, in addition to the built-in ones, which always apply."
    >
      <Form
        name="opt-out-words"
        className="max-w-xl"
        onSubmit={() => {
          if (isChanged) return save.run(draft)
        }}
      >
        <Field label="Words and phrases">
          <ChipsInput
            noun="word"
            values={draft.words}
            onChange={(changed) => set({ words: changed })}
            disabled={disabled}
            empty="Leave empty to use only the built-in words."
          />
        </Field>
        {!disabled && (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              Save words
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
