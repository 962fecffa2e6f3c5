import { expect, test } from 'vitest'
import { parseTemplate, renderTemplate } from './template.ts'

const lead = { name: 'Ann Lee', twitterHandle: 'annlee', metadata: { company: 'Acme' } }
const inMessenger = (source: string, who = lead) => {
  const parsed = parseTemplate(source, 'messenger')
  return 'template' in parsed ? renderTemplate(parsed.template, who) : parsed
}

test('fills variables of campaigns, and of the messenger in any case', () => {
  expect(inMessenger('Hi {{name}}, are you {{ Handle }}?')).toBe('Hi Ann Lee, are you @annlee?')
  expect(inMessenger('{lead_name} {twitter_handle} {company|us} {city|here}')).toBe('Ann Lee @annlee Acme here')
  expect(inMessenger('Hi {{name}}!', { ...lead, name: ' ' })).toBe('Hi there!')
  expect(inMessenger('{{handle}}', { ...lead, twitterHandle: '@annlee' })).toBe('@annlee')
})

test('names the first unknown variable, which for campaigns includes those of the messenger', () => {
  expect(inMessenger('{{nick}} {{name}}')).toEqual({ unknown: '{{nick}}' })
  expect(inMessenger('{{lead_name}}')).toEqual({ unknown: '{{lead_name}}' })
  expect(parseTemplate('Hi {{name}}')).toEqual({ unknown: '{{name}}' })
})
