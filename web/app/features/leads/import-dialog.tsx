import { useMutation } from '@tanstack/react-query'
import { IMPORT_REJECTED_MAX } from '@x-automated/contract/import-limits'
import type { Import } from '@x-automated/contract/imports'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { errorText } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { Progress } from '../../ui/progress'
import { useConfirmBeforeUnload } from '../../ui/use-confirm-before-unload'
import { IMPORT_BYTES_MAX, type ImportOrder, type Sent, sendImport } from './csv-files'
import { columnNames, columnsProblem, guessColumns, type Preview, readPreview } from './import-columns'
import { ImportFilePicker } from './import-file-picker'
import { ImportMapping, type Mapping } from './import-mapping'
import { ImportOutcome } from './import-result'
import { importProgress, isUploading, outcomeText, sizeText, uploadProgress } from './import-text'
import { useCancelImport, type useImport } from './use-import'

export interface ImportDialogProps {
  open: boolean
  onClose: () => void
  /** The import that is shown, and the last one. */
  known: ReturnType<typeof useImport>
}

/** Brings leads in from a CSV file, says how far that is, and names each line that could not be taken. */
export function ImportDialog({ open, onClose, known: { shown, isAsked, newest, show, begin } }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [sent, setSent] = useState<(Sent & { seconds: number }) | null>(null)
  const [read, setRead] = useState<{ preview: Preview; mapping: Mapping } | null>(null)
  const stop = useRef<AbortController | null>(null)
  const cancel = useCancelImport()
  const upload = useMutation({
    mutationFn: (order: ImportOrder) => {
      stop.current = new AbortController()
      setSent(null)
      const begunAt = Date.now()
      const onSent = (now: Sent) => setSent({ ...now, seconds: (Date.now() - begunAt) / 1000 })
      return sendImport(order, onSent, stop.current.signal)
    },
    onSuccess: begin,
  })
  useConfirmBeforeUnload(upload.isPending)
  const isStopped = upload.error instanceof DOMException && upload.error.name === 'AbortError'
  const isRunning = shown?.status === 'running'
  const isDone = shown?.status === 'completed'

  const choose = async (chosen: File | undefined) => {
    upload.reset()
    show(null)
    setFile(chosen ?? null)
    setRead(null)
    const fault = chosen ? problemOf(chosen) : null
    setProblem(fault)
    if (!chosen || fault) return
    const preview = await readPreview(chosen)
    if (typeof preview === 'string') setProblem(preview)
    else setRead({ preview, mapping: { columns: guessColumns(preview.headers), basis: 'none', basisSource: '' } })
  }
  const isReady = read !== null && columnsProblem(read.preview.headers, read.mapping.columns) === null
  const start = () => {
    if (!file || !read) return
    const { preview, mapping } = read
    show(null)
    upload.mutate({ file, ...mapping, columns: columnNames(preview.headers, mapping.columns) })
  }
  const close = () => {
    if (upload.isPending) return
    onClose()
    // What is under way goes on, and is here again.
    if (!isRunning) void choose(undefined)
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import leads"
      size={read && !upload.isPending && !isAsked && !isRunning && !isDone ? 'wide' : 'normal'}
      description="From a CSV file with a header. Only a column of handles is needed."
      footer={
        upload.isPending ? (
          <Button disabled={!isUploading(sent)} onClick={() => stop.current?.abort()}>
            Cancel
          </Button>
        ) : isRunning ? (
          <>
            <Button loading={cancel.isPending} onClick={() => cancel.mutate({ id: shown.id })}>
              Stop the import
            </Button>
            <Button onClick={close}>Close</Button>
          </>
        ) : isDone ? (
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
      {upload.isPending || isAsked ? (
        <div className="grid gap-3 py-4">
          <Progress {...uploadProgress(sent, sent?.seconds ?? 0)} />
          <p className="text-muted">Please keep this tab open until the file is sent. The rest goes on without it.</p>
        </div>
      ) : isRunning ? (
        <div className="grid gap-3 py-4">
          {shown.fileName && <p className="font-strong wrap-anywhere">{shown.fileName}</p>}
          <Progress {...importProgress(shown)} />
          <p className="text-muted">
            You can close this tab. The import goes on, and is here when you open it again. If you stop it, nothing of
            the file is kept.
          </p>
        </div>
      ) : isDone ? (
        <ImportOutcome result={shown} />
      ) : (
        <div className="grid gap-4">
          {upload.isError && !isStopped && (
            <Callout tone="bad">Failed to import leads: {errorText(upload.error)}</Callout>
          )}
          {shown?.status === 'failed' && <Callout tone="bad">Failed to import leads: {shown.error}</Callout>}
          {(isStopped || shown?.status === 'canceled') && (
            <Callout>The import was stopped. Nothing of the file was kept.</Callout>
          )}
          <ImportFilePicker file={file} onPick={choose} />
          {problem && <Callout tone="bad">{problem}</Callout>}
          {read ? (
            <ImportMapping {...read} onChange={(mapping) => setRead({ ...read, mapping })} />
          ) : (
            <p className="text-muted">
              You see what each column becomes before anything is imported. Leads that you already have are updated.
              Lines with a problem are left out and listed. If there are more than{' '}
              {IMPORT_REJECTED_MAX.toLocaleString('en-US')} of them, nothing is imported.
            </p>
          )}
          {!read && !shown && newest && <LastImport last={newest} onShow={() => show(newest.id)} />}
        </div>
      )}
    </Dialog>
  )
}

/** What came of the last one, also for whoever was not there when it ended. */
function LastImport({ last, onShow }: { last: Import; onShow: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <span className="wrap-anywhere">
        Last import{last.fileName && ` (${last.fileName})`}: {outcomeText(last)}
      </span>
      {last.status === 'completed' && last.rejectedCount > 0 && (
        <Button size="sm" variant="ghost" onClick={onShow}>
          Show refused lines
        </Button>
      )}
    </p>
  )
}

function problemOf(file: File): string | null {
  if (file.size === 0) return 'This file is empty.'
  if (file.size > IMPORT_BYTES_MAX) return `This file is too large: ${sizeText(file.size)}, of at most 64 MB.`
  if (!/\.(csv|txt)$/i.test(file.name) && !/csv|text\/plain/.test(file.type))
    return 'This is no CSV file. Save your sheet as CSV first.'
  return null
}
