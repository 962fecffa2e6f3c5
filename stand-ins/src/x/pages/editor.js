// A text field that keeps its text in a model and draws it again at each change, as the editor in X's classic composer
// does. Whoever only changes what stands in the DOM has typed nothing: text comes in by keys, by paste, or by the
// browser's own editing commands.

/** Makes an editor of an element. `onChange` is told the text; `onEnter` that Enter was pressed. */
export function makeEditor(element, { onChange, onEnter }) {
  let text = ''

  function draw() {
    const blocks = (text === '' ? [''] : text.split('\n')).map((line) => {
      const block = document.createElement('div')
      block.dataset.block = 'true'
      const span = document.createElement('span')
      span.dataset.text = 'true'
      if (line === '') span.append(document.createElement('br'))
      else span.textContent = line
      block.append(span)
      return block
    })
    element.replaceChildren(...blocks)
    if (element.getRootNode().activeElement === element) getSelection().selectAllChildren(blocks.at(-1))
    if (element.getRootNode().activeElement === element) getSelection().collapseToEnd()
  }

  function change(next) {
    text = next
    draw()
    onChange(text)
  }

  /** Whether everything is selected: then what comes takes its place. Else it comes at the end. */
  function insert(words) {
    const selected = getSelection().toString()
    change(selected !== '' && selected.trim() === text.trim() ? words : text + words)
  }

  element.addEventListener('paste', (event) => {
    event.preventDefault()
    insert(event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n'))
  })
  element.addEventListener('beforeinput', (event) => {
    event.preventDefault()
    if (event.inputType === 'insertText') insert(event.data ?? '')
    else if (event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph') insert('\n')
    else if (event.inputType.startsWith('delete')) change(getSelection().isCollapsed ? text.slice(0, -1) : '')
  })
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    onEnter()
  })
  draw()
  return { text: () => text, clear: () => change('') }
}
