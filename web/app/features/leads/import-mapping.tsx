import type { ContactBasis } from '@x-automated/contract/leads'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'
import { shorten } from '../../ui/shorten'
import { Table, Td, Th, Tr } from '../../ui/table'
import { columnLabels, columnsProblem, KEEP, LEAVE_OUT, type Preview } from './import-columns'
import { basisLabels } from './leads-url'

const CELL_SHOWN = 60
const SOURCE_MAX = 500

/** What an import is told beside the file. */
export interface Mapping {
  columns: string[]
  basis: ContactBasis
  basisSource: string
}

export interface ImportMappingProps {
  preview: Preview
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** What each column of the file is, beside its first lines. */
export function ImportMapping({ preview, mapping, onChange }: ImportMappingProps) {
  const { headers, rows } = preview
  const problem = columnsProblem(headers, mapping.columns)
  const choose = (place: number, column: string) =>
    onChange({ ...mapping, columns: mapping.columns.map((one, at) => (at === place ? column : one)) })
  return (
    <div className="grid gap-4">
      {problem && <Callout tone="warn">{problem}</Callout>}
      <Table label="Columns of the file" narrow="scroll" maxHeight="20rem">
        <thead>
          <tr>
            <Th>Column</Th>
            <Th>Becomes</Th>
            <Th>First lines</Th>
          </tr>
        </thead>
        <tbody>
          {headers.map((header, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a file may have two columns of one name, and they never move
            <Tr key={place}>
              <Td className="max-w-40 wrap-anywhere">{header.trim() || <span className="text-faint">No name</span>}</Td>
              <Td>
                <Select
                  aria-label={`${header.trim() || `Column ${place + 1}`} becomes`}
                  className="w-44"
                  value={mapping.columns[place] ?? LEAVE_OUT}
                  options={[
                    ...Object.entries(columnLabels).map(([value, label]) => ({ value, label })),
                    ...(header.trim() === '' ? [] : [{ value: KEEP, label: 'Keep with the lead' }]),
                    { value: LEAVE_OUT, label: 'Leave out' },
                  ]}
                  onChange={(event) => choose(place, event.currentTarget.value)}
                />
              </Td>
              <Td className="min-w-40 text-muted wrap-anywhere">
                {shorten(rows.flatMap((row) => row[place]?.trim() || []).join(' · '), CELL_SHOWN)}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Contact basis of everyone in it" hint="Where the file names none.">
          <Select
            value={mapping.basis}
            options={Object.entries(basisLabels).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onChange({ ...mapping, basis: event.currentTarget.value as ContactBasis })}
          />
        </Field>
        {mapping.basis !== 'none' && (
          <Field label="How do you know?">
            <Input
              value={mapping.basisSource}
              maxLength={SOURCE_MAX}
              placeholder="Signed up at the spring fair"
              onChange={(event) => onChange({ ...mapping, basisSource: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
    </div>
  )
}
