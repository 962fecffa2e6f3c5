import { z } from 'zod'
import { NoInput, Success } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Sample data')

/** Counts of the workspace's sample data. */
export const SampleData = Success.extend({
  leads: z.number().int(),
  lists: z.number().int(),
  campaigns: z.number().int(),
})
export type SampleData = z.output<typeof SampleData>

export const sampleData = {
  load: route('POST /sample-data', 'owner', 'rows', {
    summary: 'Load sample leads, lists and campaigns, once',
    description:
      'They are marked `isSample`, count toward no limit, and are never messaged on X. Loading again only adds the conversations, once an X account is connected.',
  })
    .input(NoInput)
    .output(SampleData),

  remove: route('DELETE /sample-data', 'owner', 'rows', {
    summary: 'Remove the sample data, but nothing that was made since',
  }).input(NoInput),
}
