import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LeadChecklist } from './lead-checklist'

test('limits the list to a height of 350 px and scrolls', () => {
  const html = renderToString(
    <LeadChecklist
      leads={[]}
      total={0}
      picked={new Set()}
      canPick={() => true}
      onPick={() => {}}
      loadMore={undefined}
      disabled={false}
    />,
  )
  expect(html).toMatch(/<ul[^>]+overflow-y-auto[^>]+style="max-height:350px"/)
})
