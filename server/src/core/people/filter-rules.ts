import type { LeadRule } from '@x-automated/contract/leads/lead-rules'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { customFieldIn, type RuleField } from '@x-automated/contract/leads/rule-fields'
import { and, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import { filterStatus, knownFollowers, leads, words } from '../tables/leads.ts'
import { anywhere, type RuleNode } from './filter.ts'

/*
 * And/or rules as SQL conditions on `leads`. No condition is null, so `not` reverses it. Other
 * tables are read with `exists`: PostgreSQL joins them in an `and`, and looks up each lead by index
 * in an `or`. With `in`, it could scan the whole result for each lead.
 */

/** SQL condition: the lead meets a rule or, for a group, all or any of its rules. */
export function meets(workspaceId: string, node: RuleNode): SQL {
  if (!('rules' in node)) return meetsRule(workspaceId, node)
  const parts = node.rules.map((child) => meets(workspaceId, child))
  const met = (node.match === 'all' ? and(...parts) : or(...parts)) ?? sql`true`
  return node.isNot ? sql`not (${met})` : sql`(${met})`
}

const REVERSED: readonly string[] = ['is_not', 'not_contains', 'is_not_set']

function meetsRule(workspaceId: string, { field, op, value = '' }: LeadRule): SQL {
  const name = customFieldIn(field)
  const isSet = op === 'is_set' || op === 'is_not_set'
  const met =
    name !== null
      ? meetsField(name, op, value)
      : isSet
        ? isKnown(workspaceId, field as RuleField)
        : meetsValue(workspaceId, { field: field as RuleField, op, value })
  return REVERSED.includes(op) ? sql`not (${met})` : met
}

type Compared = { field: RuleField; op: LeadRule['op']; value: NonNullable<LeadRule['value']> }

function meetsValue(workspaceId: string, { field, op, value }: Compared): SQL {
  switch (field) {
    case 'keyword':
      return hasKeyword(String(value))
    case 'minFollowers':
      return sql`${knownFollowers} >= ${Number(value)}`
    case 'maxFollowers':
      return sql`${knownFollowers} between 0 and ${Number(value)}`
    case 'status':
      return value === 'replied' ? isNotNull(leads.repliedAt) : sql`${filterStatus} = ${value}`
    case 'basis':
      return sql`${leads.basis} = ${value}`
    case 'label':
      return hasConversation(workspaceId, sql`c.label = ${value}`)
    case 'listId':
      return sql`exists (select from lead_list_items i where i.lead_list_id = ${value} and i.lead_id = ${leads.id})`
    case 'scrapeId':
      return sql`exists (select from scrape_leads s where s.scrape_id = ${value} and s.lead_id = ${leads.id})`
    case 'tag':
      return sql`exists (select from lead_tags g join tags t on t.id = g.tag_id where g.lead_id = ${leads.id}
        and t.workspace_id = ${workspaceId} and (t.id::text = ${value} or lower(t.name) = lower(${value})))`
    case 'tags':
      return sql`(${and(...(value as string[]).map(hasTag))})`
    case 'contactedAfter':
      return wasContacted(workspaceId, sql`>= ${value}::timestamptz`)
    case 'contactedBefore':
      return sql`
        (
          ${wasContacted(workspaceId, sql`< ${value}::timestamptz`)}
          and not ${wasContacted(workspaceId, sql`>= ${value}::timestamptz`)}
        )`
    case 'createdAt':
      return sql`${leads.createdAt} ${op === 'before' ? sql`<` : sql`>=`} ${value}::timestamptz`
  }
}

function isKnown(workspaceId: string, field: RuleField): SQL {
  switch (field) {
    case 'minFollowers':
    case 'maxFollowers':
      return isNotNull(leads.followerCount)
    case 'listId':
      return sql`exists (select from lead_list_items i where i.lead_id = ${leads.id})`
    case 'scrapeId':
      return sql`exists (select from scrape_leads s where s.lead_id = ${leads.id})`
    case 'tag':
    case 'tags':
      return sql`exists (select from lead_tags g where g.lead_id = ${leads.id})`
    case 'label':
      return hasConversation(workspaceId, sql`c.label is not null`)
    case 'contactedAfter':
    case 'contactedBefore':
      return wasContacted(workspaceId, sql`is not null`)
    default:
      throw new Error(`${field} is always known`)
  }
}

function hasKeyword(keyword: string): SQL {
  const pattern = anywhere(keyword)
  const matches = sql`${words} ilike ${pattern}`
  if (!keyword.includes(' ')) return matches
  // A keyword with a space could match across two fields, so check each field as well.
  return sql`
    (
      ${matches}
      and (
        ${leads.name} ilike ${pattern}
        or ${leads.twitterHandle} ilike ${pattern}
        or coalesce(${leads.bio}, '') ilike ${pattern}
      )
    )`
}

const hasTag = (id: string) => sql`exists (select from lead_tags g where g.tag_id = ${id} and g.lead_id = ${leads.id})`

const hasConversation = (workspaceId: string, which: SQL) =>
  sql`
    exists (select from conversations c where c.workspace_id = ${workspaceId} and c.lead_id = ${leads.id} and ${which})`

/**
 * SQL condition: a message was sent at a time that meets `is`, possibly before the lead was deleted
 * and added again.
 */
function wasContacted(workspaceId: string, is: SQL): SQL {
  return sql`(coalesce(${leads.contactedBeforeAt} ${is}, false) or ${gotMessage(workspaceId, is)})`
}

const gotMessage = (workspaceId: string, is: SQL) => sql`exists (
  select
  from dms o
  where o.workspace_id = ${workspaceId} and o.lead_id = ${leads.id} and o.sent_at is not null and o.sent_at ${is})`

/**
 * SQL condition for a filter's last contact, equivalent to the rules. Reads ids from indexes over
 * time, which is faster only in an `and`.
 */
export function lastContact(workspaceId: string, { contactedAfter, contactedBefore }: LeadFilter): SQL | undefined {
  const at = (is: SQL) => sql`${leads.id} in (
    select o.lead_id from dms o where o.workspace_id = ${workspaceId} and o.sent_at ${is}
    union select p.id from leads p where p.workspace_id = ${workspaceId} and p.contacted_before_at ${is})`
  const since = sql`>= ${contactedBefore}::timestamptz`
  return and(
    contactedAfter === undefined ? undefined : at(sql`>= ${contactedAfter}::timestamptz`),
    ...(contactedBefore === undefined
      ? []
      : [
          at(sql`< ${contactedBefore}::timestamptz`),
          sql`not ${gotMessage(workspaceId, since)}`,
          sql`not coalesce(${leads.contactedBeforeAt} ${since}, false)`,
        ]),
  )
}

/** SQL condition on a custom field. Texts are compared case-insensitively, dates by their day. */
function meetsField(name: string, op: LeadRule['op'], value: NonNullable<LeadRule['value']>): SQL {
  const text = sql`coalesce(${leads.metadata} ->> ${name}::text, '')`
  switch (op) {
    case 'is_set':
    case 'is_not_set':
      return sql`${text} <> ''`
    case 'is':
    case 'is_not':
      return sql`lower(${text}) = lower(${value}::text)`
    case 'contains':
    case 'not_contains':
      return sql`${text} ilike ${anywhere(String(value))}`
    case 'at_least':
    case 'at_most':
      // Only `case` guarantees the order of evaluation: a value that is not a number must not be cast.
      return sql`case when ${text} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$'
        then (${text})::numeric ${op === 'at_least' ? sql`>=` : sql`<=`} ${value}::numeric else false end`
    case 'before':
    case 'after':
      return sql`(${text} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}'
        and left(${text}, 10) collate "C" ${op === 'before' ? sql`<` : sql`>=`} ${value}::text)`
  }
}
