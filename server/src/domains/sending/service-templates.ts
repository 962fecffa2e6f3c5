import { parseTemplate, type Template, type Vocabulary } from '@x-automated/contract/template'
import { type SQL, sql } from 'drizzle-orm'
import { invalidField } from '../../refusal.ts'
import { compileTemplate } from './rules.ts'

/** A message template as it was typed. @throws Refusal INVALID_INPUT naming a placeholder that nothing fills */
export function readTemplate(field: string, source: string, vocabulary: Vocabulary = 'campaign'): Template {
  const parsed = parseTemplate(source, vocabulary)
  if ('template' in parsed) return parsed.template
  throw invalidField(
    field,
    `Unknown placeholder ${parsed.unknown}. Use ${vocabulary === 'messenger' ? '{{name}}, {{handle}}' : '{lead_name}, {twitter_handle}'}, or a column of your leads with a fallback, such as {company|your team}.`,
  )
}

const LEAD = { name: sql`l.name`, twitterHandle: sql`l.twitter_handle`, metadata: sql`l.metadata` }

/** Over a lead `l`: what it has for one part of a template. */
export function filledPart(part: Template[number]): SQL {
  return compileTemplate([part], LEAD)
}

/** Over a lead `l`: its message. */
export function filled(template: Template): SQL {
  return compileTemplate(template, LEAD)
}
