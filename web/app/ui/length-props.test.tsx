import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Field } from './field'
import { Textarea } from './input'
import { lengthProps } from './length-props'

test('keeps a text that is too long, counts it and says the limit', () => {
  const render = (text: string) =>
    renderToString(
      <Field label="Note" {...lengthProps(text, 10)}>
        <Textarea defaultValue={text} />
      </Field>,
    ).replace(/<!-- -->/g, '')
  expect(render('12345678')).not.toMatch(/alert|\/ 10/)
  expect(render('123456789')).toContain('9 / 10')
  const html = render('12345678901')
  expect(html).toContain('11 / 10')
  expect(html).toMatch(/aria-invalid="true"[^>]*>12345678901<\/textarea>/)
  expect(html).toContain('At most 10 characters.')
  expect(html).not.toMatch(/maxlength/i)
})
