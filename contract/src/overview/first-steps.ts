import { z } from 'zod'
import { NoInput } from '../fields.ts'
import { route } from '../route.ts'

/** Onboarding steps of a new workspace, in order. */
export const FIRST_STEPS = ['connect_x', 'find_leads', 'make_list', 'launch_campaign'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

export const FirstSteps = z.object({
  /** In order. `done` reflects the workspace's current state; all are done after a launch. */
  steps: z.array(z.object({ step: z.enum(FIRST_STEPS), done: z.boolean() })),
  /** Whether this member dismissed them in this workspace. */
  dismissed: z.boolean(),
})
export type FirstSteps = z.output<typeof FirstSteps>

export const firstSteps = {
  find: route({
    method: 'GET',
    path: '/first-steps',
    tag: 'First steps',
    summary: 'Get the onboarding steps of the workspace',
    access: 'viewer',
    effect: 'none',
  })
    .input(NoInput)
    .output(FirstSteps),

  update: route({
    method: 'PATCH',
    path: '/first-steps',
    tag: 'First steps',
    summary: 'Hide the onboarding steps for yourself in this workspace, or show them again',
    access: 'viewer',
    effect: 'rows',
  })
    .input(z.strictObject({ dismissed: z.boolean() }))
    .output(FirstSteps),
}
