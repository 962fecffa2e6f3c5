import { FlaskConical } from 'lucide-react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'

/** Says that a page shows sample data, which owners can remove. */
export default function SampleBar() {
  const isOffered = useIsOffered('owner')
  const remove = useAction(() => client.sampleData.remove(), {
    question: {
      title: 'Remove the sample data?',
      body: 'Its leads, lists, campaigns and conversations are deleted. Sample leads also leave your own lists. Everything else stays.',
      confirm: 'Remove sample data',
      danger: true,
    },
    done: 'The sample data is removed.',
    failed: 'Failed to remove the sample data. Please try again.',
    // The focused button disappears with it.
    onSuccess: () => document.getElementById('content')?.focus({ preventScroll: true }),
    refetches: [api],
  })
  return (
    <section
      aria-label="Sample data"
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 text-muted text-ui [&>svg]:size-4"
    >
      <FlaskConical aria-hidden />
      You are looking at sample data.
      {isOffered && (
        <Button size="sm" variant="ghost" loading={remove.isPending} onClick={() => remove.run()}>
          Remove it
        </Button>
      )}
    </section>
  )
}
