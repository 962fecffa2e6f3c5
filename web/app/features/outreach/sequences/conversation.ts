import type { PreviewedMessage } from '../campaigns/message-preview'
import { openVariant, type SequenceDraft } from './sequence-draft'
import { CONDITIONS, delayText } from './step-text'

/** A sequence's messages as a lead gets them, using the open variant of each step. */
export function conversationOf({ steps, reengagement }: SequenceDraft): PreviewedMessage[] {
  const messages = steps.map((step, index) => {
    const { key, messageTemplate } = openVariant(step)
    const when = index === 0 ? null : `${delayText(step.delay)} later, if ${CONDITIONS[step.condition]}`
    return { key, template: messageTemplate, when }
  })
  if (!reengagement) return messages
  const { key, afterDays, messageTemplate } = reengagement
  const when = `${delayText({ amount: afterDays, unit: 'days' })} later, if nothing has happened`
  return [...messages, { key, template: messageTemplate, when }]
}
