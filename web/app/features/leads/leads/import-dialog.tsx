import { useMutation } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX } from '@x-automated/contract/leads/import-limits'
import type { Import } from '@x-automated/contract/leads/imports'
import { BASIS_SOURCE_MAX } from '@x-automated/contract/leads/lead-limits'
import { PenLine, Upload } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { errorText } from '../../../api'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Dialog } from '../../../ui/dialog'
import { Form } from '../../../ui/form'
import { Progress } from '../../../ui/progress'
import { useConfirmBeforeUnload } from '../../../ui/use-confirm-before-unload'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { discardTyped } from '../../../ui/use-typed-text'
import { startCampaignPath } from '../lists/start-campaign'
import { type ImportOrder, sendImport, type UploadState } from './csv-files'
import { columnNames, columnsProblem, guessColumns, type Preview, readPreview } from './import-columns'
import { ImportFilePicker } from './import-file-picker'
import { ImportMapping, listNameOf, listNameProblem, type Mapping } from './import-mapping'
import { ImportOutcome } from './import-result'
import { fileProblem, importProgress, isUploading, outcomeText, uploadProgress } from './import-text'
import { useCancelImport, type useImport } from './use-import'

interface ImportDialogProps extends ControlledDialogProps {
  state: ReturnType<typeof useImport>
}

