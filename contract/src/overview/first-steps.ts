import { z } from 'zod'
import { NoInput } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('First steps')

/** Onboarding steps of a new workspace, in order. */
export const FIRST_STEPS = ['connect_x', 'find_leads', 'make_list', 'launch_campaign'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

export const FirstSteps = z.object({
  /** The steps in order. `done` reflects the workspace's current state; after a launch all are done. */
  steps: z.array(z.object({ step: z.enum(FIRST_STEPS), done: z.boolean() })),
  /** Whether this member has hidden the first steps in this workspace. */
  dismissed: z.boolean(),
  /** Whether a campaign of the workspace has sent a message. */
  isMessageSent: z.boolean(),
  /** Whether the workspace has sample data. */
  hasSampleData: z.boolean(),
})
export type FirstSteps = z.output<typeof FirstSteps>

export const firstSteps = {
  find: route('GET /first-steps', 'viewer', 'none', { summary: 'Get the onboarding steps of the workspace' })
    .input(NoInput)
    .output(FirstSteps),

  update: route('PATCH /first-steps', 'viewer', 'rows', {
    summary: 'Hide the onboarding steps for yourself in this workspace, or show them again',
  })
    .input(z.strictObject({ dismissed: z.boolean() }))
    .output(FirstSteps),
}
