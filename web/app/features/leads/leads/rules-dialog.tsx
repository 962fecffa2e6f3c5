import { useQuery } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { LeadRules, RuleMatch } from '@x-automated/contract/leads/lead-rules'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { asCustomField, customFieldIn, RULES_MAX, type RuleOp } from '@x-automated/contract/leads/rule-fields'
import { FolderPlus, Plus, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import type { DialogProps } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { NumberInput } from '../../../ui/number-input'
import { Select } from '../../../ui/select'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useTypedField } from '../../../ui/use-typed-text'
import { scrapeTitle } from '../scrapes/scrape-text'
import { DayField, TagPicker, useCustomFields } from './advanced-filters'
import { LABEL_NAMES } from './history-text'
import { basisLabels, FOLLOWERS_MAX, statusLabels } from './leads-url'
import {
  countDraft,
  draftOfRules,
  type GroupDraft,
  isGroup,
  newGroup,
  newRule,
  opsOfField,
  type RuleDraft,
  type RulesDraft,
  rulesOfDraft,
  rulesOfText,
  SCREEN_FIELDS,
  textOfRules,
  valueKind,
  withField,
  withOp,
} from './rule-draft'
import { useTagsToPick } from './tag-badge'

interface RulesDialogProps extends ControlledDialogProps, Pick<DialogProps, 'returnsTo'> {
  /** The id of the list that the rules belong to. */
  record?: string | undefined
  rules: LeadRules | null
  /** The rest of the filter, which applies as well. */
  filter: LeadFilter
  onApply: (rules: LeadRules) => void
}

