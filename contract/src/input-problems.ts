import type { z } from 'zod'
import type { FieldProblem } from './errors.ts'
import { formatCount, formatList, formatNumber } from './format.ts'

/** An issue as zod passes it to an error map. */
type RawIssue = z.core.$ZodRawIssue
/** An issue as zod reports it. */
interface Issue {
  message: string
  code?: string
  keys?: readonly string[]
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
  /** Only on a union: the issues of each branch, with paths within it. */
  errors?: readonly (readonly Issue[])[]
}

/** Returns one problem per invalid field. `field` is a dotted path, '' for the whole body. */
export function inputProblems(issues: readonly Issue[]): FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  // Report only the first issue of a field; it usually causes the others.
  for (const problem of issues.flatMap(problemsOf))
    if (!problems.has(problem.field)) problems.set(problem.field, problem)
  return [...problems.values()]
}

function problemsOf({ code, message, keys = [], path = [], errors = [] }: Issue): FieldProblem[] {
  const [closest] = code === 'invalid_union' ? branchesWithFields(errors) : []
  if (closest) return closest.flatMap((issue) => problemsOf({ ...issue, path: [...path, ...(issue.path ?? [])] }))
  const parts = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (code === 'unrecognized_keys')
    return keys.map((key) => ({
      field: [...parts, key].join('.'),
      problem: `“${key.slice(0, 100)}” is not a field of this call.`,
    }))
  if (parts.length === 0 && code === 'invalid_type') return [{ field: '', problem: 'The body must be a JSON object.' }]
  return [fieldProblem(parts.join('.'), message)]
}

/** Returns the branches of a union whose issues are about single fields, those with the fewest issues first. */
function branchesWithFields(branches: readonly (readonly Issue[])[]): (readonly Issue[])[] {
  const countOf = (issues: readonly Issue[]) => issues.reduce((sum, { keys = [''] }) => sum + keys.length, 0)
  const isObject = (issues: readonly Issue[]) =>
    issues.some(({ code, path = [] }) => path.length > 0 || code === 'unrecognized_keys')
  return branches.filter(isObject).toSorted((a, b) => countOf(a) - countOf(b))
}

/**
 * Turns a field's problem into a sentence.
 * @param problem a full sentence, or a predicate that follows the field's name
 */
export function fieldProblem(field: string, problem: string): FieldProblem {
  if (!/^[a-z]/.test(problem)) return { field, problem }
  const name = field === '' ? 'The body' : nameOf(field)
  const predicate = PLURAL.test(name) ? problem.replace(/^is /, 'are ') : problem
  return { field, problem: `${name} ${predicate}.` }
}

/** Matches plural names such as Handles, but not status, basis or address. */
const PLURAL = /^(?!Entry ).*[^sui]s$/
const SPECIAL_WORDS: Record<string, string> = {
  id: 'ID',
  ids: 'IDs',
  url: 'URL',
  xml: 'XML',
  sso: 'SSO',
  api: 'API',
  dm: 'DM',
  dms: 'DMs',
  x: 'X',
}

/** `leadListId` → 'Lead list ID', `handles.0` → 'Entry 1 of handles'. */
function nameOf(field: string): string {
  const parts = field.split('.')
  const at = parts.findLastIndex((part) => !/^\d+$/.test(part))
  const words = (parts[at] ?? '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => SPECIAL_WORDS[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
  const index = parts[at + 1]
  if (index !== undefined) return `Entry ${Number(index) + 1} of ${words}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Replaces zod's default messages with predicates. `fieldProblem` turns these into sentences. */
export function predicateOf(issue: RawIssue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? 'of a different type'}`
    case 'invalid_value':
      return `must be ${formatList(issue.values.map(String), 'disjunction')}`
    case 'invalid_union':
      return unionPredicate(issue.errors)
    case 'too_big':
      return amount(issue.origin, issue.exact ? 'exactly' : 'at most', issue.maximum)
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'is required'
      return amount(issue.origin, issue.exact ? 'exactly' : 'at least', issue.minimum)
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`
    case 'invalid_format':
      return 'has the wrong format'
    default:
      return 'is not valid'
  }
}

/** Returns the message of the best-matching branch, or else a list of all expected types. */
function unionPredicate(branches: readonly (readonly { code?: string; message: string }[])[]): string {
  const furthest = branches.find((issues) =>
    issues.some(({ code }) => code !== 'invalid_type' && code !== 'invalid_value'),
  )
  if (furthest?.[0]) return furthest[0].message
  const wanted = branches.flatMap((issues) => issues.map(({ message }) => message.replace(/^must be /, '')))
  return `must be ${formatList(new Set(wanted), 'disjunction')}`
}

function amount(origin: string, bound: string, limit: number | bigint): string {
  const count = Number(limit)
  if (origin === 'string') return `must have ${bound} ${formatCount(count, 'character')}`
  if (origin === 'array') return `must have ${bound} ${formatCount(count, 'entry', 'entries')}`
  return `must be ${bound} ${formatNumber(count)}`
}
