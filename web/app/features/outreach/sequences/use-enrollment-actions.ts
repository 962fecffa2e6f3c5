import { api, client } from '../../../api'
import { useAction } from '../../../use-action'

interface Person {
  id: string
  name: string
}

/** Pauses, resumes and stops one person in a campaign. */
export function useEnrollmentActions() {
  const refetches = [api.enrollments, api.sequences, api.campaigns]
  const pause = useAction(({ id }: Person) => client.enrollments.pause({ id }), {
    done: (_, { name }) => `${name} paused.`,
    failed: 'Failed to pause this person. Please try again.',
    refetches,
  })
  const resume = useAction(({ id }: Person) => client.enrollments.resume({ id }), {
    done: (_, { name }) => `${name} continues.`,
    failed: 'Failed to resume this person. Please try again.',
    refetches,
  })
  const stop = useAction(({ id }: Person) => client.enrollments.stop({ id }), {
    question: ({ name }) => ({
      title: `Stop messages to ${name}?`,
      body: 'They get no further message of this campaign. You can resume them later.',
      confirm: 'Stop',
      danger: true,
    }),
    done: (_, { name }) => `${name} stopped.`,
    failed: 'Failed to stop this person. Please try again.',
    refetches,
  })
  return { pause, resume, stop }
}
