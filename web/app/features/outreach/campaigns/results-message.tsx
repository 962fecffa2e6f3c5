import type { LeadQuery } from '@x-automated/contract/leads/leads'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { Field } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { MessagePreview } from './message-preview'

interface ResultsMessageProps {
  /** Selects the scraped leads. */
  filter: LeadQuery
  message: string
  onMessage: (message: string) => void
}

/** The first message to scraped leads, with a preview for each of them. */
export function ResultsMessage({ filter, message, onMessage }: ResultsMessageProps) {
  return (
    <div className="grid grid-cols-1 content-start gap-5">
      <MessagePreview
        messages={[{ key: 'first', template: message, when: null }]}
        listId=""
        filter={filter}
        xAccountId={null}
      />
      <Field
        label="First message"
        hint="“Write to these” puts it into a new campaign."
        {...lengthProps(message, MESSAGE_MAX)}
      >
        <Textarea rows={4} value={message} onChange={(event) => onMessage(event.currentTarget.value)} />
      </Field>
    </div>
  )
}
