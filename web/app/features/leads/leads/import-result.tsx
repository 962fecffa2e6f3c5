import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { ImportDetail } from '@x-automated/contract/leads/imports'
import { Download } from 'lucide-react'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { save } from '../../../ui/save-file'
import { Table, Td, Tr } from '../../../ui/table'
import { skippedRowsCsv } from './csv-files'
import { importedText } from './import-text'

/** Skipped rows on the screen; the download has them all. */
const SHOWN_MAX = 500

/** An import's result, with every skipped row. */
export function ImportOutcome({ result }: { result: ImportDetail }) {
  const { imported, updated, rejected, rejectedCount } = result
  const shown = rejected.slice(0, SHOWN_MAX)
  return (
    <div className="grid gap-4">
      <Callout tone={imported + updated > 0 ? 'good' : 'warn'} title={importedText(result)}>
        {rejectedCount > 0 ? `${formatCount(rejectedCount, 'row')} skipped.` : 'All rows imported.'}
      </Callout>
      {rejected.length > 0 && (
        <div className="grid gap-2">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h3 className="font-strong">Skipped rows</h3>
            <Button size="sm" icon={<Download />} onClick={() => save(skippedRowsCsv(rejected), 'skipped-rows.csv')}>
              Download as CSV
            </Button>
          </div>
          <Table
            label="Skipped rows"
            narrow="scroll"
            maxHeight="20rem"
            columns={[{ name: 'Row', end: true, className: 'w-px' }, 'Problem']}
          >
            {shown.map(({ line, problem }) => (
              <Tr key={line}>
                <Td end data-numeric>
                  {formatNumber(line)}
                </Td>
                <Td className="wrap-anywhere">{problem}</Td>
              </Tr>
            ))}
          </Table>
          {shown.length < rejected.length && (
            <p className="text-muted">{formatCount(rejected.length - shown.length, 'more row')} in the download.</p>
          )}
        </div>
      )}
    </div>
  )
}
