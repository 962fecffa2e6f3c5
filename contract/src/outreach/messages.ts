import { z } from 'zod'
import { cursorPaging, HandleOfLead, Id, Page, requiredText, Success, Time, text } from '../fields.ts'
import { OfferedLead } from '../leads/leads.ts'
import { messageValue } from '../message-value.ts'
import { routes } from '../route.ts'
import { MESSAGE_MAX } from './template.ts'

const route = routes('Messenger', 'campaigns')

/** `pending` is not_sent or queued, `sent` includes contacted, and `failed` includes failed_contact. */
const MESSENGER_FILTERS = ['all', 'pending', 'sent', 'failed'] as const
export type MessengerFilter = (typeof MESSENGER_FILTERS)[number]

/** Leads per page in the messenger. */
const MESSENGER_PAGE_SIZE = 100

export const messages = {
  leads: route('GET /messages/leads', 'viewer', 'none', { summary: 'List the leads to message, newest first' })
    .input(
      z.object({
        status: z.enum(MESSENGER_FILTERS).default('all'),
        ...cursorPaging(MESSENGER_PAGE_SIZE),
      }),
    )
    .output(Success.extend({ ...Page.shape, leads: z.array(OfferedLead), cursor: z.string().nullable() })),

  send: route('POST /messages/send', 'member', 'outside', {
    summary: 'Send one direct message now and return its outcome',
    description:
      'Uses the current X account and its daily cap: 429 with Retry-After if the cap is reached. ' +
      'If X did not respond, the outcome is read from the conversation. Until it is known, the response is 503; retrying with the same Idempotency-Key does not send again.',
    errors: [
      'LEAD_NOT_FOUND',
      'LEAD_STATE',
      'DM_FAILED',
      'DM_UNSETTLED',
      'X_NOT_CONNECTED',
      'X_UNAVAILABLE',
      'X_FUNDS',
      'PLAN_LIMIT',
    ],
  })
    .input(
      z.strictObject({
        leadId: Id,
        /** May contain `{{first_name}}`, `{{name}}`, `{{handle}}` and the variables of campaigns. */
        message: requiredText(MESSAGE_MAX, 'Please enter a message to send'),
        /** `handle` without the @. The server adds it. */
        templateVariables: z.strictObject({ name: text(200).transform(messageValue), handle: HandleOfLead }),
        /** Also messages leads who were messaged before. */
        allowRepeat: z.boolean().default(false),
      }),
    )
    .output(Success.extend({ dmId: z.string(), status: z.literal('sent'), sentAt: Time })),
}
