// A text field with its own model, like X's classic composer: it accepts keys, paste and editing
// commands, and ignores direct changes of the DOM.

/** Turns an element into an editor. */
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

  /** Replaces the text if all of it is selected, otherwise appends. */
  function insert(added) {
    const selected = getSelection().toString()
    change(selected !== '' && selected.trim() === text.trim() ? added : text + added)
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
