import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { showFailure } from '../../../reauthentication'
import { Button } from '../../../ui/button'
import { Progress } from '../../../ui/progress'
import { save } from '../../../ui/save-file'
import { useAction } from '../../../use-action'
import { downloadedText, fetchArchive } from './archive'
import { Section } from './section'

/** Downloads the account's data. */
export function DataSection() {
  const [received, setReceived] = useState(0)
  const stop = useRef<AbortController | null>(null)
  const fetchData = () => {
    stop.current = new AbortController()
    setReceived(0)
    return fetchArchive(setReceived, stop.current.signal)
  }
  const download = useAction(fetchData, {
    onSuccess: (archive) => save(archive, `x-automated-${new Date().toISOString().slice(0, 10)}.zip`),
    done: ({ size }) => `Downloaded your data (${downloadedText(size)}).`,
    onError: (error) => stop.current?.signal.aborted || showFailure(error),
  })
  return (
    <Section
      id="data"
      description="Everything we store about you, as a ZIP of JSON files: account, sessions, X accounts, leads, lists, campaigns, messages, scrapes and referrals."
    >
      {download.isPending ? (
        <div className="grid gap-3">
          <Progress label="Collecting your data…" value={null} detail={`${downloadedText(received)} so far`} />
          <Button size="sm" className="w-fit" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        </div>
      ) : (
        <Button icon={<Download aria-hidden />} onClick={() => download.run()}>
          Download my data
        </Button>
      )}
    </Section>
  )
}