/** Imports leads from a CSV file: mapping, progress, and rows that were skipped. */
export function ImportDialog({
  open,
  onClose,
  state: { shown: visibleImport, isLoading, newest, show, watch },
}: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [uploaded, setUploaded] = useState<(UploadState & { seconds: number }) | null>(null)
  const [read, setRead] = useState<{ preview: Preview; mapping: Mapping } | null>(null)
  const stop = useRef<AbortController | null>(null)
  const formId = useId()
  const form = useRef<HTMLFormElement>(null)
  const cancel = useCancelImport()
  const upload = useMutation({
    mutationFn: (order: ImportOrder) => {
      stop.current = new AbortController()
      setUploaded(null)
      const startedAt = Date.now()
      const onProgress = (now: UploadState) => setUploaded({ ...now, seconds: (Date.now() - startedAt) / 1000 })
      return sendImport(order, onProgress, stop.current.signal)
    },
    onSuccess: watch,
  })
  useConfirmBeforeUnload(upload.isPending)
  const isStopped = upload.error instanceof DOMException && upload.error.name === 'AbortError'
  const isRunning = visibleImport?.status === 'running'
  const isDone = visibleImport?.status === 'completed'
  const isMapping = !upload.isPending && !isLoading && !isRunning && !isDone

  const choose = async (chosen: File | undefined) => {
    upload.reset()
    show(null)
    setFile(chosen ?? null)
    setRead(null)
    const wrong = chosen ? fileProblem(chosen) : null
    setProblem(wrong)
    if (!chosen || wrong) return
    const preview = await readPreview(chosen)
    if (typeof preview === 'string') setProblem(preview)
    else
      setRead({
        preview,
        mapping: {
          columns: guessColumns(preview.headers),
          basis: 'none',
          basisSource: '',
          listName: listNameOf(chosen.name),
        },
      })
  }
  const isReady =
    read !== null &&
    read.mapping.basisSource.trim().length <= BASIS_SOURCE_MAX &&
    (read.mapping.listName === null || listNameProblem(read.mapping.listName) === null) &&
    columnsProblem(read.preview.headers, read.mapping.columns) === null
  const start = () => {
    if (!file || !read || !isReady) return
    const { preview, mapping } = read
    show(null)
    upload.mutate({
      file,
      ...mapping,
      columns: columnNames(preview.headers, mapping.columns),
      listName: mapping.listName ?? '',
    })
  }
  const close = () => {
    if (upload.isPending) return
    onClose()
    // If an import is running, it continues, and opening the dialog again shows it.
    if (!isRunning) void choose(undefined)
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import leads"
      size={read && isMapping ? 'wide' : 'normal'}
      description="Upload a CSV with a header row. Only a handle column is required."
      footer={
        upload.isPending ? (
          <Button disabled={!isUploading(uploaded)} onClick={() => stop.current?.abort()}>
            Cancel
          </Button>
        ) : isRunning ? (
          <>
            <Button loading={cancel.isPending} onClick={() => cancel.run(visibleImport.id)}>
              Stop import
            </Button>
            <Button onClick={close}>Close</Button>
          </>
        ) : isDone ? (
          <>
            <Button onClick={() => choose(undefined)}>Import another file</Button>
            <Button variant={visibleImport.list ? 'secondary' : 'primary'} onClick={close}>
              Done
            </Button>
            {visibleImport.list && (
              <ButtonLink
                variant="primary"
                icon={<PenLine aria-hidden />}
                to={startCampaignPath(visibleImport.list)}
                onClick={close}
              >
                Write to these
              </ButtonLink>
            )}
          </>
        ) : (
          <>
            <Button
              onClick={() => {
                discardTyped(form.current)
                close()
              }}
            >
              Cancel
            </Button>
            <Button type="submit" form={formId} variant="primary" icon={<Upload />} disabled={!isReady}>
              Import leads
            </Button>
          </>
        )
      }
    >
      {upload.isPending || isLoading ? (
        <div className="grid gap-3 py-4">
          <Progress {...uploadProgress(uploaded, uploaded?.seconds ?? 0)} />
          <p className="text-muted">Keep this tab open until the upload finishes.</p>
        </div>
      ) : isRunning ? (
        <div className="grid gap-3 py-4">
          {visibleImport.fileName && <p className="font-strong wrap-anywhere">{visibleImport.fileName}</p>}
          <Progress {...importProgress(visibleImport)} />
          <p className="text-muted">
            You can close this tab. The import keeps running. If you stop it, nothing is imported.
          </p>
        </div>
      ) : (
        isDone && <ImportOutcome result={visibleImport} />
      )}
      <Form
        ref={form}
        id={formId}
        name="import"
        record={file ? `${file.name} ${file.size}` : undefined}
        // Stays while the file is uploaded, so that what was typed is still stored if that fails.
        hidden={!isMapping}
        onSubmit={start}
      >
        {upload.isError && !isStopped && (
          <Callout tone="bad">Failed to import leads: {errorText(upload.error)}</Callout>
        )}
        {visibleImport?.status === 'failed' && (
          <Callout tone="bad">Failed to import leads: {visibleImport.error}</Callout>
        )}
        {(isStopped || visibleImport?.status === 'canceled') && (
          <Callout>Import stopped. Nothing was imported.</Callout>
        )}
        <ImportFilePicker file={file} onPick={choose} />
        {problem && <Callout tone="bad">{problem}</Callout>}
        {read ? (
          <ImportMapping fileName={file?.name ?? ''} {...read} onChange={(mapping) => setRead({ ...read, mapping })} />
        ) : (
          <p className="text-muted">
            You'll map columns before importing. Existing leads are updated. Rows with a problem are skipped and listed.
            If there are more than {formatNumber(IMPORT_REJECTED_MAX)} of them, nothing is imported.
          </p>
        )}
        {!read && !visibleImport && newest && <LastImport last={newest} onShow={() => show(newest.id)} />}
      </Form>
    </Dialog>
  )
}

/** The workspace's last import and its result. */
function LastImport({ last, onShow }: { last: Import; onShow: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <span className="wrap-anywhere">
        Last import{last.fileName && ` (${last.fileName})`}: {outcomeText(last)}
      </span>
      {last.status === 'completed' && last.rejectedCount + last.warningCount > 0 && (
        <Button size="sm" variant="ghost" onClick={onShow}>
          {last.rejectedCount > 0 ? 'Show skipped rows' : 'Show details'}
        </Button>
      )}
    </p>
  )
}
