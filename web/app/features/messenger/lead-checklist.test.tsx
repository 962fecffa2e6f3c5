import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LeadChecklist } from './lead-checklist'

test('the box of leads is 350 px high at most, and scrolls', () => {
  const shown = renderToString(
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
  expect(shown).toMatch(/<ul[^>]+overflow-y-auto[^>]+style="max-height:350px"/)
})
