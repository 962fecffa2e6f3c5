import { useQuery } from '@tanstack/react-query'
import { hasAdvancedAnalytics } from '@x-automated/contract/platform/plans'
import { Download } from 'lucide-react'
import { api, errorText } from '../../../api'
import { paths } from '../../../paths'
import { signedFetch } from '../../../signed-fetch'
import { Button, ButtonLink } from '../../../ui/button'
import { save } from '../../../ui/save-file'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'

interface ExportCsvProps {
  /** A path of the API, with its query. */
  path: string
  /** The file's name without its extension. */
  fileName: string
}

/** Downloads figures as CSV, or says which plan includes this. */
export function ExportCsv({ path, fileName }: ExportCsvProps) {
  const overview = useQuery(api.billing.overview.queryOptions())
  const download = useAction(
    async () =>
      save(await (await signedFetch(path)).blob(), `${fileName}-${new Date().toISOString().slice(0, 10)}.csv`),
    { onError: (error) => toast.error(`Failed to export: ${errorText(error)}`) },
  )
  if (!overview.data) return null
  if (!hasAdvancedAnalytics(overview.data.level))
    return (
      <ButtonLink size="sm" variant="ghost" to={paths.billing} icon={<Download aria-hidden />}>
        CSV with Agency
      </ButtonLink>
    )
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={<Download aria-hidden />}
      loading={download.isPending}
      onClick={() => download.run()}
    >
      Export CSV
    </Button>
  )
}
