import { z } from 'zod'
import { Id, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { ReengagementInput, Step, StepInputs } from './steps.ts'

const route = routes('Sequences')

export const Sequence = z.object({
  /** Increases with each saved change. */
  version: z.number().int(),
  steps: z.array(Step),
  reengagement: z.object({ id: z.string(), afterDays: z.number().int(), messageTemplate: z.string() }).nullable(),
})
export type Sequence = z.output<typeof Sequence>

/** The steps of campaigns and the people in them. */
export const sequences = {
  find: route('GET /campaigns/{id}/sequence', 'viewer', 'none', {
    summary: 'Get the steps of a campaign',
    errors: ['CAMPAIGN_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Sequence),

  save: route('PUT /campaigns/{id}/sequence', 'member', 'rows', {
    summary: 'Change the steps of a campaign',
    description:
      'After the launch, the change applies to everyone who was not sent the first changed step (`unpassed`), or only to people who were sent nothing (`unstarted`). All others keep their version.',
    errors: ['CAMPAIGN_NOT_FOUND', 'PLAN_LIMIT', 'SEQUENCE_CHANGED', 'CAMPAIGN_STATE'],
  })
    .input(
      z.strictObject({
        id: Id,
        /** The version that was edited. */
        version: wholeNumber(1, 2_147_483_647),
        steps: StepInputs,
        /** Left out: it stays. Null: it is removed. */
        reengagement: ReengagementInput.nullable().optional(),
        applyTo: z.enum(['unpassed', 'unstarted']).default('unpassed'),
      }),
    )
    .output(Sequence),
}
