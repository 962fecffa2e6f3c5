import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../../ui/button'
import { Progress } from '../../../ui/progress'
import { save } from '../../../ui/save-file'
import { toast } from '../../../ui/toast'
import { showFailure, useReauthentication } from '../auth/reauthentication'
import { downloadedText, fetchArchive } from './archive'
import { Section } from './section'

/** Downloads the account's data. */
export function DataSection() {
  const [received, setReceived] = useState(0)
  const withReauthentication = useReauthentication()
  const stop = useRef<AbortController | null>(null)
  const download = useMutation({
    async mutationFn() {
      stop.current = new AbortController()
      setReceived(0)
      const { signal } = stop.current
      const archive = await withReauthentication(() => fetchArchive(setReceived, signal))
      save(archive, `x-automated-${new Date().toISOString().slice(0, 10)}.zip`)
      return archive.size
    },
    onSuccess: (bytes) => toast.success(`Downloaded your data (${downloadedText(bytes)}).`),
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
        <Button icon={<Download aria-hidden />} onClick={() => download.mutate()}>
          Download my data
        </Button>
      )}
    </Section>
  )
}
