import type { Message } from '@x-automated/contract/outreach/conversations'
import { errorCode, errorText } from '../../../api'
import { Callout } from '../../../ui/callout'

/** Why an answer failed, and what to do. */
export function ReplyProblem({ error }: { error: unknown }) {
  const { tone, title, text, newer } = problemOf(error)
  return (
    <Callout tone={tone} title={title}>
      {newer.map((message) => (
        <p key={message.id} className="wrap-anywhere">
          <span className="text-muted">{message.isOurs ? 'Your team: ' : 'They: '}</span>
          <bdi>{message.text ?? 'Text not stored'}</bdi>
        </p>
      ))}
      {text}
    </Callout>
  )
}

/** Messages that the user has not seen yet, newest first. Empty for other errors. */
export function newerIn(error: unknown): readonly Message[] {
  const { data } = error as { data?: unknown }
  return errorCode(error) === 'CONVERSATION_CHANGED' && Array.isArray(data) ? data : []
}

/** Whether an answer was sent, in one line. */
export const problemTitle = (error: unknown): string => problemOf(error).title

interface Problem {
  tone: 'warn' | 'bad'
  title: string
  text: string
  newer: readonly Pick<Message, 'id' | 'text' | 'isOurs'>[]
}

const UNKNOWN = 'It is unknown whether this was sent'

function problemOf(error: unknown): Problem {
  const text = errorText(error, 'Failed to send. Please try again.')
  switch (errorCode(error)) {
    case 'CONVERSATION_CHANGED':
      return {
        tone: 'warn',
        title: 'Not sent: the conversation has changed',
        text: 'Send again if it still fits.',
        newer: newerIn(error),
      }
    case 'DM_UNSETTLED':
      return { tone: 'warn', title: UNKNOWN, text, newer: [] }
    // There was no response. Sending the same text again delivers it at most once.
    case null:
      return { tone: 'warn', title: UNKNOWN, text: `${text} Sending it again sends it only once.`, newer: [] }
    default:
      return { tone: 'bad', title: 'Not sent', text, newer: [] }
  }
}
