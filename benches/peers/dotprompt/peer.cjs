// dotprompt: a Handlebars template that is compiled once. It has no budget; `fit` in common.cjs cuts.
const { Dotprompt } = require('dotprompt')
const { task, read, fit, main } = require('./common.cjs')

const TASK = task()
const SOURCE = '---\ninput:\n  schema:\n    files(array):\n      name: string\n      text: string\n---\n' +
	'{{role "system"}}{{#each files}}## {{name}}\n{{{text}}}\n{{/each}}'
const compiled = new Dotprompt().compile(SOURCE)

async function render() {
	const template = await compiled
	const files = fit(read(TASK.files), TASK.budget, entry => entry.name.length + 5)
	const { messages } = await template({ input: { files } })
	return messages.flatMap(message => message.content.map(part => part.text)).join('')
}

main(render)
