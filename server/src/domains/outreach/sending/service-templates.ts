import { parseTemplate, type Template, type Vocabulary } from '@x-automated/contract/outreach/template'
import { type SQL, sql } from 'drizzle-orm'
import { invalidField } from '../../../refusal.ts'
import { compileTemplate } from './rules.ts'

/** Parses a message template. @throws Refusal INVALID_INPUT naming an unknown variable */
export function readTemplate(field: string, source: string, vocabulary: Vocabulary = 'campaign'): Template {
  const parsed = parseTemplate(source, vocabulary)
  if ('template' in parsed) return parsed.template
  throw invalidField(
    field,
    `Unknown variable ${parsed.unknown}. Use ${vocabulary === 'messenger' ? '{{name}}, {{handle}}' : '{lead_name}, {twitter_handle}'}, or a column of your leads with a fallback, such as {company|your team}.`,
  )
}

const LEAD = { name: sql`l.name`, twitterHandle: sql`l.twitter_handle`, metadata: sql`l.metadata` }

/** SQL over a lead `l`: the text of one part of a template. */
export function renderedPart(part: Template[number]): SQL {
  return compileTemplate([part], LEAD)
}

/** SQL over a lead `l`: its message. */
export function renderedMessage(template: Template): SQL {
  return compileTemplate(template, LEAD)
}
