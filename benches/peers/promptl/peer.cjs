// PromptL: a prompt with a loop. It has no budget; `fit` in common.cjs cuts. It is parsed in each call: the package offers no more.
const { render: renderPrompt, Adapters } = require('promptl-ai')
const { task, read, fit, main } = require('./common.cjs')

const TASK = task()
const PROMPT = '{{ for file in files }}\n## {{ file.name }}\n{{ file.text }}\n{{ endfor }}\n'

async function render() {
	const files = fit(read(TASK.files), TASK.budget, entry => entry.name.length + 6)
	const { messages } = await renderPrompt({ prompt: PROMPT, parameters: { files }, adapter: Adapters.default })
	return messages.flatMap(message => message.content.map(part => part.text)).join('')
}

main(render)
