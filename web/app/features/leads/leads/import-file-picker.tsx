import { FileSpreadsheet } from 'lucide-react'
import { type ChangeEvent, type DragEvent, useState } from 'react'
import { cn } from '../../../ui/cn'
import { sizeText } from './import-text'

/** Selects a CSV file by choosing or dropping it. */
export function ImportFilePicker({ file, onPick }: { file: File | null; onPick: (file: File | undefined) => void }) {
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
      className={cn(
        'grid cursor-pointer justify-items-center gap-2 rounded-lg border border-dashed px-4 text-center transition-colors hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-line',
        // Once a file is chosen, its columns need the space.
        file ? 'py-3' : 'py-8',
        over ? 'border-accent-line bg-accent-soft' : 'border-line-strong',
      )}
    >
      {!file && <FileSpreadsheet aria-hidden className="size-6 text-muted" />}
      {file ? (
        <span className="grid gap-0.5">
          <span className="font-strong wrap-anywhere">{file.name}</span>
          <span className="text-muted">{sizeText(file.size)} · choose another file</span>
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
