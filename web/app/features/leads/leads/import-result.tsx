import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { ImportDetail } from '@x-automated/contract/leads/imports'
import { Download } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { save } from '../../../ui/save-file'
import { Table, Td, Tr } from '../../../ui/table'
import { rowProblemsCsv } from './csv-files'
import { importedText, leftOutText } from './import-text'

/** How many rows the screen lists. The download contains all of them. */
const ROWS_LISTED_MAX = 500

/** An import's result, with every skipped row and every ignored X user ID. */
export function ImportOutcome({ result }: { result: ImportDetail }) {
  const { imported, updated, rejected, rejectedCount, warnings, warningCount, list } = result
  return (
    <div className="grid gap-4">
      <Callout tone={imported + updated > 0 ? 'good' : 'warn'} title={importedText(result)}>
        <p>{rejectedCount > 0 ? `${formatCount(rejectedCount, 'row')} skipped.` : 'All rows imported.'}</p>
        {warningCount > 0 && <p>{leftOutText(warningCount)}. We look these people up by their handles.</p>}
        {list && (
          <p>
            They are on the list{' '}
            <Link to={generatePath(paths.list, { listId: list.id })} className="text-link">
              {list.name}
            </Link>
            .
          </p>
        )}
      </Callout>
      <RowProblems title="Skipped rows" rows={rejected} fileName="skipped-rows.csv" />
      <RowProblems title="X user IDs left out" rows={warnings} fileName="x-user-ids-left-out.csv" />
    </div>
  )
}

/** Rows with a problem, and a download of them. */
function RowProblems({ title, rows, fileName }: { title: string; rows: ImportDetail['rejected']; fileName: string }) {
  if (rows.length === 0) return null
  const visibleRows = rows.slice(0, ROWS_LISTED_MAX)
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-strong">{title}</h3>
        <Button
          size="sm"
          icon={<Download />}
          aria-label={`Download as CSV: ${title}`}
          onClick={() => save(rowProblemsCsv(rows), fileName)}
        >
          Download as CSV
        </Button>
      </div>
      <Table
        label={title}
        narrow="scroll"
        maxHeight="20rem"
        columns={[{ name: 'Row', end: true, className: 'w-px' }, 'Problem']}
      >
        {visibleRows.map(({ line, problem }) => (
          <Tr key={line}>
            <Td end data-numeric>
              {formatNumber(line)}
            </Td>
            <Td className="wrap-anywhere">{problem}</Td>
          </Tr>
        ))}
      </Table>
      {visibleRows.length < rows.length && (
        <p className="text-muted">{formatCount(rows.length - visibleRows.length, 'more row')} in the download.</p>
      )}
    </div>
  )
}
