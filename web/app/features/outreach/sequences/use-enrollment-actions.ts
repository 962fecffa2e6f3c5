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
    done: (_, { name }) => `Messages to ${name} paused.`,
    failed: 'Failed to pause this person. Please try again.',
    refetches,
  })
  const resume = useAction(({ id }: Person) => client.enrollments.resume({ id }), {
    done: (_, { name }) => `Messages to ${name} resumed.`,
    failed: 'Failed to resume this person. Please try again.',
    refetches,
  })
  const stop = useAction(({ id }: Person) => client.enrollments.stop({ id }), {
    question: ({ name }) => ({
      title: `Stop messages to ${name}?`,
      body: 'They get no more messages from this campaign. You can resume them later.',
      confirm: 'Stop',
      danger: true,
    }),
    done: (_, { name }) => `Messages to ${name} stopped.`,
    failed: 'Failed to stop this person. Please try again.',
    refetches,
  })
  return { pause, resume, stop }
}
