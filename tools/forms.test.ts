import { expect, test } from 'vitest'
import { formProblems } from './forms.ts'

const WALK = 'e2e/journeys/typed-text.spec.ts'
const PATH = 'web/app/features/leads/a.tsx'

/** The problems of one screen. Exceptions of other screens are of no interest here. */
const problemsOf = (screen: string, walk = '') =>
  formProblems([PATH], (path) => (path === WALK ? walk : screen)).filter(
    (problem) => !/needs no exception/.test(problem),
  )

test.each([
  ['a field outside of a form', '<Input />', '', /a field outside of a form/],
  ['a form without a name', '<Form name={null} onSubmit={f}>', '', /a form without a name/],
  ['a form of its own', '<form onSubmit={f}><input /></form>', '', /use Form/],
  ['a form that the journey does not walk', '<FormDialog\n  open\n  name="a"\n>', '', /add its form a/],
  ['a form that is stored at times', "<Form name={may ? 'c' : null} />", '', /add its form c/],
  ['two forms of one name', '<Form name="a" /><Form name="a" />', "  { name: 'a', ", /a form named a, too/],
  ['a form that no longer exists', 'none', "  {\n    name: 'b',\n", /no form named b/],
])('finds %s', (_, screen, walk, problem) => {
  expect(problemsOf(screen, walk)).toEqual([expect.stringMatching(problem)])
})

test('accepts a form that the journey walks', () => {
  expect(problemsOf('<Form ref={first} name="a"><Input /></Form>', "  { name: 'a', path: '/' }")).toEqual([])
})
