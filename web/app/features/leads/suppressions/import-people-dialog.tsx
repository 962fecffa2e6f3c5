import { useMutation } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX } from '@x-automated/contract/leads/import-limits'
import type { SuppressionImport } from '@x-automated/contract/leads/suppressions'
import { Upload } from 'lucide-react'
import { useId, useState } from 'react'
import { errorText } from '../../../api'
import { signedFetch } from '../../../signed-fetch'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { Progress } from '../../../ui/progress'
import { type PeopleDialogProps, people } from './add-people-dialog'

/** The server's limit, 64 MiB. */
const BYTES_MAX = 64 * 1024 * 1024
const REFUSED_SHOWN = 100
const hint = () =>
  `Up to 64 MB. If more than ${formatNumber(IMPORT_REJECTED_MAX)} rows are invalid, nothing is imported.`

function sizeProblem(bytes: number): string | undefined {
  if (bytes === 0) return 'This file is empty.'
  return bytes > BYTES_MAX ? 'This file is larger than 64 MB.' : undefined
}

/** Suppresses people from a CSV file. */
export function ImportPeopleDialog({ open, onClose, onDone }: PeopleDialogProps) {
  const formId = useId()
  const [file, setFile] = useState<File | null>(null)
  const problem = file ? sizeProblem(file.size) : undefined
  const load = useMutation({
    mutationFn: async (chosen: File) => {
      const answer = await signedFetch('/api/suppressions/import', {
        method: 'POST',
        headers: { 'content-type': 'text/csv; charset=utf-8' },
        body: chosen,
      })
      return (await answer.json()) as SuppressionImport
    },
    onSettled: onDone,
  })
  const close = () => {
    if (!load.isPending) onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import people"
      description="Upload a CSV with a twitter_handle column, or just a column of handles. Optional columns: x_user_id, reason and note."
      footer={
        load.isSuccess ? (
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close} disabled={load.isPending}>
              Cancel
            </Button>
            <Button
              type="submit"
              form={formId}
              variant="primary"
              icon={<Upload />}
              disabled={!file || problem !== undefined}
              loading={load.isPending}
            >
              Import people
            </Button>
          </>
        )
      }
    >
      {load.isSuccess ? (
        <Result result={load.data} />
      ) : (
        <form
          id={formId}
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            if (file && !problem) load.mutate(file)
          }}
        >
          {load.isError && (
            <Callout tone="bad">{errorText(load.error, 'Failed to import the file. Please try again.')}</Callout>
          )}
          <Field label="CSV file" hint={hint()} error={problem}>
            <Input
              type="file"
              accept=".csv,text/csv"
              disabled={load.isPending}
              onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
            />
          </Field>
          {load.isPending && <Progress label="Importing, please keep this tab open" value={null} />}
        </form>
      )}
    </Dialog>
  )
}

function Result({ result }: { result: SuppressionImport }) {
  const { imported, known, stopped, rejected, rejectedCount, warnings, warningCount } = result
  return (
    <div className="grid gap-4">
      <Callout tone={rejectedCount > 0 ? 'warn' : 'good'} title={`${people(imported)} added`}>
        {known > 0 && <p>{people(known)} already on the list.</p>}
        {stopped > 0 && <p>{formatCount(stopped, 'queued message')} canceled.</p>}
        {rejectedCount > 0 && <p>{formatCount(rejectedCount, 'row')} skipped.</p>}
        {warningCount > 0 && <p>{formatCount(warningCount, 'row')} with a doubtful X user ID, suppressed by handle.</p>}
      </Callout>
      <RowProblems rows={rejected} count={rejectedCount} />
      <RowProblems rows={warnings} count={warningCount} />
    </div>
  )
}

function RowProblems({ rows, count }: { rows: SuppressionImport['rejected']; count: number }) {
  if (rows.length === 0) return null
  return (
    <ul className="grid gap-1">
      {rows.slice(0, REFUSED_SHOWN).map(({ line, problem }) => (
        <li key={line} className="wrap-anywhere">
          Row {formatNumber(line)} {problem}
        </li>
      ))}
      {count > REFUSED_SHOWN && <li className="text-muted">Showing the first {REFUSED_SHOWN}.</li>}
    </ul>
  )
}
