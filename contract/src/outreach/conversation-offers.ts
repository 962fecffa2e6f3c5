import { z } from 'zod'
import { Cursor, Id, Success, Time } from '../fields.ts'
import { LeadDetail } from '../leads/leads.ts'
import { routes } from '../route.ts'

const route = routes('Inbox', 'conversations')

/** Number of days for which a person who wrote first is offered as a lead. */
export const OFFER_DAYS = 7

/** A person who wrote to an X account and is not a lead. Their message is not stored. */
export const ConversationOffer = z.object({
  id: z.string(),
  /** Without the @. */
  twitterHandle: z.string(),
  xAccountId: z.string(),
  /** When they last wrote. */
  at: Time,
  expiresAt: Time,
})
export type ConversationOffer = z.output<typeof ConversationOffer>

export const conversationOffers = {
  list: route('GET /conversation-offers', 'member', 'none', {
    summary: 'List people who wrote first and are not leads, newest first',
    description: 'Only of X accounts whose `offersUnknownSenders` is set.',
  })
    .input(z.object({ cursor: Cursor.optional() }))
    .output(z.object({ offers: z.array(ConversationOffer), cursor: z.string().nullable() })),

  accept: route('POST /conversation-offers/{id}/accept', 'member', 'rows', {
    summary: 'Add the person as a lead who wrote first',
    errors: ['OFFER_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(LeadDetail),

  remove: route('DELETE /conversation-offers/{id}', 'member', 'rows', {
    summary: 'Decline an offer',
    errors: ['OFFER_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  restore: route('POST /conversation-offers/{id}/restore', 'member', 'rows', {
    summary: 'Restore a declined offer',
    errors: ['OFFER_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Success),
}
