import { Upload } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { toast } from '../../../ui/toast'
import { ImportDialog } from './import-dialog'
import { inProgressText, outcomeText } from './import-text'
import { useImport } from './use-import'

/** Opens the import dialog. While any tab imports, shows the progress. */
export function ImportButton() {
  const [open, setOpen] = useState(false)
  const importState = useImport((ended) => {
    if (open) return
    if (ended.status === 'completed') toast.success(outcomeText(ended))
    if (ended.status === 'failed') toast.error(`Failed to import leads: ${ended.error}`)
  })
  return (
    <>
      <Button icon={<Upload />} onClick={() => setOpen(true)}>
        {importState.shown?.status === 'running' ? inProgressText(importState.shown) : 'Import CSV'}
      </Button>
      <ImportDialog open={open} onClose={() => setOpen(false)} state={importState} />
    </>
  )
}
