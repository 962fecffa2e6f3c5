import { BASIS_SOURCE_MAX } from '@x-automated/contract/leads/lead-limits'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { Select } from '../../../ui/select'
import { shorten } from '../../../ui/shorten'
import { Table, Td, Tr } from '../../../ui/table'
import {
  CUSTOM_FIELD,
  columnLabels,
  columnsProblem,
  handlesWarning,
  idsWarning,
  type Preview,
  SKIP,
} from './import-columns'
import { basisLabels } from './leads-url'

const CELL_SHOWN = 60

/** What an import needs besides the file. */
export interface Mapping {
  columns: string[]
  basis: ContactBasis
  basisSource: string
}

interface ImportMappingProps {
  preview: Preview
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** Maps each column of the file to a field, next to sample values. */
export function ImportMapping({ preview, mapping, onChange }: ImportMappingProps) {
  const { headers, rows } = preview
  const { columns } = mapping
  const problem = columnsProblem(headers, columns) ?? handlesWarning(preview, columns) ?? idsWarning(preview, columns)
  const choose = (index: number, column: string) =>
    onChange({ ...mapping, columns: mapping.columns.map((one, i) => (i === index ? column : one)) })
  return (
    <div className="grid gap-4">
      {problem && <Callout tone="warn">{problem}</Callout>}
      <Table label="Columns of the file" narrow="scroll" maxHeight="20rem" columns={['Column', 'Maps to', 'Sample']}>
        {headers.map((header, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, and columns never move
          <Tr key={index}>
            <Td className="max-w-40 wrap-anywhere">{header.trim() || <span className="text-faint">No name</span>}</Td>
            <Td>
              <Select
                aria-label={`${header.trim() || `Column ${index + 1}`} maps to`}
                className="w-44"
                value={mapping.columns[index] ?? SKIP}
                options={[
                  ...Object.entries(columnLabels).map(([value, label]) => ({ value, label })),
                  ...(header.trim() === '' ? [] : [{ value: CUSTOM_FIELD, label: 'Custom field' }]),
                  { value: SKIP, label: 'Skip' },
                ]}
                onChange={(event) => choose(index, event.currentTarget.value)}
              />
            </Td>
            <Td className="min-w-40 text-muted wrap-anywhere">
              {shorten(rows.flatMap((row) => row[index]?.trim() || []).join(' · '), CELL_SHOWN)}
            </Td>
          </Tr>
        ))}
      </Table>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Contact basis for these leads" hint="Used where the file has none">
          <Select
            value={mapping.basis}
            options={Object.entries(basisLabels).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onChange({ ...mapping, basis: event.currentTarget.value as ContactBasis })}
          />
        </Field>
        {mapping.basis !== 'none' && (
          <Field label="How do you know?" {...lengthProps(mapping.basisSource, BASIS_SOURCE_MAX)}>
            <Input
              value={mapping.basisSource}
              placeholder="Signed up at our spring event"
              onChange={(event) => onChange({ ...mapping, basisSource: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
    </div>
  )
}
