import type { ImportDetail } from '@x-automated/contract/imports'
import { Download } from 'lucide-react'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { save } from '../../ui/save-file'
import { Table, Td, Th, Tr } from '../../ui/table'
import { refusedCsv } from './csv-files'
import { count, importedText } from './import-text'

/** Refused lines that are shown; all of them are in the file to download. */
const REFUSED_SHOWN = 500

/** What came of an import, and each line that could not be taken. */
export function ImportOutcome({ result }: { result: ImportDetail }) {
  const { imported, updated, rejected, rejectedCount } = result
  const shown = rejected.slice(0, REFUSED_SHOWN)
  return (
    <div className="grid gap-4">
      <Callout tone={imported + updated > 0 ? 'good' : 'warn'} title={importedText(result)}>
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
