import { expect, test } from 'vitest'
import { parseTemplate, renderTemplate } from './template.ts'

const lead = { name: 'Ann Lee', twitterHandle: 'annlee', metadata: { company: 'Acme' } }
const fill = (source: string, who = lead) => {
  const parsed = parseTemplate(source)
  return 'template' in parsed ? renderTemplate(parsed.template, who) : parsed
}

test('fills the variables of campaigns and of the messenger in any case', () => {
  expect(fill('Hi {{name}}, are you {{ Handle }}?')).toBe('Hi Ann Lee, are you @annlee?')
  expect(fill('{lead_name} {twitter_handle} {company|us} {city|here}')).toBe('Ann Lee @annlee Acme here')
  expect(fill('Hi {{name}}!', { ...lead, name: ' ' })).toBe('Hi there!')
  expect(fill('{{handle}}', { ...lead, twitterHandle: '@annlee' })).toBe('@annlee')
})

test('names the first unknown variable', () => {
  expect(fill('{{nick}} {{name}}')).toEqual({ unknown: '{{nick}}' })
  expect(fill('{{lead_name}}')).toEqual({ unknown: '{{lead_name}}' })
})
