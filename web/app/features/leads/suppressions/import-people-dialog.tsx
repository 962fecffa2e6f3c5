import { useMutation } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX } from '@x-automated/contract/leads/import-limits'
import type { SuppressionImport } from '@x-automated/contract/leads/suppressions'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '../../../api'
import { signedFetch } from '../../../signed-fetch'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Progress } from '../../../ui/progress'
import { ColumnTable } from '../leads/column-table'
import { type Preview, readPreview } from '../leads/import-columns'
import { ImportFilePicker } from '../leads/import-file-picker'
import { fileProblem } from '../leads/import-text'
import { type PeopleDialogProps, people } from './add-people-dialog'
import {
  guessPeopleMapping,
  namesOf,
  type PeopleMapping,
  peopleLabels,
  peopleProblem,
  peopleQuery,
  peopleWarning,
  samplesOf,
} from './people-columns'

const REFUSED_SHOWN = 100

interface Order {
  file: File
  preview: Preview
  mapping: PeopleMapping
}

/** Suppresses people from a CSV file. The user maps its columns. */
export function ImportPeopleDialog({ open, onClose, onDone }: PeopleDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [read, setRead] = useState<Omit<Order, 'file'> | null>(null)
  const load = useMutation({
    mutationFn: async (order: Order) => {
      const response = await signedFetch(`/api/suppressions/import?${peopleQuery(order.preview, order.mapping)}`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv; charset=utf-8' },
        body: order.file,
      })
      return (await response.json()) as SuppressionImport
    },
    onSettled: onDone,
  })
  const choose = async (chosen: File | undefined) => {
    load.reset()
    setFile(chosen ?? null)
    setRead(null)
    const wrong = chosen ? fileProblem(chosen) : null
    setProblem(wrong)
    if (!chosen || wrong) return
    const preview = await readPreview(chosen, { needsRows: false })
    if (typeof preview === 'string') setProblem(preview)
    else setRead({ preview, mapping: guessPeopleMapping(preview) })
  }
  const close = () => {
    if (!load.isPending) onClose()
  }
  const isReady = file !== null && read !== null && peopleProblem(read.mapping) === null
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import people"
      size={read && !load.isPending && !load.isSuccess ? 'wide' : 'normal'}
      description="Upload a CSV with a column of handles or X user IDs."
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
              variant="primary"
              icon={<Upload />}
              disabled={!isReady}
              loading={load.isPending}
              onClick={() => isReady && load.mutate({ file, ...read })}
            >
              Import people
            </Button>
          </>
        )
      }
    >
      {load.isSuccess ? (
        <Result result={load.data} />
      ) : load.isPending ? (
        <div className="py-4">
          <Progress label="Importing, please keep this tab open" value={null} />
        </div>
      ) : (
        <div className="grid gap-4">
          {load.isError && (
            <Callout tone="bad">{errorText(load.error, 'Failed to import the file. Please try again.')}</Callout>
          )}
          <ImportFilePicker file={file} onPick={choose} />
          {problem && <Callout tone="bad">{problem}</Callout>}
          {read ? (
            <PeopleColumns {...read} onChange={(mapping) => setRead({ ...read, mapping })} />
          ) : (
            <p className="text-muted">
              You'll map columns before importing. Everyone with a readable handle or X user ID is suppressed. Other
              rows are skipped and listed. If there are more than {formatNumber(IMPORT_REJECTED_MAX)} of them, nothing
              is imported.
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}

interface PeopleColumnsProps extends Omit<Order, 'file'> {
  onChange: (mapping: PeopleMapping) => void
}

/** Maps the columns, and asks whether the first row is a person. */
function PeopleColumns({ preview, mapping, onChange }: PeopleColumnsProps) {
  const warning = peopleProblem(mapping) ?? peopleWarning(preview, mapping)
  return (
    <div className="grid gap-4">
      {warning && <Callout tone="warn">{warning}</Callout>}
      <ColumnTable
        names={namesOf(preview, mapping)}
        rows={samplesOf(preview, mapping)}
        chosen={mapping.columns}
        optionsOf={() => Object.entries(peopleLabels).map(([value, label]) => ({ value, label }))}
        onChange={(columns) => onChange({ ...mapping, columns })}
      />
      <Checkbox
        label="The first row is a header"
        hint="Otherwise it is a person, who is suppressed as well."
        checked={mapping.hasHeader}
        onChange={(event) => onChange({ ...mapping, hasHeader: event.currentTarget.checked })}
      />
    </div>
  )
}

function Result({ result }: { result: SuppressionImport }) {
  const { imported, known: existing, stopped, rejected, rejectedCount, warnings, warningCount } = result
  return (
    <div className="grid gap-4">
      <Callout tone={rejectedCount > 0 ? 'warn' : 'good'} title={`${people(imported)} added`}>
        {existing > 0 && <p>{people(existing)} already on the list.</p>}
        {stopped > 0 && <p>{formatCount(stopped, 'queued message')} canceled.</p>}
        {rejectedCount > 0 && <p>{formatCount(rejectedCount, 'row')} skipped.</p>}
        {warningCount > 0 && <p>{formatCount(warningCount, 'row')} suppressed, but read only in part.</p>}
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
