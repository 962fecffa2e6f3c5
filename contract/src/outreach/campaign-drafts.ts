import { z } from 'zod'
import { Id, isStorable, Time, UNSTORABLE } from '../fields.ts'
import { CallersId } from '../leads/leads.ts'
import { routes } from '../route.ts'
import { CAMPAIGN_NAME_MAX, Campaign } from './campaigns.ts'
import { STEPS_MAX } from './sequence-limits.ts'
import { ReengagementInput, StepInput, VariantInput } from './steps.ts'
import { MESSAGE_MAX } from './template.ts'

const route = routes('Campaign drafts', 'campaigns')

/** Maximum number of drafts per member and workspace. */
export const CAMPAIGN_DRAFTS_MAX = 20
/** Days after which an unchanged draft is deleted. */
export const CAMPAIGN_DRAFT_DAYS = 90

/** A text as typed: it can be empty, and its spaces are kept. */
const typed = (max: number) => z.string().max(max).refine(isStorable, UNSTORABLE)

/** Steps as typed. A number is absent while its field is empty. */
const steps = z
  .array(
    StepInput.extend({
      testWindowDays: StepInput.shape.testWindowDays.unwrap().optional(),
      variants: z
        .array(
          VariantInput.extend({
            name: typed(50).optional(),
            messageTemplate: typed(MESSAGE_MAX),
            weight: VariantInput.shape.weight.unwrap().optional(),
          }),
        )
        .min(1)
        .max(50),
    }),
  )
  .min(1)
  .max(STEPS_MAX)

/** The fields of a new campaign that are filled in. Their format is checked, but not whether they are complete. */
const fields = {
  name: typed(CAMPAIGN_NAME_MAX).optional(),
  leadListId: CallersId.optional(),
  templateId: CallersId.optional(),
  messageTemplate: typed(MESSAGE_MAX).optional(),
  steps: steps.optional(),
  reengagement: ReengagementInput.extend({
    afterDays: ReengagementInput.shape.afterDays.unwrap().optional(),
    messageTemplate: typed(MESSAGE_MAX),
  })
    .nullable()
    .optional(),
  status: z.enum(['paused', 'draft']).optional(),
  channel: Campaign.shape.channel.optional(),
  xAccountId: CallersId.optional(),
  allowRepeat: z.boolean().optional(),
  allowReplied: z.boolean().optional(),
}

/** A campaign that its author is still writing. Nobody else sees it. */
export const CampaignDraft = z.object({
  id: z.string(),
  /** Counts the changes, from 1. */
  version: z.number().int(),
  updatedAt: Time,
  ...fields,
})
export type CampaignDraft = z.output<typeof CampaignDraft>

export const campaignDrafts = {
  list: route('GET /campaign-drafts', 'member', 'none', {
    summary: `List your campaign drafts, newest first, at most ${CAMPAIGN_DRAFTS_MAX}`,
  }).output(z.object({ drafts: z.array(z.object({ id: z.string(), name: z.string(), updatedAt: Time })) })),

  find: route('GET /campaign-drafts/{id}', 'member', 'none', {
    summary: 'Get one of your campaign drafts',
    errors: ['DRAFT_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(CampaignDraft),

  save: route('PUT /campaign-drafts/{id}', 'member', 'rows', {
    summary: 'Create or replace a campaign draft',
    description: `You choose its id. A draft that nobody changes for ${CAMPAIGN_DRAFT_DAYS} days is deleted.`,
    errors: ['DRAFT_NOT_FOUND', 'DRAFT_CHANGED', 'TOO_MANY'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** The version that this one replaces. 0 creates the draft. */
        version: z.number().int().min(0).max(2_147_483_646),
        ...fields,
      }),
    )
    .output(CampaignDraft),

  remove: route('DELETE /campaign-drafts/{id}', 'member', 'rows', {
    summary: 'Delete one of your campaign drafts',
    errors: ['DRAFT_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
