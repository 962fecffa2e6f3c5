import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ImportResult } from '@x-automated/contract/leads'
import { Download, FileSpreadsheet, Upload } from 'lucide-react'
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react'
import { api, errorWords } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/dialog'
import { Progress } from '../../ui/progress'
import { save } from '../../ui/save-file'
import { Table, Td, Th, Tr } from '../../ui/table'
import { IMPORT_BYTES_MAX, type ImportOrder, type ImportStep, importLeads, refusedCsv } from './csv-files'
import { columnNames, columnsProblem, guessColumns, type Preview, readPreview } from './import-columns'
import { ImportMapping, type Mapping } from './import-mapping'

/** Refused lines that are shown; all of them are in the file to download. */
const REFUSED_SHOWN = 500

export interface ImportDialogProps {
  open: boolean
  onClose: () => void
}

/** Brings leads in from a CSV file, and names each line that could not be taken. */
export function ImportDialog({ open, onClose }: ImportDialogProps) {
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [step, setStep] = useState<ImportStep | null>(null)
  const [known, setKnown] = useState<{ preview: Preview; mapping: Mapping } | null>(null)
  const stop = useRef<AbortController | null>(null)
  const upload = useMutation({
    mutationFn: (order: ImportOrder) => {
      stop.current = new AbortController()
      setStep(null)
      return importLeads(order, setStep, stop.current.signal)
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: api.leads.key() }),
        queries.invalidateQueries({ queryKey: api.lists.key() }),
        queries.invalidateQueries({ queryKey: api.tags.key() }),
      ]),
  })
  const stopped = upload.error instanceof DOMException && upload.error.name === 'AbortError'

  const choose = async (chosen: File | undefined) => {
    upload.reset()
    setFile(chosen ?? null)
    setKnown(null)
    const fault = chosen ? problemOf(chosen) : null
    setProblem(fault)
    if (!chosen || fault) return
    const preview = await readPreview(chosen)
    if (typeof preview === 'string') setProblem(preview)
    else setKnown({ preview, mapping: { columns: guessColumns(preview.headers), basis: 'none', basisSource: '' } })
  }
  const isReady = known !== null && columnsProblem(known.preview.headers, known.mapping.columns) === null
  const start = () => {
    if (file && known) {
      const { preview, mapping } = known
      upload.mutate({ file, ...mapping, columns: columnNames(preview.headers, mapping.columns) })
    }
  }
  const close = () => {
    if (upload.isPending) return
    onClose()
    upload.reset()
    setFile(null)
    setKnown(null)
    setProblem(null)
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import leads"
      size={known && !upload.isSuccess ? 'wide' : 'normal'}
      description="From a CSV file with a header. Only a column of handles is needed."
      footer={
        upload.isPending ? (
          <Button onClick={() => stop.current?.abort()} disabled={step !== null && step.stage !== 'sending'}>
            Cancel
          </Button>
        ) : upload.isSuccess ? (
          <>
            <Button onClick={() => choose(undefined)}>Import another file</Button>
            <Button variant="primary" onClick={close}>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" icon={<Upload aria-hidden />} disabled={!isReady} onClick={start}>
              Import leads
            </Button>
          </>
        )
      }
    >
      {upload.isPending ? (
        <div className="grid gap-3 py-4">
          <Progress {...progressOf(step)} />
          <p className="text-muted">Please keep this tab open until it is done.</p>
        </div>
      ) : upload.isSuccess ? (
        <Result result={upload.data} />
      ) : (
        <div className="grid gap-4">
          {upload.isError && !stopped && (
            <Callout tone="bad">Failed to import leads: {errorWords(upload.error)}</Callout>
          )}
          {stopped && <Callout>The import was stopped.</Callout>}
          <FilePick file={file} onPick={choose} />
          {problem && <Callout tone="bad">{problem}</Callout>}
          {known ? (
            <ImportMapping {...known} onChange={(mapping) => setKnown({ ...known, mapping })} />
          ) : (
            <p className="text-muted">
              You see what each column becomes before anything is imported. Who is known already is updated.
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}

const steps = {
  sending: 'Sending the file',
  reading: 'Reading the lines',
  saving: 'Saving the leads',
}

function progressOf(step: ImportStep | null) {
  if (!step) return { label: steps.sending, value: null, max: 1 }
  const whole = step.done >= step.of
  // Sent whole, the file is looked at before the first line is told.
  const { stage } = step
  if (stage === 'sending' && whole) return { label: steps.reading, value: null, max: 1 }
  const detail =
    stage === 'saving'
      ? `${step.done.toLocaleString('en-US')} of ${count(step.of, 'line')}`
      : `${Math.round((100 * step.done) / Math.max(1, step.of))}% of ${sizeWords(step.of)}`
  return { label: steps[stage], value: step.done / Math.max(1, step.of), max: 1, detail }
}

function problemOf(file: File): string | null {
  if (file.size === 0) return 'This file is empty.'
  if (file.size > IMPORT_BYTES_MAX) return `This file is too large: ${sizeWords(file.size)}, of at most 64 MB.`
  if (!/\.(csv|txt)$/i.test(file.name) && !/csv|text\/plain/.test(file.type))
    return 'This is no CSV file. Save your sheet as CSV first.'
  return null
}

function sizeWords(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} KB`
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
}

function FilePick({ file, onPick }: { file: File | null; onPick: (file: File | undefined) => void }) {
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onPick(event.dataTransfer.files[0])
  }
  return (
    <label
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'grid cursor-pointer justify-items-center gap-2 rounded-lg border border-dashed px-4 py-8 text-center transition-colors hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line',
        over ? 'border-accent-line bg-accent-soft' : 'border-line-strong',
      )}
    >
      <FileSpreadsheet aria-hidden className="size-6 text-muted" />
      {file ? (
        <span className="grid gap-0.5">
          <span className="font-strong wrap-anywhere">{file.name}</span>
          <span className="text-muted">{sizeWords(file.size)} · choose another</span>
        </span>
      ) : (
        <span className="grid gap-0.5">
          <span className="font-strong">Choose a CSV file</span>
          <span className="text-muted">or drop it here, up to 64 MB</span>
        </span>
      )}
      <input
        type="file"
        accept=".csv,text/csv"
        className="sr-only"
        aria-label="CSV file"
        onChange={(event: ChangeEvent<HTMLInputElement>) => onPick(event.currentTarget.files?.[0])}
      />
    </label>
  )
}

function Result({ result: { imported, updated, rejected, rejectedCount } }: { result: ImportResult }) {
  const shown = rejected.slice(0, REFUSED_SHOWN)
  return (
    <div className="grid gap-4">
      <Callout tone={imported + updated > 0 ? 'good' : 'warn'} title={importedWords(imported, updated)}>
        {rejectedCount > 0 ? `${count(rejectedCount, 'line')} refused.` : 'Every line was taken.'}
      </Callout>
      {rejected.length > 0 && (
        <div className="grid gap-2">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h3 className="font-strong">Refused lines</h3>
            <Button
              size="sm"
              icon={<Download aria-hidden />}
              onClick={() => save(refusedCsv(rejected), 'refused-lines.csv')}
            >
              Download as CSV
            </Button>
          </div>
          <Table label="Refused lines" narrow="scroll" maxHeight="20rem">
            <thead>
              <tr>
                <Th end className="w-px">
                  Line
                </Th>
                <Th>Problem</Th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ line, problem }) => (
                <Tr key={line}>
                  <Td end data-numeric>
                    {line.toLocaleString('en-US')}
                  </Td>
                  <Td className="wrap-anywhere">{problem}</Td>
                </Tr>
              ))}
            </tbody>
          </Table>
          {shown.length < rejected.length && (
            <p className="text-muted">{count(rejected.length - shown.length, 'more line')} in the file to download.</p>
          )}
        </div>
      )}
    </div>
  )
}

function importedWords(imported: number, updated: number): string {
  if (updated === 0) return imported === 0 ? 'No leads imported' : `${count(imported, 'lead')} imported`
  const known = `${count(updated, 'lead')} that you had already updated`
  return imported === 0 ? known : `${count(imported, 'lead')} imported, ${known}`
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}
