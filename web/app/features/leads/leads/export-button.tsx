import { Download } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { exportLeads } from './csv-files'
import { parseLeadsParams } from './leads-params'

/** Downloads every lead that matches the table's filter. */
export function ExportButton() {
  const [params] = useSearchParams()
  const download = useAction(() => exportLeads(parseLeadsParams(params).filter), {
    onError: (error) => toast.error(`Failed to export leads: ${errorText(error)}`),
  })
  return (
    <Button icon={<Download />} loading={download.isPending} onClick={() => download.run()}>
      {download.isPending ? 'Exporting…' : 'Export CSV'}
    </Button>
  )
}