/** Builds rules that are combined with AND or OR: rows of field, operator and value, with one level of groups. */
export function RulesDialog({ rules, filter, onApply, onClose, ...dialog }: RulesDialogProps) {
  const [draft, setDraft] = useState<RulesDraft>(() =>
    rules ? draftOfRules(rules) : { match: 'all', nodes: [newRule()] },
  )
  const [isTried, setIsTried] = useState(false)
  const [focused, setFocused] = useState<number | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const built = rulesOfDraft(draft)
  const problems = isTried ? (built.problems ?? new Map<number, string>()) : new Map<number, string>()
  const isFull = countDraft(draft) >= RULES_MAX
  // A new rule gets the focus. When one is removed, its neighbor does.
  useEffect(() => {
    if (focused === null) return
    const control = root.current?.querySelector<HTMLElement>(`[data-rule="${focused}"] select`)
    ;(control ?? root.current?.querySelector<HTMLElement>('[data-add]'))?.focus()
    setFocused(null)
  }, [focused])

  const setNodes = (nodes: RulesDraft['nodes']) => setDraft({ ...draft, nodes })
  const change = (next: RuleDraft | GroupDraft) =>
    setNodes(
      replaced(
        draft.nodes.map((node) =>
          isGroup(node) && !isGroup(next) ? { ...node, rules: replaced(node.rules, next) } : node,
        ),
        next,
      ),
    )
  const add = (node: RuleDraft | GroupDraft, to?: GroupDraft) => {
    if (isFull) return
    if (to && !isGroup(node)) change({ ...to, rules: [...to.rules, node] })
    else setNodes([...draft.nodes, node])
    setFocused(isGroup(node) ? (node.rules[0]?.key ?? null) : node.key)
  }
  const remove = (key: number) => {
    const all = draft.nodes.flatMap((node) => (isGroup(node) ? node.rules : [node]))
    const index = all.findIndex((rule) => rule.key === key)
    setFocused((all[index + 1] ?? all[index - 1])?.key ?? 0)
    setNodes(
      draft.nodes.flatMap((node) => {
        if (node.key === key) return []
        if (!isGroup(node)) return node
        const rules = node.rules.filter((rule) => rule.key !== key)
        return rules.length > 0 ? { ...node, rules } : []
      }),
    )
  }
  const apply = (event: FormEvent<HTMLFormElement>) => {
    // The dialog may be inside another form, which must not be submitted.
    event.stopPropagation()
    if (built.rules) {
      event.currentTarget.reset()
      onApply(built.rules)
      onClose()
      return
    }
    setIsTried(true)
    const [first] = built.problems.keys()
    if (first !== undefined)
      requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  const addRule = (to?: GroupDraft) => (
    <Button size="sm" variant="ghost" data-add icon={<Plus />} disabled={isFull} onClick={() => add(newRule(), to)}>
      Add rule
    </Button>
  )
  let number = 0
  const row = (rule: RuleDraft) => {
    number += 1
    return (
      <RuleRow
        key={rule.key}
        number={number}
        rule={rule}
        problem={problems.get(rule.key)}
        onChange={change}
        onRemove={() => remove(rule.key)}
      />
    )
  }

  return (
    <FormDialog
      {...dialog}
      name="rules"
      onClose={onClose}
      size="wide"
      title="Custom rules"
      description="Combine conditions with “and” and “or”."
      label="Apply rules"
      loading={false}
      disabled={draft.nodes.length === 0}
      aside={<MatchCount filter={filter} rules={built.rules ?? null} />}
      onSubmit={apply}
    >
      <TypedRules draft={draft} onRestore={setDraft} />
      <div ref={root} data-not-stored className="grid gap-4">
        <MatchSelect label="Leads must match" match={draft.match} onChange={(match) => setDraft({ ...draft, match })} />
        <ol className="grid gap-3 max-sm:gap-5">
          {draft.nodes.map((node, index) =>
            isGroup(node) ? (
              <li key={node.key}>
                <fieldset className="grid gap-3 rounded-lg border border-line bg-sunken p-3 sm:p-4">
                  <legend className="sr-only">Group {draft.nodes.slice(0, index + 1).filter(isGroup).length}</legend>
                  <div className="flex items-end gap-2">
                    <MatchSelect
                      label="In this group"
                      match={node.match}
                      onChange={(match) => change({ ...node, match })}
                    />
                    <IconButton
                      icon={<X />}
                      label="Remove group"
                      className="ms-auto"
                      onClick={() => {
                        setFocused(0)
                        setNodes(draft.nodes.filter((other) => other !== node))
                      }}
                    />
                  </div>
                  <ol className="grid gap-3 max-sm:gap-5">{node.rules.map(row)}</ol>
                  <div>{addRule(node)}</div>
                </fieldset>
              </li>
            ) : (
              row(node)
            ),
          )}
        </ol>
        {draft.nodes.length === 0 && <p className="text-muted">No rules. Add one, or cancel.</p>}
        <div className="flex flex-wrap items-center gap-2">
          {addRule()}
          <Button size="sm" variant="ghost" icon={<FolderPlus />} disabled={isFull} onClick={() => add(newGroup())}>
            Add group
          </Button>
          {isFull && <p className="text-muted">A filter has at most {RULES_MAX} rules.</p>}
        </div>
      </div>
    </FormDialog>
  )
}

/** Stores the rules while they are edited. */
function TypedRules({ draft, onRestore }: { draft: RulesDraft; onRestore: (draft: RulesDraft) => void }) {
  const value = textOfRules(draft)
  const touch = useTypedField({
    key: 'rules',
    label: 'Rules',
    value,
    set: (text) => onRestore(rulesOfText(text)),
    preview: (text) => formatCount(countDraft(rulesOfText(text)), 'rule'),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the user changes the rules
  useEffect(touch, [value])
  return null
}

function replaced<One extends { key: number }>(all: readonly One[], next: One): One[] {
  return all.map((item) => (item.key === next.key ? next : item))
}

interface MatchSelectProps {
  label: string
  match: RuleMatch
  onChange: (match: RuleMatch) => void
}

function MatchSelect({ label, match, onChange }: MatchSelectProps) {
  return (
    <Field label={label} className="w-full max-w-60">
      <Select
        value={match}
        options={[
          { value: 'all', label: 'All of the rules (and)' },
          { value: 'any', label: 'Any of the rules (or)' },
        ]}
        onChange={(event) => onChange(event.currentTarget.value as RuleMatch)}
      />
    </Field>
  )
}

/** How many leads match, debounced. Empty while the rules are incomplete. */
function MatchCount({ filter, rules }: { filter: LeadFilter; rules: LeadRules | null }) {
  const debounced = useDebouncedValue(rules ? JSON.stringify(rules) : '')
  const { data, isError } = useQuery(
    api.leads.count.queryOptions({
      input: { ...filter, rules: debounced },
      enabled: debounced !== '',
      retry: false,
    }),
  )
  const isCurrent = rules !== null && JSON.stringify(rules) === debounced && !isError
  return (
    <p role="status" className="me-auto self-center text-muted" data-numeric>
      {isCurrent &&
        (data ? `${formatCount(data.total, 'lead')} ${data.total === 1 ? 'matches' : 'match'}` : 'Counting…')}
    </p>
  )
}

interface RuleRowProps {
  number: number
  rule: RuleDraft
  problem: string | undefined
  onChange: (rule: RuleDraft) => void
  onRemove: () => void
}

function RuleRow({ number, rule, problem, onChange, onRemove }: RuleRowProps) {
  const { names } = useCustomFields(customFieldIn(rule.field) ?? undefined)
  const fields = [
    ...Object.entries(SCREEN_FIELDS).filter(([name]) => name !== 'tags' || rule.field === 'tags'),
    ...names.map((name) => [asCustomField(name), `${name} (custom field)`] as const),
  ]
  const kind = valueKind(rule.field, rule.op)
  return (
    <li
      data-rule={rule.key}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,11rem)_minmax(0,1fr)_auto]"
    >
      <Field label={`Field of rule ${number}`} hideLabel>
        <Select
          value={rule.field}
          options={fields.map(([value, label]) => ({ value, label }))}
          onChange={(event) => onChange(withField(rule, event.currentTarget.value))}
        />
      </Field>
      <Field label={`Operator of rule ${number}`} hideLabel className="max-sm:col-span-2 max-sm:row-start-2">
        <Select
          value={rule.op}
          options={Object.entries(opsOfField(rule.field)).map(([value, label]) => ({ value, label }))}
          onChange={(event) => onChange(withOp(rule, event.currentTarget.value as RuleOp))}
        />
      </Field>
      <div className={cn('max-sm:col-span-2 max-sm:row-start-3', kind === 'none' && 'max-sm:hidden')}>
        <RuleValue number={number} rule={rule} problem={problem} onChange={onChange} />
      </div>
      <IconButton
        icon={<X />}
        label={`Remove rule ${number}`}
        className="max-sm:col-start-2 max-sm:row-start-1"
        onClick={onRemove}
      />
    </li>
  )
}

function RuleValue({ number, rule, problem, onChange }: Omit<RuleRowProps, 'onRemove'>) {
  const label = `Value of rule ${number}`
  const set = (value: string) => onChange({ ...rule, value })
  const choices = useChoices(rule)
  switch (valueKind(rule.field, rule.op)) {
    case 'none':
      return null
    case 'tags':
      return (
        <Field label={label} hideLabel error={problem}>
          <TagPicker label={label} ids={rule.ids} onChange={(ids) => onChange({ ...rule, ids })} />
        </Field>
      )
    case 'count':
      return (
        <Field label={label} hideLabel error={problem}>
          <NumberInput
            placeholder={formatNumber(1_000)}
            max={FOLLOWERS_MAX}
            value={rule.value === '' ? null : Number(rule.value)}
            onChange={(value) => set(value === null ? '' : String(value))}
          />
        </Field>
      )
    case 'moment':
      return <DayField label={label} hideLabel error={problem} moment={rule.value} onChange={set} />
    case 'choice':
      return (
        <Field label={label} hideLabel error={problem}>
          <Select
            placeholder="Choose…"
            value={rule.value}
            options={choices}
            onChange={(event) => set(event.currentTarget.value)}
          />
        </Field>
      )
    default:
      return (
        <Field label={label} hideLabel error={problem}>
          <Input
            type={valueKind(rule.field, rule.op) === 'day' ? 'date' : 'text'}
            inputMode={valueKind(rule.field, rule.op) === 'number' ? 'decimal' : undefined}
            placeholder="Value"
            value={rule.value}
            onChange={(event) => set(event.currentTarget.value)}
          />
        </Field>
      )
  }
}

/** The values that a field offers. Includes the chosen one even if it is unknown. */
function useChoices({ field, op, value }: RuleDraft): { value: string; label: string }[] {
  const isChoice = valueKind(field, op) === 'choice'
  const tags = useTagsToPick().data?.tags
  const lists = useQuery(api.lists.list.queryOptions({ input: {}, enabled: isChoice && field === 'listId' })).data
    ?.lists
  const scrapes = useQuery(api.scrapes.list.queryOptions({ input: {}, enabled: isChoice && field === 'scrapeId' })).data
    ?.scrapes
  const of = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
  const choices: Record<string, { value: string; label: string }[] | undefined> = {
    status: of(statusLabels),
    basis: of(basisLabels),
    label: of(LABEL_NAMES),
    // A rule may contain a tag's name instead of its id.
    tag: tags?.map(({ id, name }) => ({ value: name === value ? name : id, label: name })),
    listId: lists?.map(({ id, name }) => ({ value: id, label: name })),
    scrapeId: scrapes?.map((scrape) => ({ value: scrape.id, label: scrapeTitle(scrape) })),
  }
  const all = choices[field]
  const options = all ?? []
  const isUnknown = value !== '' && !options.some((option) => option.value === value)
  return isUnknown ? [...options, { value, label: all ? 'Unknown' : 'Loading…' }] : options
}
